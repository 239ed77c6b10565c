import type { Authenticator } from '../ports/policies/authentication.ts'
import type { Permission, Opinion } from '../ports/policies/permissions.ts'
import {
  type ApiError,
  AuthenticationFailed,
  NotAuthenticated,
  PermissionDenied,
  stackless,
} from '../errors/api-errors.ts'
import type { DetailInput } from '../errors/detail.ts'
import type { Context } from './context.ts'

/**
 * Decides between 401 and 403 by the first scheme alone. An error about credentials is 401 with the scheme's challenge, or
 * 403 if the scheme has none (A40). With `challengeAll`, the challenges of the other schemes follow.
 */
export function challenge(error: unknown, request: Context): unknown {
  if (!(error instanceof AuthenticationFailed || error instanceof NotAuthenticated)) return error
  const { authentication, challengeAll } = request.settings
  const isRefused = error instanceof AuthenticationFailed
  const challengeOf = (scheme: Authenticator | undefined): string | null => {
    const header = scheme?.authenticateHeader?.(request, isRefused) ?? null
    if (header === null || typeof header === 'string') return header
    throw new TypeError(
      `authenticateHeader() of ${scheme!.constructor.name} must return a text or null.`,
    )
  }
  const first = challengeOf(authentication[0])
  if (!first) return error.answeredWith(403)
  if (!challengeAll) return error.answeredWith(401, { 'WWW-Authenticate': first })
  const others = authentication.slice(1).map(challengeOf)
  const all = new Set([first, ...others.filter((each) => each !== null)])
  return error.answeredWith(401, { 'WWW-Authenticate': [...all].join(', ') })
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
  if (settings.authentication.length > 0 && authenticator === null)
    return stackless(() => new NotAuthenticated())
  const { message = permission.message, code = permission.code } = opinion || permission
  const scopes = code === 'missing_scope' ? permission.scopes : undefined
  const header = scopes && authenticator?.scopeChallenge?.(scopes)
  const headers = header === undefined ? {} : { 'WWW-Authenticate': header }
  return new PermissionDenied((message as DetailInput | undefined) ?? null, code ?? null, headers)
}
