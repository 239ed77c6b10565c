import type { Reply } from '../contract/reply.ts'
import type { Accepted, Renderer } from '../contract/rendering.ts'
import { ApiError } from '../errors/api-error.ts'
import { ErrorDetail, fullDetailsOf, messagesOf } from '../errors/detail.ts'
import { explicitlyAccepts } from '../negotiation/negotiate.ts'
import { reply } from '../replies/reply.ts'
import { reasonPhrase } from '../std/http/reason-phrase.ts'
import type { Context } from './context.ts'

const MEDIA_TYPE = 'application/problem+json'
const renderer: Renderer = {
  mediaType: MEDIA_TYPE,
  format: 'problem',
  render: ({ data }) => JSON.stringify(data),
}
const accepted: Accepted = { renderer, mediaType: MEDIA_TYPE, parameters: {} }

/** For clients that ask for `application/problem+json` by name: RFC 9457, with machine codes (I12). */
export function showAsProblem(error: unknown, plain: Reply, request: Context): Reply {
  // Asked like any header: whether it is named or not, the answer varies by it.
  if (!explicitlyAccepts(request.header('accept'), MEDIA_TYPE)) return plain
  request.accepted = accepted
  return reply(problemOf(error, plain, request), { status: plain.status, headers: plain.headers })
}

function problemOf(error: unknown, { status }: Reply, { id }: Context): object {
  const known = error instanceof ApiError ? error : new ApiError()
  const head = { type: 'about:blank', title: reasonPhrase(status), status }
  const { detail, code } = known
  return detail instanceof ErrorDetail
    ? { ...head, detail: messagesOf(detail), code, instance: `urn:request:${id}` }
    : { ...head, code, errors: fullDetailsOf(detail), instance: `urn:request:${id}` }
}
