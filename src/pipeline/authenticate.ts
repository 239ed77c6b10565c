import type { Authenticator, Identity } from '../contract/authentication.ts'
import type { MaybePromise } from '../contract/request.ts'
import type { Settings } from '../contract/settings.ts'
import { ApiError } from '../errors/api-error.ts'
import type { Context } from './context.ts'
import type { Slot } from './slot.ts'

/** Tries the schemes in order; the first identity wins, the first failure answers (A2–A5). */
export function compileAuthenticate(settings: Settings): Slot {
  const { authentication: schemes } = settings
  return (request) =>
    request.vouchedFor === null ? tryFrom(0, schemes, request) : adopt(request, schemes)
}

/** The door knows who it is: as if the first scheme had said so. */
function adopt(request: Context, schemes: readonly Authenticator[]): void {
  request.user = request.vouchedFor!.user
  request.auth = request.vouchedFor!.auth
  request.authenticator = schemes[0] ?? DOOR
}

const DOOR: Authenticator = Object.freeze({ authenticate: () => null })

function tryFrom(
  index: number,
  schemes: readonly Authenticator[],
  request: Context,
): Promise<void> | void {
  const scheme = schemes[index]
  if (scheme === undefined) return anonymously(request)
  const outcome = attempt(scheme, request)
  return outcome instanceof Promise
    ? outcome.then((identity) => settle(identity, index, schemes, request))
    : settle(outcome, index, schemes, request)
}

function settle(
  identity: Identity | null,
  index: number,
  schemes: readonly Authenticator[],
  request: Context,
): Promise<void> | void {
  if (identity === null) return tryFrom(index + 1, schemes, request)
  request.user = identity.user
  request.auth = identity.auth
  request.authenticator = schemes[index]!
}

function attempt(scheme: Authenticator, request: Context): MaybePromise<Identity | null> {
  try {
    const outcome = scheme.authenticate(request)
    return outcome instanceof Promise ? outcome.catch((error) => failed(error, request)) : outcome
  } catch (error) {
    return failed(error, request)
  }
}

// R23: whoever shows the error finds the anonymous user, not an error again.
function failed(error: unknown, request: Context): never {
  if (error instanceof ApiError) anonymously(request)
  throw error
}

/** A20, A21: who a request is when nobody says. */
export function anonymously(request: Context): void {
  const { unauthenticatedUser, unauthenticatedToken } = request.settings
  request.user = unauthenticatedUser === null ? null : unauthenticatedUser()
  request.auth = unauthenticatedToken === null ? null : unauthenticatedToken()
}
