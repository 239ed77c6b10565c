import type { ServedEndpoint } from '../contract/kernel.ts'
import type { Opinion, Permission } from '../contract/permission.ts'
import type { MaybePromise } from '../contract/request.ts'
import { denial } from './challenge.ts'
import { type Context, type ObjectCheck, type Slot, nothing } from './context.ts'

/** Asks every permission about the request, in order; the first refusal is the answer (Z2). */
export function compileCheckPermissions(endpoint: ServedEndpoint): Slot {
  const asked = askedFor(endpoint, 'hasPermission')
  if (asked === null) return nothing
  const ofRequest: Question = (permission, request) => permission.hasPermission!(request)
  return (request) => ask(ofRequest, asked(request), 0, request, null)
}

/** The same about an object, where the endpoint asks for it (Z3). */
export function compileCheckObjectPermissions(endpoint: ServedEndpoint): ObjectCheck {
  const asked = askedFor(endpoint, 'hasObjectPermission')
  if (asked === null) return nothing
  const ofObject: Question = (permission, request, target) =>
    permission.hasObjectPermission!(request, target)
  return (request, target) => ask(ofObject, asked(request), 0, request, target)
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

/** Goes on without waiting until a permission returns a promise. */
function ask(
  question: Question,
  permissions: readonly Permission[],
  from: number,
  request: Context,
  target: unknown,
): Promise<void> | void {
  for (let at = from; at < permissions.length; at++) {
    const permission = permissions[at]!
    const opinion = question(permission, request, target)
    if (opinion instanceof Promise) {
      return opinion.then((found) => {
        respect(found, permission, request)
        return ask(question, permissions, at + 1, request, target)
      })
    }
    respect(opinion, permission, request)
  }
}

// Only a plain yes, or no opinion, lets a request on: a forgotten `return` must not open a door.
function respect(opinion: Opinion, permission: Permission, request: Context): void {
  if (opinion !== true && opinion !== null) throw denial(opinion, permission, request)
}
