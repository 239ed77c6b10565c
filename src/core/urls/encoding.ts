import { ParseError } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'

/**
 * The segments of a path after its first slash, percent-decoded. They are split first, so that `%2F`
 * is a slash inside a segment. Throws `ParseError` for broken escapes and invalid UTF-8 (I12).
 */
export function decodeSegments(path: string): string[] {
  const segments = split(path)
  return path.includes('%') ? decodeAll(path, segments) : segments
}

/** One encoded segment; `null`: no address can carry the text. */
export function encodeSegment(text: string): string | null {
  return isDots(text) ? null : encode(text, /[/?#]/g)
}

/** Several encoded segments, between which slashes stay. */
export function encodePath(text: string): string | null {
  return text.split('/').some(isDots) ? null : encode(text, /[?#]/g)
}

/** An encoded path, which must not begin with `//`: clients read that as another host (RFC 3986 §4.2). */
export function encodeRootPath(text: string): string | null {
  const path = encodePath(text)
  return path?.startsWith('/') ? `%2F${path.slice(1)}` : path
}

export function obstacleIn(text: string): string {
  return text.isWellFormed()
    ? 'has a segment "." or "..", which clients take out of an address'
    : 'has half of a surrogate pair, which UTF-8 cannot carry'
}

/** Clients resolve these away, also where the dots are percent-encoded (RFC 3986 §6.2.2.3). */
export function isDots(segment: string): boolean {
  return segment === '.' || segment === '..'
}

/** Like `path.split('/').slice(1)`, at half the cost: every request passes here. */
function split(path: string): string[] {
  const segments: string[] = []
  let slash = path.indexOf('/')
  while (slash >= 0) {
    const next = path.indexOf('/', slash + 1)
    segments.push(path.slice(slash + 1, next < 0 ? path.length : next))
    slash = next
  }
  return segments
}

function decodeAll(path: string, segments: readonly string[]): string[] {
  try {
    // The text before the first slash is no segment, but its encoding must be valid too.
    if (!path.startsWith('/')) decodeURIComponent(path)
    return segments.map((segment) =>
      segment.includes('%') ? decodeURIComponent(segment) : segment,
    )
  } catch {
    throw new ParseError(Message.of('parse_error.path'))
  }
}

/** Everything but `pchar` becomes percent-encoded UTF-8 (RFC 3986 §3.3). */
function encode(text: string, reserved: RegExp): string | null {
  if (PCHARS.test(text)) return text
  // encodeURI leaves what may stand anywhere in an address; `reserved` ends or splits a path.
  return text.isWellFormed() ? encodeURI(text).replace(reserved, encodeURIComponent) : null
}

const PCHARS = /^[\w.~!$&'()*+,;=:@-]*$/
