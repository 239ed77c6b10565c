import type { ServedEndpoint } from '../contract/kernel.ts'
import { Negotiation } from '../negotiation/negotiate.ts'
import { compileCheckObjectPermissions, compileCheckPermissions } from './check-permissions.ts'
import { compileCheckThrottles } from './check-throttles.ts'
import type { CompiledEndpoint } from './context.ts'
import { allowOf, handlersByMethod } from './methods.ts'
import { compileVersion } from './version.ts'

export function compileEndpoint(endpoint: ServedEndpoint): CompiledEndpoint {
  const { facts, settings } = endpoint
  const renderer = settings.renderers[0]!
  const checkPermissions = compileCheckPermissions(endpoint)
  const handlers = handlersByMethod(endpoint, checkPermissions)
  return {
    facts,
    settings,
    allow: allowOf(handlers),
    firstAccepted: { renderer, mediaType: renderer.mediaType, parameters: {} },
    negotiation: new Negotiation(settings.renderers),
    checkPermissions,
    checkObjectPermissions: compileCheckObjectPermissions(endpoint),
    checkThrottles: compileCheckThrottles(endpoint),
    handlers,
    ...compileVersion(settings),
  }
}
