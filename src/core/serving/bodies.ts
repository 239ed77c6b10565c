import type { ServerResponse } from 'node:http'
import { PayloadTooLarge } from '../errors/api-errors.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import type { Body } from '../ports/http-adapter.ts'

/** How large a body may be, and what it says of itself: `null`, nothing. */
export interface Sizes {
  readonly length: number | null
  readonly limit: number
}

/** Bytes of a body that is put together in one turn of the event loop and parsed in the next: others come between. */
const LARGE = 2 ** 20

/**
 * All bytes of a body. Throws `PayloadTooLarge` as soon as more than `limit` are there, and before the first where it
 * says so itself.
 */
export async function collect(
  chunks: AsyncIterable<Uint8Array>,
  { length, limit }: Sizes,
): Promise<Uint8Array> {
  if (length !== null && length > limit) throw new PayloadTooLarge(limit)
  const all: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > limit) throw new PayloadTooLarge(limit)
    all.push(chunk)
  }
  // Parsers get the same through all adapters, and what is no bytes fails here.
  const whole = all.length === 1 && Buffer.isBuffer(all[0]) ? all[0] : Buffer.concat(all)
  if (whole.length > LARGE) await new Promise((next) => setImmediate(next))
  return whole
}

/** The same piece by piece. */
export async function* limitedChunks(
  chunks: AsyncIterable<Uint8Array>,
  { length, limit }: Sizes,
): AsyncGenerator<Uint8Array> {
  if (length !== null && length > limit) throw new PayloadTooLarge(limit)
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > limit) throw new PayloadTooLarge(limit)
    yield chunk
  }
}

/** A body of which the server around has taken the bytes: no fault of the client, so a handler that wants it fails. */
export function readBefore(length: number | null): Body {
  const fail = (): never => {
    throw new ConfigurationError(
      'The body of this request was read before Colophon got it. Pass requests on before the code that reads bodies, such as express.json(), or leave the paths of Colophon out of it: docs/recipes/beside.md',
    )
  }
  return { length, bytes: async () => fail(), chunks: () => fail() }
}

/** Ends a stream that is not sent. It may have broken already, and `cancel()` may throw or reject. */
export function discard(body: ReadableStream, failed: (error: unknown) => void): void {
  new Promise((resolve) => resolve(body.cancel())).catch(failed)
}

/** From here on, a body is sent piece by piece, as the client reads it. */
export const PIECE = 65_536

/** In pieces, because a single large write does not show whether the client reads at all. */
export function sendInPieces(bytes: Uint8Array, response: ServerResponse): void {
  let at = 0
  const more = (): void => {
    while (at < bytes.byteLength) {
      const piece = bytes.subarray(at, (at += PIECE))
      if (at >= bytes.byteLength) response.end(piece)
      else if (!response.write(piece)) return void response.once('drain', more)
    }
  }
  more()
}
