import type {
  Counted,
  CounterStore,
  Hit,
  Limit,
  Standing,
} from '../../core/ports/policies/throttling.ts'
import { COUNT, checkOptions } from '../../core/settings/options.ts'
import { type KeptCounts, decideHit, forgottenAt, takeBack, waitOf } from './counting.ts'

/** Options of counters in memory. */
export interface MemoryCountersOptions {
  /** Numbers kept at most, of 8 bytes: a moment of a log is one, and a key takes as much as 50. @default 8,000,000 */
  readonly capacity?: number
  /** Milliseconds since 1970. @default a clock that no one can set back */
  readonly now?: () => number
}

interface Entry {
  readonly key: string
  kept: KeptCounts
  /** When nothing of the entry counts any more. */
  over: number
  /** A request such as the last does not pass before this moment. */
  blockedUntil: number
  /** The line of the entry; `null`: it is in none yet. */
  line: Line | null
  /** The weight with which the line counts the entry. */
  weight: number
  /** Has it been used again since it came to the end of the line? */
  used: boolean
}

/** A key with its entry takes as much memory as so many numbers. */
const KEY_WEIGHT = 50

/** An entry that was used again gets another round, but one removal moves no more entries than this. */
const MOST_CHANCES = 8

/** Entries in a line, with a hand that goes around and visits each. */
class Line {
  readonly #entries = new Map<string, Entry>()
  #hand = this.#entries.values()
  /** A new iterator would pass all removed entries each time, so this one is kept. */
  #front = this.#entries.values()
  weight = 0

  get size(): number {
    return this.#entries.size
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key)
  }

  /** Puts an entry of another line, or of none, to the end. */
  add(entry: Entry): void {
    entry.line?.remove(entry)
    entry.line = this
    this.#entries.set(entry.key, entry)
    this.weigh(entry)
  }

  weigh(entry: Entry): void {
    const weight = KEY_WEIGHT + entry.kept.length
    this.weight += weight - entry.weight
    entry.weight = weight
  }

  remove(entry: Entry): void {
    this.#entries.delete(entry.key)
    this.weight -= entry.weight
    entry.weight = 0
    entry.line = null
  }

  /** Removes an entry that has not been used for long, and is not this one. `false`: no entry. */
  removeOldest(but: Entry): boolean {
    for (let chances = MOST_CHANCES; this.size > (but.line === this ? 1 : 0); chances--) {
      const entry = this.#first()
      this.remove(entry)
      if (entry !== but && (!entry.used || chances <= 0)) return true
      entry.used = false
      this.add(entry)
    }
    return false
  }

  /** The entry that has been here the longest; there is one. */
  #first(): Entry {
    const step = this.#front.next()
    if (!step.done) return step.value
    this.#front = this.#entries.values()
    return this.#first()
  }

  /** The next entry that the hand comes to. */
  visit(): Entry | null {
    const step = this.#hand.next()
    if (!step.done) return step.value
    this.#hand = this.#entries.values()
    return null
  }
}

/**
 * Counters of one process, gone with it. Memory is bounded, without a timer: each new entry looks at a few others,
 * and drops those that are over. Where there is no room, the client that has been away the longest is forgotten, but
 * never one who has to wait; where those take most of the room, new clients share one counter for each rate.
 *
 * @example
 * defineApi({ urls, counters: new MemoryCounters({ capacity: 1_000_000 }) })
 */
export class MemoryCounters implements CounterStore {
  readonly #capacity: number
  readonly #now: () => number
  #open = new Line()
  /** Entries of clients who have to wait. */
  #blocked = new Line()

  constructor({ capacity = 8_000_000, now = steadyClock }: MemoryCountersOptions = {}) {
    checkOptions('MemoryCounters', { capacity }, { capacity: COUNT })
    this.#capacity = capacity
    this.#now = now
  }

  /** Keys that are kept. */
  get size(): number {
    return this.#open.size + this.#blocked.size
  }

  hit({ limits: wanted, at, counting }: Hit): Counted {
    const now = at ?? Math.floor(this.#now())
    const limits = this.#isCrowded() ? this.#placed(wanted, now) : wanted
    const [entries, kept]: [Entry[], KeptCounts[]] = [[], []]
    for (const { key } of limits) {
      const entry = this.#find(key) ?? entryOf(key)
      entries.push(entry)
      kept.push(entry.kept)
    }
    const { counted, changed } = decideHit({ limits, counting }, kept, now)
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i]!
      const until = now + waitAfter(limits[i]!, counted.standings[i]!, entry.kept, now)
      if (changed) this.#keep(entry, limits[i]!, until, now)
      else if (until > now && entry.line !== null) this.#settle(entry, until, now)
    }
    return counted
  }

  withdraw(limits: readonly Limit[], at: number): void {
    for (const [i, limit] of limits.entries()) {
      const entry = this.#find(limit.key) ?? this.#find(sharedKey(limit, i))
      if (entry === undefined) continue
      takeBack(limit, entry.kept, at)
      entry.blockedUntil = 0
      this.#open.add(entry)
      if (entry.kept.length === 0) this.#open.remove(entry)
    }
  }

  clear(): void {
    this.#open = new Line()
    this.#blocked = new Line()
  }

  #find(key: string): Entry | undefined {
    return this.#open.get(key) ?? this.#blocked.get(key)
  }

  #keep(entry: Entry, limit: Limit, until: number, now: number): void {
    // The array of most clients holds one number, and an array that has grown has room for more.
    if (entry.line === null) entry.kept = entry.kept.slice()
    else entry.used = true
    entry.over = forgottenAt(limit, entry.kept)
    this.#settle(entry, until, now)
  }

  /** Puts an entry into the line where it belongs, and makes room. */
  #settle(entry: Entry, until: number, now: number): void {
    if (entry.line === null) this.#tidy(now, 2)
    // If this request need not wait, that does not shorten the wait of another request.
    entry.blockedUntil = Math.min(Math.max(until, entry.blockedUntil), entry.over)
    const line = entry.blockedUntil > now ? this.#blocked : this.#open
    if (entry.line === line) line.weigh(entry)
    else line.add(entry)
    while (this.#weight > this.#capacity && this.#open.removeOldest(entry));
  }

  get #weight(): number {
    return this.#open.weight + this.#blocked.weight
  }

  /**
   * Do entries of waiting clients take more than three quarters of the room? The rest is for entries that are forgotten in
   * the order in which they came.
   */
  #isCrowded(): boolean {
    return this.#blocked.weight > this.#capacity * 0.75
  }

  /** If clients who have to wait take most of the room, new ones share a counter. */
  #placed(limits: readonly Limit[], now: number): readonly Limit[] {
    // It ends as soon as it can.
    this.#tidy(now, 32)
    return limits.map((limit, i) =>
      this.#find(limit.key) === undefined ? { ...limit, key: sharedKey(limit, i) } : limit,
    )
  }

  /** So many steps in each line: with two for each entry that comes, the hands keep up. */
  #tidy(now: number, steps: number): void {
    for (let step = 0; step < steps; step++) {
      const open = this.#open.visit()
      if (open !== null && open.over <= now) this.#open.remove(open)
      const blocked = this.#blocked.visit()
      if (blocked === null || blocked.blockedUntil > now) continue
      if (blocked.over <= now) this.#blocked.remove(blocked)
      else this.#open.add(blocked)
    }
  }
}

function entryOf(key: string): Entry {
  return { key, kept: [], over: 0, blockedUntil: 0, line: null, weight: 0, used: false }
}

/** Limits of one request have counters of their own here, too. */
function sharedKey({ limit, seconds, algorithm }: Limit, place: number): string {
  return `shared_${place}_${limit}_${seconds}_${algorithm}`
}

/**
 * Milliseconds for which such a request would not pass; 0 also where less than half of the limit is taken: what
 * may still grow to many times its weight may be forgotten.
 */
function waitAfter(limit: Limit, standing: Standing, kept: KeptCounts, at: number): number {
  if (standing.remaining > limit.limit / 2 || standing.remaining >= limit.cost) return 0
  return (standing.allowed ? waitOf(limit, kept, at) : standing.wait) ?? 0
}

const { timeOrigin } = performance

/** Set by nothing but the time that goes by. */
function steadyClock(): number {
  return timeOrigin + performance.now()
}
