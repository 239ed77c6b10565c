import type { Accepted, Renderer, Reply } from '../ports/representations.ts'
import { ApiError } from '../errors/api-errors.ts'
import { ErrorDetail, fullDetailsOf, messagesOf } from '../errors/detail.ts'
import { explicitlyAccepts } from '../std/http/media-type.ts'
import { type Words, wordsFor } from '../messages/words.ts'
import { reply } from '../replies/reply.ts'
import type { Context } from './context.ts'

const MEDIA_TYPE = 'application/problem+json'
const PROBLEM = asJSON(MEDIA_TYPE, 'problem')

/** JSON, whatever was negotiated. */
export const FALLBACK_RENDERER: Accepted = asJSON('application/json', 'json')

function asJSON(mediaType: string, format: string): Accepted {
  const renderer: Renderer = { mediaType, format, render: ({ data }) => JSON.stringify(data) }
  return { renderer, mediaType, parameters: {} }
}

/** For clients that ask for `application/problem+json` by name: RFC 9457, with machine codes (I12). */
export function showAsProblem(error: unknown, plain: Reply, request: Context): Reply {
  // The header is read like any other, because the answer varies by it in either case.
  if (!explicitlyAccepts(request.header('accept'), MEDIA_TYPE)) return plain
  request.accepted = PROBLEM
  const words = wordsFor(request)
  const { status } = plain
  const headers = { ...plain.headers, ...words.headers }
  return reply(problemOf(error, words.status(status), plain, request), { status, headers })
}

function problemOf(error: unknown, title: string, { status }: Reply, request: Context): object {
  const known = error instanceof ApiError ? error : new ApiError()
  const head = { type: 'about:blank', title, status }
  const { detail, code } = inWords(known, request)
  const instance = `urn:request:${request.id}`
  return detail instanceof ErrorDetail
    ? { ...head, detail: messagesOf(detail), code, instance }
    : { ...head, code, errors: fullDetailsOf(detail), instance }
}

/** The error in the language and with the replacements of its endpoint. Its headers name the language. */
export function inWords<E>(error: E, request: Context): E {
  if (!(error instanceof ApiError) || request.settings.messages === null) return error
  let words: Words | null = null
  const worded = error.inWords((sentence) => (words ??= wordsFor(request)).text(sentence))
  // The header is added only now, because an error with its own words does not vary by the language.
  return words === null ? error : worded.answeredWith(error.status, (words as Words).headers)
}
