import type { Converters } from '../types/routes.ts'
import { isDots } from './encoding.ts'

/** Both ways between the text of a path (decoded) and the value of a parameter. */
export interface Converter {
  /** Equal for converters that match the same texts. */
  readonly key: string
  /** Narrow ones are tried first. */
  readonly width: number
  /** What a value must be, for messages: `a whole number`. */
  readonly expects: string
  /** Its texts stand in a path as they are: nothing in them is percent-encoded, and none is `.` or `..`. */
  readonly isPlain: boolean
  /** `undefined`: the text does not match. */
  parse(text: string): unknown
  /** `undefined`: no text stands for this value, or none that would match again. */
  format(value: unknown): string | undefined
}

/** The converters that have a name; a list of choices (`v1|v2`) is made by `oneOf`. */
export const CONVERTERS: Readonly<Record<keyof Converters, Converter>> = {
  int: {
    key: 'int',
    width: 1,
    isPlain: true,
    expects: `a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`,
    parse: parseInteger,
    format: (value) => (isNatural(value) ? String(value) : undefined),
  },
  uuid: {
    key: 'uuid',
    width: 2,
    isPlain: true,
    expects: 'a UUID such as 123e4567-e89b-12d3-a456-426614174000',
    parse: (text) => (isUuid(text) ? text.toLowerCase() : undefined),
    format: (value) => (isText(value) && isUuid(value) ? value.toLowerCase() : undefined),
  },
  slug: {
    key: 'slug',
    width: 3,
    isPlain: true,
    expects: 'a text of letters, digits, "-" and "_" (A to Z only)',
    parse: (text) => (isSlug(text) ? text : undefined),
    format: (value) => (isText(value) && isSlug(value) ? value : undefined),
  },
  str: {
    key: 'str',
    width: 4,
    isPlain: false,
    expects: 'a text that is not empty',
    // Clients take dots out of an address: no link holds them, so no client asks for them.
    parse: (text) => (text === '' || isDots(text) ? undefined : text),
    format: (value) => (isText(value) && value !== '' ? value : undefined),
  },
  path: {
    key: 'path',
    width: 5,
    isPlain: false,
    expects: 'a text that is not empty',
    parse: (text) => (text === '' || text.split('/').some(isDots) ? undefined : text),
    format: (value) => (isText(value) && value !== '' ? value : undefined),
  },
}

/** The converter that matches only these texts. */
export function oneOf(choices: readonly string[]): Converter {
  const known: ReadonlySet<unknown> = new Set(choices)
  return {
    key: choices.toSorted().join('|'),
    width: 0,
    isPlain: false,
    expects: `one of ${choices.map((choice) => `"${choice}"`).join(', ')}`,
    parse: (text) => (known.has(text) ? text : undefined),
    format: (value) => (isText(value) && known.has(value) ? value : undefined),
  }
}

const LONGEST_INTEGER = String(Number.MAX_SAFE_INTEGER).length

function parseInteger(text: string): number | undefined {
  // The length first: a very long row of digits is refused without being read.
  if (text.length > LONGEST_INTEGER || !consistsOf(text, isDigit)) return undefined
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : undefined
}

function isNatural(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isUuid(text: string): boolean {
  if (text.length !== 36) return false
  for (let index = 0; index < 36; index++) {
    const code = text.charCodeAt(index)
    const dash = index === 8 || index === 13 || index === 18 || index === 23
    if (dash ? code !== DASH : !isHexDigit(code)) return false
  }
  return true
}

function isSlug(text: string): boolean {
  return consistsOf(text, isSlugCode)
}

function consistsOf(text: string, belongs: (code: number) => boolean): boolean {
  for (let index = 0; index < text.length; index++) {
    if (!belongs(text.charCodeAt(index))) return false
  }
  return text !== ''
}

const DASH = 0x2d
const UNDERSCORE = 0x5f

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function isHexDigit(code: number): boolean {
  const lower = code | 0x20
  return isDigit(code) || (lower >= 0x61 && lower <= 0x66)
}

function isSlugCode(code: number): boolean {
  const lower = code | 0x20
  return isDigit(code) || (lower >= 0x61 && lower <= 0x7a) || code === DASH || code === UNDERSCORE
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
