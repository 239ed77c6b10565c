import type {
  Counted,
  CounterStore,
  Counters,
  CountOptions,
  Limit,
} from '../contract/throttling.ts'
import { ServiceUnavailable } from '../errors/api-errors.ts'
import { errorText } from '../std/text/error-text.ts'
import { isPromise, type MaybePromise } from '../std/after.ts'
import { MemoryCounters } from './memory-counters.ts'

export interface GuardOptions {
  readonly store: CounterStore
  /** The clock of the application, where it has one of its own. */
  readonly now: (() => number) | null
  readonly logSeldom: (kind: string, record: Readonly<Record<string, unknown>>) => void
}

/** A store of counters that may be away. */
export class GuardedCounters implements Counters {
  readonly #options: GuardOptions
  /** What counts in place of the store. */
  readonly #local: MemoryCounters

  constructor(options: GuardOptions) {
    this.#options = options
    this.#local = new MemoryCounters()
  }

  hit(limits: readonly Limit[], options: CountOptions = {}): MaybePromise<Counted | null> {
    const { store, now } = this.#options
    const hit = { limits, counting: options.counting ?? true, at: now && Math.floor(now()) }
    const away = (error: unknown): Counted | null => {
      this.#log(error)
      const { onStoreError = 'local' } = options
      if (onStoreError === 'deny') throw new ServiceUnavailable()
      return onStoreError === 'allow' ? null : this.#local.hit(hit)
    }
    try {
      const counted = store.hit(hit)
      return isPromise(counted) ? counted.catch(away) : counted
    } catch (error) {
      return away(error)
    }
  }

  async withdraw(limits: readonly Limit[], at: number): Promise<void> {
    try {
      await this.#options.store.withdraw(limits, at)
    } catch (error) {
      this.#log(error)
    }
  }

  #log(error: unknown): void {
    this.#options.logSeldom('counters', { event: 'counters.unavailable', error: errorText(error) })
  }
}
