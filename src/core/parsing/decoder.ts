import type { ContentType } from '../ports/http-adapter.ts'

/** A decoder for the charset of a body if it is known, else for UTF-8 (B3). A byte order mark stays in the text. */
export function decoderFor(
  { parameters }: ContentType,
  { fatal = false }: { fatal?: boolean } = {},
): TextDecoder {
  const options = { fatal, ignoreBOM: true }
  try {
    return new TextDecoder(parameters['charset'], options)
  } catch {
    return new TextDecoder('utf-8', options)
  }
}
