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
  let [before, earlier] = [Infinity, Infinity]
  for (const size of [STEP ** 3, STEP ** 2, STEP, 1].map((part) => Math.floor(limit / part))) {
    const most = Math.min(
      perMiB(size, HEAD_COST, COST_PER_MIB),
      Math.max(perMiB(size, FLOOR, FLOOR_PER_MIB), GROWTH * before, GROWTH_OF_TWO * earlier),
    )
    const cost = await costOf(prepare(size), most)
    // The next step could take minutes.
    if (cost > most && cost > most * slowness())
      return `${name}: ${shown(cost)} for ${size}, ${shown(before)} for a quarter`
    ;[before, earlier] = [Math.max(cost, LEAST), before]
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
