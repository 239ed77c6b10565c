import type { Chosen, Field, FieldOptions, WriteValue } from '../declaration.ts'
import { limited } from '../describe-fields.ts'
import { Refused, refused } from '../refused.ts'
import { Unshowable } from '../represent.ts'
import { type Kind, asText, kind, fieldOf, writes } from '../field-of.ts'

export interface NumberOptions extends FieldOptions<number> {
  readonly min?: number
  readonly max?: number
}

/**
 * A whole number that a `number` holds exactly: from −(2^53 − 1) to 2^53 − 1. Digits in a text are
 * taken, also with zeros behind a point. Larger ones are for `field.bigInteger`.
 *
 * @example field.integer({ min: 1 })
 */
export const integer: Kind<NumberOptions, number> = kind('integer', (options: NumberOptions) => {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = options
  return {
    takesDigits: true,
    show: showWhole,
    write: writes({ values: writeWhole, integer: writeDigits }),
    read: readWithin(readWhole, { min, max }, Number),
    schema: (place) => limited(place, INTEGER, { minimum: options.min, maximum: options.max }),
  }
})

interface BigIntegerOptions extends FieldOptions<bigint> {
  readonly min?: bigint | number
  readonly max?: bigint | number
  /** Shown as text, for clients that would lose digits of a number. @default false */
  readonly coerceToString?: boolean
}

type Shown<O> = O extends { readonly coerceToString: true } ? string : number | bigint

/**
 * A whole number of any size, such as a 64-bit key: no digit is lost on the way in or out. JSON shows
 * all digits; for readers that cannot hold them, `coerceToString` shows a text.
 *
 * @example field.bigInteger({ coerceToString: true })
 */
export function bigInteger<const O = unknown>(
  options?: Chosen<O, BigIntegerOptions>,
): Field<number | bigint, Shown<O>, bigint, O> {
  return fieldOf('integer', options, {
    takesDigits: true,
    show: (value) =>
      (options?.coerceToString ? String(wholeIn(value)) : wholeIn(value)) as Shown<O>,
    write: writes({ values: writeWhole, integer: writeDigits }, options?.coerceToString ? '"' : ''),
    read: readWithin(readWhole, options ?? {}, BigInt),
    schema: (place) =>
      options?.coerceToString
        ? { type: 'string', pattern: '^-?[0-9]+$' }
        : limited(place, { type: 'integer' }, { minimum: options?.min, maximum: options?.max }),
  })
}

/**
 * A number, as exact as a `number` is; a text that writes one is taken too. NaN and infinities are not:
 * JSON has no form for them.
 *
 * @example field.float({ min: -90, max: 90 })
 */
export const float: Kind<NumberOptions, number> = kind('float', (options: NumberOptions) => ({
  show: (value) => (Number.isFinite(value) ? value : floatIn(value)),
  write: writes({ values: writeFloat, float: (text, to) => writeFloat(Number(text), to) }),
  read: readWithin(readFloat, options, Number),
  schema: (place) =>
    limited(
      place,
      { type: 'number', format: 'double' },
      { minimum: options.min, maximum: options.max },
    ),
}))

/** As many digits as a `number` holds are fewer than those of the format. */
const INTEGER = { type: 'integer', format: 'int64' }

/** A `bigint` that says itself how JSON writes it is shown first. */
const writeWhole: WriteValue = (value, to) => {
  if (Number.isInteger(value)) to.putWhole(value as number)
  else if (typeof value === 'bigint' && !('toJSON' in BigInt.prototype)) to.put(`${value}`)
  else return false
  return true
}

/** MySQL fills some columns up with zeros. */
const writeDigits: WriteValue = (value, to) => {
  const digits = value as string
  const first = digits.charCodeAt(digits.startsWith('-') ? 1 : 0)
  const isPlain = (first > ZERO && first <= NINE) || digits === '0'
  if (isPlain) to.put(digits)
  return isPlain
}

const ZERO = 48
const NINE = 57

const writeFloat = asText((value) => (Number.isFinite(value) ? `${value as number}` : null))

/** Drivers give the whole numbers of some columns as text or as `bigint`. */
function wholeIn(value: unknown): number | bigint {
  if (Number.isInteger(value)) return value as number
  const whole = readWhole(value)
  if (!(whole instanceof Refused)) return whole
  throw new Unshowable('A row holds something that is no whole number.')
}

/** JSON has all digits of a `bigint`, so what is too large for a `number` stays one. */
function showWhole(value: unknown): number {
  const whole = wholeIn(value)
  const number = Number(whole)
  return typeof whole === 'number' || Number.isSafeInteger(number) ? number : (whole as never)
}

function floatIn(value: unknown): number {
  const number = readFloat(value)
  if (typeof number === 'number') return number
  throw new Unshowable('A row holds something that is no number.')
}

/** Longer texts are not read: the time that digits take grows faster than their number. */
export const MAX_DIGITS = 1000
export const TOO_LONG: Refused = refused('max_string_length')
const NOT_WHOLE = refused('invalid.integer')
export const LOST: Refused = refused('invalid.precision')
const NO_NUMBER = refused('invalid.number')
const WHOLE = /^([+-]?\d+)(?:\.0*)?$/
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

/** The whole number that a value is or writes out. From 2^53 on, a `number` may mean a neighbour. */
function readWhole(value: unknown): bigint | Refused {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number' && Number.isInteger(value))
    return Number.isSafeInteger(value) ? BigInt(value) : LOST
  if (typeof value !== 'string') return NOT_WHOLE
  if (value.length > MAX_DIGITS) return TOO_LONG
  const digits = WHOLE.exec(value.trim())?.[1]
  return digits === undefined ? NOT_WHOLE : BigInt(digits.replace('+', ''))
}

function readFloat(value: unknown): number | Refused {
  if (typeof value === 'string' && value.length > MAX_DIGITS) return TOO_LONG
  const isNumber =
    typeof value === 'string'
      ? NUMBER.test(value.trim())
      : typeof value === 'number' || typeof value === 'bigint'
  return isNumber && Number.isFinite(Number(value)) ? Number(value) : NO_NUMBER
}

export function readWithin<N extends bigint | number, Given>(
  read: (value: unknown) => N | Refused,
  { min, max }: Pick<BigIntegerOptions, 'min' | 'max'>,
  give: (number: N) => Given,
): (value: unknown) => Given | Refused {
  return (value) => {
    const number = read(value)
    if (number instanceof Refused) return number
    if (min !== undefined && number < min) return refused('min_value', { limit: min })
    return max !== undefined && number > max ? refused('max_value', { limit: max }) : give(number)
  }
}
