import { type Parameters, TOKEN, parseHeaderValue, splitOutsideQuotes } from './header-value.ts'

/** A media type or a range of them, in lower case: `*` stands for any. */
export interface MediaType {
  readonly type: string
  readonly subtype: string
  readonly parameters: Parameters
}

/** `null`: no type and subtype. Odd parameters are left out and never spoil the rest. */
export function parseMediaType(text: string): MediaType | null {
  const { value, parameters } = parseHeaderValue(text)
  const slash = value.indexOf('/')
  const type = value.slice(0, Math.max(slash, 0)).toLowerCase()
  const subtype = value.slice(slash + 1).toLowerCase()
  return TOKEN.test(type) && TOKEN.test(subtype) ? { type, subtype, parameters } : null
}

export function essenceOf(mediaType: MediaType): string {
  return `${mediaType.type}/${mediaType.subtype}`
}

const FORMS: ReadonlySet<string> = new Set([
  'application/x-www-form-urlencoded',
  'multipart/form-data',
])

/** Does a body of this `Content-Type` hold a form? */
export function isOfForm(contentType: string | null): boolean {
  const type = parseMediaType(contentType ?? '')
  return type !== null && FORMS.has(essenceOf(type))
}

/** One element of `Accept`. */
export interface MediaRange extends MediaType {
  /** From 0 (never) to 1; the parameters no longer contain it. */
  readonly q: number
  /** 3: full type with parameters; 2: full type; 1: `type/*`; 0: the type is a wildcard (N12). */
  readonly specificity: 0 | 1 | 2 | 3
}

/** RFC 9110 §12.4.2, and what clients write besides: `.5`, more digits, a little more than 1. */
const WEIGHT = /^(?:[01]?\.\d+|[01]\.?)$/

/** An element that is no range is left out, so an empty header accepts nothing (N10). */
export function parseAccept(header: string): readonly MediaRange[] {
  return splitOutsideQuotes(header, ',').flatMap((text) => {
    const mediaType = parseMediaType(text)
    return mediaType ? [toRange(mediaType)] : []
  })
}

/** Wildcards do not count, for formats that only an explicit wish may choose (I12). */
export function explicitlyAccepts(accept: string | null, mediaType: string): boolean {
  // Hardly anyone names it, and every error asks.
  if (accept === null || !accept.toLowerCase().includes(mediaType)) return false
  return parseAccept(accept).some((range) => range.q > 0 && essenceOf(range) === mediaType)
}

function toRange({ type, subtype, parameters }: MediaType): MediaRange {
  const { q, ...others } = parameters
  const full = Object.keys(others).length > 0 ? 3 : 2
  const specificity = type === '*' ? 0 : subtype === '*' ? 1 : full
  const rest = Object.assign(Object.create(null), others)
  // A weight that cannot be read counts as missing, because the type was named nevertheless.
  const weight = q !== undefined && WEIGHT.test(q) ? Math.min(Number(q), 1) : 1
  return { type, subtype, parameters: rest, q: weight, specificity }
}
