import type { Counted, Hit, Limit, Standing } from '../contract/throttling.ts'

/**
 * What is kept of one key, in whole numbers. `log`: the moments of what was counted, oldest first, in
 * milliseconds. `gcra`: a moment, and the level at it, in parts of which one unit has as many as the window has
 * milliseconds; it drains by `limit` parts a millisecond.
 */
export type Kept = readonly number[]

/** One way to count. `at`: now, in milliseconds. */
interface Algorithm {
  /** What still counts now. What lies ahead was kept by a clock that has been set back: it counts as of now. */
  current(kept: Kept, limit: Limit, at: number): Kept
  /** Milliseconds until `cost` fits beside what counts; `null`: never. */
  wait(current: Kept, limit: Limit, at: number): number | null
  add(current: Kept, limit: Limit, at: number): Kept
  remaining(current: Kept, limit: Limit): number
  /** Milliseconds until more than `remaining` is left. */
  reset(current: Kept, limit: Limit, at: number): number
  /** What was counted at a moment is taken away. */
  without(kept: Kept, limit: Limit, at: number): Kept
}

const windowOf = ({ seconds }: Limit): number => seconds * 1000

/** No window holds more than the limit, wherever it begins (T4, T5). */
const log: Algorithm = {
  current(kept, limit, at) {
    const newest = kept.at(-1) ?? at
    const moments = newest > at ? kept.map((moment) => moment - (newest - at)) : kept
    const over = at - windowOf(limit)
    if (moments.length === 0 || moments[0]! > over) return moments
    const first = moments.findIndex((moment) => moment > over)
    return first < 0 ? [] : moments.slice(first)
  },
  wait(current, limit, at) {
    const tooMany = current.length + limit.cost - limit.limit
    if (tooMany <= 0 || limit.cost === 0) return 0
    if (limit.cost > limit.limit) return neverFits(limit)
    return current[tooMany - 1]! + windowOf(limit) - at
  },
  add: (current, { cost }, at) => [...current, ...Array<number>(cost).fill(at)],
  remaining: (current, { limit }) => Math.max(0, limit - current.length),
  reset: ([oldest], limit, at) => (oldest === undefined ? 0 : oldest + windowOf(limit) - at),
  without(kept, { cost }, at) {
    const first = kept.indexOf(at)
    const last = Math.min(first + cost, kept.lastIndexOf(at) + 1)
    return first < 0 ? kept : kept.toSpliced(first, last - first)
  },
}

/** The generic cell rate algorithm, as a bucket that drains evenly: two numbers, whatever the limit is. */
const gcra: Algorithm = {
  current(kept, limit, at) {
    const [since = at, level = 0] = kept
    const elapsed = Math.max(0, at - since)
    // A limit that has been lowered is full; it owes no more than a window.
    const most = limit.limit * windowOf(limit)
    const drained = Math.max(0, Math.min(level, most) - elapsed * limit.limit)
    return drained === 0 ? [] : [at, drained]
  },
  wait([, level = 0], limit) {
    const { limit: most, cost } = limit
    const tooMuch = level + (cost - most) * windowOf(limit)
    if (tooMuch <= 0 || cost === 0) return 0
    return cost > most ? neverFits(limit) : Math.ceil(tooMuch / most)
  },
  add: ([, level = 0], limit, at) => [at, level + limit.cost * windowOf(limit)],
  remaining([, level = 0], limit) {
    const window = windowOf(limit)
    return Math.max(0, Math.floor((limit.limit * window - level) / window))
  },
  reset(current, limit) {
    const [, level = 0] = current
    const { limit: most } = limit
    const room = most - gcra.remaining(current, limit) - 1
    return level === 0 || most === 0 ? 0 : Math.ceil((level - room * windowOf(limit)) / most)
  },
  without([since, level = 0], limit) {
    const rest = level - limit.cost * windowOf(limit)
    return since === undefined || rest <= 0 ? [] : [since, rest]
  },
}

/** Where nothing may pass, it is worth asking again after a window (T9); a cost beyond the limit never is. */
function neverFits(limit: Limit): number | null {
  return limit.limit === 0 ? windowOf(limit) : null
}

const algorithms: Readonly<Record<Limit['algorithm'], Algorithm>> = { log, gcra }

/** What a store has to answer, and to keep for each limit. */
export interface Decision {
  readonly counted: Counted
  readonly kept: readonly Kept[]
  /** Must it be kept? Not where nothing is counted, unless a clock was set back. */
  readonly changed: boolean
}

/** Judges all limits of a hit, and counts it where all of them allow it (I7). */
export function decide(
  { limits, counting }: Pick<Hit, 'limits' | 'counting'>,
  before: readonly Kept[],
  at: number,
): Decision {
  const current = limits.map((limit, i) =>
    algorithms[limit.algorithm].current(before[i]!, limit, at),
  )
  const waits = limits.map((limit, i) => algorithms[limit.algorithm].wait(current[i]!, limit, at))
  const counts = counting && waits.every((wait) => wait === 0)
  const kept = counts
    ? limits.map((limit, i) => algorithms[limit.algorithm].add(current[i]!, limit, at))
    : current
  const standings = limits.map((limit, i): Standing => {
    const { remaining, reset } = algorithms[limit.algorithm]
    const wait = waits[i]!
    const [left, later] = [remaining(kept[i]!, limit), reset(kept[i]!, limit, at)]
    return { allowed: wait === 0, wait, remaining: left, reset: later }
  })
  const isAhead = limits.some((limit, i) => liesAhead(limit, before[i]!, at))
  return { counted: { at, standings }, kept, changed: counts || isAhead }
}

/** What is left where a hit, counted at a moment, is taken back. */
export function withdrawn(limit: Limit, kept: Kept, at: number): Kept {
  return algorithms[limit.algorithm].without(kept, limit, at)
}

/** When nothing of it counts any more, in milliseconds since 1970. */
export function forgottenAt(limit: Limit, kept: Kept): number {
  if (limit.algorithm === 'log') return (kept.at(-1) ?? 0) + windowOf(limit)
  const [since = 0, level = 0] = kept
  return since + Math.ceil(level / Math.max(1, limit.limit))
}

function liesAhead({ algorithm }: Limit, kept: Kept, at: number): boolean {
  return (algorithm === 'log' ? (kept.at(-1) ?? at) : (kept[0] ?? at)) > at
}
