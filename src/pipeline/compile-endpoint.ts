import type { Behaviour, ServedEndpoint } from '../contract/kernel.ts'
import { Negotiation } from '../negotiation/negotiate.ts'
import { compileCheckObjectPermissions, compileCheckPermissions } from './check-permissions.ts'
import type { CompiledEndpoint, Slot } from './context.ts'
import { compileMetadata } from './options-method.ts'
import { compileVersion } from './version.ts'

export function compileEndpoint(endpoint: ServedEndpoint): CompiledEndpoint {
  const { facts, settings } = endpoint
  const renderer = settings.renderers[0]!
  const checkPermissions = compileCheckPermissions(endpoint)
  const handlers = handlersByMethod(endpoint, checkPermissions)
  return {
    facts,
    settings,
    allow: ALLOW_ORDER.filter((method) => handlers.has(method)).join(', '),
    firstAccepted: { renderer, mediaType: renderer.mediaType, parameters: {} },
    negotiation: new Negotiation(settings.renderers),
    checkPermissions,
    checkObjectPermissions: compileCheckObjectPermissions(endpoint),
    handlers,
    ...compileVersion(settings),
  }
}

const ALLOW_ORDER = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

function handlersByMethod(
  endpoint: ServedEndpoint,
  permitted: Slot | null,
): CompiledEndpoint['handlers'] {
  const { behaviours, settings } = endpoint
  const handlers = new Map<string, Pick<Behaviour, 'handle'>>(
    Object.entries(behaviours).map(([verb, each]) => [verb.toUpperCase(), each]),
  )
  // HEAD is GET whose body the door keeps back (R11).
  if (behaviours.get !== undefined) handlers.set('HEAD', behaviours.get)
  if (settings.metadata !== null)
    handlers.set('OPTIONS', { handle: compileMetadata(endpoint, permitted) })
  return handlers
}
