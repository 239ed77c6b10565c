import type { Reply } from 'colophon'
import type { Renderer } from 'colophon/types'

/** Bytes of an export. */
const EXPORT = 25_000_000

/** The size of the pieces that it is made of. */
const PIECE = 2 ** 20

/** Makes a download for each client, in pieces, so that other requests do not wait. */
export async function madeAnew(): Promise<Uint8Array> {
  const bytes = new Uint8Array(EXPORT)
  for (let at = 0; at < EXPORT; at += PIECE) {
    bytes.fill(0x78, at, at + PIECE)
    await new Promise((next) => setImmediate(next))
  }
  return bytes
}

/** Renders bytes without a change. */
export class BytesRenderer implements Renderer {
  readonly mediaType = 'application/octet-stream'
  readonly format = 'bin'

  render({ data }: Reply): Uint8Array | string {
    return data instanceof Uint8Array ? data : JSON.stringify(data)
  }
}
