import type { Counted, Hit, Limit, Standing } from '../../core/ports/policies/throttling.ts'

/**
 * The stored numbers of one key. `log`: the moments of counted requests, oldest first, in milliseconds. `gcra`: a moment, and
 * the level at it, in parts: a unit has as many parts as the window has milliseconds, and `limit` parts drain in a millisecond.
 * They are changed in place: a log may be long.
 */
export type KeptCounts = number[]

/**
 * One way to count. `now` is the moment at which requests are judged: where a clock has been set back, the latest
 * moment that is kept. `used` is what counts by then, as `use` finds it.
 */
interface Algorithm {
  /** The latest moment that is kept. */
  latest(kept: KeptCounts): number | undefined
  /** The beginning of a log's counted part, or the level of a bucket. */
  use(kept: KeptCounts, limit: Limit, now: number): number
  /** Milliseconds until `cost` fits beside what counts; `null`: never. */
  wait(kept: KeptCounts, used: number, limit: Limit, now: number): number | null
  remaining(kept: KeptCounts, used: number, limit: Limit): number
  /** Milliseconds until more than `remaining` is left. */
  reset(kept: KeptCounts, used: number, limit: Limit, now: number): number
  /** Keeps what counts, with `cost` more at the moment `at`. */
  write(kept: KeptCounts, used: number, limit: Limit, at: number, cost: number): void
  /** Takes away the hits of a moment. */
  remove(kept: KeptCounts, limit: Limit, at: number): void
}

const windowOf = ({ seconds }: Limit): number => seconds * 1000

/** No window holds more than the limit, wherever it begins (T4, T5). */
const log: Algorithm = {
  latest: (kept) => kept.at(-1),
  use(kept, limit, now) {
    const over = now - windowOf(limit)
    let first = 0
    while (first < kept.length && kept[first]! <= over) first++
    return first
  },
  wait(kept, first, limit, now) {
    const tooMany = kept.length - first + limit.cost - limit.limit
    if (tooMany <= 0 || limit.cost === 0) return 0
    if (limit.cost > limit.limit) return neverFits(limit)
    return kept[first + tooMany - 1]! + windowOf(limit) - now
  },
  remaining: (kept, first, { limit }) => Math.max(0, limit - kept.length + first),
  reset: (kept, first, limit, now) =>
    first === kept.length ? 0 : kept[first]! + windowOf(limit) - now,
  write(kept, first, _limit, at, cost) {
    if (first > 0) kept.splice(0, first)
    const ahead = (kept.at(-1) ?? at) - at
    if (ahead > 0) for (let i = 0; i < kept.length; i++) kept[i]! -= ahead
    for (let unit = 0; unit < cost; unit++) kept.push(at)
  },
  remove(kept, { cost }, at) {
    const first = kept.indexOf(at)
    if (first >= 0) kept.splice(first, Math.min(cost, kept.lastIndexOf(at) + 1 - first))
  },
}

/** The generic cell rate algorithm, as a bucket that drains evenly: two numbers for any limit. */
const gcra: Algorithm = {
  latest: ([since]) => since,
  use([since = 0, level = 0], limit, now) {
    // A limit that has been lowered is full; it owes no more than a window.
    const most = limit.limit * windowOf(limit)
    return Math.max(0, Math.min(level, most) - (now - since) * limit.limit)
  },
  wait(_kept, level, limit) {
    const { limit: most, cost } = limit
    const tooMuch = level + (cost - most) * windowOf(limit)
    if (tooMuch <= 0 || cost === 0) return 0
    return cost > most ? neverFits(limit) : Math.ceil(tooMuch / most)
  },
  remaining(_kept, level, limit) {
    const window = windowOf(limit)
    return Math.max(0, Math.floor((limit.limit * window - level) / window))
  },
  reset(kept, level, limit) {
    const { limit: most } = limit
    const room = most - gcra.remaining(kept, level, limit) - 1
    return level === 0 || most === 0 ? 0 : Math.ceil((level - room * windowOf(limit)) / most)
  },
  write: (kept, level, limit, at, cost) => setLevel(kept, at, level + cost * windowOf(limit)),
  remove: (kept, limit) =>
    setLevel(kept, kept[0] ?? 0, (kept[1] ?? 0) - limit.cost * windowOf(limit)),
}

/** Changes the numbers in place, so that a frequent client leaves no arrays behind. */
function setLevel(kept: KeptCounts, at: number, level: number): void {
  if (level <= 0) kept.length = 0
  else {
    kept[0] = at
    kept[1] = level
  }
}

/** If nothing may pass, it is worth asking again after a window (T9); a cost beyond the limit never is. */
function neverFits(limit: Limit): number | null {
  return limit.limit === 0 ? windowOf(limit) : null
}

const algorithmOf = ({ algorithm }: Limit): Algorithm => (algorithm === 'log' ? log : gcra)

/** The decision with which a store answers. */
export interface Decision {
  readonly counted: Counted
  /** Have the numbers changed? Not if nothing is counted, unless a clock was set back. */
  readonly changed: boolean
}

/**
 * Judges all limits of a hit, and counts it where all of them allow it (I7). `kept`, in the order of the limits, is
 * changed where it stands.
 */
export function decideHit(
  { limits, counting }: Pick<Hit, 'limits' | 'counting'>,
  kept: readonly KeptCounts[],
  at: number,
): Decision {
  const waits: (number | null)[] = []
  let counts = counting
  for (let i = 0; i < limits.length; i++) {
    const wait = waitOf(limits[i]!, kept[i]!, at)
    if (wait !== 0) counts = false
    waits.push(wait)
  }
  let changed = counts
  const standings: Standing[] = []
  for (let i = 0; i < limits.length; i++) {
    if (bring(limits[i]!, kept[i]!, at, counts)) changed = true
    standings.push(standingOf(limits[i]!, kept[i]!, at, waits[i]!))
  }
  return { counted: { at, standings }, changed }
}

/** Milliseconds until a request fits beside the counted ones; `null`: never. */
export function waitOf(limit: Limit, kept: KeptCounts, at: number): number | null {
  const { use, wait, latest } = algorithmOf(limit)
  const now = Math.max(at, latest(kept) ?? at)
  return wait(kept, use(kept, limit, now), limit, now)
}

/** Writes what has to be kept. `true`: a clock has been set back. */
function bring(limit: Limit, kept: KeptCounts, at: number, counts: boolean): boolean {
  const { use, write, latest } = algorithmOf(limit)
  const now = Math.max(at, latest(kept) ?? at)
  if (counts || now > at) write(kept, use(kept, limit, now), limit, at, counts ? limit.cost : 0)
  return now > at
}

function standingOf(limit: Limit, kept: KeptCounts, at: number, wait: number | null): Standing {
  const { use, remaining, reset } = algorithmOf(limit)
  const used = use(kept, limit, at)
  return {
    allowed: wait === 0,
    wait,
    remaining: remaining(kept, used, limit),
    reset: reset(kept, used, limit, at),
  }
}

/** Takes back what a hit counted at a moment. */
export function takeBack(limit: Limit, kept: KeptCounts, at: number): void {
  algorithmOf(limit).remove(kept, limit, at)
}

/** When nothing of it counts any more, even under a lower limit: in milliseconds since 1970. */
export function forgottenAt(limit: Limit, kept: KeptCounts): number {
  return (algorithmOf(limit).latest(kept) ?? 0) + windowOf(limit)
}
