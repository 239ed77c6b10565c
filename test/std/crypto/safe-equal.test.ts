import fc from 'fast-check'
import { expect, test } from 'vitest'
import { safeEqual } from '../../../src/std/crypto/safe-equal.ts'

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
