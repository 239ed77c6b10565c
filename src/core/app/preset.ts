// The parts that a preset and its accounts give to an application.
import type { Database } from '../ports/database.ts'
import type { Logger } from '../ports/kernel.ts'
import type { Settings } from '../ports/settings/settings.ts'
import type { CounterStore, Counters } from '../ports/policies/throttling.ts'
import type { Gauge, Seals } from '../ports/service-facts.ts'
import type { Service } from '../pipeline/context.ts'
import type { Configuration } from '../settings/configuration.ts'
import type { Registry } from '../settings/class-values.ts'
import type { Served } from './checks.ts'

/** The part of accounts that an application needs. */
export interface AppAccounts {
  readonly database: Database
  readonly seals: Seals
  readonly roles?: readonly string[]
  lacks?(): Promise<string | null>
  /** Counts the passwords that wait to be hashed, for metrics. */
  gauges?(): readonly Gauge[]
  readonly events: { logTo(logger: Logger): void }
  /** @throws ConfigurationError a service with these accounts must not start */
  check(service: { readonly production: boolean }): void
}

/** Work by the clock, which begins and ends with the servers of an application. */
export interface AppTasks {
  start(logger: Logger): void
  /** Milliseconds that work under way may take to end. */
  stop(patience?: number): Promise<void>
}

/** The parts that an application gets beside its own options, such as the defaults for settings that no layer sets. */
export interface Preset {
  readonly defaults: Settings
  /** The names that configuration keys may have. */
  readonly registry: Registry
  /** `null`: there is no secret. */
  readonly seals: Seals | null
  countersFor(given: Counting): AppCounters
}

/** The facts that the counters of requests and of wrong credentials need. */
export interface Counting {
  readonly configuration: Configuration
  readonly database: Database | null
  /** The store that the application names in its code. */
  readonly inCode: CounterStore | null
  readonly served: readonly Served[]
  readonly logger: Logger
  readonly logSeldom: Service['logSeldom']
  /** The clock of the application, where it has one of its own. */
  readonly now: (() => number) | null
}

export interface AppCounters {
  readonly store: CounterStore
  /** The store behind a guard, which answers for it while it is away. */
  readonly guarded: Counters
  /** Says for metrics whether the store is away. */
  gauges(): readonly Gauge[]
  readonly guessLimits: Service['guessLimits']
  /** Loads what the first request would otherwise wait for; called before a server listens. */
  prepare(): Promise<void>
  /** Closes the resources that were opened here. */
  close(): Promise<void>
}
