import type { DoorReply } from '../contract/door.ts'
import type { Reply } from '../contract/answers.ts'
import type { Authenticator } from '../contract/request.ts'
import { ApiError, AuthenticationFailed, MethodNotAllowed, NotFound } from '../errors/api-errors.ts'
import { ReplyValue, reply } from '../replies/reply.ts'
import { isPromise } from '../std/after.ts'
import { release } from './check-throttles.ts'
import type { Context } from './context.ts'
import { answer, logFailure } from './exceptions.ts'
import { respond } from './respond.ts'

/**
 * Everything that happens to a request, in this order (R1). Negotiation and version come first, because
 * they decide how an error is shown; they name no user and deny nothing. A step that has nothing to wait
 * for is not awaited.
 */
export async function run(request: Context): Promise<DoorReply> {
  const { endpoint, method, settings } = request
  const preflight = endpoint.cors?.preflight(request)
  if (preflight) return preflight
  let shown: Reply
  try {
    negotiate(request)
    const version = settings.versioning?.determineVersion(request)
    request.version = (isPromise(version) ? await version : version) ?? null
    endpoint.refuseGone?.(request)
    await authenticate(request)
    const permission = endpoint.checkPermissions?.(request)
    if (permission) await permission
    const throttles = endpoint.checkThrottles?.(request)
    if (throttles) await throttles
    // 405 comes after all checks (R9). The method is the real one, even where a header names another (R13).
    const handler = endpoint.handlers.get(method)
    if (handler === undefined) throw new MethodNotAllowed(method)
    const handled = handler.handle(request)
    const value = isPromise(handled) ? await handled : handled
    shown = value instanceof ReplyValue ? value : reply(value ?? null)
  } catch (error) {
    shown = answer(error, request)
  }
  const sent = respond(shown, request)
  if (request.counted !== null) release(request)
  if (request.endings !== null) await end(request, sent.status)
  return sent
}

/** Every task is done, whatever the others throw; the answer stays as it is. */
async function end(request: Context, status: number): Promise<void> {
  for (const task of request.endings!.toReversed()) {
    try {
      await task(status)
    } catch (error) {
      logFailure('request.end_failed', error, request)
    }
  }
}

/** Chooses the renderer: the path's suffix, then the format parameter (N2), then `Accept`. */
function negotiate(request: Context): void {
  request.accepted = request.endpoint.negotiation.select(request)
}

/** Tries the schemes in order: the first identity wins, the first failure answers (A2–A5). */
async function authenticate(request: Context): Promise<void> {
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

/** No endpoint, or no right to ask for one: the answer is still negotiated (I12). */
export async function refused(error: unknown, request: Context): Promise<DoorReply> {
  // To see the 404, a page of another origin must get past its preflight.
  const preflight = error instanceof NotFound ? request.endpoint.cors?.preflight(request) : null
  if (preflight) return preflight
  try {
    negotiate(request)
  } catch {
    // The first failure is the answer; the first renderer shows it (E15).
  }
  return respond(answer(error, request), request)
}
