import type { Incoming, MaybePromise } from './request.ts'

/** A request body that nobody has read yet. */
export interface Body {
  /** `Content-Length`, in bytes; `null` when it was not said (a chunked body). */
  readonly length: number | null
  /** All of it. Throws `PayloadTooLarge` as soon as more than `limit` bytes are there. */
  bytes(limit: number): Promise<Uint8Array>
}

/** The media type of a body: type in lower case, parameters with lower-case names. */
export interface ContentType {
  readonly type: string
  readonly parameters: Readonly<Record<string, string>>
}

/** Understands bodies of one media type. */
export interface Parser {
  readonly mediaType: string
  /** @throws ParseError (400) */
  parse(bytes: Uint8Array, type: ContentType, request: Incoming): MaybePromise<unknown>
}
