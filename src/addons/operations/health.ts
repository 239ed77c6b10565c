import type { Endpoint, Group } from '../../core/app/group.ts'
import type { Authenticator, Identity } from '../../core/ports/policies/authentication.ts'
import type { Behaviour } from '../../core/ports/kernel.ts'
import type { ApiRequest, Incoming } from '../../core/ports/request.ts'
import type { Reply } from '../../core/ports/representations.ts'
import type { HasRoutes } from '../../core/types/routes.ts'
import type { TypedSettings } from '../../core/types/typed-settings.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { contextOf } from '../../core/pipeline/context.ts'
import { reply } from '../../core/replies/reply.ts'
import { JSONRenderer } from '../../core/representations/json.ts'
import { oncePer } from '../../core/std/once.ts'
import { isStaff } from './observers.ts'
import type { CounterStore, StoreErrorPolicy } from '../../core/ports/policies/throttling.ts'
import type { Database } from '../../core/ports/database.ts'
import { MemoryCounters } from '../../policies/throttling/memory-counters.ts'

/**
 * Addresses of the probes. Take them into your own with `...healthUrls`, or under a prefix with
 * `probes: include('/probes', healthUrls)`.
 */
export const healthUrls = { livez: '/livez', readyz: '/readyz', startupz: '/startupz' } as const

/** Names of the addresses that probes need: `healthUrls` has them. */
export type HealthRoute = keyof typeof healthUrls

/** Checks beside the stores of the service, and the users who see details. */
export interface HealthOptions {
  /** Further needs of the service by name: a check rejects if its subject is unavailable. @default nothing */
  readonly checks?: Readonly<Record<string, HealthCheck>>
  /**
   * Names of checks and stores without which the service is ready, too: `database`, `counters`, and with two databases
   * `accounts` for that of the users. @default `counters`; with `onStoreError: 'deny'` none
   */
  readonly tolerates?: readonly string[]
  /** Milliseconds that a check may take. @default 1,000 */
  readonly timeout?: number
  /** The schemes of staff who ask for `?verbose`. All others get the short form. @default there are no staff */
  readonly staff?: readonly Authenticator[]
}

/**
 * Probes for whatever runs the service, as endpoints for `serve`: `livez` (this process answers), `readyz` (each store is
 * there and the service does not stop) and `startupz` (each store was there once). They are 200 or 503, ask for no
 * credentials, count against no limit, take any `Host`, and are not observed. A result holds for a second.
 *
 * @throws ConfigurationError a name in `tolerates` is that of no check
 * @example
 * const api = defineApi({ urls: defineUrls({ ...healthUrls, hello: '/hello/' }), database })
 * export default api.serve([...healthEndpoints(api), hello])
 */
export function healthEndpoints<S extends TypedSettings, R>(
  api: Group<S, R> & HasRoutes<R, HealthRoute>,
  options: HealthOptions = {},
): readonly Endpoint<never>[] {
  const { checks = {}, tolerates, timeout = 1000, staff = [] } = options
  refuseUnknown(tolerates ?? [], checks)
  const checksOf = oncePer(
    (service: OwnService) => new HealthChecks(service, { checks, tolerates, timeout }),
  )
  const health = (request: ApiRequest): HealthChecks => checksOf(contextOf(request).service)
  const ofStores = async (request: ApiRequest): Promise<Reply> => {
    const { service, settings } = contextOf(request)
    const { isDraining } = service
    const found = await health(request).health(settings.onStoreError)
    return answer(request, { ...found, isDraining: isDraining() })
  }
  const group = api as unknown as Group<TypedSettings, Record<string, string>>
  const settings = { ...OPEN, authentication: staff.length === 0 ? [] : [asked(staff, timeout)] }
  const probe = (name: HealthRoute, handle: Behaviour['handle']): Endpoint<never> =>
    group.endpoint(name, settings).get({ ...PROBE, handle })
  return [
    probe('livez', (request) => answer(request, ALIVE)),
    probe('readyz', ofStores),
    probe('startupz', (request) =>
      health(request).hasStarted ? answer(request, ALIVE) : ofStores(request),
    ),
  ]
}

/** Names of stores, whether a service has them or not. */
const STORES = ['accounts', 'database', 'counters']

function refuseUnknown(tolerates: readonly string[], checks: NonNullable<HealthOptions['checks']>) {
  const known = [...STORES, ...Object.keys(checks)]
  const stranger = tolerates.find((name) => !known.includes(name))
  if (stranger === undefined) return
  throw new ConfigurationError(
    `healthEndpoints: "tolerates" names "${stranger}", which no check is called. Name one of: ${known.join(', ')}.`,
  )
}

/** No layer further out is in their way. */
const OPEN = {
  permissions: [],
  throttles: [],
  renderers: [new JSONRenderer()],
  versioning: null,
  pagination: null,
  metadata: null,
  urlFormatOverride: null,
  cors: null,
  around: null,
  observe: null,
} as const

const PROBE = {
  takesAnyHost: true,
  parameters: () => [{ name: 'verbose' }],
  operation: () => null,
}

const ALIVE = { isReady: true, isDraining: false, outcomes: [] }

function answer(
  request: ApiRequest,
  { isReady, isDraining, outcomes }: Health & { readonly isDraining: boolean },
): Reply {
  const isWell = isReady && !isDraining
  const short = { status: isWell ? 'ok' : 'unavailable' }
  const shown = isStaff(request) ? { ...short, isDraining, checks: outcomes.map(shape) } : short
  return reply(shown, { status: isWell ? 200 : 503, headers: { 'Cache-Control': 'no-store' } })
}

function shape({ name, isThere, tolerated, milliseconds, error }: Outcome): object {
  const duration = Math.round(milliseconds * 100) / 100
  const why = isThere ? {} : { error: String(error) }
  return { name, status: isThere ? 'ok' : 'away', tolerated, duration, ...why }
}

/** Names staff who ask for `?verbose`. A stranger, and a scheme that fails or hangs, change nothing of a probe. */
function asked(schemes: readonly Authenticator[], timeout: number): Authenticator {
  const named = async (request: Incoming): Promise<Identity | null> => {
    for (const scheme of schemes) {
      const identity = await scheme.authenticate(request)
      if (identity !== null) return identity
    }
    return null
  }
  const kinds = schemes.flatMap(({ sends }) => sends ?? [])
  return {
    // The warning of doctor and the log about passwords that may be guessed applies here, too.
    ...(kinds.length > 0 && { sends: kinds.find((kind) => kind === 'password') ?? kinds[0]! }),
    authenticate(request) {
      if (request.query.get('verbose') === null) return null
      const late = Promise.withResolvers<null>()
      AbortSignal.timeout(timeout).addEventListener('abort', () => late.resolve(null))
      return Promise.race([named(request).catch(() => null), late.promise])
    },
    check: (service) => schemes.map((each) => each.check?.(service) ?? null).find(Boolean) ?? null,
  }
}

export type OwnService = ReturnType<typeof contextOf>['service']

/**
 * Finds out whether something that the service needs is there: rejects where it is not. `signal` is aborted when its time
 * is over.
 */
export type HealthCheck = (signal: AbortSignal) => unknown

/** The result of a check. */
export interface Outcome {
  readonly name: string
  readonly isThere: boolean
  /** The service is ready without it, too. */
  readonly tolerated: boolean
  readonly milliseconds: number
  /** Why it is away. For staff and the log: it may have addresses. */
  readonly error: unknown
}

/** The result of all checks together. */
export interface Health {
  readonly isReady: boolean
  readonly outcomes: readonly Outcome[]
}

interface HealthChecksOptions {
  readonly checks: Readonly<Record<string, HealthCheck>>
  readonly tolerates: readonly string[] | undefined
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
  /** Was everything available once? */
  hasStarted = false

  constructor(service: OwnService, options: HealthChecksOptions) {
    this.#service = service
    this.#options = options
    this.#checks = { ...storesOf(service), ...options.checks }
  }

  health(onStoreError: StoreErrorPolicy): Promise<Health> {
    const now = this.#service.now()
    if (this.#last !== null && Math.abs(now - this.#last.at) < FRESH) return this.#last.health
    const health = this.#ask(onStoreError)
    this.#last = { at: now, health }
    return health
  }

  async #ask(onStoreError: StoreErrorPolicy): Promise<Health> {
    const { tolerates = onStoreError === 'deny' ? [] : ['counters'] } = this.#options
    const outcomes = await Promise.all(
      Object.entries(this.#checks).map((each) => this.#one(each, tolerates)),
    )
    const isReady = outcomes.every(({ isThere, tolerated }) => isThere || tolerated)
    if (isReady) this.hasStarted = true
    return { isReady, outcomes }
  }

  async #one(
    [name, check]: readonly [string, HealthCheck],
    tolerates: readonly string[],
  ): Promise<Outcome> {
    const began = performance.now()
    const error = await this.#failureOf(name, check)
    const isThere = error === null
    this.#log(name, isThere, error)
    const tolerated = tolerates.includes(name)
    return { name, isThere, tolerated, milliseconds: performance.now() - began, error }
  }

  /** A silent check is awaited again, and not repeated, until it fails by itself. */
  async #failureOf(name: string, check: HealthCheck): Promise<unknown> {
    const signal = AbortSignal.timeout(this.#options.timeout)
    const late = Promise.withResolvers<never>()
    signal.addEventListener('abort', () => late.reject(signal.reason))
    let underway = this.#underway.get(name)
    if (underway === undefined) {
      // A check that throws at once counts like one that rejects.
      underway = Promise.try(check, signal).finally(() => this.#underway.delete(name))
      this.#underway.set(name, underway)
    }
    try {
      await Promise.race([underway, late.promise])
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

/** The stores of a service outside of its process. */
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
