import type { PageControls } from './pagination.ts'

/** The bytes of an answer, in one of the forms that every door can send. */
export type Bytes = string | Uint8Array | ReadableStream<Uint8Array>

/** Several values, such as those of `Set-Cookie`, go out as several lines. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[]>>

/** An answer before anyone has rendered it. `data: null` is an answer without a body. */
export interface Reply<Data = unknown> {
  readonly status: number
  readonly headers: ReplyHeaders
  readonly data: Data
  /** Replaces the renderer's own `Content-Type`. */
  readonly contentType?: string
  /** Asked only by renderers that make pages. */
  readonly controls?: () => PageControls | null
}
