import type { Accepted, Renderer } from '../contract/request.ts'
import { NotAcceptable, NotFound } from '../errors/api-errors.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { Message } from '../messages/message.ts'
import { type MediaRange, parseAccept } from '../std/http/accept.ts'
import { type MediaType, essenceOf, parseMediaType } from '../std/http/media-type.ts'

/** What a request says about the form of its answer. */
interface Preference {
  /** The `Accept` header; `null` when it was not sent, which accepts everything (N10). */
  readonly accept: string | null
  /** From a path suffix or `?format=`; `null` or empty: not given (N2). */
  readonly format: string | null
}

/** Distinct preferences remembered per endpoint, and the longest that is worth it. */
const MEMO_SIZE = 256
const MEMO_LENGTH = 1024

/**
 * Chooses among the renderers of one endpoint. Made once per endpoint; asks nothing of a request
 * but its preference.
 *
 * @example
 * new Negotiation([json, html]).select({ accept: 'text/html', format: null }).renderer // html
 */
export class Negotiation {
  readonly #offers: readonly Offer[]
  // Clients send few distinct texts. Only answers are kept, so formats in keys are known ones.
  readonly #memo = new Map<string, Accepted>()

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
    const key = `${format}\n${accept}`
    const known = this.#memo.get(key)
    if (known) return known
    const accepted = this.#choose(accept, format)
    if (key.length < MEMO_LENGTH) this.#remember(key, accepted)
    return accepted
  }

  #choose(accept: string, format: string): Accepted {
    const offers = format
      ? this.#offers.filter((offer) => offer.renderer.format === format)
      : this.#offers
    if (format && offers.length === 0) throw new NotFound(Message.of('not_found.format'))
    const ranges = parseAccept(accept)
    const judged = offers.map((offer) => ({ offer, range: mostSpecific(offer, ranges) }))
    const best = judged.reduce<Judged | null>(better, null)
    if (best) return toAccepted(best)
    const [first] = judged
    if (format && first) return toAccepted(first) // I13: who names a format gets it
    throw new NotAcceptable()
  }

  #remember(key: string, accepted: Accepted): void {
    if (this.#memo.size >= MEMO_SIZE) this.#memo.clear()
    this.#memo.set(key, accepted)
  }
}

interface Offer {
  readonly renderer: Renderer
  readonly mediaType: MediaType
}

/** An offer with the range that speaks for it; `null` where none does. */
interface Judged {
  readonly offer: Offer
  readonly range: MediaRange | null
}

function toOffer(renderer: Renderer): Offer {
  const mediaType = parseMediaType(renderer.mediaType)
  if (mediaType) return { renderer, mediaType }
  throw new ConfigurationError(`"${renderer.mediaType}" is not a media type: write "type/subtype".`)
}

/** RFC 9110 §12.5.1. Of equally specific ranges the one with more weight, then the first (N16 decided). */
function mostSpecific(offer: Offer, ranges: readonly MediaRange[]): MediaRange | null {
  let best: MediaRange | null = null
  for (const range of ranges) {
    const ahead = best === null || compare(range, best) > 0
    if (ahead && matches(range, offer.mediaType)) best = range
  }
  return best

  function compare(a: MediaRange, b: MediaRange): number {
    return a.specificity - b.specificity || a.q - b.q
  }
}

/** N14: wildcards on either side; parameters of the offer must be in the range, others do not matter. */
function matches(range: MediaRange, offered: MediaType): boolean {
  return (
    partMatches(range.type, offered.type) &&
    partMatches(range.subtype, offered.subtype) &&
    Object.entries(offered.parameters).every(
      ([name, value]) => name === 'q' || range.parameters[name] === value,
    )
  )
}

function partMatches(asked: string, offered: string): boolean {
  return asked === '*' || offered === '*' || asked === offered
}

/** I13: weight, then specificity; the earlier renderer keeps its place where both are equal. */
function better(best: Judged | null, next: Judged): Judged | null {
  if (!next.range || next.range.q === 0) return best
  if (!best?.range) return next
  const ahead = next.range.q - best.range.q || next.range.specificity - best.range.specificity
  return ahead > 0 ? next : best
}

/** N15: the type of the renderer, unless that is a range itself; the parameters that were asked for. */
function toAccepted({ offer, range }: Judged): Accepted {
  const isRange = offer.mediaType.type === '*' || offer.mediaType.subtype === '*'
  const agreed = isRange && range && range.specificity > 1 ? range : offer.mediaType
  return {
    renderer: offer.renderer,
    mediaType: essenceOf(agreed),
    parameters: (range ?? offer.mediaType).parameters,
  }
}
