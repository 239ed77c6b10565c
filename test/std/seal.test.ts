import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deriveKey } from '../../src/std/derive-key.ts'
import { seal, unseal } from '../../src/std/seal.ts'

const key = deriveKey('secret', 'a test')

describe('a sealed text', () => {
  test('opens with its key in its context', () => {
    const text = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(text, text, (plain, context) => {
        expect(unseal(key, seal(key, plain, context), context)).toBe(plain)
      }),
    )
  })

  test('is URL-safe, says its version, and is another one each time', () => {
    const [first, second] = [seal(key, 'text', ''), seal(key, 'text', '')]
    expect(first).toMatch(/^v1\.[\w-]+$/)
    expect(first).not.toBe(second)
    expect(first).not.toContain('text')
  })

  test('stays shut under another key and in another context', () => {
    const sealed = seal(key, 'text', 'alice')
    expect(unseal(deriveKey('other', 'a test'), sealed, 'alice')).toBeNull()
    expect(unseal(key, sealed, 'bob')).toBeNull()
  })

  test.each(['', 'a', 'ab', 'abc', 'x'.repeat(40)])(
    'stays shut when any bit of it was changed: %j',
    (text) => {
      const bytes = Buffer.from(seal(key, text, ''))
      for (let at = 0; at < bytes.length * 8; at++) {
        const changed = Buffer.from(bytes)
        changed[at >> 3]! ^= 1 << (at & 7)
        expect(unseal(key, changed.toString('latin1'), '')).toBeNull()
      }
    },
  )

  test.each(['', 'v1.', 'v1.AAAA', 'v2.AAAA', 'text', 'v1.%%%', `v1.${'A'.repeat(38)}`])(
    'never was: %j',
    (text) => expect(unseal(key, text, '')).toBeNull(),
  )
})
