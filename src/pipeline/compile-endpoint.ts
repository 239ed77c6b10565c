import type { ServedEndpoint } from '../contract/kernel.ts'
import type { Settings } from '../contract/settings.ts'
import { MethodNotAllowed } from '../errors/api-errors.ts'
import { Negotiation } from '../negotiation/negotiate.ts'
import { compileAuthenticate } from './authenticate.ts'
import { compileCheckObjectPermissions, compileCheckPermissions } from './check-permissions.ts'
import { compileCheckThrottles } from './check-throttles.ts'
import type { CompiledEndpoint, Context, RequestHandler, Slot } from './context.ts'
import { compileMetadata } from './metadata.ts'
import { allowOf } from './standing-headers.ts'
import { compileVersion } from './version.ts'

/** Makes the slots of one endpoint, once, at start-up. */
export function compileEndpoint(endpoint: ServedEndpoint): CompiledEndpoint {
  const { facts, settings } = endpoint
  const [renderer] = settings.renderers
  const version = compileVersion(settings)
  const checkPermissions = compileCheckPermissions(endpoint)
  const handlers = handlersByMethod(endpoint, checkPermissions)
  return {
    facts,
    settings,
    allow: allowOf(handlers),
    firstAccepted: { renderer: renderer!, mediaType: renderer!.mediaType, parameters: {} },
    negotiate: compileNegotiate(settings),
    determineVersion: version.determine,
    authenticate: compileAuthenticate(settings),
    checkPermissions,
    checkObjectPermissions: compileCheckObjectPermissions(endpoint),
    checkThrottles: compileCheckThrottles(settings),
    handle: (request) => {
      const handler = handlers.get(request.method)
      if (handler === undefined) throw new MethodNotAllowed(request.method)
      return handler(request)
    },
    addVersionHeaders: version.addHeaders,
  }
}

/** Chooses the renderer: the path's suffix, then the format parameter (N2), then `Accept`. */
function compileNegotiate({ renderers, urlFormatOverride }: Settings): (request: Context) => void {
  const negotiation = new Negotiation(renderers)
  return (request) => {
    const accept = request.peek('accept')
    request.accepted = negotiation.select({ accept, format: formatOf(request, urlFormatOverride) })
  }
}

function formatOf(request: Context, parameter: string | null): string | null {
  if (request.suffixed) return request.params['format'] as string
  if (parameter === null || request.queryText === '') return null
  return request.query.get(parameter) || null
}

// HEAD is GET whose body the door keeps back (R11). The method is the real one, whatever headers say (R13).
function handlersByMethod(
  endpoint: ServedEndpoint,
  permitted: Slot,
): ReadonlyMap<string, RequestHandler> {
  const handlers = new Map<string, RequestHandler>()
  for (const [verb, behaviour] of Object.entries(endpoint.behaviours))
    handlers.set(verb.toUpperCase(), (request) => behaviour.handle(request))
  const get = handlers.get('GET')
  if (get !== undefined) handlers.set('HEAD', get)
  if (endpoint.settings.metadata !== null)
    handlers.set('OPTIONS', compileMetadata(endpoint, permitted))
  return handlers
}
