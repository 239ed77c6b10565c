import type { PageControls } from '../contract/pagination.ts'
import type { Reply } from '../contract/answers.ts'
import type { Bytes } from '../contract/door.ts'

/** What may stand beside the data of an answer. */
export interface ReplyInit {
  /** @default 200 */
  readonly status?: number
  readonly headers?: Reply['headers']
  /** Sent instead of the renderer's own `Content-Type`. */
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

// Found here, where the stack leads to the handler: no door could send it.
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

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const NOT_IN_VALUE = /[^\t\x20-\x7e]/

const NO_HEADERS: Reply['headers'] = Object.freeze({})
const OK: ReplyInit = Object.freeze({})

/**
 * An answer with a status and headers; a handler that needs neither returns its data as it is.
 * `data: null` is an answer without a body (R47).
 *
 * @throws RangeError, TypeError for a status or a header that cannot be sent
 * @example
 * api.endpoint('article-list').post(() => reply({ id: 7 }, { status: 201 }))
 */
export function reply<Data>(data: Data, init: ReplyInit = OK): Reply<Data> {
  return new ReplyValue(data, init)
}

/** What a handler gives that is no reply is the data of one. */
export function toReply(value: unknown): Reply {
  return value instanceof ReplyValue ? value : reply(value ?? null)
}

/** An answer that no cache keeps: it holds a secret, or is one person's alone. */
export function uncached<Data>(data: Data, { headers, ...init }: ReplyInit = {}): Reply<Data> {
  return reply(data, { ...init, headers: { 'Cache-Control': 'no-store', ...headers } })
}

/** An answer whose bytes are sent as they are: no renderer sees them. */
export class BytesReply extends ReplyValue<unknown> {
  readonly body: Bytes
  declare readonly contentType: string
  /** In bytes, where the body is a stream whose length is known. */
  readonly length: number | null
  /** A door has the body, and ends it. */
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

/** The same answer with the page controls of its list, which only pages for people show (W11). */
export function withControls<Data>(
  answer: Reply<Data>,
  controls: () => PageControls | null,
): Reply<Data> {
  return Object.assign(Object.create(Object.getPrototypeOf(answer)), answer, { controls })
}
