import type { Authenticator, MaybePromise, Settings } from '../contract/request.ts'
import type { Identity } from '../contract/decisions.ts'
import { ApiError } from '../errors/api-errors.ts'
import type { Context, Slot } from './context.ts'

/** Tries the schemes in order: the first identity wins, the first failure answers (A2–A5). */
export function compileAuthenticate({ authentication: schemes }: Settings): Slot {
  // Where the door knows the user, it is as if the first scheme had named it.
  const vouching = schemes.length === 0 ? [DOOR] : schemes
  return (request) =>
    request.vouchedFor === null
      ? settle(null, -1, schemes, request)
      : settle(request.vouchedFor, 0, vouching, request)
}

const DOOR: Authenticator = Object.freeze({ authenticate: () => null })

/** Goes on from what the scheme `at` found, and without waiting until one returns a promise. */
function settle(
  found: Identity | null,
  at: number,
  schemes: readonly Authenticator[],
  request: Context,
): Promise<void> | void {
  let identity = found
  let last = at
  while (identity === null && ++last < schemes.length) {
    const answer = ask(schemes[last]!, request)
    if (answer instanceof Promise)
      return answer.then((later) => settle(later, last, schemes, request))
    identity = answer
  }
  if (identity === null) return beAnonymous(request)
  request.user = identity.user
  request.auth = identity.auth
  request.authenticator = schemes[last]!
}

/** Where a scheme fails, the error is shown to the anonymous user: no scheme is asked again (R23). */
function ask(scheme: Authenticator, request: Context): MaybePromise<Identity | null> {
  const failed = (error: unknown): never => {
    if (error instanceof ApiError) beAnonymous(request)
    throw error
  }
  try {
    const identity = scheme.authenticate(request)
    return identity instanceof Promise ? identity.catch(failed) : identity
  } catch (error) {
    return failed(error)
  }
}

/** What a request has where no scheme names a user (A20, A21). */
function beAnonymous(request: Context): void {
  const { unauthenticatedUser, unauthenticatedToken } = request.settings
  request.user = unauthenticatedUser === null ? null : unauthenticatedUser()
  request.auth = unauthenticatedToken === null ? null : unauthenticatedToken()
}
