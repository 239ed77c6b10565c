import type { Reply } from 'colophon'
import type { Renderer } from 'colophon/types'

/** Bytes of an export. */
const EXPORT = 25_000_000

/** The pieces in which it is made. */
const PIECE = 2 ** 20

/** A download made anew for each client; the making of one keeps no other request waiting. */
export async function madeAnew(): Promise<Uint8Array> {
  const bytes = new Uint8Array(EXPORT)
  for (let at = 0; at < EXPORT; at += PIECE) {
    bytes.fill(0x78, at, at + PIECE)
    await new Promise((next) => setImmediate(next))
  }
  return bytes
}

/** Bytes as they are. */
export class BytesRenderer implements Renderer {
  readonly mediaType = 'application/octet-stream'
  readonly format = 'bin'

  render({ data }: Reply): Uint8Array | string {
    return data instanceof Uint8Array ? data : JSON.stringify(data)
  }
}
