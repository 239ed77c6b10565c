// The common part of the tables of counters.
import type { Limit } from '../core/ports/policies/throttling.ts'
import { type KeptCounts, forgottenAt } from '../policies/throttling/counting.ts'

const LONGEST_KEY = 250
/** The shortest stretch of time, in milliseconds, at whose end rows are over: with most hits, the state alone is written. */
const SHORTEST_GRAIN = 60_000

/** The name of a row. The two algorithms keep different things, and a limit may change from one to the other. */
export function idOf({ algorithm, key }: Limit): string {
  return `${algorithm} ${key}`
}

export function windowOf({ seconds }: Limit): number {
  return seconds * 1000
}

/** Milliseconds whose multiples end the life of a row; they grow with the window. */
export function grainOf(limit: Limit): number {
  return Math.max(SHORTEST_GRAIN, windowOf(limit))
}

/** When the row may be deleted: never before the state is of no use. */
export function keptUntil(limit: Limit, kept: KeptCounts): number {
  const grain = grainOf(limit)
  return Math.ceil(forgottenAt(limit, kept) / grain) * grain
}

/**
 * Checks limits before they are sent: hits travel together, and a value that no database takes would make all of them fail.
 *
 * @throws TypeError a key is too long, or no text; a number is not whole, or too large
 */
export function checkLimits(limits: readonly Limit[], at: number | null): void {
  if (!Number.isSafeInteger(at ?? 0)) throw unfit('at', at)
  for (const limit of limits) {
    const { key } = limit
    if (key.length > LONGEST_KEY || key.includes('\0') || !key.isWellFormed())
      throw unfit('key', key)
    const span = windowOf(limit)
    if (!isWhole(limit.limit) || !isWhole(limit.limit * span) || !isWhole(span - 1))
      throw unfit('limit', limit.limit)
    if (!isWhole(limit.cost * span) || !isWhole(limit.cost)) throw unfit('cost', limit.cost)
  }
}

function isWhole(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

function unfit(what: string, value: unknown): TypeError {
  return new TypeError(`A counter cannot be kept with ${what} ${JSON.stringify(value)}.`)
}
