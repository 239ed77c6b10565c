import type { Counted, CounterStore, Hit, Limit } from '../contract/throttling.ts'
import { COUNT, checkOptions } from '../settings/options.ts'
import { type Kept, decide, forgottenAt, takeBack } from './counting.ts'

/** What counters in memory are made from. */
export interface MemoryCountersOptions {
  /** Numbers kept at most, of 8 bytes: a moment of a log is one, and a key weighs as much as 20. @default 4,000,000 */
  readonly capacity?: number
  /** Milliseconds since 1970. @default a clock that no one can set back */
  readonly now?: () => number
}

interface Entry {
  limit: Limit
  readonly kept: Kept
  /** Such a request does not pass before this moment. */
  blockedUntil: number
  /** `null`: it is in none yet. */
  line: Line | null
  /** With how much the line has it. */
  weight: number
  /** Has it been used since it came to the end of the line? */
  used: boolean
}

/** A key with its entry weighs as much as so many numbers. */
const KEY_WEIGHT = 20

/** Entries in a line, with a hand that goes around and visits each. */
class Line {
  readonly #entries = new Map<string, Entry>()
  #hand = this.#entries.values()
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
    this.#entries.set(entry.limit.key, entry)
    this.weigh(entry)
  }

  weigh(entry: Entry): void {
    const weight = KEY_WEIGHT + entry.kept.length
    this.weight += weight - entry.weight
    entry.weight = weight
  }

  remove(entry: Entry): void {
    this.#entries.delete(entry.limit.key)
    this.weight -= entry.weight
    entry.weight = 0
    entry.line = null
  }

  /** Removes an entry that has not been used for long. `false`: there is none. */
  removeOldest(): boolean {
    for (const entry of this.#entries.values()) {
      this.remove(entry)
      if (!entry.used) return true
      entry.used = false
      this.add(entry)
    }
    return false
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
 * never one who has to wait; where all have to wait, new clients share one counter for each rate.
 *
 * @example
 * defineApi({ urls, counters: new MemoryCounters({ capacity: 1_000_000 }) })
 */
export class MemoryCounters implements CounterStore {
  readonly #capacity: number
  readonly #now: () => number
  #open = new Line()
  /** Those who have to wait. */
  #blocked = new Line()

  constructor({ capacity = 4_000_000, now = steadyClock }: MemoryCountersOptions = {}) {
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
    const limits = this.#blocked.weight < this.#capacity ? wanted : this.#placed(wanted)
    const entries = limits.map((limit) => this.#find(limit.key) ?? entryOf(limit))
    const kept = entries.map((entry) => entry.kept)
    const { counted, changed } = decide({ limits, counting }, kept, now)
    if (changed)
      for (let i = 0; i < entries.length; i++) {
        const { remaining, reset } = counted.standings[i]!
        const entry = entries[i]!
        entry.limit = limits[i]!
        entry.used = true
        this.#settle(entry, remaining < entry.limit.cost ? now + reset : 0, now)
      }
    return counted
  }

  withdraw(limits: readonly Limit[], at: number): void {
    for (const limit of limits) {
      const entry = this.#find(limit.key)
      if (entry === undefined) continue
      takeBack(limit, entry.kept, at)
      this.#settle(entry, 0, at)
    }
  }

  clear(): void {
    this.#open = new Line()
    this.#blocked = new Line()
  }

  #find(key: string): Entry | undefined {
    return this.#open.get(key) ?? this.#blocked.get(key)
  }

  /** Puts an entry into the line where it belongs, and makes room. */
  #settle(entry: Entry, blockedUntil: number, now: number): void {
    const line = blockedUntil === 0 ? this.#open : this.#blocked
    entry.blockedUntil = blockedUntil
    if (entry.line === null) this.#tidy(now)
    if (entry.line === line) line.weigh(entry)
    else line.add(entry)
    while (this.#open.weight + this.#blocked.weight > this.#capacity && this.#open.removeOldest());
  }

  /** Where all the room is taken by clients who have to wait, the others share a counter. */
  #placed(limits: readonly Limit[]): readonly Limit[] {
    return limits.map((limit) => {
      const { key, limit: most, seconds, algorithm } = limit
      if (this.#find(key) !== undefined) return limit
      return { ...limit, key: `shared_${most}_${seconds}_${algorithm}` }
    })
  }

  /** Two steps for each entry that comes, in each line: the hands keep up. */
  #tidy(now: number): void {
    for (let step = 0; step < 2; step++) {
      const open = this.#open.visit()
      if (open !== null && forgottenAt(open.limit, open.kept) <= now) this.#open.remove(open)
      const blocked = this.#blocked.visit()
      if (blocked !== null && blocked.blockedUntil <= now) this.#settle(blocked, 0, now)
    }
  }
}

function entryOf(limit: Limit): Entry {
  return { limit, kept: [], blockedUntil: 0, line: null, weight: 0, used: false }
}

/** Set by nothing but the time that goes by. */
function steadyClock(): number {
  return performance.timeOrigin + performance.now()
}
