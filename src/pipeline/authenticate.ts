import type { Authenticator } from '../contract/request.ts'
import { ApiError, AuthenticationFailed } from '../errors/api-errors.ts'
import { isPromise } from '../std/after.ts'
import type { Context } from './context.ts'

/** Tries the schemes in order: the first identity wins, the first failure answers (A2–A5). */
export async function authenticate(request: Context): Promise<void> {
  const { authentication: schemes } = request.settings
  // Where the door knows the user, it is as if the first scheme had named it.
  let [identity, authenticator] = [request.vouchedFor, schemes[0] ?? DOOR]
  try {
    for (let at = 0; identity === null && at < schemes.length; at++) {
      authenticator = schemes[at]!
      const found = authenticator.authenticate(request)
      identity = isPromise(found) ? await found : found
    }
  } catch (error) {
    // The error is shown to the anonymous user: no scheme is asked again (R23).
    if (error instanceof ApiError) beAnonymous(request)
    if (error instanceof AuthenticationFailed) await request.guesses?.wrong()
    throw error
  }
  if (identity === null) return beAnonymous(request)
  request.user = identity.user
  request.auth = identity.auth
  request.authenticator = authenticator
}

const DOOR: Authenticator = Object.freeze({ authenticate: () => null })

/** What a request has where no scheme names a user (A20, A21). */
function beAnonymous(request: Context): void {
  const { unauthenticatedUser, unauthenticatedToken } = request.settings
  request.user = unauthenticatedUser === null ? null : unauthenticatedUser()
  request.auth = unauthenticatedToken === null ? null : unauthenticatedToken()
}
