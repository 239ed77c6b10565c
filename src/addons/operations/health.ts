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
import {
  type HealthCheck,
  type Health,
  HealthChecks,
  type Outcome,
  type OwnService,
} from './checks.ts'

/**
 * Addresses of the probes. Take them into your own with `...healthUrls`, or under a prefix with
 * `probes: include('/probes', healthUrls)`.
 */
export const healthUrls = { livez: '/livez', readyz: '/readyz', startupz: '/startupz' } as const

/** Names of the addresses that probes need: `healthUrls` has them. */
export type HealthRoute = keyof typeof healthUrls

/** What probes ask beside the stores of the service, and who sees more than a word. */
export interface HealthOptions {
  /** What else the service needs, by name: a check rejects where it is not there. @default nothing */
  readonly checks?: Readonly<Record<string, HealthCheck>>
  /**
   * Names of checks and stores without which the service is ready, too: `database`, `counters`, and with two databases
   * `accounts` for that of the users. @default none
   */
  readonly tolerates?: readonly string[]
  /** Milliseconds that a check may take. @default 1,000 */
  readonly timeout?: number
  /** How staff prove who they are who ask for `?verbose`. All others get the short form. @default there are no staff */
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
  const { checks = {}, tolerates = [], timeout = 1000, staff = [] } = options
  refuseUnknown(tolerates, checks)
  const checksOf = oncePer(
    (service: OwnService) => new HealthChecks(service, { checks, tolerates, timeout }),
  )
  const health = (request: ApiRequest): HealthChecks => checksOf(contextOf(request).service)
  const ofStores = async (request: ApiRequest): Promise<Reply> => {
    const { isDraining } = contextOf(request).service
    const found = await health(request).health()
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

interface Found extends Health {
  readonly isDraining: boolean
}

function answer(request: ApiRequest, found: Found): Reply {
  const { isReady, isDraining, outcomes } = found
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
    // What doctor and the log say of passwords that may be guessed holds here, too.
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
