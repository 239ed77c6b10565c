import { expect } from 'vitest'

/** The first rounds warm up: the smaller input costs more than later then, which would hide a square. */
const [WARM, ROUNDS] = [5, 60]
/** Milliseconds that are no work on the input. */
const SLACK = 1

interface Growth {
  /** Of the smaller input: with it a quadratic cost has to be some milliseconds. */
  readonly size: number
  /** How many times as large the larger input is. */
  readonly larger?: number
  /** How many times as long it may take. */
  readonly most?: number
}

/**
 * Expects that work costs what its input costs, and not the square of it. The quickest of several rounds counts,
 * because the machine has other things to do, and it is over as soon as they are quick enough: how fast the machine
 * is does not matter.
 *
 * @param size - of the smaller input: with it a quadratic cost has to be some milliseconds
 */
export async function expectLinear(
  work: (size: number) => unknown,
  { size, larger = 8, most = 30 }: Growth,
): Promise<void> {
  let [small, large] = [Infinity, Infinity]
  const isLinear = (): boolean => large <= most * small + SLACK
  for (let round = 0; round < ROUNDS && !(round > WARM && isLinear()); round += 1) {
    small = Math.min(small, await timeOf(() => work(size)))
    large = Math.min(large, await timeOf(() => work(larger * size)))
  }
  expect({ small, large, isLinear: isLinear() }).toEqual({ small, large, isLinear: true })
}

async function timeOf(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
