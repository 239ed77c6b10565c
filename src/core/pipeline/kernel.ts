// The story of a request: found by its address, taken through the steps, answered. At the end, how an endpoint is compiled for it.
import type { PlainReply, PlainRequest, Failure, Kernel, Bytes } from '../ports/http-adapter.ts'
import type { Behaviour, Rehearsal, RehearsedStep, ServedEndpoint } from '../ports/kernel.ts'
import {
  ApiError,
  AuthenticationFailed,
  MethodNotAllowed,
  NotFound,
  ParseError,
  stackless,
} from '../errors/api-errors.ts'
import { type MaybePromise, after, isPromise } from '../std/after.ts'
import { attempt } from '../std/attempt.ts'
import { randomToken } from '../secrets/keys.ts'
import { failureOf } from '../std/text/error-text.ts'
import { requestChannels } from '../std/channels.ts'
import { type CompiledEndpoint, Context, type Service, contextOf } from './context.ts'
import { answerError, logFailure, answerUnforeseen } from './exceptions.ts'
import { type Origins, compileCors, resourcePolicyOf } from './origins.ts'
import { FALLBACK_RENDERER } from './problem-details.ts'
import type { Authenticator, Identity } from '../ports/policies/authentication.ts'
import type { Reply, RenderContext, Renderer } from '../ports/representations.ts'
import type { Prepared } from '../ports/page.ts'
import { BytesReply, toReply } from '../replies/reply.ts'
import { addForBrowsers, headersOf } from './answer-headers.ts'
import { compileCheckThrottles, withdrawHeld } from './check-throttles.ts'
import type { Opinion, Permission } from '../ports/policies/permissions.ts'
import { Negotiation } from '../representations/negotiate.ts'
import { denial } from './challenge.ts'
import {
  type NoRequest,
  beginStep,
  runFollowed,
  inPlaceOf,
  withObserver,
  publishStart,
} from './observing.ts'
import type { RequestStep } from '../ports/policies/observing.ts'
import { METHODS, handlersByMethod } from './methods.ts'
import { compileVersions } from '../versions/life.ts'
import { messagesOf } from '../errors/detail.ts'
import { bytesAroundRows } from '../representations/json.ts'

interface Application {
  readonly service: Service
  /** Shows what goes wrong before an endpoint is found. */
  readonly fallback: CompiledEndpoint
  readonly origins: Origins
}

/** The members of a kernel that need no databases; `createKernel` makes them. */
interface RequestKernel extends Required<Omit<Kernel, 'open' | '~opening' | 'drain' | 'close'>> {
  rehearse(plain: PlainRequest, last?: RehearsedStep): Promise<Rehearsal>
}

/** An application, and how its requests are numbered. */
interface Entrance extends Application {
  readonly nextId: () => string
}

export function createKernel(application: Application): RequestKernel {
  const entrance: Entrance = { ...application, nextId: requestIds() }
  return {
    handle: (plain) => answerRequest(plain, entrance),
    rehearse: (plain, last) => rehearseRequest(plain, entrance, last),
    refuse: (error, plain, unsent) => refuseRequest(error, plain, entrance, unsent),
    report: (failure) => reportFailure(failure, entrance),
  }
}

/** Unique in this process by counting, across processes by a random beginning. */
function requestIds(): () => string {
  const prefix = `${randomToken(6, 'hex')}-`
  let count = 0
  return () => prefix + (++count).toString(36)
}

function answerRequest(plain: PlainRequest, entrance: Entrance): MaybePromise<PlainReply> {
  const id = entrance.nextId()
  let request: Context
  try {
    request = routedContext(plain, id, entrance)
  } catch (error) {
    request = unroutedContext(plain, id, entrance)
    if (requestChannels.start.hasSubscribers) publishStart(request, plain)
    return answerRefused(error, request)
  }
  if (requestChannels.start.hasSubscribers) publishStart(request, plain)
  const isFollowed = request.settings.observe?.follow !== undefined && !plain.forPage
  return isFollowed ? runFollowed(request, plain, run) : run(request)
}

async function rehearseRequest(
  plain: PlainRequest,
  entrance: Entrance,
  last?: RehearsedStep,
): Promise<Rehearsal> {
  const id = entrance.nextId()
  let request: Context
  try {
    request = routedContext(plain, id, entrance)
  } catch (error) {
    request = unroutedContext(plain, id, entrance)
    return { request, refusal: { by: 'address', answer: await answerRefused(error, request) } }
  }
  return { request, refusal: await rehearse(request, last) }
}

/** The request at its endpoint. @throws ApiError there is none, or the host is not ours */
function routedContext(plain: PlainRequest, id: string, application: Application): Context {
  const { service, origins } = application
  if (plain.refusal) throw plain.refusal
  const origin = origins.of(plain)
  const match = service.urls.match(plain.target)
  if (match === null) throw stackless(() => new NotFound())
  const endpoint = service.endpoints.get(match.route.name)!
  return new Context(plain, service, endpoint, match, origin, id)
}

function unroutedContext(plain: PlainRequest, id: string, application: Application): Context {
  const { service, fallback, origins } = application
  return new Context(plain, service, fallback, null, origins.fallback(plain), id)
}

/** Answers without negotiation. A fault of the adapter is not passed to the `exceptionHandler`. */
function refuseRequest(
  error: unknown,
  plain: PlainRequest | null,
  entrance: Entrance,
  unsent?: PlainReply | null,
): PlainReply {
  if (plain === null) return neverRequested(error, entrance)
  const request = contextForError(plain, unsent?.headers, entrance)
  request.accepted = FALLBACK_RENDERER
  request.failure = error
  const foreseen = error instanceof ApiError
  const shown = foreseen ? answerError(error, request) : answerUnforeseen(error, request)
  const sent = respond(shown, request)
  return unsent?.ended === undefined ? leave(sent, request) : inPlaceOf(unsent, sent, error)
}

/** Answers bytes that never became a request: with JSON, like every other error (I12). */
function neverRequested(failure: unknown, { service, fallback, nextId }: Entrance): PlainReply {
  const id = nextId()
  const { status, detail } = failure instanceof ApiError ? failure : new ApiError()
  const headers = ['Content-Type', 'application/json', 'X-Request-Id', id]
  const sent = { status, headers, body: JSON.stringify({ detail: messagesOf(detail) }) }
  const { settings } = fallback
  const none = { counted: null, tasks: null, follower: null, isAnswered: false }
  return leave(sent, { id, settings, service, began: performance.now(), failure, ...none })
}

function reportFailure({ event, error, request, headers }: Failure, entrance: Entrance): void {
  if (request === null) return entrance.service.logger.error({ event, ...failureOf(error) })
  logFailure(event, error, contextForError(request, headers, entrance))
}

/** The request as far as it can be known, for what happens after it was handled; `headers` name it. */
function contextForError(
  plain: PlainRequest,
  headers: readonly string[] = [],
  { service, fallback, origins, nextId }: Entrance,
): Context {
  // The percent-encoding of the path may be broken: then the request has no endpoint.
  const match = attempt(ParseError, () => service.urls.match(plain.target))
  const at = headers.indexOf('X-Request-Id')
  const id = at < 0 ? nextId() : headers[at + 1]!
  const endpoint = match === null ? fallback : service.endpoints.get(match.route.name)!
  return new Context(plain, service, endpoint, match, origins.fallback(plain), id)
}

type Step = (request: Context) => unknown

/**
 * The decisions that come before counting, in this order (R1). Negotiation and version come first, because they decide how
 * errors are shown; they name no user and deny nothing.
 */
const CHECKS = {
  negotiation: negotiate,
  version: determineVersion,
  sunset: (request) => request.endpoint.refuseGone?.(request, request.service.now()),
  authentication: authenticate,
  permissions: (request) => request.endpoint.checkPermissions?.(request),
} as const satisfies Readonly<Partial<Record<RehearsedStep, Step>>>

/** Everything that happens to a request; what the last step gives is the answer. */
const STEPS: readonly Step[] = [
  ...Object.values(CHECKS),
  (request) => request.endpoint.checkThrottles?.(request),
  callHandler,
]
const STEP_NAMES = [...Object.keys(CHECKS), 'throttles', 'handler'] as readonly RequestStep[]

/** A preflight is answered before all steps (I21). */
function run(request: Context): MaybePromise<PlainReply> {
  const preflight = request.endpoint.cors?.preflight(request) ?? null
  return preflight === null ? runSteps(request) : leave(preflight, request)
}

/** Runs the steps from `from`; stays synchronous until one returns a promise. */
function runSteps(request: Context, from = 0): MaybePromise<PlainReply> {
  let shown: Reply
  try {
    let value: unknown
    for (let at = from; at < STEPS.length; at++) {
      if (request.follower !== null) beginStep(STEP_NAMES[at]!, request)
      value = STEPS[at]!(request)
      if (isPromise(value)) return waitForStep(value, at, request)
    }
    shown = toReply(value)
  } catch (error) {
    shown = answerError(error, request)
  }
  return finishAnswer(shown, request)
}

async function waitForStep(
  waiting: PromiseLike<unknown>,
  at: number,
  request: Context,
): Promise<PlainReply> {
  let shown: Reply
  try {
    const value = await waiting
    if (at < STEPS.length - 1) return runSteps(request, at + 1)
    shown = toReply(value)
  } catch (error) {
    shown = answerError(error, request)
  }
  return finishAnswer(shown, request)
}

/** Renders and ends the answer. `ready`: the parts that the renderer has already prepared. */
function finishAnswer(
  shown: Reply,
  request: Context,
  ready: Prepared | null = null,
): MaybePromise<PlainReply> {
  const { prepare } = request.accepted.renderer
  if (request.follower !== null && ready === null) beginStep('answer', request)
  if (ready === null && prepare !== undefined && !(shown instanceof BytesReply))
    return prepareForPage(shown, request)
  const sent = respond(shown, request, ready)
  return request.endings === null ? leave(sent, request) : runEndings(request, sent)
}

/** Every answer leaves through this function, including preflights and answers to bytes that never became a request. */
function leave(sent: PlainReply, about: Context | NoRequest): PlainReply {
  if (about.counted !== null) withdrawHeld(about)
  about.isAnswered = true
  if (about.tasks !== null) about.service.afterAnswers.begin(about.tasks, about)
  const isSeen = about.settings.observe !== null || requestChannels.end.hasSubscribers
  return isSeen ? withObserver(sent, about) : sent
}

/** Prepares a page's further facts first; if this fails, the request fails. */
async function prepareForPage(shown: Reply, request: Context): Promise<PlainReply> {
  let ready: Prepared
  try {
    ready = await request.accepted.renderer.prepare!(shown, request)
  } catch (error) {
    request.accepted = FALLBACK_RENDERER
    return finishAnswer(answerError(error, request), request)
  }
  return finishAnswer(shown, request, ready)
}

function callHandler(request: Context): unknown {
  const handler = handlerOf(request)
  const { acting } = request
  // Programs see their own view; only pages for people are shown as another user.
  return acting === null || !request.isForPage
    ? handler.handle(request)
    : acting.answer((each) => handler.handle(contextOf(each)), request)
}

/** 405 comes after all checks (R9). The method is the real one, even where a header names another (R13). */
function handlerOf({ endpoint, method }: Context): Pick<Behaviour<Context>, 'handle'> {
  const handler = endpoint.handlers.get(method)
  if (handler === undefined) throw new MethodNotAllowed(method)
  return handler
}

/** Runs every ending of the request, whatever the other endings throw; the answer stays as it is. */
async function runEndings(request: Context, sent: PlainReply): Promise<PlainReply> {
  for (const task of request.endings!.toReversed()) {
    try {
      await task(sent.status)
    } catch (error) {
      logFailure('request.end_failed', error, request)
    }
  }
  return leave(sent, request)
}

/** Chooses the renderer: the path's suffix, then the format parameter (N2), then `Accept`. */
function negotiate(request: Context): void {
  request.accepted = request.endpoint.negotiation.select(request)
}

function determineVersion(request: Context): MaybePromise<void> {
  const version = request.settings.versioning?.determineVersion(request) ?? null
  if (isPromise(version))
    return Promise.resolve(version).then((later) => setVersion(later ?? null, request))
  setVersion(version, request)
}

function setVersion(version: string | null, request: Context): void {
  if (version !== null && typeof version !== 'string')
    throw new TypeError(
      `determineVersion() of ${request.settings.versioning!.constructor.name} must return a text or null.`,
    )
  request.version = version
}

/** Names the user. If the adapter vouches for the user, the first scheme counts as the one that named the user. */
function authenticate(request: Context): MaybePromise<void> {
  const { vouchedFor } = request
  if (vouchedFor === null) return askSchemes(request)
  identify(vouchedFor, request.settings.authentication[0] ?? ADAPTER, request)
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
    return refuseCredentials(error, request)
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
    return refuseCredentials(error, request)
  }
  if (identity === null) return askSchemes(request, at + 1)
  identify(identity, request.settings.authentication[at]!, request)
}

function identify(identity: Identity, authenticator: Authenticator, request: Context): void {
  if (identity?.user === undefined)
    throw new TypeError(
      `authenticate() of ${authenticator.constructor.name} must return { user, auth } or null.`,
    )
  const { user, auth, acting = null, authenticatedAt = null } = identity
  request.user = user
  request.auth = auth
  request.acting = acting
  request.authenticatedAt = authenticatedAt
  request.authenticator = authenticator
}

/** The error is shown to the anonymous user: no scheme is asked again (R23). */
function refuseCredentials(error: unknown, request: Context): Promise<never> {
  if (error instanceof ApiError) beAnonymous(request)
  const counted = error instanceof AuthenticationFailed ? request.guesses?.wrong() : undefined
  if (counted === undefined) throw error
  return after(counted, () => {
    throw error
  })
}

const ADAPTER: Authenticator = Object.freeze({ authenticate: () => null })

/** Makes a request anonymous if no scheme names a user (A20, A21). */
function beAnonymous(request: Context): void {
  const { unauthenticatedUser, unauthenticatedToken } = request.settings
  request.user = unauthenticatedUser === null ? null : unauthenticatedUser()
  request.auth = unauthenticatedToken === null ? null : unauthenticatedToken()
}

/** Answers a request that has no endpoint, or that may not reach one. The answer is still negotiated (I12). */
function answerRefused(error: unknown, request: Context): MaybePromise<PlainReply> {
  // To see the 404, a page of another origin must get past its preflight.
  const preflight = error instanceof NotFound ? request.endpoint.cors?.preflight(request) : null
  if (preflight) return leave(preflight, request)
  try {
    negotiate(request)
  } catch {
    // The first failure stays the answer, and the first renderer shows it (E15).
  }
  return finishAnswer(answerError(error, request), request)
}

/** Runs the steps that count nothing, up to `last`, and calls no handler. `null`: no step refuses. */
async function rehearse(request: Context, last?: RehearsedStep): Promise<Rehearsal['refusal']> {
  const steps: Readonly<Record<string, Step>> = { ...CHECKS, method: handlerOf }
  for (const [by, step] of Object.entries(steps)) {
    try {
      await step(request)
    } catch (error) {
      const shown = await finishAnswer(answerError(error, request), request)
      return { by: by as RehearsedStep, answer: shown }
    }
    if (by === last) break
  }
  return null
}

export function compileEndpoint(endpoint: ServedEndpoint, csrfHeader: string): CompiledEndpoint {
  const { facts, settings, behaviours } = endpoint
  const renderer = settings.renderers[0]!
  const checkPermissions = compilePermissions(endpoint, 'hasPermission')
  const handlers = handlersByMethod(endpoint, checkPermissions)
  const { cors, versionHeader } = settings
  const methods = METHODS.filter((method) => handlers.has(method))
  return {
    facts,
    settings,
    behaviours,
    allow: methods.join(', '),
    firstAccepted: { renderer, mediaType: renderer.mediaType, parameters: {} },
    negotiation: new Negotiation(settings.renderers),
    checkPermissions,
    checkObjectPermissions: compilePermissions(endpoint, 'hasObjectPermission'),
    checkThrottles: compileCheckThrottles(endpoint),
    handlers,
    cors: cors && compileCors(cors, { methods, versionHeader, csrfHeader }),
    resourcePolicy: resourcePolicyOf(cors),
    ...compileVersions(settings),
  }
}

/** About the request (Z2), and about an object where the endpoint asks for it (Z3). */
type Question = 'hasPermission' | 'hasObjectPermission'

/**
 * Asks the permissions that answer this question: first the endpoint's, then the verb's. The first refusal is the answer.
 * `null`: no permission answers it.
 */
function compilePermissions(
  { settings, behaviours }: ServedEndpoint,
  question: Question,
): ((request: Context, target?: unknown) => Promise<void> | void) | null {
  // A permission with `null` or `false` in place of the method stays in the list and fails at the request, so that it lets
  // no one in.
  const answering = (some: readonly Permission[]) =>
    some.filter((each) => each[question] !== undefined)
  const always = answering(settings.permissions)
  const byMethod = new Map(
    Object.entries(behaviours).flatMap(([verb, { permissions = [] }]) => {
      const own = answering(permissions)
      return own.length === 0 ? [] : [[verb.toUpperCase(), [...always, ...own]] as const]
    }),
  )
  if (byMethod.size === 0 && always.length === 0) return null
  return (request, target) => {
    // HEAD is GET (R11).
    const method = request.method === 'HEAD' ? 'GET' : request.method
    return askAll(question, byMethod.get(method) ?? always, request, target)
  }
}

/** Asks the permissions from this one on, and without waiting until one returns a promise. */
function askAll(
  question: Question,
  permissions: readonly Permission[],
  request: Context,
  target: unknown,
  from = 0,
): Promise<void> | void {
  for (let at = from; at < permissions.length; at++) {
    const permission = permissions[at]!
    const opinion: MaybePromise<Opinion> =
      question === 'hasPermission'
        ? permission.hasPermission!(request)
        : permission.hasObjectPermission!(request, target)
    if (isPromise(opinion))
      return Promise.resolve(opinion).then((later) => {
        enforce(later, permission, request)
        return askAll(question, permissions, request, target, at + 1)
      })
    enforce(opinion, permission, request)
  }
}

/** Only a plain yes, or no opinion, lets a request on: a forgotten `return` must let no one in. */
function enforce(opinion: Opinion, permission: Permission, request: Context): void {
  if (opinion !== true && opinion !== null) throw denial(opinion, permission, request)
}

/**
 * Renders a reply. If the renderer fails, the error is answered as JSON, like the error of a handler. If JSON cannot render
 * the answer of an `exceptionHandler` either, our 500 is the answer.
 */
export function respond(
  reply: Reply,
  request: Context,
  prepared: Prepared | null = null,
): PlainReply {
  try {
    return renderReply(reply, request, prepared)
  } catch (error) {
    if (reply instanceof BytesReply) cancelBody(reply)
    request.accepted = FALLBACK_RENDERER
    try {
      return renderReply(answerError(error, request), request)
    } catch (second) {
      return renderReply(answerUnforeseen(second, request), request)
    }
  }
}

function renderReply(reply: Reply, request: Context, prepared: Prepared | null = null): PlainReply {
  const { status, data, contentType } = reply
  const { endpoint, settings } = request
  const { renderer, takesBytes } = request.accepted
  // Long lists are already bytes of JSON, which spares their text. The bytes may come from another request, which was for
  // JSON.
  const rows = takesBytes === true && bytesAroundRows(data)
  const empty = data === null && (renderer.format !== 'api' || status === 304)
  const type = contentType ?? renderer.contentType ?? renderer.mediaType
  const sent = headersOf(reply, empty ? null : type, request)
  const { flat: headers } = sent
  if (empty) return { status, headers, body: null }
  // A person is shown a page about "no content", which a 204 cannot carry (R48).
  const shown = data === null && status === 204 ? 200 : status
  const toRender = shown === status ? reply : { ...reply, status: shown }
  const { title: endpointName } = endpoint.facts
  const { renderers } = settings
  const around = { request, endpointName, renderers, headers, prepared }
  const body =
    reply instanceof BytesReply ? take(reply, headers) : rows || bodyOf(renderer, toRender, around)
  addForBrowsers(sent, request, { reply, prepared, type })
  return { status: shown, headers, body }
}

/** Adapters measure whole bodies, and streams tell their own length. */
function take(reply: BytesReply, headers: string[]): Bytes {
  const { body, length } = reply
  if (length !== null && body instanceof ReadableStream)
    headers.push('Content-Length', String(length))
  reply.isTaken = true
  return body
}

/** Ends a stream that no adapter took, because no adapter will end it. */
function cancelBody({ body, isTaken }: BytesReply): void {
  if (!isTaken && body instanceof ReadableStream) body.cancel().catch(() => {})
}

function bodyOf(renderer: Renderer, reply: Reply, around: RenderContext): Bytes {
  const body: unknown = renderer.render(reply, around)
  // Streams come last: the first look at their class loads all streams of the web.
  const isWhole = typeof body === 'string' || body instanceof Uint8Array
  if (isWhole || (body instanceof ReadableStream && !body.locked)) return body as Bytes
  return refuseBody(body, renderer)
}

/** The types forbid it; plain JavaScript does not, and `async render()` is the usual slip. */
function refuseBody(body: unknown, { format }: Renderer): never {
  // A failure of a promise that is not awaited must not count as unhandled.
  if (body instanceof Promise) body.catch(() => {})
  throw new TypeError(
    `The renderer "${format}" returned ${kindOf(body)}. It must return a string, a Uint8Array or a ReadableStream: ` +
      'wait for data in the handler, and stream what is made slowly.',
  )
}

function kindOf(body: unknown): string {
  if (body instanceof Promise) return 'a promise'
  if (body instanceof ReadableStream) return 'a stream that is being read already'
  return body === null ? 'null' : `a value of type ${typeof body}`
}
