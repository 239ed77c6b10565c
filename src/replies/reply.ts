import type { Reply } from '../contract/reply.ts'

/** What may stand beside the data of an answer. */
export interface ReplyInit {
  /** @default 200 */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent instead of the renderer's own `Content-Type`. */
  readonly contentType?: string
}

class ReplyValue<Data> implements Reply<Data> {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly data: Data
  declare readonly contentType?: string

  constructor(data: Data, init: ReplyInit) {
    this.status = init.status ?? 200
    this.headers = init.headers ?? NO_HEADERS
    this.data = data
    if (init.contentType !== undefined) this.contentType = init.contentType
  }
}

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({})
const OK: ReplyInit = Object.freeze({})

/**
 * An answer with a status and headers; a handler that needs neither returns its data as it is.
 * `data: null` is an answer without a body (R47).
 *
 * @example
 * api.endpoint('article-list').post(() => reply({ id: 7 }, { status: 201 }))
 */
export function reply<Data>(data: Data, init: ReplyInit = OK): Reply<Data> {
  return new ReplyValue(data, init)
}

/** What a handler returned, as an answer: `undefined` is no data. */
export function toReply(value: unknown): Reply {
  return value instanceof ReplyValue ? value : new ReplyValue(value === undefined ? null : value, OK)
}
