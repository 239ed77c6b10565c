import type { ServedEndpoint } from '../contract/kernel.ts'
import type { Opinion } from '../contract/decisions.ts'
import type { Permission, MaybePromise } from '../contract/request.ts'
import { denial } from './challenge.ts'
import type { Context, ObjectCheck, Slot } from './context.ts'

/** Asks every permission about the request, in order; the first refusal is the answer (Z2). */
export function compileCheckPermissions(endpoint: ServedEndpoint): Slot | null {
  const asked = askedFor(endpoint, 'hasPermission')
  if (asked === null) return null
  const ofRequest: Question = (permission, request) => permission.hasPermission!(request)
  return (request) => ask(ofRequest, asked(request), request, null)
}

/** The same about an object, where the endpoint asks for it (Z3). */
export function compileCheckObjectPermissions(endpoint: ServedEndpoint): ObjectCheck | null {
  const asked = askedFor(endpoint, 'hasObjectPermission')
  if (asked === null) return null
  const ofObject: Question = (permission, request, target) =>
    permission.hasObjectPermission!(request, target)
  return (request, target) => ask(ofObject, asked(request), request, target)
}

/** The permissions with this question, first the endpoint's, then those of the verb. `null`: none. */
function askedFor(
  { settings, behaviours }: ServedEndpoint,
  question: 'hasPermission' | 'hasObjectPermission',
): ((request: Context) => readonly Permission[]) | null {
  const answering = (some: readonly Permission[]) => some.filter((each) => each[question])
  const always = answering(settings.permissions)
  const byMethod = new Map(
    Object.entries(behaviours).flatMap(([verb, { permissions = [] }]) => {
      const own = answering(permissions)
      return own.length === 0 ? [] : [[verb.toUpperCase(), [...always, ...own]] as const]
    }),
  )
  if (byMethod.size === 0) return always.length === 0 ? null : () => always
  // HEAD is GET (R11).
  return ({ method }) => byMethod.get(method === 'HEAD' ? 'GET' : method) ?? always
}

type Question = (permission: Permission, request: Context, target: unknown) => MaybePromise<Opinion>

/** Goes on from the opinion of the permission `at`, and without waiting until one returns a promise. */
function ask(
  question: Question,
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
    const answer = question(permissions[last]!, request, target)
    if (answer instanceof Promise)
      return answer.then((later) => ask(question, permissions, request, target, last, later))
    opinion = answer
  }
  throw denial(opinion, permissions[last]!, request)
}
