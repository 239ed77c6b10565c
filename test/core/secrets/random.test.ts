import { expect, test } from 'vitest'
import { randomText } from '../../../src/core/secrets/keys.ts'

test('it has the length, and no other characters than those of the alphabet', () => {
  expect(randomText(500, 'abc')).toMatch(/^[abc]{500}$/)
  expect(randomText(0, 'abc')).toBe('')
})

test('every character comes about equally often', () => {
  const alphabet = 'abcdefghij'
  const counts = Map.groupBy(randomText(20_000, alphabet), (character) => character)
  for (const character of alphabet) {
    // 2,000 are expected; six standard deviations are about 255.
    expect(Math.abs((counts.get(character)?.length ?? 0) - 2000)).toBeLessThan(255)
  }
})

test('no two are the same', () => {
  const texts = Array.from({ length: 1000 }, () => randomText(32, 'ab'))
  expect(new Set(texts).size).toBe(1000)
})
