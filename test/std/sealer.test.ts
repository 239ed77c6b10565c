import { createHmac, hash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deriveKey } from '../../src/std/derive-key.ts'
import { Sealer } from '../../src/std/sealer.ts'

const sealer = new Sealer('secret')
const TEXTS = [
  '',
  'a',
  'x'.repeat(31),
  'x'.repeat(32),
  'x'.repeat(33),
  '2024-01-01 ☕',
  'x'.repeat(500),
]

describe('a sealed text', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 200, size: 'max' })

  test('opens with its secret in its context', () => {
    fc.assert(
      fc.property(text, text, (plain, context) => {
        const sealed = sealer.seal(context, plain)
        expect(new Sealer('secret').unseal(context, sealed)).toBe(plain)
      }),
    )
  })

  test('is the same for the same text and context, and another for every other', () => {
    const sealed = TEXTS.flatMap((plain) => ['one', 'two'].map((each) => sealer.seal(each, plain)))
    expect(sealed).toEqual(
      TEXTS.flatMap((plain) => ['one', 'two'].map((each) => sealer.seal(each, plain))),
    )
    expect(new Set(sealed).size).toBe(sealed.length)
  })

  test('is URL-safe, 22 characters and a third longer than the text, and shows nothing of it', () => {
    for (const plain of TEXTS) {
      const sealed = sealer.seal('', plain)
      expect(sealed).toMatch(/^[\w-]+$/)
      expect(sealed.length).toBe(Math.ceil(((16 + Buffer.byteLength(plain)) * 4) / 3))
      if (plain.length > 1) expect(Buffer.from(sealed, 'base64url').toString()).not.toContain(plain)
    }
  })

  // What a peer in another language would have to do.
  test('is what the docstring says', () => {
    const [context, plain] = ['list', 'x'.repeat(70)]
    const bytes = Buffer.from(sealer.seal(context, plain), 'base64url')
    const tag = createHmac('sha256', deriveKey('secret', 'sealed texts: tag'))
      .update(`4:${context}${plain}`)
      .digest()
      .subarray(0, 16)
    expect(bytes.subarray(0, 16)).toEqual(tag)
    const stream = [16, 48, 80].map((place) => {
      const block = Buffer.alloc(52)
      block.set(deriveKey('secret', 'sealed texts: stream'))
      block.set(tag, 32)
      block.writeUInt32BE(place, 48)
      return hash('sha256', block, 'buffer')
    })
    const hidden = Buffer.from(plain).map((byte, at) => byte ^ Buffer.concat(stream)[at]!)
    expect(bytes.subarray(16)).toEqual(Buffer.from(hidden))
  })

  test('stays shut under another secret, in another context, and where the border moved', () => {
    const sealed = sealer.seal('alice', 'text')
    expect(new Sealer('other').unseal('alice', sealed)).toBeNull()
    expect(sealer.unseal('bob', sealed)).toBeNull()
    expect(sealer.unseal('alicet', sealed)).toBeNull()
    expect(sealer.unseal('alic', sealed)).toBeNull()
  })

  test.each(TEXTS.slice(0, 6))('stays shut when any bit of it was changed: %j', (plain) => {
    const bytes = Buffer.from(sealer.seal('', plain))
    for (let at = 0; at < bytes.length * 8; at++) {
      const changed = Buffer.from(bytes)
      changed[at >> 3]! ^= 1 << (at & 7)
      expect(sealer.unseal('', changed.toString('latin1'))).toBeNull()
    }
  })

  test.each(TEXTS.slice(0, 6))('stays shut when it was cut or grew: %j', (plain) => {
    const sealed = sealer.seal('', plain)
    for (let length = 0; length < sealed.length; length++)
      expect(sealer.unseal('', sealed.slice(0, length))).toBeNull()
    for (const more of ['A', '=', ' ', '\n', '.', 'AAAA', '%'])
      expect(sealer.unseal('', sealed + more)).toBeNull()
  })

  test.each([
    '',
    'A',
    'text',
    '%%%',
    '☕'.repeat(30),
    'A'.repeat(21),
    'A'.repeat(22),
    '+/'.repeat(20),
  ])('never was: %j', (sealed) => expect(sealer.unseal('', sealed)).toBeNull())
})
