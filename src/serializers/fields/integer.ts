import type { Chosen, Field, FieldFacts, FieldOptions } from '../declaration.ts'
import { Refused, refused } from '../refused.ts'
import { fieldOf } from './field-of.ts'

/** What a whole number may be. */
export interface IntegerOptions extends FieldOptions<number> {
  readonly min?: number
  readonly max?: number
}

/**
 * A whole number that a `number` holds exactly: from −(2^53 − 1) to 2^53 − 1. Digits in a text are
 * taken, also with zeros behind a point. Larger ones are for `field.bigInteger`.
 *
 * @example field.integer({ min: 1 })
 */
export function integer<const O = unknown>(
  options?: Chosen<O, IntegerOptions>,
): Field<number, number, number, O> {
  const { min, max } = (options ?? {}) as IntegerOptions
  const range = rangeOf(min ?? Number.MIN_SAFE_INTEGER, max ?? Number.MAX_SAFE_INTEGER)
  return fieldOf<number, number, number, O>(
    {
      type: 'integer',
      takesDigits: true,
      read(value) {
        const read = readWhole(value)
        return read instanceof Refused ? read : (range(read) ?? Number(read))
      },
      facts: () => limitsOf(min, max),
    },
    options,
  )
}

/** What a whole number of any size may be. */
export interface BigIntegerOptions extends FieldOptions<bigint> {
  readonly min?: bigint | number
  readonly max?: bigint | number
}

/**
 * A whole number of any size, such as a 64-bit key: no digit is lost on the way in or out. JSON shows
 * all digits; for readers that cannot hold them, `coerceToString` shows a text.
 *
 * @example field.bigInteger({ coerceToString: true })
 */
export function bigInteger<const O = unknown>(
  options?: Chosen<O, BigIntegerOptions & { readonly coerceToString?: boolean }>,
): Field<
  number | bigint,
  O extends { readonly coerceToString: true } ? string : number | bigint,
  bigint,
  O
> {
  const { min, max, coerceToString } = (options ?? {}) as BigIntegerOptions & {
    readonly coerceToString?: boolean
  }
  const range = rangeOf(min, max)
  type Shown = O extends { readonly coerceToString: true } ? string : number | bigint
  return fieldOf<number | bigint, Shown, bigint, O>(
    {
      type: 'integer',
      takesDigits: true,
      show: coerceToString ? (value) => String(value) as Shown : null,
      read(value) {
        const read = readWhole(value)
        return read instanceof Refused ? read : (range(read) ?? read)
      },
      facts: () => limitsOf(min, max),
    },
    options,
  )
}

const INVALID = refused('invalid.integer')
const LOST = refused('invalid.precision')
const TOO_LONG = refused('max_string_length')

/** As many as anybody needs: reading digits costs more than their number. */
const MAX_DIGITS = 1000
const WHOLE = /^([+-]?\d+)(?:\.0*)?$/

/** The whole number that a value is or writes out. */
function readWhole(value: unknown): bigint | Refused {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return fromNumber(value)
  if (typeof value !== 'string') return INVALID
  if (value.length > MAX_DIGITS) return TOO_LONG
  const digits = WHOLE.exec(value.trim())?.[1]
  return digits === undefined ? INVALID : BigInt(digits.replace('+', ''))
}

/** From 2^53 on neighbours are one number, and nobody knows which of them was meant. */
function fromNumber(value: number): bigint | Refused {
  if (!Number.isInteger(value)) return INVALID
  return Number.isSafeInteger(value) ? BigInt(value) : LOST
}

type Limit = bigint | number | undefined

function rangeOf(min: Limit, max: Limit): (value: bigint) => Refused | null {
  const small = min === undefined ? null : refused('min_value', { limit: min })
  const large = max === undefined ? null : refused('max_value', { limit: max })
  return (value) => {
    if (min !== undefined && value < min) return small
    return max !== undefined && value > max ? large : null
  }
}

function limitsOf(min: Limit, max: Limit): FieldFacts {
  return {
    ...(min === undefined ? {} : { min_value: toFact(min) }),
    ...(max === undefined ? {} : { max_value: toFact(max) }),
  }
}

/** OPTIONS is JSON for everybody: a number where it is exact, else its digits. */
function toFact(limit: bigint | number): number | string {
  const number = Number(limit)
  return typeof limit === 'number' || Number.isSafeInteger(number) ? number : String(limit)
}
