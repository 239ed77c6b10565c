import type { DoorReply } from '../contract/door.ts'
import type { ActedFor, Reply } from '../contract/answers.ts'
import type { Prepared } from '../contract/page.ts'
import type { Behaviour, Rehearsal, RehearsedStep } from '../contract/kernel.ts'
import type { Authenticator, Identity } from '../contract/request.ts'
import { ApiError, AuthenticationFailed, MethodNotAllowed, NotFound } from '../errors/api-errors.ts'
import { BytesReply, toReply } from '../replies/reply.ts'
import { type MaybePromise, isPromise } from '../std/after.ts'
import { answerForBoth } from './pages/act-as.ts'
import { release } from './check-throttles.ts'
import type { Context } from './context.ts'
import { answer, logFailure } from './exceptions.ts'
import { LAST_RESORT } from './problem-details.ts'
import { PageOf } from './page-facts.ts'
import { respond } from './respond.ts'

type Step = (request: Context) => unknown

/**
 * What is decided before anything is counted, in this order (R1). Negotiation and version come first, because they
 * decide how an error is shown; they name no user and deny nothing.
 */
const CHECKS = {
  negotiation: negotiate,
  version: determineVersion,
  sunset: (request) => request.endpoint.refuseGone?.(request),
  authentication: authenticate,
  permissions: (request) => request.endpoint.checkPermissions?.(request),
} as const satisfies Readonly<Partial<Record<RehearsedStep, Step>>>

/** Everything that happens to a request; what the last step gives is the answer. */
const STEPS: readonly Step[] = [
  ...Object.values(CHECKS),
  (request) => request.endpoint.checkThrottles?.(request),
  handle,
]

/** Takes the steps that count nothing, up to the last, and asks no handler. `null`: none of them refuses. */
export async function rehearse(
  request: Context,
  last?: RehearsedStep,
): Promise<Rehearsal['refusal']> {
  const steps: Readonly<Record<string, Step>> = { ...CHECKS, method: handlerOf }
  for (const [by, step] of Object.entries(steps)) {
    try {
      await step(request)
    } catch (error) {
      const shown = await finish(answer(error, request), request)
      return { by: by as RehearsedStep, answer: shown }
    }
    if (by === last) break
  }
  return null
}

/** A preflight is no request of its own: nothing is asked about it (I21). */
export function run(request: Context): MaybePromise<DoorReply> {
  return request.endpoint.cors?.preflight(request) ?? follow(request)
}

/** Takes the steps from this one on, and without waiting until one returns a promise. */
function follow(request: Context, from = 0): MaybePromise<DoorReply> {
  let shown: Reply
  try {
    let value: unknown
    for (let at = from; at < STEPS.length; at++) {
      value = STEPS[at]!(request)
      if (isPromise(value)) return wait(value, at, request)
    }
    shown = toReply(value)
  } catch (error) {
    shown = answer(error, request)
  }
  return finish(shown, request)
}

async function wait(
  waiting: PromiseLike<unknown>,
  at: number,
  request: Context,
): Promise<DoorReply> {
  let shown: Reply
  try {
    const value = await waiting
    if (at < STEPS.length - 1) return follow(request, at + 1)
    shown = toReply(value)
  } catch (error) {
    shown = answer(error, request)
  }
  return finish(shown, request)
}

/** `ready`: what the renderer has prepared. */
function finish(
  shown: Reply,
  request: Context,
  ready: Prepared | null = null,
): MaybePromise<DoorReply> {
  const { prepare } = request.accepted.renderer
  if (ready === null && prepare !== undefined && !(shown instanceof BytesReply))
    return prepared(shown, request)
  const sent = respond(shown, request, ready)
  if (request.counted !== null) release(request)
  return request.endings === null ? sent : end(request, sent)
}

/** What a page needs beside the answer is asked for first; where that fails, so does the request. */
async function prepared(shown: Reply, request: Context): Promise<DoorReply> {
  let ready: Prepared
  try {
    ready = await request.accepted.renderer.prepare!(shown, new PageOf(request))
  } catch (error) {
    request.accepted = LAST_RESORT
    return finish(answer(error, request), request)
  }
  return finish(shown, request, ready)
}

function handle(request: Context): unknown {
  const handler = handlerOf(request)
  const { acting } = request
  // Programs are answered as who they are.
  return acting === null || !request.isForPage
    ? handler.handle(request)
    : answerForBoth((each) => handler.handle(each), acting, request)
}

/** 405 comes after all checks (R9). The method is the real one, even where a header names another (R13). */
function handlerOf({ endpoint, method }: Context): Pick<Behaviour<Context>, 'handle'> {
  const handler = endpoint.handlers.get(method)
  if (handler === undefined) throw new MethodNotAllowed(method)
  return handler
}

/** Every task is done, whatever the others throw; the answer stays as it is. */
async function end(request: Context, sent: DoorReply): Promise<DoorReply> {
  for (const task of request.endings!.toReversed()) {
    try {
      await task(sent.status)
    } catch (error) {
      logFailure('request.end_failed', error, request)
    }
  }
  return sent
}

/** Chooses the renderer: the path's suffix, then the format parameter (N2), then `Accept`. */
function negotiate(request: Context): void {
  request.accepted = request.endpoint.negotiation.select(request)
}

function determineVersion(request: Context): MaybePromise<void> {
  const version = request.settings.versioning?.determineVersion(request) ?? null
  if (isPromise(version))
    return Promise.resolve(version).then((later) => setVersion(later, request))
  setVersion(version, request)
}

function setVersion(version: string | null, request: Context): void {
  request.version = version ?? null
}

/** Where the door knows the user, it is as if the first scheme had named it. */
function authenticate(request: Context): MaybePromise<void> {
  const { vouchedFor } = request
  if (vouchedFor === null) return askSchemes(request)
  identify(vouchedFor, request.settings.authentication[0] ?? DOOR, request)
}

/** Tries the schemes in order: the first identity wins, the first failure answers (A2–A5). */
function askSchemes(request: Context, from = 0): MaybePromise<void> {
  const { authentication: schemes } = request.settings
  try {
    for (let at = from; at < schemes.length; at++) {
      const scheme = schemes[at]!
      const identity = scheme.authenticate(request)
      if (isPromise(identity)) return waitForScheme(identity, at, request)
      if (identity !== null) return identify(identity, scheme, request)
    }
  } catch (error) {
    return refuse(error, request)
  }
  beAnonymous(request)
}

async function waitForScheme(
  waiting: PromiseLike<Identity | null>,
  at: number,
  request: Context,
): Promise<void> {
  let identity: Identity | null
  try {
    identity = await waiting
  } catch (error) {
    return refuse(error, request)
  }
  if (identity === null) return askSchemes(request, at + 1)
  identify(identity, request.settings.authentication[at]!, request)
}

function identify(
  { user, auth, acting = null }: Identity,
  authenticator: Authenticator,
  request: Context,
): void {
  request.user = user
  request.auth = auth
  request.acting = acting as ActedFor<Context> | null
  request.authenticator = authenticator
}

/** The error is shown to the anonymous user: no scheme is asked again (R23). */
async function refuse(error: unknown, request: Context): Promise<never> {
  if (error instanceof ApiError) beAnonymous(request)
  if (error instanceof AuthenticationFailed) await request.guesses?.wrong()
  throw error
}

const DOOR: Authenticator = Object.freeze({ authenticate: () => null })

/** What a request has where no scheme names a user (A20, A21). */
function beAnonymous(request: Context): void {
  const { unauthenticatedUser, unauthenticatedToken } = request.settings
  request.user = unauthenticatedUser === null ? null : unauthenticatedUser()
  request.auth = unauthenticatedToken === null ? null : unauthenticatedToken()
}

/** No endpoint, or no right to ask for one: the answer is still negotiated (I12). */
export function refused(error: unknown, request: Context): MaybePromise<DoorReply> {
  // To see the 404, a page of another origin must get past its preflight.
  const preflight = error instanceof NotFound ? request.endpoint.cors?.preflight(request) : null
  if (preflight) return preflight
  try {
    negotiate(request)
  } catch {
    // The first failure is the answer; the first renderer shows it (E15).
  }
  return finish(answer(error, request), request)
}
