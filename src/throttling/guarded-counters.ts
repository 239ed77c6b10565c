import type {
  Counted,
  CounterStore,
  Counters,
  CountOptions,
  Hit,
  Limit,
  StoreErrorPolicy,
} from '../contract/throttling.ts'
import { type MaybePromise, isPromise } from '../std/after.ts'
import { Deadlines } from '../std/deadlines.ts'
import { Breaker } from './breaker.ts'
import { StandIn, type StandInOptions, StoreSilent, isOutage } from './outage.ts'

/** Milliseconds that a store may take to answer. */
const PATIENCE = 1000
/** Withdrawals that a store gets when it is back; what is beyond them lapses by itself. */
const MISSED = 10_000

/** Counted to find out whether a store can count; nothing else goes by it. */
const PROBE: Limit = { key: 'throttle_probe', limit: 1000, seconds: 1, cost: 1, algorithm: 'gcra' }

export interface GuardOptions extends StandInOptions {
  readonly store: CounterStore
  /** The clock of the application, where it has one of its own. */
  readonly now: (() => number) | null
}

interface Withdrawal {
  readonly limits: readonly Limit[]
  readonly at: number
}

/**
 * A store of counters that may be away. A request waits for it about a second at most. After three failures in a row
 * it is left alone and asked in the background only, until it answers; requests are answered without it.
 */
export class GuardedCounters implements Counters {
  readonly #store: CounterStore
  readonly #now: GuardOptions['now']
  readonly #standIn: StandIn
  readonly #deadlines = new Deadlines(PATIENCE, () => new StoreSilent(PATIENCE))
  readonly #breaker = new Breaker({
    probe: () => this.#probe(),
    // What it was asked before is hardly answered either, and says nothing about it when it is back.
    onAway: () => this.#deadlines.giveUp(this.#reason),
    onBack: (milliseconds) => this.#resume(milliseconds),
  })
  /** Why the store is away. */
  #reason: unknown = null
  readonly #withdrawing = new Set<Promise<void>>()
  #missed: Withdrawal[] = []

  constructor({ store, now, ...others }: GuardOptions) {
    this.#store = store
    this.#now = now
    this.#standIn = new StandIn(others)
  }

  hit(limits: readonly Limit[], options: CountOptions = {}): MaybePromise<Counted | null> {
    const { counting = true, onStoreError = 'local' } = options
    const hit = { limits, counting, at: this.#now && Math.floor(this.#now()) }
    if (this.#breaker.isAway) return this.#standIn.hit(hit, onStoreError, this.#reason)
    try {
      const counted = this.#store.hit(hit)
      if (isPromise(counted)) return this.#inTime(counted, hit, onStoreError)
      this.#breaker.succeeded()
      return counted
    } catch (error) {
      this.#note(error)
      return this.#standIn.hit(hit, onStoreError, error)
    }
  }

  async withdraw(limits: readonly Limit[], { at, local }: Counted): Promise<void> {
    if (local) return this.#standIn.withdraw(limits, at)
    const withdrawing = this.#withdraw({ limits, at })
    this.#withdrawing.add(withdrawing)
    await withdrawing.finally(() => this.#withdrawing.delete(withdrawing))
  }

  /** Ends what is under way. What comes after it is answered as before. */
  async close(): Promise<void> {
    await Promise.all(this.#withdrawing)
    this.#breaker.reset()
  }

  async #inTime(
    asked: PromiseLike<Counted>,
    hit: Hit,
    onStoreError: StoreErrorPolicy,
  ): Promise<Counted | null> {
    try {
      const counted = await this.#deadlines.within(asked, (late) => this.#undo(hit, late))
      this.#breaker.succeeded()
      return counted
    } catch (error) {
      this.#note(error)
      return this.#standIn.hit(hit, onStoreError, error)
    }
  }

  /** A request that was held too late is not there to be taken back any more. */
  #undo({ limits, counting }: Hit, late: Counted): void {
    const held = limits.filter((limit) => limit.held)
    const isCounted = counting && late.standings.every(({ allowed }) => allowed)
    if (isCounted && held.length > 0) void this.withdraw(held, late)
  }

  async #withdraw(withdrawal: Withdrawal): Promise<void> {
    if (this.#breaker.isAway) return this.#miss(withdrawal)
    try {
      const { limits, at } = withdrawal
      const done = this.#store.withdraw(limits, at)
      if (isPromise(done)) await this.#deadlines.within(done, () => undefined)
    } catch (error) {
      this.#standIn.report(error)
      if (!isOutage(error)) return
      this.#note(error)
      this.#miss(withdrawal)
    }
  }

  #miss(withdrawal: Withdrawal): void {
    if (this.#missed.length < MISSED) this.#missed.push(withdrawal)
  }

  /** @throws `error`, where it is no outage */
  #note(error: unknown): void {
    if (!isOutage(error)) throw error
    this.#reason = error
    this.#breaker.failed()
  }

  async #probe(): Promise<boolean> {
    const hit = { limits: [PROBE], counting: true, at: this.#now && Math.floor(this.#now()) }
    try {
      await this.#deadlines.within(Promise.resolve(this.#store.hit(hit)), () => undefined)
      return true
    } catch (error) {
      this.#reason = error
      return !isOutage(error)
    }
  }

  #resume(milliseconds: number): void {
    this.#standIn.resume(milliseconds)
    void this.#catchUp()
  }

  /** One after the other: a store that has just come back has enough to do. */
  async #catchUp(): Promise<void> {
    const missed = this.#missed
    this.#missed = []
    for (const withdrawal of missed) await this.#withdraw(withdrawal)
  }
}
