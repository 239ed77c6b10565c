import type { DoorReply, Bytes } from '../contract/door.ts'
import type { Prepared } from '../contract/page.ts'
import type { Renderer, Reply } from '../contract/request.ts'
import { BytesReply } from '../replies/reply.ts'
import { bytesWithTexts } from '../replies/rows-as-text.ts'
import type { Context } from './context.ts'
import { answer, unforeseen } from './exceptions.ts'
import { LAST_RESORT } from './problem-details.ts'
import { PAGE, headersOf, pageHeaders, valueOf } from './response-headers.ts'

/**
 * A renderer that fails is answered like a handler that fails, in a form that cannot. Where an `exceptionHandler`
 * of the application answers with what even that cannot render, ours answers.
 */
export function respond(
  reply: Reply,
  request: Context,
  prepared: Prepared | null = null,
): DoorReply {
  try {
    return rendered(reply, request, prepared)
  } catch (error) {
    request.accepted = LAST_RESORT
    try {
      return rendered(answer(error, request), request)
    } catch (second) {
      return rendered(unforeseen(second, request), request)
    }
  }
}

function rendered(reply: Reply, request: Context, prepared: Prepared | null = null): DoorReply {
  const { status, data, contentType } = reply
  const { endpoint, settings } = request
  const { renderer } = request.accepted
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
    reply instanceof BytesReply
      ? taken(reply, headers)
      : ((prepared === null ? bytesWithTexts(request.accepted, reply) : null) ??
        checked(renderer.render(toRender, around), renderer))
  // From here on it is about browsers: a page that lists the headers of its answer leaves these out.
  headers.push('X-Content-Type-Options', 'nosniff')
  if (valueOf(reply.headers, 'cross-origin-resource-policy') === undefined)
    headers.push('Cross-Origin-Resource-Policy', endpoint.resourcePolicy)
  if (prepared !== null) sent.addPrepared(prepared)
  if (PAGE.test(type)) sent.addMissing(pageHeaders(renderer))
  return { status: shown, headers, body }
}

/** Doors measure what is there as a whole, and streams say their length themselves. */
function taken(reply: BytesReply, headers: string[]): Bytes {
  const { body, length } = reply
  if (length !== null && body instanceof ReadableStream)
    headers.push('Content-Length', String(length))
  reply.isTaken = true
  return body
}

function checked(body: unknown, renderer: Renderer): Bytes {
  const isStream = body instanceof ReadableStream && !body.locked
  if (typeof body === 'string' || body instanceof Uint8Array || isStream) return body as Bytes
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
