import { ParseError } from '../errors/client-errors.ts'

/** One part of a multipart body. */
export interface Part {
  /** Names in lower case; of several headers with one name the first. */
  readonly headers: ReadonlyMap<string, string>
  /** A view of the body, not a copy. */
  readonly content: Uint8Array
}

/**
 * Cuts a multipart body at its boundary (RFC 2046 §5.1.1), in one pass over bytes that are all there.
 * A body in which the boundary never occurs has no parts (B5).
 *
 * @throws ParseError for a part without headers' end or a body without its last boundary
 */
export function splitParts(body: Buffer, boundary: string, limit: number): readonly Part[] {
  const parts: Part[] = []
  const line = Buffer.from(`\r\n--${boundary}`)
  let delimiter = firstDelimiter(body, line)
  while (delimiter !== null && !delimiter.last) {
    if (parts.length === limit) throw new ParseError(`The form has more than ${limit} parts.`)
    const next = findDelimiter(body, line, delimiter.end)
    if (next === null) throw new ParseError('The form ends before its last boundary.')
    parts.push(toPart(body.subarray(delimiter.end, next.start)))
    delimiter = next
  }
  return parts
}

/** A line `--boundary`, or `--boundary--` after the last part. */
interface Delimiter {
  /** Where the part in front of it ends: before the line break, which belongs to the delimiter. */
  readonly start: number
  /** The line break after it; that of the closing delimiter does not matter. */
  readonly end: number
  readonly last: boolean
}

/** The first one may stand at the very beginning, without a line break in front of it. */
function firstDelimiter(body: Buffer, line: Buffer): Delimiter | null {
  const opening = line.subarray(2)
  const atStart = body.subarray(0, opening.length).equals(opening)
  return (atStart ? delimiterAt(body, 0, opening.length) : null) ?? findDelimiter(body, line, 0)
}

function findDelimiter(body: Buffer, line: Buffer, from: number): Delimiter | null {
  for (let at = body.indexOf(line, from); at >= 0; at = body.indexOf(line, at + line.length)) {
    const delimiter = delimiterAt(body, at, at + line.length)
    if (delimiter) return delimiter
  }
  return null
}

/** `null` where the line goes on, so that the boundary was only the beginning of other text. */
function delimiterAt(body: Buffer, start: number, afterBoundary: number): Delimiter | null {
  let end = afterBoundary
  if (body[end] === DASH && body[end + 1] === DASH) return { start, end, last: true }
  while (body[end] === SPACE || body[end] === TAB) end += 1
  return body[end] === CR && body[end + 1] === LF ? { start, end, last: false } : null
}

const [TAB, LF, CR, SPACE, DASH] = [0x09, 0x0a, 0x0d, 0x20, 0x2d]

/** `bytes` begins with the line break after the delimiter, so that a part without headers ends them at once. */
function toPart(bytes: Buffer): Part {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) throw new ParseError('A part of the form has no end of its headers.')
  return { headers: parseHeaders(bytes.toString('utf8', 0, end)), content: bytes.subarray(end + 4) }
}

function parseHeaders(text: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  const unfolded = text.replaceAll('\r\n ', ' ').replaceAll('\r\n\t', ' ')
  for (const line of unfolded.split('\r\n')) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase()
    if (name !== '' && !headers.has(name)) headers.set(name, line.slice(colon + 1).trim())
  }
  return headers
}
