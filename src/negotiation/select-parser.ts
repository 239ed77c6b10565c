import type { ContentType } from '../contract/door.ts'
import type { Parser } from '../contract/request.ts'
import { UnsupportedMediaType } from '../errors/api-errors.ts'
import { type MediaType, essenceOf, parseMediaType } from '../std/http/media-type.ts'

/** How much of an unreadable `Content-Type` the error repeats. */
const SHOWN = 100

/**
 * The first parser that reads bodies of this type (B1), with the type as parsers want it.
 *
 * @throws UnsupportedMediaType (415) when there is none; without `Content-Type` its name is empty (B2)
 */
export function selectParser(
  parsers: readonly Parser[],
  contentType: string | null,
): { readonly parser: Parser; readonly type: ContentType } {
  const sent = parseMediaType(contentType ?? '')
  if (!sent) throw new UnsupportedMediaType((contentType ?? '').slice(0, SHOWN))
  const parser = parsers.find((candidate) => reads(candidate, sent))
  if (!parser) throw new UnsupportedMediaType(essenceOf(sent))
  return { parser, type: { type: essenceOf(sent), parameters: sent.parameters } }
}

/** B1: parameters only matter where the parser names some; `*` in a parser's type reads anything. */
function reads(parser: Parser, sent: MediaType): boolean {
  const read = parseMediaType(parser.mediaType)
  return (
    read !== null &&
    (read.type === '*' || read.type === sent.type) &&
    (read.subtype === '*' || read.subtype === sent.subtype) &&
    Object.entries(read.parameters).every(([name, value]) => sent.parameters[name] === value)
  )
}
