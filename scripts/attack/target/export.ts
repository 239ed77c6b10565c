import type { Reply } from 'colophon'
import type { Renderer } from 'colophon/types'

/** Bytes of an export. */
export const EXPORT = 25_000_000

/** Bytes as they are. */
export class BytesRenderer implements Renderer {
  readonly mediaType = 'application/octet-stream'
  readonly format = 'bin'

  render({ data }: Reply): Uint8Array | string {
    return data instanceof Uint8Array ? data : JSON.stringify(data)
  }
}
