import type { Authenticator } from '../contract/request.ts'
import type { Identity } from '../contract/decisions.ts'
import { ApiError } from '../errors/api-errors.ts'
import type { Context } from './context.ts'

/** Tries the schemes in order: the first identity wins, the first failure answers (A2–A5). */
export async function authenticate(request: Context): Promise<void> {
  const { vouchedFor } = request
  const { authentication: schemes } = request.settings
  // Where the door knows the user, it is as if the first scheme had named it.
  if (vouchedFor !== null) return beKnown(request, vouchedFor, schemes[0] ?? DOOR)
  try {
    for (const scheme of schemes) {
      const found = scheme.authenticate(request)
      const identity = found instanceof Promise ? await found : found
      if (identity !== null) return beKnown(request, identity, scheme)
    }
  } catch (error) {
    // The error is shown to the anonymous user: no scheme is asked again (R23).
    if (error instanceof ApiError) beAnonymous(request)
    throw error
  }
  beAnonymous(request)
}

const DOOR: Authenticator = Object.freeze({ authenticate: () => null })

function beKnown(request: Context, { user, auth }: Identity, scheme: Authenticator): void {
  request.user = user
  request.auth = auth
  request.authenticator = scheme
}

/** What a request has where no scheme names a user (A20, A21). */
function beAnonymous(request: Context): void {
  const { unauthenticatedUser, unauthenticatedToken } = request.settings
  request.user = unauthenticatedUser === null ? null : unauthenticatedUser()
  request.auth = unauthenticatedToken === null ? null : unauthenticatedToken()
}
