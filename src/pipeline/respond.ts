import type { DoorReply } from '../contract/door.ts'
import type { Reply, ReplyHeaders } from '../contract/reply.ts'
import type { Bytes, Renderer } from '../contract/rendering.ts'
import { wordsFor } from '../messages/words.ts'
import type { Context } from './context.ts'
import { SentHeaders } from './sent-headers.ts'
import { STANDING, addBrowserHeaders, addStandingHeaders } from './standing-headers.ts'

/** Renders an answer and gives it its headers (R40–R48). */
export function respond(answer: Reply, request: Context): DoorReply {
  const { status, headers, data, contentType } = answer
  const { renderer } = request.accepted
  const sent = new SentHeaders()
  const empty = data === null && renderer.format !== 'api'
  const type = contentType ?? renderer.contentType ?? renderer.mediaType
  if (!empty) sent.add('Content-Type', type)
  addOwn(sent, headers)
  request.endpoint.addVersionHeaders?.(sent, request)
  if (renderer.hasWords?.(answer)) addLanguage(sent, request)
  addStandingHeaders(sent, headers, request)
  if (empty) return { status, headers: sent.flat, body: null }
  // A person is shown a page about "no content", which a 204 cannot carry (R48).
  const shown = data === null && status === 204 ? 200 : status
  const toRender = shown === status ? answer : { ...answer, status: shown }
  const body = render(toRender, sent, request)
  addBrowserHeaders(sent, type, renderer)
  return { status: shown, headers: sent.flat, body }
}

/** Asked for before `Vary` is written: the answer varies by what the language depends on. */
function addLanguage(sent: SentHeaders, request: Context): void {
  const { headers } = wordsFor(request)
  for (const name in headers) sent.addMissing(name, headers[name]!)
}

/** What the handler set, without the headers that the kernel has the last word on. */
function addOwn(sent: SentHeaders, headers: ReplyHeaders): void {
  for (const name in headers) {
    if (STANDING.has(name.toLowerCase())) continue
    const value = headers[name]!
    if (typeof value === 'string') sent.add(name, value)
    else for (const one of value) sent.add(name, one)
  }
}

function render(reply: Reply, { flat: headers }: SentHeaders, request: Context): Bytes {
  const { endpoint, settings, accepted } = request
  const body: unknown = accepted.renderer.render(reply, {
    request,
    endpointName: endpoint.facts.title,
    renderers: settings.renderers,
    headers,
  })
  return typeof body === 'string' || isBytes(body) ? body : refuseBody(body, accepted.renderer)
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
