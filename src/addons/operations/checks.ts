import type { CounterStore } from '../../core/ports/policies/throttling.ts'
import type { Database } from '../../core/ports/database.ts'
import { MemoryCounters } from '../../policies/throttling/memory-counters.ts'
import type { contextOf } from '../../core/pipeline/context.ts'

export type OwnService = ReturnType<typeof contextOf>['service']

/**
 * Finds out whether something that the service needs is there: rejects where it is not. `signal` is aborted when its time
 * is over.
 */
export type HealthCheck = (signal: AbortSignal) => unknown

/** What became of a check. */
export interface Outcome {
  readonly name: string
  readonly isThere: boolean
  /** The service is ready without it, too. */
  readonly tolerated: boolean
  readonly milliseconds: number
  /** Why it is away. For staff and the log: it may have addresses. */
  readonly error: unknown
}

/** What all checks found out together. */
export interface Health {
  readonly isReady: boolean
  readonly outcomes: readonly Outcome[]
}

interface HealthChecksOptions {
  readonly checks: Readonly<Record<string, HealthCheck>>
  readonly tolerates: readonly string[]
  readonly timeout: number
}

/** Milliseconds for which a result is the answer to all who ask. */
const FRESH = 1000

/** The checks of a service. However many ask: they run once a second at most, and each never twice at a time. */
export class HealthChecks {
  readonly #service: OwnService
  readonly #options: HealthChecksOptions
  readonly #underway = new Map<string, Promise<unknown>>()
  readonly #away = new Set<string>()
  readonly #checks: Readonly<Record<string, HealthCheck>>
  #last: { readonly at: number; readonly health: Promise<Health> } | null = null
  /** All was there once. */
  hasStarted = false

  constructor(service: OwnService, options: HealthChecksOptions) {
    this.#service = service
    this.#options = options
    this.#checks = { ...storesOf(service), ...options.checks }
  }

  health(): Promise<Health> {
    const now = this.#service.now()
    if (this.#last !== null && Math.abs(now - this.#last.at) < FRESH) return this.#last.health
    const health = this.#ask()
    this.#last = { at: now, health }
    return health
  }

  async #ask(): Promise<Health> {
    const outcomes = await Promise.all(Object.entries(this.#checks).map((each) => this.#one(each)))
    const isReady = outcomes.every(({ isThere, tolerated }) => isThere || tolerated)
    if (isReady) this.hasStarted = true
    return { isReady, outcomes }
  }

  async #one([name, check]: readonly [string, HealthCheck]): Promise<Outcome> {
    const began = performance.now()
    const error = await this.#failureOf(name, check)
    const isThere = error === null
    this.#log(name, isThere, error)
    const tolerated = this.#options.tolerates.includes(name)
    return { name, isThere, tolerated, milliseconds: performance.now() - began, error }
  }

  /** One that is silent is waited for again, and not asked again, until it fails by itself. */
  async #failureOf(name: string, check: HealthCheck): Promise<unknown> {
    const signal = AbortSignal.timeout(this.#options.timeout)
    const late = Promise.withResolvers<never>()
    signal.addEventListener('abort', () => late.reject(signal.reason))
    let asked = this.#underway.get(name)
    if (asked === undefined) {
      asked = asking(check, signal).finally(() => this.#underway.delete(name))
      this.#underway.set(name, asked)
    }
    try {
      await Promise.race([asked, late.promise])
      return null
    } catch (error) {
      return error ?? new Error('The check failed.')
    }
  }

  /** A line when a store goes away, and one when it is back. */
  #log(check: string, isThere: boolean, err: unknown): void {
    const { logger } = this.#service
    if (isThere && this.#away.delete(check)) logger.info?.({ event: 'health.back', check })
    if (isThere || this.#away.has(check)) return
    this.#away.add(check)
    logger.error({ event: 'health.away', check, error: String(err), err })
  }
}

/** One that throws at once is as one that rejects. */
async function asking(check: HealthCheck, signal: AbortSignal): Promise<unknown> {
  return check(signal)
}

/** What a service keeps outside of its process. */
function storesOf({ databases, counterStore }: OwnService): Readonly<Record<string, HealthCheck>> {
  const names = databases.length === 1 ? ['database'] : ['accounts', 'database']
  const named = databases.map((each, at) => [names[at]!, () => ask(each)] as const)
  const counts =
    counterStore instanceof MemoryCounters ? {} : { counters: () => look(counterStore) }
  return { ...Object.fromEntries(named), ...counts }
}

function ask(database: Database): unknown {
  return database.read({ sql: 'select 1 as one', parameters: [] })
}

/** Looks at a counter, and counts nothing. */
function look(store: CounterStore): unknown {
  const limit = { key: 'health', limit: 1, seconds: 1, cost: 0, algorithm: 'gcra' } as const
  return store.hit({ limits: [limit], at: null, counting: false })
}
