import { type Parameters, parseHeaderValue, splitOutsideQuotes } from './header-value.ts'

/** A media type or a range of them, in lower case: `*` stands for any. */
export interface MediaType {
  readonly type: string
  readonly subtype: string
  readonly parameters: Parameters
}

/** RFC 9110 §5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/

/**
 * Reads `application/json; version="2"`. `null` where the text names no type and subtype; odd
 * parameters are left out and never spoil the rest.
 */
export function parseMediaType(text: string): MediaType | null {
  const { value, parameters } = parseHeaderValue(text)
  const slash = value.indexOf('/')
  const type = value.slice(0, Math.max(slash, 0)).toLowerCase()
  const subtype = value.slice(slash + 1).toLowerCase()
  return TOKEN.test(type) && TOKEN.test(subtype) ? { type, subtype, parameters } : null
}

/** Type and subtype alone: `application/json`. */
export function essenceOf(mediaType: MediaType): string {
  return `${mediaType.type}/${mediaType.subtype}`
}

/** One element of `Accept`. */
export interface MediaRange extends MediaType {
  /** From 0 (never) to 1; `q` itself is no longer among the parameters. */
  readonly q: number
  /** 3: full type with parameters; 2: full type; 1: `type/*`; 0: the type is a wildcard (N12). */
  readonly specificity: 0 | 1 | 2 | 3
}

/** RFC 9110 §12.4.2, and what clients write besides: `.5`, more digits, a little more than 1. */
const WEIGHT = /^(?:[01]?\.\d+|[01]\.?)$/

/**
 * The ranges of an `Accept` header, in the order sent. Never fails: an element that is no range is
 * left out, so an empty header accepts nothing (N10).
 */
export function parseAccept(header: string): readonly MediaRange[] {
  return splitOutsideQuotes(header, ',').flatMap((text) => {
    const mediaType = parseMediaType(text)
    return mediaType ? [toRange(mediaType)] : []
  })
}

/**
 * Whether `Accept` names exactly this media type and does not refuse it; wildcards do not count.
 * For forms that are only given to those who ask (I12).
 */
export function explicitlyAccepts(accept: string | null, mediaType: string): boolean {
  return parseAccept(accept ?? '').some((range) => range.q > 0 && essenceOf(range) === mediaType)
}

function toRange({ type, subtype, parameters }: MediaType): MediaRange {
  const { q, ...others } = parameters
  const specificity = specificityOf(type, subtype, Object.keys(others).length > 0)
  const rest = Object.assign(Object.create(null), others)
  return { type, subtype, parameters: rest, q: weightOf(q), specificity }
}

function specificityOf(type: string, subtype: string, detailed: boolean): 0 | 1 | 2 | 3 {
  if (type === '*') return 0
  if (subtype === '*') return 1
  return detailed ? 3 : 2
}

/** A weight that cannot be read is none at all: the type was named all the same. */
function weightOf(q: string | undefined): number {
  return q !== undefined && WEIGHT.test(q) ? Math.min(Number(q), 1) : 1
}
