/** Failures in a row, without an answer between them, after which a store counts as away. */
const FAILURES = 3
/** Milliseconds until a store that is away is asked again: each pause is twice as long as the one before. */
const FIRST_PAUSE = 100
const LONGEST_PAUSE = 1000
/** Milliseconds for which a store has to answer before pauses begin with the first one again. */
const STEADY = 10_000

export interface BreakerOptions {
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
export class Breaker {
  readonly #options: BreakerOptions
  #failures = 0
  #pause = FIRST_PAUSE
  #timer: NodeJS.Timeout | null = null
  #since = -Infinity
  #isAway = false
  /** Changes with each return: a question from before it is answered in vain. */
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

  /** As if it had never failed; it is asked no more until it fails again. */
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

  /** No program is kept from ending by it. */
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
