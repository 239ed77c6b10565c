/**
 * The decoder for a charset parameter: that of its label where it is known, else UTF-8 (B3). A byte
 * order mark stays in the text, and `fatal` refuses bytes that are no text.
 */
export function decoderOf(charset: string | undefined, options: { fatal: boolean }): TextDecoder {
  try {
    return new TextDecoder(charset ?? 'utf-8', { ...options, ignoreBOM: true })
  } catch {
    return new TextDecoder('utf-8', { ...options, ignoreBOM: true })
  }
}
