import type { Logger } from '../contract/kernel.ts'
import type { Counted, Hit, Limit, StoreErrorPolicy } from '../contract/throttling.ts'
import { ApiError, ServiceUnavailable } from '../errors/api-errors.ts'
import { DatabaseUnavailable } from '../errors/storage-errors.ts'
import { errorText } from '../std/text/error-text.ts'
import { MemoryCounters } from './memory-counters.ts'

/** The store gave no answer in time. */
export class StoreSilent extends DatabaseUnavailable {
  constructor(milliseconds: number) {
    super(`The store of counters gave no answer in ${milliseconds / 1000} s.`)
  }
}

/** What JavaScript itself throws where a program is wrong. */
const MISTAKES = [TypeError, RangeError, ReferenceError, SyntaxError]

/**
 * Does a failure of a store mean that it is away? Clients of databases throw what they like, so anything does, but
 * for an answer that a store has chosen, and for mistakes of its program: `fetch failed`, which has a cause, is none.
 */
export function isOutage(error: unknown): boolean {
  if (error instanceof ApiError) return false
  const isMistake = MISTAKES.some((kind) => error instanceof kind)
  return !isMistake || (error as Error).cause !== undefined
}

/** Milliseconds for which the counts of an outage are kept after it: the next one may come soon. */
const AFTERMATH = 60_000

export interface StandInOptions {
  readonly logger: Logger
  /** Writes each kind once a second at most, with a count. */
  readonly logSeldom: (kind: string, record: Readonly<Record<string, unknown>>) => void
}

/** Answers in place of a store that is away, as the policy wants it. */
export class StandIn {
  readonly #options: StandInOptions
  #memory: MemoryCounters | null = null
  #forgetting: NodeJS.Timeout | null = null
  /** Since the store was last there. */
  #requests = 0

  constructor(options: StandInOptions) {
    this.#options = options
  }

  /** @throws ServiceUnavailable by `deny` */
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
    const error = reason instanceof DatabaseUnavailable ? reason.message : errorText(reason)
    const record = { event: 'counters.unavailable', ...(onStoreError && { onStoreError }), error }
    this.#options.logSeldom('counters', record)
  }

  /** The store is there again, after so many milliseconds. */
  resume(milliseconds: number): void {
    const seconds = Math.round(milliseconds / 100) / 10
    const record = { event: 'counters.available', seconds, requests: this.#requests }
    this.#options.logger.info?.(record)
    this.#requests = 0
    if (this.#forgetting !== null) clearTimeout(this.#forgetting)
    this.#forgetting = setTimeout(() => (this.#memory = null), AFTERMATH).unref()
  }
}
