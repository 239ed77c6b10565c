import type { ServedEndpoint } from '../contract/kernel.ts'
import type { Opinion } from '../contract/decisions.ts'
import type { Permission, MaybePromise } from '../contract/request.ts'
import { denial } from './challenge.ts'
import type { Context, ObjectCheck, Slot } from './context.ts'

/** Asks every permission about the request, in order; the first refusal is the answer (Z2). */
export function compileCheckPermissions(endpoint: ServedEndpoint): Slot | null {
  return compile(endpoint, 'hasPermission', (permission, request) =>
    permission.hasPermission!(request),
  )
}

/** The same about an object, where the endpoint asks for it (Z3). */
export function compileCheckObjectPermissions(endpoint: ServedEndpoint): ObjectCheck | null {
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
  const answering = (some: readonly Permission[]) => some.filter((each) => each[question])
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

/** Goes on from the opinion of the permission `at`, and without waiting until one returns a promise. */
function ask(
  put: Question,
  permissions: readonly Permission[],
  request: Context,
  target: unknown,
  at = -1,
  found: Opinion = null,
): Promise<void> | void {
  let opinion = found
  let last = at
  // Only a plain yes, or no opinion, lets a request on: a forgotten `return` must not open a door.
  while (opinion === true || opinion === null) {
    if (++last === permissions.length) return
    const answer = put(permissions[last]!, request, target)
    if (answer instanceof Promise)
      return answer.then((later) => ask(put, permissions, request, target, last, later))
    opinion = answer
  }
  throw denial(opinion, permissions[last]!, request)
}
