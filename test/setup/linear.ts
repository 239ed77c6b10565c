import { expect } from 'vitest'

const ROUNDS = 40
/** Four times the input may take nine times as long; with its square it would be sixteen. */
const [LARGER, BOUND] = [4, 9]
/** Milliseconds that are no work on the input. */
const SLACK = 1

/**
 * Expects that work costs what its input costs, and not the square of it. The quickest of several rounds counts,
 * because the machine has other things to do, and it is over with the first round that is quick enough: how fast the
 * machine is does not matter.
 *
 * @param size - of the smaller input: with it a quadratic cost has to be some milliseconds
 */
export async function expectLinear(
  work: (size: number) => unknown,
  { size }: { readonly size: number },
): Promise<void> {
  let [small, large] = [Infinity, Infinity]
  const isLinear = (): boolean => large <= BOUND * small + SLACK
  for (let round = 0; round < ROUNDS && !(round > 0 && isLinear()); round += 1) {
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
