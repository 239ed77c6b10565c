import type { Permission, Opinion } from '../contract/request.ts'
import {
  type ApiError,
  AuthenticationFailed,
  NotAuthenticated,
  PermissionDenied,
} from '../errors/api-errors.ts'
import type { DetailInput } from '../errors/detail.ts'
import type { Context } from './context.ts'

/**
 * 401 or 403: the first scheme alone decides. An error about credentials is 401 with its challenge, and 403
 * where it has none (A40).
 */
export function challenge(error: unknown, request: Context): unknown {
  if (!(error instanceof AuthenticationFailed || error instanceof NotAuthenticated)) return error
  const header = request.settings.authentication[0]?.authenticateHeader?.(request)
  return header ? error.answeredWith(401, { 'WWW-Authenticate': header }) : error.answeredWith(403)
}

/**
 * The error that a denial becomes: a demand for credentials where a scheme could have named the user and
 * none did, else the permission's own refusal, with its message and code (A42).
 */
export function denial(
  opinion: Exclude<Opinion, true | null>,
  permission: Permission,
  { settings, authenticator }: Context,
): ApiError {
  if (settings.authentication.length > 0 && authenticator === null) return new NotAuthenticated()
  const { message = permission.message, code = permission.code } = opinion || permission
  return new PermissionDenied((message as DetailInput | undefined) ?? null, code ?? null)
}
