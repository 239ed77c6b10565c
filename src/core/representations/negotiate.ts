import type { ContentType } from '../ports/http-adapter.ts'
import type { Accepted, Renderer } from '../ports/representations.ts'
import type { Parser } from '../ports/parsing.ts'
import { NotAcceptable, NotFound, UnsupportedMediaType } from '../errors/api-errors.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { Message } from '../messages/message.ts'
import { takesBytes } from './json.ts'
import { BoundedMap } from '../std/bounded-map.ts'
import { oncePer } from '../std/once.ts'
import {
  type MediaRange,
  type MediaType,
  essenceOf,
  parseAccept,
  parseMediaType,
} from '../std/http/media-type.ts'

/** Without `Accept` everything is accepted (N10); the format may be empty (N2). */
interface Preference {
  readonly accept: string | null
  readonly format: string | null
}

/** The number of distinct preferences that are remembered for an endpoint, and the length of the longest one. */
const MEMO_SIZE = 256
const MEMO_LENGTH = 1024

/** The most characters of an unreadable `Content-Type` that the error repeats. */
const SHOWN = 100

/** Chooses among the renderers of one endpoint. */
export class Negotiation {
  readonly #offers: readonly Offer[]
  // Clients send few distinct texts. Failures are not kept, so the keys hold known formats only.
  readonly #memo = new BoundedMap<string, Accepted>(MEMO_SIZE)

  constructor(renderers: readonly Renderer[]) {
    this.#offers = renderers.map(toOffer)
  }

  /**
   * @throws NotFound (404) for a format that no renderer has (N3)
   * @throws NotAcceptable (406) where nothing fits and no format insists (N20)
   */
  select(preference: Preference): Accepted {
    const accept = preference.accept ?? '*/*'
    const format = preference.format ?? ''
    // No header has a line feed, so the keys with a format differ from all others.
    const key = format === '' ? accept : `${format}\n${accept}`
    const known = this.#memo.get(key)
    if (known) return known
    const accepted = this.#choose(accept, format)
    if (key.length < MEMO_LENGTH) this.#memo.set(key, accepted)
    return accepted
  }

  #choose(accept: string, format: string): Accepted {
    const offers = this.#offers.filter(({ renderer }) => !format || renderer.format === format)
    const [first] = offers
    if (format && !first) throw new NotFound(Message.of('not_found.format'))
    const ranges = parseAccept(accept)
    const judged = offers.flatMap((offer) => {
      const range = mostSpecific(offer, ranges)
      return range === null || range.q === 0 ? [] : [{ offer, range }]
    })
    // I13: weight, then specificity, then the order of the renderers.
    const [best] = judged.toSorted(
      ({ range: a }, { range: b }) => b.q - a.q || b.specificity - a.specificity,
    )
    if (best) return toAccepted(best.offer, best.range)
    // I13: who names a format gets it.
    if (format && first) return toAccepted(first, mostSpecific(first, ranges))
    throw new NotAcceptable()
  }
}

interface Offer {
  readonly renderer: Renderer
  readonly mediaType: MediaType
}

function toOffer(renderer: Renderer): Offer {
  const mediaType = parseMediaType(renderer.mediaType)
  if (mediaType) return { renderer, mediaType }
  throw new ConfigurationError(`"${renderer.mediaType}" is not a media type: write "type/subtype".`)
}

/** RFC 9110 §12.5.1. Of equally specific ranges the one with more weight, then the first (N16 decided). */
function mostSpecific({ mediaType }: Offer, ranges: readonly MediaRange[]): MediaRange | null {
  let best: MediaRange | null = null
  for (const range of ranges) {
    const ahead = best === null ? 1 : range.specificity - best.specificity || range.q - best.q
    if (ahead > 0 && isAskedFor(mediaType, range)) best = range
  }
  return best
}

/** N14, B1: wildcards match on either side. The parameters of the offer must be asked for; others do not matter. */
function isAskedFor(offered: MediaType, asked: MediaType): boolean {
  return (
    partMatches(asked.type, offered.type) &&
    partMatches(asked.subtype, offered.subtype) &&
    Object.entries(offered.parameters).every(
      ([name, value]) => name === 'q' || asked.parameters[name] === value,
    )
  )
}

function partMatches(asked: string, offered: string): boolean {
  return asked === '*' || offered === '*' || asked === offered
}

/** N15: the accepted type is that of the renderer, unless that is a range; the parameters are those that were asked for. */
function toAccepted({ renderer, mediaType }: Offer, range: MediaRange | null): Accepted {
  const isRange = mediaType.type === '*' || mediaType.subtype === '*'
  const agreed = isRange && range && range.specificity > 1 ? range : mediaType
  const { parameters } = range ?? mediaType
  const takes = takesBytes(renderer, parameters)
  return { renderer, mediaType: essenceOf(agreed), parameters, takesBytes: takes }
}

/**
 * The first parser that reads bodies of this type (B1), with the type as parsers want it.
 *
 * @throws UnsupportedMediaType (415) when there is none; without `Content-Type` its name is empty (B2)
 */
export function selectParser(parsers: readonly Parser[], contentType: string | null): Selected {
  const found = findParser(parsers, contentType)
  if (found !== null) return found
  const sent = parseMediaType(contentType ?? '')
  throw new UnsupportedMediaType(sent ? essenceOf(sent) : (contentType ?? '').slice(0, SHOWN))
}

interface Selected {
  readonly parser: Parser
  readonly type: ContentType
}

/** The last `Content-Type` and its parser for each list of parsers: most bodies have the same type. */
const lasts = oncePer(
  (_parsers: readonly Parser[]): { header: string; found: Selected | null } => ({
    header: '',
    found: null,
  }),
)

/** Finds the parser as `selectParser` does; `null`: no parser reads this type. */
export function findParser(
  parsers: readonly Parser[],
  contentType: string | null,
): Selected | null {
  const last = lasts(parsers)
  const header = contentType ?? ''
  if (last.header !== header) [last.header, last.found] = [header, foundAmong(parsers, header)]
  return last.found
}

function foundAmong(parsers: readonly Parser[], contentType: string): Selected | null {
  const sent = parseMediaType(contentType)
  if (!sent) return null
  const parser = parsers.find(({ mediaType }) => {
    const read = parseMediaType(mediaType)
    // A range is no type of a body: only a parser of the whole range reads it (B6).
    const isWhole = (part: 'type' | 'subtype') => sent[part] !== '*' || read?.[part] === '*'
    return read !== null && isAskedFor(read, sent) && isWhole('type') && isWhole('subtype')
  })
  if (!parser) return null
  return { parser, type: { type: essenceOf(sent), parameters: sent.parameters } }
}
