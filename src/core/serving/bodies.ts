import type { IncomingMessage, ServerResponse } from 'node:http'
import { PayloadTooLarge } from '../errors/api-errors.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import type { Body } from '../ports/http-adapter.ts'

/** The limit of a body, and the length that it states; `null`: it states none. */
export interface Sizes {
  readonly length: number | null
  readonly limit: number
}

/**
 * Bodies above this many bytes are joined in one turn of the event loop and parsed in the next, so that other work comes
 * between.
 */
const LARGE = 2 ** 20

/**
 * All bytes of a body. Throws `PayloadTooLarge` as soon as more than `limit` bytes are there, and before reading if the
 * stated length is larger.
 */
export async function collect(
  chunks: AsyncIterable<Uint8Array>,
  sizes: Sizes,
): Promise<Uint8Array> {
  const all = await Array.fromAsync(limitedChunks(chunks, sizes))
  // Parsers get a `Buffer` from every adapter, and chunks that are no bytes fail here.
  const whole = all.length === 1 && Buffer.isBuffer(all[0]) ? all[0] : Buffer.concat(all)
  if (whole.length > LARGE) await new Promise((next) => setImmediate(next))
  return whole
}

/** Gives the bytes of a body piece by piece, with the same limit. */
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

/**
 * A body whose bytes the surrounding server has already read. The client is not at fault, so a handler that wants the body
 * fails.
 */
export function readBefore(length: number | null): Body {
  const fail = (): never => {
    throw new ConfigurationError(
      'The body of this request was read before Colophon got it. Pass requests on before the code that reads bodies, such as express.json(), or leave the paths of Colophon out of it: docs/recipes/beside.md',
    )
  }
  return { length, bytes: async () => fail(), chunks: () => fail() }
}

/** The body of a request of `node:http`. */
export function bodyOf(incoming: IncomingMessage): Body {
  const stated = incoming.headers['content-length']
  const length = stated === undefined ? null : Number(stated)
  if (incoming.readableDidRead) return readBefore(length)
  const all = (): AsyncIterable<Uint8Array> => incoming.iterator({ destroyOnReturn: false })
  return {
    length,
    async bytes(limit) {
      const there = arrived(incoming, limit)
      if (there !== null) return there
      try {
        return await collect(all(), { length, limit })
      } catch (error) {
        // The rest is read and dropped, so that the client gets to see the answer.
        if (error instanceof PayloadTooLarge) incoming.resume()
        throw error
      }
    },
    async *chunks(limit) {
      try {
        yield* limitedChunks(all(), { length, limit })
      } finally {
        incoming.resume()
      }
    },
  }
}

/** Reads a small body that came with its head: a loop over the stream takes several promises. `null`: a part is missing. */
function arrived(incoming: IncomingMessage, limit: number): Uint8Array | null {
  const { complete, readableLength } = incoming
  return complete && readableLength > 0 && readableLength <= limit
    ? (incoming.read() as Buffer | null)
    : null
}

/** Bytes of a body that are taken after its answer, so that a client which sends everything first gets to see the answer. */
const MOST_REST = 2 ** 24
/** Milliseconds between two looks at how much has come. */
const LOOK = 100

/** Is more of the body to come than is taken after its answer? */
export function isEndless({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length']) > MOST_REST
}

/** Bounds what Node takes and drops of a body after its answer. */
export function takeRest(incoming: IncomingMessage): void {
  const { socket } = incoming
  const before = socket.bytesRead
  const look = (): void => {
    if (incoming.complete || socket.destroyed) return
    if (socket.bytesRead - before > MOST_REST) socket.destroy()
    else setTimeout(look, LOOK).unref()
  }
  look()
}

/** Ends a stream that is not sent. It may have broken already, and `cancel()` may throw or reject. */
export function discard(body: ReadableStream, failed: (error: unknown) => void): void {
  new Promise((resolve) => resolve(body.cancel())).catch(failed)
}

/** Bodies above this many bytes are sent piece by piece, as the client reads them. */
export const PIECE = 65_536

/** Sends bytes in pieces, because a single large write does not show whether the client reads at all. */
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
