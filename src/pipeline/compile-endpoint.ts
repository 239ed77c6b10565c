import type { ServedEndpoint } from '../contract/kernel.ts'
import { Negotiation } from '../negotiation/negotiate.ts'
import { compileCors, resourcePolicyOf } from './origins/cors.ts'
import { compileCheckObjectPermissions, compileCheckPermissions } from './check-permissions.ts'
import { compileCheckThrottles } from './check-throttles.ts'
import type { CompiledEndpoint } from './context.ts'
import { METHODS, handlersByMethod } from './methods.ts'
import { compileVersion } from './version.ts'

export function compileEndpoint(endpoint: ServedEndpoint, csrfHeader: string): CompiledEndpoint {
  const { facts, settings } = endpoint
  const renderer = settings.renderers[0]!
  const checkPermissions = compileCheckPermissions(endpoint)
  const handlers = handlersByMethod(endpoint, checkPermissions)
  const { cors, versionHeader } = settings
  const methods = METHODS.filter((method) => handlers.has(method))
  return {
    facts,
    settings,
    allow: methods.join(', '),
    firstAccepted: { renderer, mediaType: renderer.mediaType, parameters: {} },
    negotiation: new Negotiation(settings.renderers),
    checkPermissions,
    checkObjectPermissions: compileCheckObjectPermissions(endpoint),
    checkThrottles: compileCheckThrottles(endpoint),
    handlers,
    cors: cors && compileCors(cors, { methods, versionHeader, csrfHeader }),
    resourcePolicy: resourcePolicyOf(cors),
    ...compileVersion(settings),
  }
}
