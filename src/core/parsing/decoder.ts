import type { ContentType } from '../ports/http-adapter.ts'

/** For the charset of a body where it is known, else UTF-8 (B3). A byte order mark stays in the text. */
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
