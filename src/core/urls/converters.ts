import type { Converters } from '../types/routes.ts'
import { encodePath, encodeSegment, isDots } from './encoding.ts'

/** Both ways between the text of a path (decoded) and the value of a parameter. */
export interface Converter {
  /** A key that is equal for converters that match the same texts. */
  readonly key: string
  /** Narrow ones are tried first. */
  readonly width: number
  /** The form of a value, for messages: `a whole number`. */
  readonly expects: string
  /** Writes a text that `format` gave into a path; `null`: no address can carry it. */
  encode(text: string): string | null
  /** `undefined`: the text does not match. */
  parse(text: string): unknown
  /** `undefined`: no text stands for this value, or none that would match again. */
  format(value: unknown): string | undefined
}

export const CONVERTERS: Readonly<Record<keyof Converters, Converter>> = {
  int: {
    key: 'int',
    width: 1,
    expects: `a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`,
    encode: asItIs,
    parse: parseInteger,
    format: (value) =>
      Number.isSafeInteger(value) && (value as number) >= 0 ? String(value) : undefined,
  },
  uuid: {
    key: 'uuid',
    width: 2,
    expects: 'a UUID such as 123e4567-e89b-12d3-a456-426614174000',
    encode: asItIs,
    ...bothWays((text) => (UUID.test(text) ? text.toLowerCase() : undefined)),
  },
  slug: {
    key: 'slug',
    width: 3,
    expects: 'a text of letters, digits, "-" and "_" (A to Z only)',
    encode: asItIs,
    ...bothWays((text) => (/^[\w-]+$/.test(text) ? text : undefined)),
  },
  str: {
    key: 'str',
    width: 4,
    expects: 'a text that is not empty',
    encode: encodeSegment,
    // Clients take dots out of an address: no link holds them, so no client asks for them.
    parse: (text) => (text === '' || isDots(text) ? undefined : text),
    format: notEmpty,
  },
  path: {
    key: 'path',
    width: 5,
    expects: 'a text that is not empty',
    encode: encodePath,
    parse: (text) => (text === '' || text.split('/').some(isDots) ? undefined : text),
    format: notEmpty,
  },
}

/** The converter that matches only these texts. */
export function choiceOf(choices: readonly string[]): Converter {
  const known = new Set(choices)
  return {
    key: choices.toSorted().join('|'),
    width: 0,
    expects: `one of ${choices.map((choice) => `"${choice}"`).join(', ')}`,
    encode: encodeSegment,
    ...bothWays((text) => (known.has(text) ? text : undefined)),
  }
}

/** For texts that are read as they are written. */
function bothWays(
  parse: (text: string) => string | undefined,
): Pick<Converter, 'parse' | 'format'> {
  return { parse, format: (value) => (typeof value === 'string' ? parse(value) : undefined) }
}

function asItIs(text: string): string {
  return text
}

function notEmpty(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i
const LONGEST_INTEGER = String(Number.MAX_SAFE_INTEGER).length

function parseInteger(text: string): number | undefined {
  // The length is checked first, so that a very long row of digits is refused without being read.
  if (text.length > LONGEST_INTEGER || !/^\d+$/.test(text)) return undefined
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : undefined
}
