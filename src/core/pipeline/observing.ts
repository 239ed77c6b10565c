import type { AnswerEnd, PlainReply, PlainRequest } from '../ports/http-adapter.ts'
import type { RequestStep, SentAnswer } from '../ports/policies/observing.ts'
import type { AskedStatement } from '../std/asked-statement.ts'
import { type Teller, origins } from '../std/statements.ts'
import { type MaybePromise, isPromise } from '../std/after.ts'
import { requestChannels } from '../std/channels.ts'
import { failureOf } from '../std/text/error-text.ts'
import { Context } from './context.ts'

/** The facts about an answer to bytes that never became a request. */
export type NoRequest = Pick<
  Context,
  'id' | 'settings' | 'service' | 'began' | 'failure' | 'isAnswered'
> &
  Readonly<Record<'counted' | 'tasks' | 'follower', null>>

/** The name of the endpoint for addresses that do not exist. */
export const NO_ENDPOINT = 'no endpoint'

/**
 * Adds the call of the observer to an answer: the adapter calls it with the answer's end. Questions within the process have
 * no adapter.
 */
export function withObserver(sent: PlainReply, about: Context | NoRequest): PlainReply {
  const { status, headers, body } = sent
  return { status, headers, body, ended: (end) => tell(status, end, about) }
}

/** An answer that replaces an unsent one, and reports its end in its place: an observer hears of a request once. */
export function inPlaceOf({ ended }: PlainReply, sent: PlainReply, error: unknown): PlainReply {
  const { status } = sent
  return { ...sent, ended: (end) => ended?.({ ...end, error: end.error ?? error, status }) }
}

/** Questions of the service to itself are not published. */
export function publishStart(request: Context, { forPage = false }: PlainRequest): void {
  if (!forPage) requestChannels.start.publish({ request })
}

/** Takes a request through its steps, while it is followed. */
export function runFollowed(
  request: Context,
  plain: PlainRequest,
  take: (request: Context) => MaybePromise<PlainReply>,
): MaybePromise<PlainReply> {
  try {
    request.follower = request.settings.observe!.follow!(request)
  } catch (reason) {
    failed(reason, request)
  }
  if (request.follower?.statement === undefined) return within(request, take)
  const hear: Teller = (statement) => tellOf(statement, request)
  const origin = origins.getStore()
  // A server has made an origin for this request. Without one, the origin may belong to another request.
  if (origin?.request !== plain)
    return origins.run({ kernel: null, request: plain, tell: hear }, within, request, take)
  origin.tell = hear
  return within(request, take)
}

/**
 * Does the work of the request within the follower. If the follower fails before the work has begun, the work is done all
 * the same.
 */
function within(
  request: Context,
  take: (request: Context) => MaybePromise<PlainReply>,
): MaybePromise<PlainReply> {
  const { follower } = request
  if (follower?.within === undefined) return take(request)
  let taken: MaybePromise<PlainReply> | null = null
  const work = (): void => {
    taken = take(request)
  }
  try {
    follower.within(work)
  } catch (reason) {
    failed(reason, request)
  }
  return taken ?? take(request)
}

function tellOf(statement: AskedStatement, request: Context): void {
  try {
    request.follower?.statement!(statement)
  } catch (reason) {
    failed(reason, request)
  }
}

/** The next step of a request that is followed. */
export function beginStep(step: RequestStep, request: Context): void {
  const { follower } = request
  if (follower?.step === undefined) return
  try {
    follower.step(step)
  } catch (reason) {
    failed(reason, request)
  }
}

function tell(status: number, end: AnswerEnd, about: Context | NoRequest): void {
  const request = about instanceof Context ? about : null
  const answer = sentAnswer(end.status ?? status, end, about, request)
  const { follower, settings } = about
  if (request !== null) request.follower = null
  if (requestChannels.end.hasSubscribers) publishEnd(answer, request)
  if (settings.observe === null) return
  try {
    const returned =
      follower === null ? settings.observe(answer, request) : follower.ended(answer, request!)
    if (isPromise(returned))
      Promise.resolve(returned).catch((reason: unknown) => failed(reason, about))
  } catch (reason) {
    failed(reason, about)
  }
}

/** Refusals are no errors of the service. */
function publishEnd(answer: SentAnswer, request: Context | null): void {
  const { error, status, aborted } = answer
  if (error !== undefined && (status >= 500 || aborted))
    requestChannels.error.publish({ request, answer, error })
  requestChannels.end.publish({ request, answer })
}

function sentAnswer(
  status: number,
  { bytes, aborted, error, at = performance.now() }: AnswerEnd,
  { id, began, failure }: Context | NoRequest,
  request: Context | null,
): SentAnswer {
  return {
    id,
    method: request?.method ?? null,
    endpoint: endpointOf(request),
    version: request?.version ?? null,
    user: request?.user ?? null,
    scheme: schemeOf(request),
    status,
    duration: at - began,
    bytes,
    aborted,
    error: error ?? failure,
  }
}

/**
 * Logs the failure of an observer, which must not change an answer. Each caller has its own `try`, because a function for
 * each call was a good part of what the calls cost.
 */
function failed(reason: unknown, { id, service }: Context | NoRequest): void {
  service.logSeldom('observe.failed', { event: 'observe.failed', id, ...failureOf(reason) })
}

function endpointOf(request: Context | null): string | null {
  const name = request?.endpointName ?? NO_ENDPOINT
  return name === NO_ENDPOINT ? null : name
}

/** The class name of the last request's scheme: reading such a name takes as long as making all other members together. */
let last: { readonly of: unknown; readonly name: string } = { of: null, name: '' }

function schemeOf(request: Context | null): string | null {
  const authenticator = request?.authenticator ?? null
  if (authenticator === null) return null
  const { constructor: of } = authenticator
  if (of !== last.of) last = { of, name: of.name === 'Object' ? 'Custom' : of.name }
  return last.name
}
