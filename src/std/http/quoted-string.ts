/** A text as a quoted string of a header (RFC 9110 §5.6.4); `null` where it holds what no header can. */
export function toQuotedString(text: string): string | null {
  return WRITABLE.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : null
}

const WRITABLE = /^[\t\x20-\x7E]*$/
