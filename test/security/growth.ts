/** What a client may send, at any size up to what the doors let in. */
export interface Input {
  readonly name: string
  /** In characters or bytes: nothing larger comes through the doors. */
  readonly limit: number
  /** Prepares an input of this size; what it gives back is the work, which is measured. */
  readonly prepare: (size: number) => () => unknown
}

/** Defaults of the service: `maxHeaderSize`, which holds the request line too, and the limit of bodies. */
export const HEAD = 16_384
export const BODY = 2.5 * 1024 * 1024

/** A square shows in this as well as in the whole of a body. */
const ENOUGH = BODY / 4
/**
 * What four times as much input may cost: linear is four times as much, a square sixteen times. Of two
 * such steps it is seven times each. The rest is for noise, and for heaps and tables that grow in steps.
 */
const STEP = 4
const GROWTH = 12
const GROWTH_OF_TWO = 7 ** 2
/** Milliseconds below which growth cannot be told from noise, such as new pages of memory. */
const FLOOR = 10
const FLOOR_PER_MIB = 20
const LEAST = 0.6
/** Milliseconds of the event loop: the most that a head may cost, and a MiB of a body. */
const HEAD_COST = 25
const COST_PER_MIB = 250
/** What reading a MiB of JSON cost on the machine of those figures; on a slower one all may cost more. */
const REFERENCE_COST = 2.5
const REFERENCE = `[${'12345,'.repeat(2 ** 20 / 6)}1]`

/** What is wrong with the growth of the input's cost, as a sentence; `null`: nothing. */
export async function complaintAbout({ name, limit, prepare }: Input): Promise<string | null> {
  let before = Infinity
  const largest = Math.min(limit, ENOUGH)
  for (const size of [Math.floor(largest / STEP), largest]) {
    const ceiling = perMiB(size, HEAD_COST, COST_PER_MIB)
    const floor = perMiB(size, FLOOR, FLOOR_PER_MIB)
    const most = Math.min(ceiling, Math.max(floor, GROWTH * before))
    const cost = await costOf(prepare(size), most)
    // A heap that grows between two sizes looks like a square; over two steps it does not.
    const earlier = (): Promise<number> => costOf(prepare(Math.floor(size / STEP ** 2)), LEAST)
    if (
      cost > most &&
      cost > most * slowness() &&
      cost > Math.min(ceiling * slowness(), GROWTH_OF_TWO * Math.max(LEAST, await earlier()))
    )
      return `${name}: ${shown(cost)} for ${size}, ${shown(before)} for a quarter`
    before = Math.max(cost, LEAST)
  }
  return null
}

/** How many times slower than that machine this one is just now. */
function slowness(): number {
  const runs = Array.from({ length: 5 }, () => cpuOf(() => JSON.parse(REFERENCE)))
  return Math.max(1, Math.min(...runs) / REFERENCE_COST)
}

function cpuOf(work: () => unknown): number {
  const start = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(start)
  return (user + system) / 1000
}

const shown = (milliseconds: number): string => `${milliseconds.toFixed(1)} ms`

const perMiB = (size: number, least: number, each: number): number =>
  Math.max(least, (each * size) / 2 ** 20)

/** Milliseconds of this thread. Only where they seem too many it is done again: then the least counts. */
async function costOf(work: () => unknown, enough: number): Promise<number> {
  let least = Infinity
  for (let run = 0; run < 6 && least > enough; run++) {
    if (run > 0 && least > 20 * enough) break
    const start = process.threadCpuUsage()
    await work()
    const { user, system } = process.threadCpuUsage(start)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}
