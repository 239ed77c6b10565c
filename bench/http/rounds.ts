import { sendLoad } from './load.ts'
import type { ServerProcess } from './server-process.ts'

/** A server, and the requests for it. */
export interface Contestant {
  readonly server: ServerProcess
  /** The text of request number `i`, headers included. */
  request(i: number): string
}

/** A comparison, and the number of its rounds. */
export interface Contest {
  readonly ours: Contestant
  readonly theirs: Contestant
  readonly connections: number
  readonly requests: number
  readonly rounds: number
}

/** CPU time per request, ours ÷ theirs. */
export interface Ratio {
  readonly low: number
  readonly median: number
  readonly high: number
  /** The ratio of each round. */
  readonly ratios: readonly number[]
  /** Microseconds per request in the last round. */
  readonly own: number
  readonly hand: number
}

/** Measures both in turns, A B B A …, after one round that does not count. */
export async function compare({ ours, theirs, rounds, ...load }: Contest): Promise<Ratio> {
  const cost = (contestant: Contestant) => measure(contestant, load)
  await cost(ours)
  await cost(theirs)
  const ratios: number[] = []
  let [own, hand] = [0, 0]
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? [ours, theirs] : [theirs, ours]
    const first = await cost(order[0]!)
    const second = await cost(order[1]!)
    ;[own, hand] = round % 2 === 0 ? [first, second] : [second, first]
    ratios.push(own / hand)
  }
  return { ...quartiles(ratios), ratios, own, hand }
}

/** Microseconds of CPU time per request. */
async function measure(
  { server, request }: Contestant,
  { connections, requests }: Pick<Contest, 'connections' | 'requests'>,
): Promise<number> {
  const before = await server.cpu()
  await sendLoad({ port: server.port, connections, requests, request })
  return ((await server.cpu()) - before) / requests
}

/** The median of some values, and a quarter of the way below and above it. */
export function quartiles(values: readonly number[]): Pick<Ratio, 'low' | 'median' | 'high'> {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)]!
  return { low: at(0.25), median: at(0.5), high: at(0.75) }
}

/** Prints one line; a ratio over its budget makes the program fail. */
export function report(name: string, budget: number, ratio: Ratio): void {
  const { low, median, high, own, hand } = ratio
  const verdict = median <= budget ? 'within' : 'OVER'
  console.log(
    `${name.padEnd(35)} ${median.toFixed(2)} [${low.toFixed(2)}–${high.toFixed(2)}]  ${verdict} ${budget}  (last round: ${own.toFixed(1)} and ${hand.toFixed(1)} µs)`,
  )
  if (median > budget) process.exitCode = 1
}
