type Times = Readonly<Record<'maxAge' | 'cooldown' | 'staleFor', number>>

/** What a provider publishes: fetched on first use, and again when it is old. Requests share a fetch. */
export class Published<Value, Log> {
  readonly #load: () => Promise<Value>
  readonly #failed: (error: unknown, log: Log) => void
  readonly #times: Times
  readonly #now: () => number
  #value: Value | null = null
  fetched: number = -Infinity
  /** When the cool-down began. */
  #tried = -Infinity
  /** Did the last fetch fail? */
  isAway = false
  #pending: Promise<void> | null = null

  constructor(
    load: () => Promise<Value>,
    failed: (error: unknown, log: Log) => void,
    times: Times,
    now: () => number,
  ) {
    this.#load = load
    this.#failed = failed
    this.#times = times
    this.#now = now
  }

  /** `null`: nothing was fetched, or it is too old. */
  get value(): Value | null {
    const { maxAge, staleFor } = this.#times
    return since(this.fetched, this.#now()) < maxAge + staleFor ? this.#value : null
  }

  /** Milliseconds until the next fetch. */
  get wait(): number {
    return this.#tried + this.#times.cooldown - this.#now()
  }

  /** Fetches it if it is old. While the provider is away, what is known goes on, and requests do not wait again. */
  async renew(log: Log): Promise<void> {
    const { maxAge, cooldown } = this.#times
    const now = this.#now()
    if (since(this.fetched, now) < maxAge) return
    // After a long rest the provider may have taken back what is known.
    const goesOn = this.isAway && since(this.#tried, now) < cooldown + maxAge
    const fetching = this.fetch(log, false)
    if (!goesOn || this.value === null) await fetching
  }

  /**
   * Fetches it outside the cool-down. A fetch that succeeds because of the age alone begins none: what is new by then is
   * found. Never fails.
   */
  async fetch(log: Log, isUnknown: boolean): Promise<void> {
    if (this.#pending !== null) return this.#pending
    const now = this.#now()
    if (since(this.#tried, now) < this.#times.cooldown) return
    if (isUnknown) this.#tried = now
    this.#pending = this.#fetch(log)
    await this.#pending
  }

  async #fetch(log: Log): Promise<void> {
    try {
      this.#value = await this.#load()
      this.fetched = this.#now()
      this.isAway = false
    } catch (error) {
      this.#tried = this.#now()
      this.isAway = true
      this.#failed(error, log)
    } finally {
      this.#pending = null
    }
  }
}

/** A time that is to come means that the clock was set back. */
function since(then: number, now: number): number {
  return now < then ? Infinity : now - then
}
