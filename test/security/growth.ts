import { costOf } from '../setup/linear.ts'

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
/** How many times as much input the larger one is, and how many times as much it may cost: a square is 64 times. */
const STEP = 8
const GROWTH = 24
/** Of several rounds the least counts, and it is over as soon as nothing is wrong. */
const ROUNDS = 6
/** Costs are counted in what it costs to read a MiB of JSON, on the same machine and at the same moment. */
const UNIT = `[${'12345,'.repeat(2 ** 20 / 6)}1]`
/** Costs in which a square of such a size would show; less is not looked at. */
const FLOOR = 4
const FLOOR_PER_MIB = 8
/** The most that a head may cost, and a MiB of a body. */
const HEAD_COST = 20
const COST_PER_MIB = 200

const unit = (): Promise<number> => costOf(() => JSON.parse(UNIT))
let known: Promise<number> | undefined

/** What is wrong with the growth of the input's cost, as a sentence; `null`: nothing. */
export async function complaintAbout(input: Input): Promise<string | null> {
  const largest = Math.min(input.limit, ENOUGH)
  // A square of the largest would take minutes: it shows in the smaller one.
  for (const size of [Math.floor(largest / STEP), largest]) {
    const most = perMiB(size, FLOOR, FLOOR_PER_MIB) * (await (known ??= unit()))
    const complaint = (await roughCost(input.prepare(size))) > most && (await judge(input, size))
    if (complaint) return complaint
  }
  return null
}

async function judge({ name, prepare }: Input, size: number): Promise<string | null> {
  const [small, large] = [prepare(Math.floor(size / STEP)), prepare(size)]
  const most = perMiB(size, HEAD_COST, COST_PER_MIB)
  const least = { small: Infinity, large: Infinity, units: Infinity }
  for (let round = 0; round < ROUNDS; round++) {
    const cost = await costOf(large)
    least.large = Math.min(least.large, cost)
    least.small = Math.min(least.small, await costOf(small))
    least.units = Math.min(least.units, cost / (await unit()))
    if (least.large <= GROWTH * least.small && least.units <= most) return null
  }
  const times = (least.large / least.small).toFixed(1)
  return `${name}: ${times} times as much for ${STEP} times the input, ${least.units.toFixed(1)} times a MiB of JSON`
}

/** Microseconds of this thread for one call, to some milliseconds. */
async function roughCost(work: () => unknown): Promise<number> {
  const start = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(start)
  return user + system
}

const perMiB = (size: number, least: number, each: number): number =>
  Math.max(least, (each * size) / 2 ** 20)
