import { isUtf8 } from 'node:buffer'

const WHITESPACE = /[ \t\r\n\v\f]+/

/** Only ASCII white space separates words (AB1, AT4): a no-break space is part of one. */
export function credentialWords(header: string | null): readonly string[] {
  return header === null ? NONE : header.split(WHITESPACE).filter((word) => word !== '')
}

const NONE: readonly string[] = Object.freeze([])

const NOT_ASCII = /[^\0-\x7F]/

/** Decodes header text, which is bytes seen as Latin-1, as UTF-8; `null`: it is not UTF-8 (AT4). */
export function utf8FromHeader(text: string): string | null {
  return NOT_ASCII.test(text) ? utf8FromBytes(Buffer.from(text, 'latin1')) : text
}

/** Decodes bytes as UTF-8, and keeps a byte order mark; `null`: they are not UTF-8. */
export function utf8FromBytes(bytes: Uint8Array): string | null {
  return isUtf8(bytes) ? Buffer.from(bytes).toString() : null
}
