import type { Permission } from '../contract/permission.ts'
import type { Settings } from '../contract/settings.ts'
import { type ApiError } from '../errors/api-error.ts'
import type { DetailInput } from '../errors/detail.ts'
import { NotAuthenticated, PermissionDenied } from '../errors/identity-errors.ts'
import type { Context } from './context.ts'
import { type Slot, nothing } from './slot.ts'

/** Asks every permission in order; the first refusal is the answer (Z2). */
export function compileCheckPermissions({ permissions }: Settings): Slot {
  const asked = permissions.filter((permission) => permission.hasPermission)
  if (asked.length === 0) return nothing
  return (request) => askFrom(0, asked, request)
}

function askFrom(
  index: number,
  permissions: readonly Permission[],
  request: Context,
): Promise<void> | void {
  const permission = permissions[index]
  if (permission === undefined) return
  const verdict = permission.hasPermission!(request)
  if (!(verdict instanceof Promise)) {
    if (verdict === false) throw refusal(permission, request)
    return askFrom(index + 1, permissions, request)
  }
  return verdict.then((allowed) => {
    if (allowed === false) throw refusal(permission, request)
    return askFrom(index + 1, permissions, request)
  })
}

/**
 * A42: a denial is "say who you are" when some scheme could have named the user and none did, else
 * it is the permission's own no, with its own message and code.
 */
function refusal({ message, code }: Permission, request: Context): ApiError {
  const { authentication } = request.settings
  if (authentication.length > 0 && request.authenticator === null) return new NotAuthenticated()
  return new PermissionDenied((message as DetailInput | undefined) ?? null, code ?? null)
}
