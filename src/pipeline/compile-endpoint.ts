import type { ServedEndpoint } from '../contract/kernel.ts'
import { Negotiation } from '../negotiation/negotiate.ts'
import { compileAuthenticate } from './authenticate.ts'
import { compileCheckObjectPermissions, compileCheckPermissions } from './check-permissions.ts'
import { compileCheckThrottles } from './check-throttles.ts'
import type { CompiledEndpoint, Slot } from './context.ts'
import { compileMetadata } from './options-method.ts'
import { allowOf } from './standing-headers.ts'
import { compileVersion } from './version.ts'

/** Makes the slots of one endpoint, once, at start-up. */
export function compileEndpoint(endpoint: ServedEndpoint): CompiledEndpoint {
  const { facts, settings } = endpoint
  const renderer = settings.renderers[0]!
  const version = compileVersion(settings)
  const checkPermissions = compileCheckPermissions(endpoint)
  const handlers = handlersByMethod(endpoint, checkPermissions)
  return {
    facts,
    settings,
    allow: allowOf(handlers),
    firstAccepted: { renderer, mediaType: renderer.mediaType, parameters: {} },
    negotiation: new Negotiation(settings.renderers),
    determineVersion: version.determine,
    authenticate: compileAuthenticate(settings),
    checkPermissions,
    checkObjectPermissions: compileCheckObjectPermissions(endpoint),
    checkThrottles: compileCheckThrottles(settings),
    handlers,
    addVersionHeaders: version.addHeaders,
  }
}

function handlersByMethod(
  endpoint: ServedEndpoint,
  permitted: Slot | null,
): CompiledEndpoint['handlers'] {
  const { behaviours, settings } = endpoint
  const verbs = Object.entries(behaviours).map(
    ([verb, each]) => [verb.toUpperCase(), each] as const,
  )
  const handlers: Map<string, Handles> = new Map(verbs)
  // HEAD is GET whose body the door keeps back (R11).
  if (behaviours.get !== undefined) handlers.set('HEAD', behaviours.get)
  if (settings.metadata !== null)
    handlers.set('OPTIONS', { handle: compileMetadata(endpoint, permitted) })
  return handlers
}

type Handles = CompiledEndpoint['handlers'] extends ReadonlyMap<string, infer H> ? H : never
