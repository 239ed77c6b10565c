import type { Counted, CounterStore, Hit, Limit } from '../contract/throttling.ts'
import { COUNT, checkOptions } from '../settings/options.ts'
import { type Kept, decide, forgottenAt, withdrawn } from './counting.ts'

/** What counters in memory are made from. */
export interface MemoryCountersOptions {
  /** Numbers kept at most, of 8 bytes: a moment of a log is one, and a key weighs as much as 20. @default 4,000,000 */
  readonly capacity?: number
  /** Milliseconds since 1970. @default a clock that no one can set back */
  readonly now?: () => number
}

interface Entry {
  readonly limit: Limit
  readonly kept: Kept
  /** Such a request does not pass before this moment. */
  readonly blockedUntil: number
}

/** Entries in the order in which they were last set, with a hand that goes around and visits each. */
class Line {
  readonly #entries = new Map<string, Entry>()
  #hand = this.#entries.entries()
  weight = 0

  get size(): number {
    return this.#entries.size
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key)
  }

  add(key: string, entry: Entry): void {
    this.#entries.set(key, entry)
    this.weight += weightOf(entry)
  }

  take(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.weight -= weightOf(entry)
  }

  /** Takes the entry that was set the longest ago. `false`: there is none. */
  takeFirst(): boolean {
    const first = this.#entries.keys().next()
    if (first.done) return false
    this.take(first.value)
    return true
  }

  /** The next entry that the hand comes to. */
  visit(): readonly [string, Entry] | undefined {
    const step = this.#hand.next()
    if (step.done) this.#hand = this.#entries.entries()
    return step.value
  }
}

/** A key with its entry weighs as much as so many numbers. */
const KEY_WEIGHT = 20

function weightOf({ kept }: Entry): number {
  return KEY_WEIGHT + kept.length
}

/**
 * Counters of one process, gone with it. Memory is bounded, without a timer: each hit looks at a few entries, and
 * drops those that are over. Where there is no room, the client that has been away the longest is forgotten, but
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
    this.#tidy(now)
    const limits = this.#blocked.weight < this.#capacity ? wanted : this.#placed(wanted)
    const before = limits.map(({ key }) => this.#find(key)?.kept ?? [])
    const { kept, changed, counted } = decide({ limits, counting }, before, now)
    if (!changed) return counted
    for (const [i, limit] of limits.entries()) {
      const { remaining, reset } = counted.standings[i]!
      const blockedUntil = remaining < limit.cost ? now + reset : 0
      this.#set({ limit, kept: kept[i]!, blockedUntil })
    }
    return counted
  }

  withdraw(limits: readonly Limit[], at: number): void {
    for (const limit of limits) {
      const entry = this.#find(limit.key)
      if (entry === undefined) continue
      this.#set({ limit, kept: withdrawn(limit, entry.kept, at), blockedUntil: 0 })
    }
  }

  clear(): void {
    this.#open = new Line()
    this.#blocked = new Line()
  }

  #find(key: string): Entry | undefined {
    return this.#open.get(key) ?? this.#blocked.get(key)
  }

  #set(entry: Entry): void {
    const { key } = entry.limit
    this.#open.take(key)
    this.#blocked.take(key)
    if (entry.kept.length === 0) return
    const line = entry.blockedUntil === 0 ? this.#open : this.#blocked
    line.add(key, entry)
    while (this.#open.weight + this.#blocked.weight > this.#capacity && this.#open.takeFirst());
  }

  /** Where all the room is taken by clients who have to wait, the others share a counter. */
  #placed(limits: readonly Limit[]): readonly Limit[] {
    return limits.map((limit) => {
      const { key, limit: most, seconds, algorithm } = limit
      if (this.#find(key) !== undefined) return limit
      return { ...limit, key: `shared_${most}_${seconds}_${algorithm}` }
    })
  }

  /** Two steps for each hit, which makes one entry at most in each line: the hands keep up. */
  #tidy(now: number): void {
    for (let step = 0; step < 2; step++) {
      const [key, open] = this.#open.visit() ?? []
      if (open !== undefined && forgottenAt(open.limit, open.kept) <= now) this.#open.take(key!)
      const [, blocked] = this.#blocked.visit() ?? []
      if (blocked !== undefined && blocked.blockedUntil <= now)
        this.#set({ ...blocked, blockedUntil: 0 })
    }
  }
}

/** Set by nothing but the time that goes by. */
function steadyClock(): number {
  return performance.timeOrigin + performance.now()
}
