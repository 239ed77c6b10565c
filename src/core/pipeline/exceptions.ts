import type { Incoming } from '../ports/request.ts'
import type { Reply } from '../ports/representations.ts'
import { ApiError, ServiceUnavailable } from '../errors/api-errors.ts'
import { ErrorDetail, messagesOf } from '../errors/detail.ts'
import { DatabaseUnavailable } from '../errors/storage-errors.ts'
import { Message } from '../messages/message.ts'
import { wordsFor } from '../messages/words.ts'
import { ErrorReply, reply } from '../replies/reply.ts'
import { isPromise, notAwaited } from '../std/after.ts'
import { type FailureRecord, failureOf, outageOf } from '../std/text/error-text.ts'
import { challenge } from './challenge.ts'
import type { Context } from './context.ts'
import { inWords, showAsProblem } from './problem-details.ts'

export function answerError(error: unknown, request: Context): Reply {
  request.failure = error
  try {
    const known =
      error instanceof DatabaseUnavailable ? away(error, request) : challenge(error, request)
    const handled = request.settings.exceptionHandler(inWords(known, request), request)
    // A handler without types may return `undefined`, which means `null` (E13).
    if (!handled) return answerUnforeseen(known, request)
    if (isPromise(handled)) return answerUnforeseen(notAwaited(handled, LATER), request)
    if (!isReply(handled)) return answerUnforeseen(new TypeError(NO_REPLY), request)
    return handled instanceof ErrorReply ? showAsProblem(handled.error, handled, request) : handled
  } catch (second) {
    return answerUnforeseen(second, request)
  }
}

const LATER = 'The exceptionHandler returned a promise. It must return an answer, or null.'
const NO_REPLY =
  'The exceptionHandler returned something that is no answer. Write reply(data, { status: 400 }), or null for an error that it does not know.'

/** Is it a reply? A handler without types may return plain data. */
function isReply({ status, headers }: Partial<Reply>): boolean {
  return Number.isInteger(status) && typeof headers === 'object'
}

/**
 * The default `exceptionHandler`: API errors become their status and body, anything else is unforeseen.
 * A list or an object is the body itself, one text stands under `detail` (E2).
 */
export function handleException(error: unknown, _request: Incoming): Reply | null {
  if (!(error instanceof ApiError)) return null
  const { status, headers, detail } = error
  const body = messagesOf(detail)
  const data = detail instanceof ErrorDetail ? { detail: body } : body
  return new ErrorReply(error, data, { status, headers })
}

/** In seconds. */
const RETRY_AFTER = 5

/**
 * The answer while the database is away. The log has the remedy, once a second with a count, because every request may end
 * like this until the database is back (I22).
 */
function away(error: DatabaseUnavailable, request: Context): ServiceUnavailable {
  const record = recordOf('database.unavailable', outageOf(error), request)
  request.service.logSeldom(`outage ${error.message}`, record)
  const answered = new ServiceUnavailable(RETRY_AFTER, Message.of('unavailable.outage'))
  answered.cause = error
  return answered
}

/** Logs an unforeseen error under the request's id; the client learns the id and no more. */
export function answerUnforeseen(error: unknown, request: Context): Reply {
  // Work that `request.signal` broke off is no failure, and no client reads the answer.
  const isBrokenOff = request.gone && error instanceof Error && error.name === 'AbortError'
  if (!isBrokenOff) logFailure('request.failed', error, request)
  const words = wordsFor(request)
  const data = { detail: words.text(ApiError.words) }
  return showAsProblem(error, reply(data, { status: 500, headers: words.headers }), request)
}

/**
 * Logs an error that clients do not see, with the request that it happened in. `event` is what logs are searched by.
 *
 * @example logFailure('preview.failed', error, contextOf(request))
 */
export function logFailure(event: string, error: unknown, request: Context): void {
  request.service.logger.error(recordOf(event, failureOf(error), request))
}

function recordOf(
  event: string,
  failure: FailureRecord,
  request: Context,
): Record<string, unknown> {
  const { id, method, path, endpointName: endpoint } = request
  return { event, id, method, path, endpoint, ...failure }
}
