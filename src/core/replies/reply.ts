import type { PageControls } from '../ports/policies/pagination.ts'
import type { Reply } from '../ports/representations.ts'
import type { Bytes } from '../ports/http-adapter.ts'
import { isAsync } from '../std/after.ts'
import { TOKEN } from '../std/http/header-value.ts'

/** The parts of an answer beside its data. */
export interface ReplyInit {
  /** @default 200 */
  readonly status?: number
  readonly headers?: Reply['headers']
  /** Sent instead of the renderer's own `Content-Type`. With one that is not of JSON, a text is sent as it is. */
  readonly contentType?: string
}

/** Every reply is one of these, and no other value is. */
export class ReplyValue<Data> implements Reply<Data> {
  readonly status: number
  readonly headers: Reply['headers']
  readonly data: Data
  declare readonly contentType?: string
  declare readonly controls?: () => PageControls | null

  constructor(data: Data, init: ReplyInit) {
    this.status = init.status ?? 200
    this.headers = init.headers ?? NO_HEADERS
    this.data = data
    if (init.contentType !== undefined) this.contentType = init.contentType
    if (init !== OK) checkSendable(this)
  }
}

// The check runs here, where the stack leads to the handler, because no adapter could send such a reply.
function checkSendable({ status, headers, contentType }: Reply): void {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new RangeError(`${status} is not the status of an answer: write one from 200 to 599.`)
  }
  for (const name in headers) {
    const values = headers[name]!
    if (typeof values === 'string') checkHeader(name, values)
    else for (const value of values) checkHeader(name, value)
  }
  if (contentType !== undefined) checkHeader('Content-Type', contentType)
}

/** RFC 9110 §5.1 and §5.5: a name is a token, a value is ASCII; platforms do not agree about other bytes. */
function checkHeader(name: string, value: string): void {
  if (!TOKEN.test(name)) throw new TypeError(`${JSON.stringify(name)} is not the name of a header.`)
  if (!NOT_IN_VALUE.test(value)) return
  throw new TypeError(`The header ${name} holds a character that no header can: encode it first.`)
}

const NOT_IN_VALUE = /[^\t\x20-\x7e]/

const NO_HEADERS: Reply['headers'] = Object.freeze({})
const OK: ReplyInit = Object.freeze({})

/**
 * An answer with a status and headers; a handler that needs neither returns its data as it is.
 * `data: null` is an answer without a body (R47).
 *
 * With a `contentType`, a text, bytes (`Uint8Array`, `ArrayBuffer`, `Blob`) and a `ReadableStream` of bytes are sent as
 * they are, to people too; a `Blob` may bring its type along. All other data is for the renderer, also a text whose
 * type is one of JSON, and JSON has no form for bytes.
 *
 * @throws RangeError, TypeError for a status or a header that cannot be sent, or for data that is none, such as a promise
 * @example
 * api.endpoint('article-list').post(() => reply({ id: 7 }, { status: 201 }))
 * api.endpoint('metrics').get(() => reply('requests_total 4\n', { contentType: 'text/plain; charset=utf-8' }))
 */
export function reply<Data>(data: Data, init: ReplyInit = OK): Reply<Data> {
  const { contentType = data instanceof Blob ? data.type : '' } = init
  const raw = contentType === '' ? null : rawBodyOf(data, contentType)
  if (raw === null) return new ReplyValue(data, init)
  const length = data instanceof Blob ? data.size : null
  return new BytesReply(raw, { ...init, contentType, length }) as Reply as Reply<Data>
}

/** `null`: it is data, which a renderer writes. */
function rawBodyOf(data: unknown, contentType: string): Bytes | null {
  if (typeof data === 'string') return JSON_TYPE.test(contentType) ? null : data
  if (data instanceof Uint8Array) return data
  if (data instanceof ArrayBuffer) return new Uint8Array(data)
  if (data instanceof Blob) return data.stream()
  if (data instanceof ReadableStream && !data.locked) return data
  checkIsData(data)
  return null
}

const JSON_TYPE = /^[^;]*[/+]json\s*(?:;|$)/i

/**
 * Refuses data that is nothing a renderer could write: JSON would make `{}` of a stream, and `{"0":97}` of bytes.
 *
 * @param path - of the member of the answer that it is; `''`: it is the answer
 * @throws TypeError it is nothing that a renderer could write
 */
export function checkIsData(data: unknown, path: () => string = () => ''): void {
  const hint = hintAt(data)
  if (hint === null) return
  if (data instanceof ReadableStream && !data.locked) data.cancel().catch(() => {})
  // The promise is not awaited, so its rejection must not end the process.
  if (data instanceof Promise) data.catch(() => {})
  const member = path()
  throw new TypeError(member === '' ? hint : `${hint} Look at "${member}".`)
}

function hintAt(data: unknown): string | null {
  if (typeof data === 'function' && isAsync(data))
    return 'An async function is no data: call it, and await what it gives.'
  if (typeof data !== 'object' || data === null) return null
  const prototype: unknown = Object.getPrototypeOf(data)
  if (prototype === Object.prototype || prototype === Array.prototype) return null
  if (data instanceof ReadableStream && data.locked) return 'This stream is being read already.'
  // The name of the class is enough: the class itself would load the whole of `fetch`.
  if (Object.prototype.toString.call(data) === '[object Response]')
    return 'A Response is no data: reply with its body, status and headers.'
  if (typeof (data as { readonly then?: unknown }).then === 'function')
    return 'A promise is no data: await it.'
  if (isBytes(data))
    return 'Bytes and streams have no form in JSON. Say what they are: reply(bytes, { contentType }).'
  if (Symbol.asyncIterator in data)
    return 'This is no web stream. Make one with Readable.toWeb(stream) or ReadableStream.from(pieces), and say its contentType.'
  return isHidden(data)
    ? 'JSON has no form for a Map, a Set or an iterator: make a list or an object of it, with [...set] or Object.fromEntries(map).'
    : null
}

/** Can the object be iterated, although JSON would show none of its items? */
function isHidden(data: object): boolean {
  const isShown = Array.isArray(data) || 'toJSON' in data || Object.keys(data).length > 0
  return !isShown && Symbol.iterator in data
}

function isBytes(data: object): boolean {
  const isHeld = data instanceof ArrayBuffer || ArrayBuffer.isView(data)
  return isHeld || data instanceof Blob || data instanceof ReadableStream
}

/**
 * The result of a handler as a reply; any other value becomes the data of one.
 *
 * @example toReply(await handle(request)).status
 */
export function toReply(value: unknown): Reply {
  return value instanceof ReplyValue ? value : reply(value ?? null)
}

/**
 * A reply that no cache keeps: it holds a secret, or is one person's alone.
 *
 * @example uncached({ key }, { status: 201 })
 */
export function uncached<Data>(data: Data, { headers, ...init }: ReplyInit = {}): Reply<Data> {
  return reply(data, { ...init, headers: { 'Cache-Control': 'no-store', ...headers } })
}

/** An answer whose bytes are sent as they are: no renderer sees them. */
export class BytesReply extends ReplyValue<unknown> {
  readonly body: Bytes
  declare readonly contentType: string
  /** The length in bytes, if the body is a stream of known length. */
  readonly length: number | null
  /** Has an adapter taken the body? Then it ends the body. */
  isTaken = false

  constructor(
    body: Bytes,
    {
      length = null,
      ...init
    }: ReplyInit & { readonly contentType: string; readonly length?: number | null },
  ) {
    super(body, init)
    this.body = body
    this.length = length
  }
}

/** The answer that an error became, with the error: it can still be shown in another form. */
export class ErrorReply extends ReplyValue<unknown> {
  readonly error: Error

  constructor(error: Error, data: unknown, init: ReplyInit) {
    super(data, init)
    this.error = error
  }
}

/**
 * The same answer with further headers, or others in the place of its own.
 *
 * @throws TypeError no header can have such a name or value
 * @example
 * const around: Wrapper = async (_request, next) => withHeaders(await next(), { 'Server-Timing': 'handler;dur=3' })
 */
export function withHeaders<Data>(answer: Reply<Data>, headers: Reply['headers']): Reply<Data> {
  const { status, headers: own } = answer
  checkSendable({ status, headers, data: null })
  return changed(answer, { headers: { ...own, ...headers } })
}

function changed<Data>(answer: Reply<Data>, change: Partial<Reply>): Reply<Data> {
  return Object.assign(Object.create(Object.getPrototypeOf(answer)), answer, change)
}

/** A copy of the answer with the page controls of its list, which only pages for people show (W11). */
export function withControls<Data>(
  answer: Reply<Data>,
  controls: () => PageControls | null,
): Reply<Data> {
  return changed(answer, { controls })
}
