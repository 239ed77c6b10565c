import { expect } from 'vitest'

/** The first rounds warm up: the smaller input costs more than later then, which would hide a square. */
const [WARM, ROUNDS] = [2, 12]
/** Microseconds of the processor that a measurement takes at least. */
const ENOUGH = 8000
/** Microseconds that a call may cost beside its work. */
const SLACK = 1000
/** Bytes that a call may get from the system for each unit of its size: large texts are in fresh memory, more than once. */
const [FRESH, MOST_FRESH] = [16, 1 << 24]

interface Growth {
  /** Of the smaller input: with it a square has to cost some milliseconds. */
  readonly size: number
  /** How many times as large the larger input is. */
  readonly larger?: number
  /** How many times as much it may cost. */
  readonly most?: number
}

/**
 * Expects that work costs what its input costs, and not the square of it. Costs are time of the processor that this
 * thread took, compared with each other: neither the speed of the machine counts nor what else runs on it. The least
 * of several rounds counts, and it is over as soon as they are near enough.
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
    // What memory costs depends on the machine, and on what else runs there.
    if (!isLinear()) slack = SLACK + (await costOf(() => new Uint8Array(fresh).fill(1)))
  }
  expect({ small, large, isLinear: isLinear() }).toEqual({ small, large, isLinear: true })
}

/**
 * Microseconds of the processor for one call. The system moves this clock on in steps, of four milliseconds on Linux:
 * from one step to another it is exact, however short a call is.
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

/** Microseconds of this thread. */
function processorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}
