import type { ServedEndpoint } from '../contract/kernel.ts'
import type { MaybePromise, Opinion, Permission } from '../contract/request.ts'
import { Negotiation } from '../negotiation/negotiate.ts'
import { isPromise } from '../std/after.ts'
import { denial } from './challenge.ts'
import { compileCors, resourcePolicyOf } from './origins/cors.ts'
import { compileCheckThrottles } from './check-throttles.ts'
import type { CompiledEndpoint, Context, ObjectCheck, Slot } from './context.ts'
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

/** Asks every permission about the request, in order; the first refusal is the answer (Z2). */
function compileCheckPermissions(endpoint: ServedEndpoint): Slot | null {
  return compile(endpoint, 'hasPermission', (permission, request) =>
    permission.hasPermission!(request),
  )
}

/** The same about an object, where the endpoint asks for it (Z3). */
function compileCheckObjectPermissions(endpoint: ServedEndpoint): ObjectCheck | null {
  return compile(endpoint, 'hasObjectPermission', (permission, request, target) =>
    permission.hasObjectPermission!(request, target),
  )
}

type Question = (permission: Permission, request: Context, target: unknown) => MaybePromise<Opinion>

/** Asks the permissions that answer: first the endpoint's, then those of the verb. `null`: none does. */
function compile(
  { settings, behaviours }: ServedEndpoint,
  question: 'hasPermission' | 'hasObjectPermission',
  put: Question,
): ((request: Context, target?: unknown) => Promise<void> | void) | null {
  // `null` or `false` in place of the method fails at the request: it must not open a door.
  const answering = (some: readonly Permission[]) =>
    some.filter((each) => each[question] !== undefined)
  const always = answering(settings.permissions)
  const byMethod = new Map(
    Object.entries(behaviours).flatMap(([verb, { permissions = [] }]) => {
      const own = answering(permissions)
      return own.length === 0 ? [] : [[verb.toUpperCase(), [...always, ...own]] as const]
    }),
  )
  if (byMethod.size === 0 && always.length === 0) return null
  return (request, target) => {
    // HEAD is GET (R11).
    const method = request.method === 'HEAD' ? 'GET' : request.method
    return ask(put, byMethod.get(method) ?? always, request, target)
  }
}

/** Asks the permissions from this one on, and without waiting until one returns a promise. */
function ask(
  put: Question,
  permissions: readonly Permission[],
  request: Context,
  target: unknown,
  from = 0,
): Promise<void> | void {
  for (let at = from; at < permissions.length; at++) {
    const permission = permissions[at]!
    const opinion = put(permission, request, target)
    if (isPromise(opinion))
      return Promise.resolve(opinion).then((later) => {
        heed(later, permission, request)
        return ask(put, permissions, request, target, at + 1)
      })
    heed(opinion, permission, request)
  }
}

/** Only a plain yes, or no opinion, lets a request on: a forgotten `return` must not open a door. */
function heed(opinion: Opinion, permission: Permission, request: Context): void {
  if (opinion !== true && opinion !== null) throw denial(opinion, permission, request)
}
