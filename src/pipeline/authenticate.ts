import type { Authenticator, Identity } from '../contract/authentication.ts'
import type { MaybePromise } from '../contract/request.ts'
import type { Settings } from '../contract/settings.ts'
import { ApiError } from '../errors/api-errors.ts'
import type { Context, Slot } from './context.ts'

/** Tries the schemes in order: the first identity wins, the first failure answers (A2–A5). */
export function compileAuthenticate({ authentication: schemes }: Settings): Slot {
  return (request) => {
    const { vouchedFor } = request
    if (vouchedFor === null) return trySchemes(schemes, 0, request)
    // The door knows the user: as if the first scheme had named it.
    identify(request, vouchedFor, schemes[0] ?? DOOR)
  }
}

const DOOR: Authenticator = Object.freeze({ authenticate: () => null })

/** Goes on without waiting until a scheme returns a promise. */
function trySchemes(
  schemes: readonly Authenticator[],
  from: number,
  request: Context,
): Promise<void> | void {
  for (let at = from; at < schemes.length; at++) {
    const identity = ask(schemes[at]!, request)
    if (identity instanceof Promise) return finishLater(identity, schemes, at, request)
    if (identity !== null) return identify(request, identity, schemes[at]!)
  }
  beAnonymous(request)
}

async function finishLater(
  promised: Promise<Identity | null>,
  schemes: readonly Authenticator[],
  at: number,
  request: Context,
): Promise<void> {
  const identity = await promised
  if (identity === null) return trySchemes(schemes, at + 1, request)
  identify(request, identity, schemes[at]!)
}

/** Whoever shows the error of a scheme finds the anonymous user, not an error again (R23). */
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

function identify(request: Context, { user, auth }: Identity, scheme: Authenticator): void {
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
