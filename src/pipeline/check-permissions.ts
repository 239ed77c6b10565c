import type { ServedEndpoint } from '../contract/kernel.ts'
import type { Opinion, Permission, Refusal } from '../contract/permission.ts'
import type { MaybePromise } from '../contract/request.ts'
import { type ApiError } from '../errors/api-error.ts'
import type { DetailInput } from '../errors/detail.ts'
import { NotAuthenticated, PermissionDenied } from '../errors/identity-errors.ts'
import type { Context } from './context.ts'
import { type Slot, nothing } from './slot.ts'

/** The check of an object that a handler has found. */
export type ObjectCheck = (request: Context, target: unknown) => Promise<void> | void

/** Asks every permission about the request, in order; the first refusal is the answer (Z2). */
export function compileCheckPermissions(endpoint: ServedEndpoint): Slot {
  const asked = askedFor(endpoint, ({ hasPermission }) => hasPermission !== undefined)
  if (asked === null) return nothing
  return (request) => askFrom(0, asked(request), ofRequest, request, null)
}

/** The same about an object, where the endpoint asks for it (Z3). */
export function compileCheckObjectPermissions(endpoint: ServedEndpoint): ObjectCheck {
  const asked = askedFor(endpoint, ({ hasObjectPermission }) => hasObjectPermission !== undefined)
  if (asked === null) return nothing
  return (request, target) => askFrom(0, asked(request), ofObject, request, target)
}

/** Those that have something to say, first the endpoint's, then the verb's own. `null`: there are none. */
function askedFor(
  { settings, permissions }: ServedEndpoint,
  speaks: (permission: Permission) => boolean,
): ((request: Context) => readonly Permission[]) | null {
  const always = settings.permissions.filter(speaks)
  const own = Object.entries(permissions).flatMap(([verb, some]) => {
    const speaking = some.filter(speaks)
    return speaking.length === 0 ? [] : [[verb.toUpperCase(), [...always, ...speaking]] as const]
  })
  if (own.length === 0) return always.length === 0 ? null : () => always
  const byMethod = new Map(own)
  // R11: HEAD is GET.
  return ({ method }) => byMethod.get(method === 'HEAD' ? 'GET' : method) ?? always
}

type Question = (permission: Permission, request: Context, target: unknown) => MaybePromise<Opinion>

const ofRequest: Question = (permission, request) => permission.hasPermission!(request)
const ofObject: Question = (permission, request, target) =>
  permission.hasObjectPermission!(request, target)

function askFrom(
  index: number,
  permissions: readonly Permission[],
  question: Question,
  request: Context,
  target: unknown,
): Promise<void> | void {
  const permission = permissions[index]
  if (permission === undefined) return
  const opinion = question(permission, request, target)
  if (!(opinion instanceof Promise)) {
    respect(opinion, permission, request)
    return askFrom(index + 1, permissions, question, request, target)
  }
  return opinion.then((said) => {
    respect(said, permission, request)
    return askFrom(index + 1, permissions, question, request, target)
  })
}

// Only a plain yes, or no opinion, lets anybody on: a forgotten `return` must not open a door.
function respect(opinion: Opinion, permission: Permission, request: Context): void {
  if (opinion !== true && opinion !== null) throw refusal(opinion, permission, request)
}

/**
 * A42: a denial is "say who you are" when some scheme could have named the user and none did, else
 * it is the permission's own no, with its own message and code.
 */
function refusal(opinion: false | Refusal, permission: Permission, request: Context): ApiError {
  const { authentication } = request.settings
  if (authentication.length > 0 && request.authenticator === null) return new NotAuthenticated()
  const { message = permission.message, code = permission.code } = opinion || permission
  return new PermissionDenied((message as DetailInput | undefined) ?? null, code ?? null)
}
