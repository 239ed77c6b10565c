const WHITESPACE = /[ \t\r\n\v\f]+/

/** Only ASCII white space separates words (AB1, AT4): a no-break space is part of one. */
export function credentialWords(header: string | null): readonly string[] {
  return header === null ? NONE : header.split(WHITESPACE).filter((word) => word !== '')
}

const NONE: readonly string[] = Object.freeze([])

/**
 * Reads what stands behind `Basic` (RFC 7617 §2): base64 of `username:password`, split at the first
 * colon (AB6). Bytes that are not UTF-8 are Latin-1 (AB5). `null`: not well-formed.
 */
export function basicCredentials(word: string): { username: string; password: string } | null {
  const bytes = Buffer.from(word, 'base64')
  // The decoder skips what is no base64 and forgives padding; only what it would write itself is strict (I6).
  if (bytes.toString('base64') !== word) return null
  const text = utf8FromBytes(bytes) ?? bytes.toString('latin1')
  const colon = text.indexOf(':')
  if (colon < 0 || CONTROL.test(text)) return null
  return { username: text.slice(0, colon), password: text.slice(colon + 1) }
}

// RFC 7617 §2: neither user name nor password has any of them.
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\0-\x1F\x7F]/

const NOT_ASCII = /[^\0-\x7F]/

/** Header text, which is bytes seen as Latin-1, read as UTF-8; `null` where it is none (AT4). */
export function utf8FromHeader(text: string): string | null {
  return NOT_ASCII.test(text) ? utf8FromBytes(Buffer.from(text, 'latin1')) : text
}

/** Bytes read as UTF-8, a byte order mark included; `null` where they are none. */
function utf8FromBytes(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}
