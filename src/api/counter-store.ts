import type { Database } from '../contract/database.ts'
import type { Finding, Logger, ServedEndpoint } from '../contract/kernel.ts'
import type { Counted, CounterStore, Hit, Limit } from '../contract/throttling.ts'
import { redisCounters } from '../databases/redis/counters.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import type { Configuration } from '../settings/configuration.ts'
import type { MaybePromise } from '../std/after.ts'
import { type GuardOptions, GuardedCounters } from '../throttling/guarded-counters.ts'
import { MemoryCounters } from '../throttling/memory-counters.ts'
import type { Served } from './checks.ts'

interface Given extends Omit<GuardOptions, 'store'> {
  readonly configuration: Configuration
  readonly database: Database | null
  /** What the application says in its code. */
  readonly inCode: CounterStore | null
  readonly served: readonly Served[]
}

/** The counters of an application. */
export interface AppCounters {
  readonly store: CounterStore
  readonly guarded: GuardedCounters
  /** Lets go of what was opened here. */
  close(): Promise<void>
}

/**
 * Counts where the operator chose, else where the application says, else in the memory of this process.
 *
 * @throws ConfigurationError nothing can be counted there
 */
export function countersFor(given: Given): AppCounters {
  const { configuration, database, inCode, served, ...guard } = given
  const { throttleStore } = configuration.service
  const isChosen = throttleStore !== null || inCode !== null
  if (configuration.production && !isChosen) logSeparateCounts(served, guard.logger)
  const opened = throttleStore?.startsWith('redis') ? redisOf(throttleStore, configuration) : null
  const store =
    opened ??
    (throttleStore === 'database' ? countersOf(database, configuration) : null) ??
    (throttleStore === 'memory' ? null : inCode) ??
    new MemoryCounters()
  const guarded = new GuardedCounters({ ...guard, store })
  const close = async (): Promise<void> => {
    await guarded.close()
    await opened?.close()
  }
  return { store, guarded, close }
}

function countersOf(database: Database | null, configuration: Configuration): CounterStore {
  if (database !== null) return database.counters
  throw problemIn(
    configuration,
    'is "database", and the application has none: give one to defineApi({ database }) or, with accounts, defineApi({ accounts }), or name a Redis, such as "redis://cache.example:6379/0".',
  )
}

function redisOf(url: string, configuration: Configuration): OwnRedis {
  try {
    return new OwnRedis(url)
  } catch (error) {
    throw error instanceof ConfigurationError
      ? problemIn(configuration, `cannot be used. ${error.message}`)
      : error
  }
}

function problemIn({ given }: Configuration, problem: string): ConfigurationError {
  const { source = 'configuration' } = given.get('THROTTLE_STORE') ?? {}
  return new ConfigurationError(`THROTTLE_STORE (${source}) ${problem}`)
}

/** A Redis that the operator named. Closed, it connects again where another request counts. */
class OwnRedis implements CounterStore {
  readonly #url: string
  #store: CounterStore

  /** Connects when it is first used. @throws ConfigurationError the address is wrong, or a package is missing */
  constructor(url: string) {
    this.#url = url
    this.#store = redisCounters({ url })
  }

  hit(hit: Hit): MaybePromise<Counted> {
    return this.#store.hit(hit)
  }

  withdraw(limits: readonly Limit[], at: number): MaybePromise<void> {
    return this.#store.withdraw(limits, at)
  }

  clear(): MaybePromise<void> {
    return this.#store.clear()
  }

  async close(): Promise<void> {
    const store = this.#store
    this.#store = redisCounters({ url: this.#url })
    await store.close?.()
  }
}

/** Requests that each process counts for itself, and an operator who has not chosen that (D31). */
function logSeparateCounts(served: readonly Served[], logger: Logger): void {
  const endpoints = served.filter(isCounted).map(({ facts }) => facts.name)
  if (endpoints.length === 0) return
  const { message, fix } = SEPARATE_COUNTS
  logger.info?.({ event: 'counters.separate', endpoints, message: `${message} ${fix}` })
}

/** What is wrong with the memory of a process: for the log, and for `colophon doctor`. */
export const SEPARATE_COUNTS: Pick<Finding, 'message' | 'fix'> = {
  message: 'Each process counts requests for itself, and forgets at a restart.',
  fix: 'Set THROTTLE_STORE to "database" or the address of a Redis; or to "memory", where there is one process.',
}

/** Does an endpoint count requests, or wrong credentials? */
export function isCounted({ settings }: Pick<ServedEndpoint, 'settings'>): boolean {
  const { throttles, credentialFailures } = settings
  const counts = throttles.some((throttle) => throttle.limits && !throttle.isIdle?.(settings))
  return counts || credentialFailures !== null
}
