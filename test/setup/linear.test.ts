// Tests of the instrument: it must detect quadratic costs, even where its allowance for memory is largest.
import { expect, test } from 'vitest'
import { expectLinear } from './linear.ts'

/** Steps of the processor that no optimizer can remove. */
function steps(count: number): number {
  let sum = 0
  for (let step = 0; step < count; step++) sum = (sum * 31 + step) | 0
  return sum
}

const square = (size: number): number => steps(size ** 2)

test('a square is found out, though fresh memory is allowed for', async () => {
  const size = 20_000
  // A tenth of a millisecond, and a hundred for the larger input: on a busy machine, the smaller may cost twice as much in all
  // rounds, and fresh memory ten times as much.
  const work = (asked: number) => square((180 * asked) / size)
  await expect(expectLinear(work, { size, larger: 32 })).rejects.toThrow(/to deeply equal/)
})

test('what grows with its input is not, in fresh memory too', async () => {
  await expectLinear((size) => steps(50 * size), { size: 2000 })
  await expectLinear((size) => new Uint8Array(size).fill(1), { size: 50_000 })
})
