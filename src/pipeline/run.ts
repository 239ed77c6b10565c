import type { DoorReply } from '../contract/door.ts'
import type { Reply } from '../contract/answers.ts'
import { MethodNotAllowed, NotFound } from '../errors/api-errors.ts'
import { ReplyValue, reply } from '../replies/reply.ts'
import { isPromise } from '../std/after.ts'
import { authenticate } from './authenticate.ts'
import { release } from './check-throttles.ts'
import type { Context } from './context.ts'
import { answer } from './exceptions.ts'
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
  return sent
}

/** Chooses the renderer: the path's suffix, then the format parameter (N2), then `Accept`. */
function negotiate(request: Context): void {
  request.accepted = request.endpoint.negotiation.select(request)
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
