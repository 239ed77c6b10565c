import type { EndpointFacts, Handler, ServedEndpoint } from '../contract/kernel.ts'
import type { Accepted } from '../contract/rendering.ts'
import type { MaybePromise } from '../contract/request.ts'
import type { Settings } from '../contract/settings.ts'
import { MethodNotAllowed } from '../errors/client-errors.ts'
import { compileAuthenticate } from './authenticate.ts'
import {
  type ObjectCheck,
  compileCheckObjectPermissions,
  compileCheckPermissions,
} from './check-permissions.ts'
import { compileCheckThrottles } from './check-throttles.ts'
import type { Context } from './context.ts'
import { compileDetermineVersion } from './determine-version.ts'
import { type LifeCycle, compileLifeCycle } from './life-cycle.ts'
import { compileMetadata } from './metadata.ts'
import { compileNegotiate } from './negotiate.ts'
import type { Slot } from './slot.ts'

/** An endpoint ready to answer: every decision that does not need the request is made. */
export interface CompiledEndpoint {
  readonly facts: EndpointFacts
  readonly settings: Settings
  /** Value of `Allow` (R40, R41). */
  readonly allow: string
  /** What an answer is shown in where negotiation failed or has not happened (E15). */
  readonly firstAccepted: Accepted
  /** What answers say of the version served; `null`: nothing. */
  readonly lifeCycle: LifeCycle | null
  negotiate(request: Context): void
  readonly determineVersion: Slot
  readonly authenticate: Slot
  readonly checkPermissions: Slot
  readonly checkObjectPermissions: ObjectCheck
  readonly checkThrottles: Slot
  /** Selects the handler of the method; 405 comes from here, after all checks (R9). */
  handle(request: Context): MaybePromise<unknown>
}

/** Makes the slots of one endpoint, once, at start-up. */
export function compileEndpoint(endpoint: ServedEndpoint): CompiledEndpoint {
  const { facts, settings } = endpoint
  const checkPermissions = compileCheckPermissions(endpoint)
  const handlers = handlersByMethod(endpoint, checkPermissions)
  const lifeCycle = compileLifeCycle(settings)
  return {
    facts,
    settings,
    allow: ALLOW_ORDER.filter((method) => handlers.has(method)).join(', '),
    firstAccepted: firstAccepted(settings),
    lifeCycle,
    negotiate: compileNegotiate(settings),
    determineVersion: compileDetermineVersion(settings, lifeCycle),
    authenticate: compileAuthenticate(settings),
    checkPermissions,
    checkObjectPermissions: compileCheckObjectPermissions(endpoint),
    checkThrottles: compileCheckThrottles(settings),
    handle: (request) => {
      const handler = handlers.get(request.method)
      if (handler === undefined) throw new MethodNotAllowed(request.method)
      return handler(request)
    },
  }
}

const ALLOW_ORDER = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

// R11: HEAD is GET whose body the door keeps back. R13: the method is the real one, whatever headers say.
function handlersByMethod(
  endpoint: ServedEndpoint,
  permitted: Slot,
): ReadonlyMap<string, Handler<Context>> {
  const handlers = new Map<string, Handler<Context>>()
  for (const [verb, handler] of Object.entries(endpoint.handlers))
    handlers.set(verb.toUpperCase(), handler)
  const get = handlers.get('GET')
  if (get !== undefined) handlers.set('HEAD', get)
  if (endpoint.settings.metadata !== null)
    handlers.set('OPTIONS', compileMetadata(endpoint, permitted))
  return handlers
}

function firstAccepted({ renderers }: Settings): Accepted {
  const renderer = renderers[0]!
  return { renderer, mediaType: renderer.mediaType, parameters: {} }
}
