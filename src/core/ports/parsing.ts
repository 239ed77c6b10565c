// The port of parsers: what understands a body.
import type { ContentType } from './http-adapter.ts'
import type { Incoming } from './request.ts'
import type { MaybePromise } from '../std/after.ts'

/** Understands bodies of one media type. */
export interface Parser {
  readonly mediaType: string
  /** @throws ParseError (400) */
  parse(bytes: Uint8Array, type: ContentType, request: Incoming): MaybePromise<unknown>
  /**
   * Called in place of `parse` where it is there: reads the body as it comes in, also an empty one. Reading throws
   * `PayloadTooLarge` beyond `maxBodySize`, and `ParseError` where the client goes away.
   */
  parseStream?(chunks: Chunks, type: ContentType, request: Incoming): MaybePromise<unknown>
}

type Chunks = AsyncIterable<Uint8Array>
