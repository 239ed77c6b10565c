import { PayloadTooLarge } from '../errors/api-errors.ts'

/** All bytes of a body. Throws `PayloadTooLarge` as soon as more than `limit` are there. */
export async function collect(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > limit) throw new PayloadTooLarge(limit)
    all.push(chunk)
  }
  // Parsers get the same through all doors, and what is no bytes fails here.
  return all.length === 1 && Buffer.isBuffer(all[0]) ? all[0] : Buffer.concat(all)
}

/** The same piece by piece. */
export async function* limited(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > limit) throw new PayloadTooLarge(limit)
    yield chunk
  }
}

/** Ends a stream that is not sent. It may have broken already, and `cancel()` may throw or reject. */
export function discard(body: ReadableStream, failed: (error: unknown) => void): void {
  new Promise((resolve) => resolve(body.cancel())).catch(failed)
}
