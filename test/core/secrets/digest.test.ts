import { createHmac, createSecretKey } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  digestsUnder,
  keyedDigest,
  safeEqual,
  sha1,
  sha256,
  shortDigest,
} from '../../../src/core/secrets/digest.ts'
import { CHARACTER } from '../../setup/characters.ts'

test('a keyed digest is the HMAC-SHA-256, for keys and texts of any length', () => {
  const key = fc.uint8Array({ maxLength: 200, size: 'max' })
  const text = fc.string({ unit: CHARACTER, maxLength: 300, size: 'max' })
  fc.assert(
    fc.property(key, fc.array(text, { minLength: 1, maxLength: 3 }), (secret, texts) => {
      const digest = keyedDigest(createSecretKey(secret))
      for (const each of texts) {
        expect(digest(each)).toBe(createHmac('sha256', secret).update(each).digest('hex'))
      }
    }),
  )
})

test('digests under several secrets come in their order, and depend on the purpose', () => {
  const [one, other] = digestsUnder(['a secret', 'another'], 'token digest')
  expect(digestsUnder(['another'], 'token digest')[0]!('text')).toBe(other!('text'))
  expect(one!('text')).not.toBe(other!('text'))
  expect(digestsUnder(['a secret'], 'session digest')[0]!('text')).not.toBe(one!('text'))
})

test('others are those of FIPS 180-4, in hexadecimal digits unless base64 is wanted', () => {
  const digest = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
  const short = Buffer.from(digest, 'hex').toString('base64')
  expect(sha256('abc')).toBe(digest)
  expect(sha256('abc', 'base64')).toBe(short)
  expect(shortDigest('abc')).toBe(short.slice(0, 22))
  expect(sha1('abc')).toBe('a9993e364706816aba3e25717850c26c9cd0d89d')
})

test('the same text is equal, and every other is not', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (one, other) => {
      expect(safeEqual(one, one)).toBe(true)
      expect(safeEqual(one, other)).toBe(one === other)
    }),
  )
})

test('a text that goes on is another', () => {
  expect(safeEqual('abc', 'abcd')).toBe(false)
  expect(safeEqual('', 'a')).toBe(false)
  expect(safeEqual('', '')).toBe(true)
})
