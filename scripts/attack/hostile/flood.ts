import { Wire, requestText } from '../tools/wire.ts'
import { Dice } from './dice.ts'
import { type HostileWorld, hostileRequest, misframedRequest } from './request.ts'

/** The limits of a flood. */
export interface FloodLimits {
  readonly requests: number
  readonly milliseconds: number
  readonly connections: number
  readonly seed: number
}

/** The answers to a flood. */
export interface FloodResult {
  readonly sent: number
  /** The number of answers, by status. */
  readonly answers: Record<string, number>
  /** The batches with an answer of 500 or more: one of their requests caused it. */
  readonly suspects: readonly (readonly string[])[]
}

/** The requests that are written to a connection at once. */
const BATCH = 50
/** The milliseconds without an answer that end the waiting. */
const QUIET = 1000
/** The shorter time after misframed requests, which may never get an answer. */
const MISFRAMED_QUIET = 200
/** This request ends the connection after the answers that are still due. */
const LAST = requestText('OPTIONS *', { Connection: 'close' })

/** Sends random requests over a few connections, until enough were sent or the time is over. */
export async function flood(
  url: string,
  world: HostileWorld,
  { requests, milliseconds, connections, seed }: FloodLimits,
): Promise<FloodResult> {
  const result = { sent: 0, answers: {} as Record<string, number>, suspects: [] as string[][] }
  const end = performance.now() + milliseconds
  const one = async (dice: Dice): Promise<void> => {
    while (result.sent < requests && performance.now() < end) {
      const batch = Array.from({ length: BATCH }, () => hostileRequest(dice, world))
      // A request that ends the connection comes last, because nothing behind it would be read.
      const ends = dice.once(2)
      if (ends) batch.push(misframedRequest(dice, world))
      add(result, batch, await answersTo(url, batch, ends ? MISFRAMED_QUIET : QUIET))
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, i) => one(new Dice(seed + i))))
  return result
}

function add(
  result: { sent: number; answers: Record<string, number>; suspects: (readonly string[])[] },
  batch: readonly string[],
  received: Readonly<Record<string, number>>,
): void {
  const { answers, suspects } = result
  result.sent += batch.length
  for (const [status, count] of Object.entries(received))
    answers[status] = (answers[status] ?? 0) + count
  if (Object.keys(received).some((status) => status >= '500')) suspects.push(batch)
}

/** The answers to requests on one connection, by status. */
export async function answersTo(
  url: string,
  batch: readonly string[],
  quiet = QUIET,
): Promise<Readonly<Record<string, number>>> {
  const wire = (await Wire.open(url)).count()
  wire.write(batch.join('') + LAST)
  for (let heard = -1; heard !== wire.heard;) {
    heard = wire.heard
    if (await wire.closedWithin(quiet)) break
  }
  wire.socket.destroy()
  return wire.answers
}
