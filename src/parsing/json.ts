import type { ContentType, Parser } from '../contract/parsing.ts'
import { ParseError } from '../errors/client-errors.ts'
import { decoderOf } from './charset.ts'

/** More levels than data has, and few enough for code that walks through it by recursion. */
const DEPTH_LIMIT = 500

/** JSON of any type, strictly as RFC 8259 has it (B3). Of members with one name the last counts. */
export class JSONParser implements Parser {
  readonly mediaType: string = 'application/json'

  /** @throws ParseError (400) */
  parse(bytes: Uint8Array, type: ContentType): unknown {
    const text = decode(bytes, type.parameters['charset'])
    if (isTooDeep(text)) throw new ParseError(`The JSON is nested more than ${DEPTH_LIMIT} levels deep.`)
    try {
      return JSON.parse(text)
    } catch {
      throw new ParseError('The body is not valid JSON.')
    }
  }
}

function decode(bytes: Uint8Array, charset: string | undefined): string {
  const decoder = decoderOf(charset, { fatal: true })
  try {
    return decoder.decode(bytes)
  } catch {
    throw new ParseError(`The body is not ${decoder.encoding.toUpperCase()} text.`)
  }
}

/** Counts brackets outside strings; what is no JSON at all is left to the parser. */
function isTooDeep(text: string): boolean {
  if (text.length < 2 * DEPTH_LIMIT) return false // a level takes two characters
  let depth = 0
  for (let at = 0; at < text.length && depth <= DEPTH_LIMIT; at += 1) {
    const character = text[at]
    if (character === '"') at = endOfString(text, at)
    else if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth -= 1
  }
  return depth > DEPTH_LIMIT
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}
