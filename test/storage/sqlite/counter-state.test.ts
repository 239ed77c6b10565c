import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesOf, numbersOf } from '../../../src/storage/sqlite/counters.ts'
import { limitOf } from '../../contract/counter-exactness.ts'

const log = limitOf(5, 60)
const gcra = limitOf(5, 60, { algorithm: 'gcra' })

test('a log comes back as it was kept, whatever lies between its moments', () => {
  const distance = fc.oneof(
    fc.constantFrom(0, 1, 127, 128, 129, 16_383, 16_384, 2 ** 31, 2 ** 32, 2 ** 49),
    fc.nat({ max: 100_000 }),
  )
  const first = fc.integer({ min: -(2 ** 50), max: 2 ** 50 })
  fc.assert(
    fc.property(first, fc.array(distance, { maxLength: 8 }), (start, distances) => {
      const kept = [start]
      for (const each of distances) kept.push(kept.at(-1)! + each)
      expect(numbersOf(log, bytesOf(log, kept))).toEqual(kept)
    }),
  )
  expect(numbersOf(log, bytesOf(log, []))).toEqual([])
})

test('so does a bucket', () => {
  const whole = fc.integer({ min: -(2 ** 52), max: 2 ** 52 })
  fc.assert(
    fc.property(whole, whole, (moment, level) => {
      expect(numbersOf(gcra, bytesOf(gcra, [moment, level]))).toEqual([moment, level])
    }),
  )
  expect(numbersOf(gcra, bytesOf(gcra, []))).toEqual([])
})

test('a moment of a busy client takes two bytes', () => {
  const start = Date.UTC(2026, 0, 1)
  const kept = Array.from({ length: 1000 }, (_, i) => start + i * 600)
  expect(bytesOf(log, kept)).toHaveLength(8 + 999 * 2)
})

test('bytes may begin anywhere in their memory', () => {
  const kept = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)]
  const bytes = bytesOf(log, kept)
  const moved = new Uint8Array(bytes.length + 3)
  moved.set(bytes, 3)
  expect(numbersOf(log, moved.subarray(3))).toEqual(kept)
})
