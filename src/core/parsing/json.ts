import type { ContentType } from '../ports/http-adapter.ts'
import type { Parser } from '../ports/parsing.ts'
import { ParseError } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'
import { NumberTooLarge, parseExactly } from '../std/json/exact-json.ts'
import { decoderFor } from './decoder.ts'

/** More levels than data has, and few enough for code that walks through it by recursion. */
const DEPTH_LIMIT = 500

/**
 * JSON of any type, strictly as RFC 8259 has it (B3). Of members with one name the last counts. Numbers
 * beyond what a number can be (`1e999`) are refused; those that lose digits keep them for the fields of
 * serializers.
 */
export class JSONParser implements Parser {
  readonly mediaType: string = 'application/json'

  /** @throws ParseError (400) */
  parse(bytes: Uint8Array, type: ContentType): unknown {
    const text = decode(bytes, type)
    const value = read(text)
    if (opens(text, DEPTH_LIMIT) && isDeeper(value, DEPTH_LIMIT)) throw tooDeep()
    return value
  }
}

function decode(bytes: Uint8Array, type: ContentType): string {
  const decoder = decoderFor(type, { fatal: true })
  try {
    return decoder.decode(bytes)
  } catch {
    const encoding = decoder.encoding.toUpperCase()
    throw new ParseError(Message.of('parse_error.encoding', { encoding }))
  }
}

function read(text: string): unknown {
  try {
    return parseExactly(text)
  } catch (error) {
    if (error instanceof NumberTooLarge) throw new ParseError(Message.of('parse_error.number'))
    throw error instanceof RangeError ? tooDeep() : new ParseError(Message.of('parse_error.json'))
  }
}

const tooDeep = (): ParseError =>
  new ParseError(Message.of('parse_error.depth', { limit: DEPTH_LIMIT }))

/** Has the text enough brackets for more levels than this? Few bodies do, so few need the walk. */
function opens(text: string, levels: number): boolean {
  let count = 0
  for (const bracket of '[{') {
    let at = text.indexOf(bracket)
    while (at >= 0 && count++ < levels) at = text.indexOf(bracket, at + 1)
  }
  return count > levels
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  return levels === 0 || parts.some((part) => isDeeper(part, levels - 1))
}
