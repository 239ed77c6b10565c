import type { Logger } from '../../core/ports/kernel.ts'
import type {
  Counted,
  CounterStore,
  Counters,
  HitOptions,
  Hit,
  Limit,
  StoreErrorPolicy,
} from '../../core/ports/policies/throttling.ts'
import { ApiError, ServiceUnavailable } from '../../core/errors/api-errors.ts'
import { CounterUnusable, DatabaseUnavailable } from '../../core/errors/storage-errors.ts'
import { type MaybePromise, isPromise } from '../../core/std/after.ts'
import { Deadlines } from '../../core/std/deadlines.ts'
import { failureOf, outageOf } from '../../core/std/text/error-text.ts'
import { MemoryCounters } from './memory-counters.ts'

/** Milliseconds that a store may take to answer. */
const PATIENCE = 1000
/** Withdrawals that a store gets when it is back; further ones lapse by themselves. */
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
  readonly #deadlines = new Deadlines(PATIENCE, () => new DatabaseUnavailable(SILENT))
  readonly #breaker = new Breaker({
    probe: () => this.#probe(),
    // Earlier questions will hardly be answered either, and their answers would say nothing about a store that is back.
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

  /** Are requests answered without the store? */
  get isAway(): boolean {
    return this.#breaker.isAway
  }

  hit(limits: readonly Limit[], options: HitOptions = {}): MaybePromise<Counted | null> {
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

  /** Ends the work under way. Requests that come later are answered as before. */
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

  /**
   * Withdraws limits that count while a request is answered, if the store counted it too late: the request cannot take them
   * back any more.
   */
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

  /** @throws `error`, where it is no failure of the store */
  #note(error: unknown): void {
    if (!isFailure(error)) throw error
    if (!isOutage(error)) return
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

  /** Withdraws one after the other, because a store that has just come back has enough to do. */
  async #catchUp(): Promise<void> {
    const missed = this.#missed
    this.#missed = []
    for (const withdrawal of missed) await this.#withdraw(withdrawal)
  }
}

const SILENT = `The store of counters gave no answer in ${PATIENCE / 1000} s.`

/** JavaScript's own errors for a wrong program. */
const MISTAKES = [TypeError, RangeError, ReferenceError, SyntaxError]

/** Does a failure of a store mean that it is away? It does not where another counter would have been counted. */
function isOutage(error: unknown): boolean {
  return isFailure(error) && !(error instanceof CounterUnusable)
}

/**
 * Is it a failure of a store? Clients of databases throw what they like, so anything is one, but
 * for an answer that a store has chosen, and for mistakes of its program: `fetch failed`, which has a cause, is none.
 */
function isFailure(error: unknown): boolean {
  if (error instanceof ApiError) return false
  const isMistake = MISTAKES.some((kind) => error instanceof kind)
  return !isMistake || (error as Error).cause !== undefined
}

interface StandInOptions {
  readonly logger: Logger
  /** Writes each kind once a second at most, with a count. */
  readonly logSeldom: (kind: string, record: Readonly<Record<string, unknown>>) => void
}

/** Answers in place of a store that is away, as the policy wants it. */
class StandIn {
  readonly #options: StandInOptions
  /** Kept after an outage: of two within a window, the second one goes on counting. Windows that are over drop out. */
  #memory: MemoryCounters | null = null
  /** The number of requests since the store was last there. */
  #requests = 0

  constructor(options: StandInOptions) {
    this.#options = options
  }

  /** Answers for the store. @throws ServiceUnavailable with the policy `deny` */
  hit(hit: Hit, policy: StoreErrorPolicy, reason: unknown): Counted | null {
    this.#requests++
    this.report(reason, policy)
    if (policy === 'deny') throw new ServiceUnavailable()
    if (policy === 'allow') return null
    this.#memory ??= new MemoryCounters()
    return { ...this.#memory.hit(hit), local: true }
  }

  withdraw(limits: readonly Limit[], at: number): void {
    this.#memory?.withdraw(limits, at)
  }

  report(reason: unknown, onStoreError?: StoreErrorPolicy): void {
    const failure = reason instanceof DatabaseUnavailable ? outageOf(reason) : failureOf(reason)
    const policy = onStoreError && { onStoreError }
    const record = { event: 'counters.unavailable', ...policy, ...failure }
    this.#options.logSeldom('counters', record)
  }

  /** The store is there again, after so many milliseconds. */
  resume(milliseconds: number): void {
    const seconds = Math.round(milliseconds / 100) / 10
    const record = { event: 'counters.available', seconds, requests: this.#requests }
    this.#options.logger.info?.(record)
    this.#requests = 0
  }
}

/** Failures in a row, without an answer between them, after which a store counts as away. */
const FAILURES = 3
/** Milliseconds until a store that is away is asked again: each pause is twice as long as the one before. */
const FIRST_PAUSE = 100
const LONGEST_PAUSE = 1000
/** Milliseconds for which a store has to answer before pauses begin with the first one again. */
const STEADY = 10_000

interface BreakerOptions {
  /** Asks the store. `true`: it answers. Never rejects. */
  readonly probe: () => Promise<boolean>
  /** It counts as away from now on. */
  readonly onAway: () => void
  /** It answers again, after so many milliseconds. */
  readonly onBack: (milliseconds: number) => void
}

/**
 * Decides whether a store is asked. One that is away is asked in the background, whether requests come or not: so
 * none waits for it to find out, and the first one after its return finds it there.
 */
class Breaker {
  readonly #options: BreakerOptions
  #failures = 0
  #pause = FIRST_PAUSE
  #timer: NodeJS.Timeout | null = null
  #since = -Infinity
  #isAway = false
  /** Changes with each return of the store: answers to questions from an earlier period do not count. */
  #period = 0

  constructor(options: BreakerOptions) {
    this.#options = options
  }

  get isAway(): boolean {
    return this.#isAway
  }

  succeeded(): void {
    this.#failures = 0
  }

  failed(): void {
    if (this.#isAway || ++this.#failures < FAILURES) return
    const now = performance.now()
    const isSteady = now - this.#since > STEADY
    this.#pause = isSteady ? FIRST_PAUSE : this.#longer()
    this.#since = now
    this.#isAway = true
    this.#wait()
    this.#options.onAway()
  }

  /** Forgets all failures; the store is not asked again until it fails. */
  reset(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#isAway = false
    this.#failures = 0
    this.#period++
  }

  #longer(): number {
    return Math.min(2 * this.#pause, LONGEST_PAUSE)
  }

  /** Waits for the next question; the timer does not keep the program running. */
  #wait(): void {
    this.#timer = setTimeout(() => void this.#ask(), this.#pause).unref()
  }

  async #ask(): Promise<void> {
    const period = this.#period
    const answers = await this.#options.probe()
    if (period !== this.#period) return
    if (!answers) {
      this.#pause = this.#longer()
      return this.#wait()
    }
    const now = performance.now()
    const away = now - this.#since
    this.#since = now
    this.reset()
    this.#options.onBack(away)
  }
}
