import type { DoorReply } from '../contract/door.ts'
import type { Reply, Bytes } from '../contract/reply.ts'
import type { Accepted, Renderer } from '../contract/request.ts'
import { wordsFor } from '../messages/words.ts'
import type { Context } from './context.ts'
import { answer, unforeseen } from './exceptions.ts'
import {
  SentHeaders,
  addOwnHeaders,
  addPageHeaders,
  addStandingHeaders,
  isPage,
} from './standing-headers.ts'

/**
 * Renders an answer and gives it its headers (R40–R48). A renderer that fails is answered like a handler
 * that fails, in a form that cannot. Where an `exceptionHandler` of the application answers with what even
 * that cannot render, ours answers.
 */
export function respond(reply: Reply, request: Context): DoorReply {
  try {
    return rendered(reply, request)
  } catch (error) {
    request.accepted = LAST_RESORT
    return inLastResort(error, request)
  }
}

function inLastResort(error: unknown, request: Context): DoorReply {
  try {
    return rendered(answer(error, request), request)
  } catch (second) {
    return rendered(unforeseen(second, request), request)
  }
}

/** JSON, whatever was negotiated. */
export const LAST_RESORT: Accepted = {
  renderer: {
    mediaType: 'application/json',
    format: 'json',
    render: ({ data }) => JSON.stringify(data),
  },
  mediaType: 'application/json',
  parameters: {},
}

function rendered(reply: Reply, request: Context): DoorReply {
  const { status, headers, data, contentType } = reply
  const { endpoint, settings } = request
  const { renderer } = request.accepted
  const sent = new SentHeaders()
  const { flat } = sent
  const empty = data === null && renderer.format !== 'api'
  const type = contentType ?? renderer.contentType ?? renderer.mediaType
  if (!empty) sent.add('Content-Type', type)
  addOwnHeaders(sent, headers)
  endpoint.addVersionHeaders?.(sent, request)
  if (renderer.hasWords?.(reply)) addLanguage(sent, request)
  addStandingHeaders(sent, headers, request)
  if (empty) return { status, headers: flat, body: null }
  const page = isPage(type)
  // A person is shown a page about "no content", which a 204 cannot carry (R48).
  const shown = data === null && status === 204 ? 200 : status
  const toRender = shown === status ? reply : { ...reply, status: shown }
  const { title: endpointName } = endpoint.facts
  const around = { request, endpointName, renderers: settings.renderers, headers: flat }
  const body: unknown = renderer.render(toRender, around)
  if (typeof body !== 'string' && !isBytes(body)) refuseBody(body, renderer)
  // From here on it is about browsers: a page that lists the headers of its answer leaves these out.
  sent.add('X-Content-Type-Options', 'nosniff')
  if (page) addPageHeaders(sent, renderer)
  return { status: shown, headers: flat, body }
}

/** Before `Vary` is written: the answer varies by what the language depends on. */
function addLanguage(sent: SentHeaders, request: Context): void {
  const { headers } = wordsFor(request)
  for (const name in headers) sent.addMissing(name, headers[name]!)
}

function isBytes(body: unknown): body is Bytes {
  return body instanceof Uint8Array || (body instanceof ReadableStream && !body.locked)
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
