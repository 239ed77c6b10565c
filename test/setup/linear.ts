import { expect } from 'vitest'

/** The first rounds warm up: the smaller input costs more than later then, which would hide a square. */
const [WARM, ROUNDS] = [5, 60]
/** Eight times the input may take thirty times as long, with caches that overflow; a square would be 64 times. */
const [LARGER, BOUND] = [8, 30]
/** Milliseconds that are no work on the input. */
const SLACK = 1

/**
 * Expects that work costs what its input costs, and not the square of it. The quickest of several rounds counts,
 * because the machine has other things to do, and it is over as soon as they are quick enough: how fast the machine
 * is does not matter.
 *
 * @param size - of the smaller input: with it a quadratic cost has to be some milliseconds
 */
export async function expectLinear(
  work: (size: number) => unknown,
  { size }: { readonly size: number },
): Promise<void> {
  let [small, large] = [Infinity, Infinity]
  const isLinear = (): boolean => large <= BOUND * small + SLACK
  for (let round = 0; round < ROUNDS && !(round > WARM && isLinear()); round += 1) {
    small = Math.min(small, await timeOf(() => work(size)))
    large = Math.min(large, await timeOf(() => work(LARGER * size)))
  }
  expect({ small, large, isLinear: isLinear() }).toEqual({ small, large, isLinear: true })
}

async function timeOf(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
