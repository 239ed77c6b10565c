import { expect } from 'vitest'

/** The first rounds warm up: early on, the smaller input costs more, which would hide quadratic costs. */
const [WARM, ROUNDS] = [2, 12]
/** The least microseconds of the processor in a measurement. */
const ENOUGH = 8000
/** The microseconds that a call may cost beside its work. */
const SLACK = 1000
/** The bytes of fresh memory that a call may need for each unit of its size: large texts are in it more than once. */
const [FRESH, MOST_FRESH] = [16, 1 << 24]

interface Growth {
  /** The size of the smaller input, at which quadratic costs must take some milliseconds. */
  readonly size: number
  /** The factor between the sizes of both inputs. */
  readonly larger?: number
  /** The largest permitted factor between the costs. */
  readonly most?: number
}

/**
 * Expects costs in proportion to the input, and not to its square. It compares processor times of this thread, so neither the
 * speed of the machine counts nor other programs. The least of several rounds counts, and the test ends as soon as the costs
 * are near enough.
 */
export async function expectLinear(
  work: (size: number) => unknown,
  { size, larger = 8, most = 30 }: Growth,
): Promise<void> {
  let [small, large] = [Infinity, Infinity]
  let slack = SLACK
  const isLinear = (): boolean => large <= most * small + slack
  const fresh = Math.min(FRESH * larger * size, MOST_FRESH)
  for (let round = 0; round < ROUNDS && !(round > WARM && isLinear()); round += 1) {
    small = Math.min(small, await costOf(() => work(size)))
    large = Math.min(large, await costOf(() => work(larger * size)))
    // The cost of memory depends on the machine, and on other programs.
    if (!isLinear()) slack = SLACK + (await costOf(() => new Uint8Array(fresh).fill(1)))
  }
  expect({ small, large, isLinear: isLinear() }).toEqual({ small, large, isLinear: true })
}

/**
 * The microseconds of the processor for one call. This clock moves in steps, of four milliseconds on Linux. The time between
 * two steps is exact, however short a call is.
 */
export async function costOf(work: () => unknown): Promise<number> {
  const before = processorTime()
  let start = before
  while (start === before) start = processorTime()
  let [calls, cost] = [0, 0]
  while (cost < ENOUGH) {
    const done = work()
    if (done instanceof Promise) await done
    calls += 1
    cost = processorTime() - start
  }
  return cost / calls
}

/** The processor time of this thread, in microseconds. */
function processorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}
