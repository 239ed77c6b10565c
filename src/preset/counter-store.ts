import type { AppCounters, Counting } from '../core/app/preset.ts'
import { isThrottled, limitsGuesses } from '../core/app/served-endpoints.ts'
import type { Database } from '../core/ports/database.ts'
import type { Finding, ServedEndpoint } from '../core/ports/kernel.ts'
import type { CounterStore } from '../core/ports/policies/throttling.ts'
import { type RedisCounters, redisCounters } from '../storage/redis/counters.ts'
import { ConfigurationError } from '../core/errors/configuration-error.ts'
import type { Configuration } from '../core/settings/configuration.ts'
import { GuardedCounters } from '../policies/throttling/guarded-counters.ts'
import { MemoryCounters } from '../policies/throttling/memory-counters.ts'
import { GuessLimits } from '../policies/throttling/credential-limits.ts'

/**
 * Counts where the operator chose, else where the application says, else in the memory of this process. Wrong
 * credentials are rare, and must neither be forgotten at a restart nor be counted by each process for itself: where
 * memory counts, and there is a database, they are kept there.
 *
 * @throws ConfigurationError nothing can be counted there
 */
export function countersFor(given: Counting): AppCounters {
  const { configuration, database, inCode, served, ...guard } = given
  const { throttleStore } = configuration.service
  const isChosen = throttleStore !== null || inCode !== null
  if (!isChosen) checkSeparateCounts(given)
  const opened = throttleStore?.startsWith('redis') ? redisOf(throttleStore, configuration) : null
  const store: CounterStore =
    opened ??
    (throttleStore === 'database' ? countersOf(database, configuration) : null) ??
    (throttleStore === 'memory' ? null : inCode) ??
    new MemoryCounters()
  const guarded = new GuardedCounters({ ...guard, store })
  const lasting = store instanceof MemoryCounters && served.some(limitsGuesses)
  const kept = lasting ? database?.counters : undefined
  const guesses = kept === undefined ? guarded : new GuardedCounters({ ...guard, store: kept })
  const close = async (): Promise<void> => {
    await Promise.all([guarded.close(), guesses.close()])
    await opened?.close()
  }
  const prepare = async (): Promise<void> => {
    await store.prepare?.()
  }
  const guessLimits = new GuessLimits(guard.now ?? Date.now, guesses)
  const gauges = () => [{ name: 'counters_away', value: Number(guarded.isAway) }]
  return { store, guarded, guessLimits, prepare, close, gauges }
}

function countersOf(database: Database | null, configuration: Configuration): CounterStore {
  if (database !== null) return database.counters
  throw problemIn(
    configuration,
    'is "database", and the application has none: give one to defineApi({ database }) or, with accounts, defineApi({ accounts }), or name a Redis, such as "redis://cache.example:6379/0".',
  )
}

function redisOf(url: string, configuration: Configuration): RedisCounters {
  try {
    return ownRedis(url)
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

/**
 * Counters in a Redis that the operator named. Closed, they connect again where another request counts.
 *
 * @throws ConfigurationError the address is wrong, or a package is missing
 */
function ownRedis(url: string): RedisCounters {
  let store = redisCounters({ url })
  return {
    hit: (hit) => store.hit(hit),
    withdraw: (limits, at) => store.withdraw(limits, at),
    clear: () => store.clear(),
    prepare: async () => store.prepare?.(),
    async close() {
      const closed = store
      store = redisCounters({ url })
      await closed.close()
    },
  }
}

/** Requests that each process counts for itself, and an operator who has not chosen that (D31). */
function checkSeparateCounts({ served, database, logger, configuration }: Counting): void {
  const apart = served.filter((endpoint) => countsApart(database, endpoint))
  const endpoints = apart.map(({ facts }) => facts.name)
  if (endpoints.length === 0) return
  const { message, fix } = SEPARATE_COUNTS
  if (configuration.service.workers !== 1) throw new ConfigurationError(severalWorkers(endpoints))
  if (configuration.production)
    logger.warn?.({ event: 'counters.separate', endpoints, message: `${message} ${fix}` })
}

/** A rate that is multiplied by the number of processes is no rate: nothing is made of it silently. */
function severalWorkers(endpoints: readonly string[]): string {
  const which = endpoints.slice(0, 3).join(', ') + (endpoints.length > 3 ? ', …' : '')
  return `WORKERS is not 1, and each worker would count requests to ${which} for itself. Set THROTTLE_STORE (COLOPHON_THROTTLE_STORE in the environment) to "database" or the address of a Redis; or to "memory", where each worker may allow a whole rate.`
}

/** The problem with counting in the memory of a process: for the log, and for `colophon doctor`. */
export const SEPARATE_COUNTS: Pick<Finding, 'message' | 'fix'> = {
  message: 'Each process counts requests for itself, and forgets at a restart.',
  fix: 'Set THROTTLE_STORE to "database" or the address of a Redis; or to "memory", where there is one process.',
}

/** Does an endpoint count requests, or wrong credentials? */
export function isCounted(endpoint: Pick<ServedEndpoint, 'settings'>): boolean {
  return isThrottled(endpoint) || limitsGuesses(endpoint)
}

/** Does an endpoint count in the memory of each process? Wrong credentials are stored elsewhere if a database exists. */
export function countsApart(
  lasting: object | null,
  endpoint: Pick<ServedEndpoint, 'settings'>,
): boolean {
  return lasting === null ? isCounted(endpoint) : isThrottled(endpoint)
}
