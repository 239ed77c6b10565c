import { HTMLRenderer, JSONRenderer, type Reply } from 'colophon'
import type { Renderer } from 'colophon/types'

/** The `message` of the data as plain text. */
class TextRenderer implements Renderer {
  readonly mediaType = 'text/plain'
  readonly contentType = 'text/plain; charset=utf-8'
  readonly format = 'txt'

  render({ data }: Reply): string {
    return typeof data === 'object' && data !== null && 'message' in data
      ? String(data.message)
      : 'error'
  }
}

/** The renderers of SERVICE §2, by name. */
export const renderers: Readonly<Record<string, Renderer>> = {
  json: new JSONRenderer(),
  html: new HTMLRenderer(),
  vendor: new JSONRenderer({ mediaType: 'application/vnd.library+json', format: 'vendor' }),
  text: new TextRenderer(),
}
