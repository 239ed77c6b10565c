import { type Parameters, parseHeaderValue } from './header-value.ts'

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
