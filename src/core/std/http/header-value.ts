/** A token, such as the name of a header, a method or a scheme (RFC 9110 §5.6.2). */
export const TOKEN: RegExp = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** Parameters of a header value: names in lower case, values as sent, without a prototype. */
export type Parameters = Readonly<Record<string, string>>

/**
 * Reads `value; name=text; name="quoted text"` (RFC 9110 §5.6.6): what is not a parameter is left out, and of
 * a repeated name the last one counts (V21).
 */
export function parseHeaderValue(text: string): { value: string; parameters: Parameters } {
  const [value = '', ...rest] = splitOutsideQuotes(text, ';')
  const parameters: Record<string, string> = Object.create(null)
  for (const part of rest) {
    const equals = part.indexOf('=')
    const name = part.slice(0, Math.max(equals, 0)).trim().toLowerCase()
    if (name !== '') parameters[name] = unquote(part.slice(equals + 1).trim())
  }
  return { value: value.trim(), parameters }
}

/** Two lists of names as one, such as those of `Vary`: each name once, and `*` alone. */
export function joinedNames(one: string, other: string): string {
  const names = `${one},${other}`.split(',').map((name) => name.trim())
  if (names.includes('*')) return '*'
  const unique = new Map(names.map((name) => [name.toLowerCase(), name]))
  return [...unique.values()].filter((name) => name !== '').join(', ')
}

/** An answer whose headers other code may have set, such as one of `node:http`. */
interface Others {
  getHeader(name: string): number | string | readonly string[] | undefined
}

/**
 * The headers, as name and value in turn, joined with those that other code has set: its cookies go first, and `Vary` is
 * joined.
 */
export function joinHeaders(others: Others, headers: readonly string[]): string[] {
  const [vary, cookies = []] = [others.getHeader('vary'), others.getHeader('set-cookie')]
  const all = [cookies].flat().flatMap((cookie) => ['Set-Cookie', String(cookie)])
  for (const [at, text] of headers.entries()) {
    const isVary = vary !== undefined && at % 2 === 1 && /^vary$/i.test(headers[at - 1]!)
    all.push(isVary ? joinedNames(String(vary), text) : text)
  }
  return all
}

/** One pass: the time grows with the text alone. A quote that is never closed reaches to the end. */
export function splitOutsideQuotes(text: string, separator: ',' | ';'): readonly string[] {
  if (!text.includes('"')) return text.split(separator)
  const parts: string[] = []
  let start = 0
  let quoted = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"') quoted = !quoted
    else if (quoted && character === '\\') at += 1
    else if (!quoted && character === separator) {
      parts.push(text.slice(start, at))
      start = at + 1
    }
  }
  parts.push(text.slice(start))
  return parts
}

/** The text of a quoted string, each `\x` read as `x` (RFC 9110 §5.6.4); any other text as it is. */
function unquote(text: string): string {
  if (!text.startsWith('"')) return text
  let plain = ''
  for (let at = 1; at < text.length && text[at] !== '"'; at += 1) {
    if (text[at] === '\\') at += 1
    plain += text[at] ?? ''
  }
  return plain
}

/** A text as a quoted string of a header (RFC 9110 §5.6.4); `null` where it holds what no header can. */
export function toQuotedString(text: string): string | null {
  return WRITABLE.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : null
}

const WRITABLE = /^[\t\x20-\x7E]*$/
