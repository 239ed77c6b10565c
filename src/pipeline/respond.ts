import type { DoorReply } from '../contract/door.ts'
import type { Reply, ReplyHeaders } from '../contract/reply.ts'
import type { Bytes, Renderer } from '../contract/rendering.ts'
import type { Context } from './context.ts'
import { addPageHeaders, isPage } from './page-headers.ts'

/** Renders an answer and gives it its headers (R40–R48). */
export function respond(answer: Reply, request: Context): DoorReply {
  const { status, headers, data, contentType } = answer
  const { renderer } = request.accepted
  const sent: string[] = []
  const empty = data === null && renderer.format !== 'api'
  const type = contentType ?? renderer.contentType ?? renderer.mediaType
  if (!empty) sent.push('Content-Type', type)
  addOwn(sent, headers)
  request.endpoint.lifeCycle?.addHeaders(sent, request)
  addKernels(sent, headers, request)
  // R48: a person is shown a page about "no content", which a 204 cannot carry.
  if (empty) return { status, headers: sent, body: null }
  const shown = data === null && status === 204 ? 200 : status
  const toRender = shown === status ? answer : { ...answer, status: shown }
  const body = render(toRender, sent, request)
  // From here on it is about browsers: a page that lists the headers of the answer leaves these out.
  sent.push('X-Content-Type-Options', 'nosniff')
  if (isPage(type)) addPageHeaders(sent, renderer)
  return { status: shown, headers: sent, body }
}

function render(reply: Reply, headers: readonly string[], request: Context): Bytes {
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
  // It was not waited for, so its failure is of no interest, but must not count as unhandled.
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

/** What the handler set, but for those that the kernel has the last word on (R45). */
function addOwn(sent: string[], headers: ReplyHeaders): void {
  for (const name in headers) {
    if (KERNELS.has(name.toLowerCase())) continue
    const value = headers[name]!
    if (typeof value === 'string') sent.push(name, value)
    else for (const one of value) sent.push(name, one)
  }
}

const KERNELS: ReadonlySet<string> = new Set([
  'allow',
  'vary',
  'content-type',
  'content-length',
  'x-content-type-options',
  'x-request-id',
])

function addKernels(sent: string[], headers: ReplyHeaders, request: Context): void {
  const { endpoint, consulted, id } = request
  if (endpoint.allow !== '') sent.push('Allow', endpoint.allow)
  const vary = varyOf(valueOf(headers, 'vary'), request.settings.renderers.length > 1, consulted)
  if (vary !== '') sent.push('Vary', vary)
  // I11: what a named user was shown is for no shared cache.
  if (request.authenticator !== null && valueOf(headers, 'cache-control') === undefined) {
    sent.push('Cache-Control', 'private')
  }
  sent.push('X-Request-Id', id)
}

function valueOf(headers: ReplyHeaders, name: string): string | undefined {
  for (const key in headers) if (key.toLowerCase() === name) return String(headers[key])
  return undefined
}

/** R43 and I11: `Accept` where there is a choice, every header that was asked for, and the handler's own. */
function varyOf(own: string | undefined, chooses: boolean, consulted: readonly string[]): string {
  if (own === undefined && consulted.length === 0) return chooses ? 'Accept' : ''
  if (own === undefined && consulted.length === 1) return shared(chooses, consulted[0]!)
  const names = own === undefined ? [] : own.split(',').map((name) => name.trim())
  if (names.includes('*')) return '*'
  if (chooses) names.unshift('Accept')
  names.push(...consulted.map(toHeaderCase))
  return unique(names).join(', ')
}

function shared(chooses: boolean, name: string): string {
  if (name === 'accept') return 'Accept'
  return chooses ? `Accept, ${toHeaderCase(name)}` : toHeaderCase(name)
}

function unique(names: readonly string[]): string[] {
  const seen = new Map(names.map((name) => [name.toLowerCase(), name]))
  return [...seen.values()].filter((name) => name !== '')
}

/** `authorization` → `Authorization`, as headers are usually written. */
function toHeaderCase(name: string): string {
  return name === 'authorization'
    ? 'Authorization'
    : name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())
}
