import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  carriesSecret,
  mask,
  newSecret,
  unmask,
} from '../../../../src/policies/authentication/csrf/csrf.ts'

const secrets = fc.stringMatching(/^[a-zA-Z0-9]{32}$/)

describe('S10 a secret', () => {
  test('is 32 letters and digits, another one each time', () => {
    const made = Array.from({ length: 200 }, newSecret)
    for (const secret of made) expect(secret).toMatch(/^[a-zA-Z0-9]{32}$/)
    expect(new Set(made).size).toBe(200)
  })
})

describe('S11 a masked token', () => {
  const many = (character: string) => character.repeat(32)
  for (const [secret, by, token] of [
    ['a', 'b', many('b') + many('b')],
    ['9', 'b', many('b') + many('a')],
    ['a', 'a', many('a') + many('a')],
    ['z', 'b', many('b') + many('A')],
    ['Z', 'b', many('b') + many('0')],
    ['9', '9', many('9') + many('8')],
  ] as const) {
    test(`${secret} masked by ${by} is ${token[0]} and ${token[32]}`, () => {
      expect(mask(many(secret), many(by))).toBe(token)
      expect(unmask(token)).toBe(many(secret))
    })
  }

  test('is 64 letters and digits, and carries its secret', () => {
    fc.assert(
      fc.property(secrets, secrets, (secret, by) => {
        const token = mask(secret, by)
        expect(token).toMatch(/^[a-zA-Z0-9]{64}$/)
        expect(unmask(token)).toBe(secret)
      }),
    )
  })

  test('is another one each time', () => {
    const secret = newSecret()
    expect(new Set(Array.from({ length: 100 }, () => mask(secret))).size).toBe(100)
  })

  test('the plain secret is a token too', () => {
    fc.assert(fc.property(secrets, (secret) => unmask(secret) === secret))
  })
})

describe('S19 what is no token', () => {
  for (const text of [
    '',
    'a',
    'a'.repeat(31),
    'a'.repeat(33),
    'a'.repeat(63),
    'a'.repeat(65),
    'a'.repeat(96),
    `${'a'.repeat(31)}-`,
    `${'a'.repeat(31)}é`,
    `${'a'.repeat(32)}\n`,
    `${'a'.repeat(63)} `,
    '*'.repeat(32),
    '\0'.repeat(64),
  ]) {
    test(JSON.stringify(text.length > 40 ? `${text.slice(0, 3)}… (${text.length})` : text), () => {
      expect(unmask(text)).toBeNull()
      expect(carriesSecret(text, 'a'.repeat(32))).toBe(false)
    })
  }
})

describe('a token carries a secret', () => {
  test('its own and no other', () => {
    fc.assert(
      fc.property(secrets, secrets, (secret, other) => {
        for (const token of [secret, mask(secret)]) {
          expect(carriesSecret(token, secret)).toBe(true)
          expect(carriesSecret(token, other)).toBe(secret === other)
        }
      }),
    )
  })

  test('not with one character changed, wherever it is', () => {
    const secret = 'abcdefghijklmnopqrstuvwxyzABCDEF'
    const token = mask(secret, 'b'.repeat(32))
    for (let at = 0; at < token.length; at += 1) {
      const changed = token.slice(0, at) + (token[at] === '7' ? '8' : '7') + token.slice(at + 1)
      expect(carriesSecret(changed, secret)).toBe(false)
    }
  })
})
