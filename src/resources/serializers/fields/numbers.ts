import type { WrittenKind } from '../../../core/ports/list-source.ts'
import type { AreKept, Chosen, Field, FieldOptions } from '../declaration.ts'
import { withLimits } from '../describe-fields.ts'
import { Refused, refused, Unshowable, asItIs } from '../refused.ts'
import { type FieldKind, kind, fieldOf } from '../field-of.ts'
import { ConfigurationError } from '../../../core/errors/configuration-error.ts'
import type { Direction, JSONSchema } from '../../../core/types/documents.ts'

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
export const integer: FieldKind<NumberOptions, number> = kind(
  'integer',
  (options: NumberOptions) => {
    const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = options
    return {
      own: ['min', 'max'],
      takesDigits: true,
      show: showWhole,
      read: readWithin(readWhole, { min, max }, Number),
      schema: (place) => withLimits(place, INTEGER, { minimum: options.min, maximum: options.max }),
    }
  },
)

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
    own: ['min', 'max', 'coerceToString'],
    takesDigits: true,
    show: (value) =>
      (options?.coerceToString ? String(wholeIn(value)) : wholeIn(value)) as Shown<O>,
    read: readWithin(readWhole, options ?? {}, BigInt),
    schema: (place) =>
      options?.coerceToString
        ? { type: 'string', pattern: '^-?[0-9]+$' }
        : withLimits(place, { type: 'integer' }, { minimum: options?.min, maximum: options?.max }),
  })
}

/**
 * A number, as exact as a `number` is; a text that writes one is taken too. NaN and infinities are not:
 * JSON has no form for them.
 *
 * @example field.float({ min: -90, max: 90 })
 */
export const float: FieldKind<NumberOptions, number> = kind('float', (options: NumberOptions) => ({
  own: ['min', 'max'],
  show: (value) => (Number.isFinite(value) ? value : floatIn(value)),
  read: readWithin(readFloat, options, Number),
  schema: (place) =>
    withLimits(
      place,
      { type: 'number', format: 'double' },
      { minimum: options.min, maximum: options.max },
    ),
}))

/** The limits are those of a `number`, which has fewer digits than the format. */
const INTEGER = { type: 'integer', format: 'int64' }

/** Drivers give the whole numbers of some columns as text or as `bigint`. */
function wholeIn(value: unknown): number | bigint {
  if (Number.isInteger(value)) return value as number
  const whole = readWhole(value)
  if (!(whole instanceof Refused)) return whole
  throw new Unshowable('A row holds something that is no whole number.')
}

/** JSON has all digits of a `bigint`, so an integer that is too large for a `number` stays one. */
const showWhole = Object.assign(
  (value: unknown): number => {
    const whole = wholeIn(value)
    const number = Number(whole)
    return typeof whole === 'number' || Number.isSafeInteger(number) ? number : (whole as never)
  },
  { keeps: 'number' as const },
)

function floatIn(value: unknown): number {
  const number = readFloat(value)
  if (typeof number === 'number') return number
  throw new Unshowable('A row holds something that is no number.')
}

/** Longer texts are not read: the time that digits take grows faster than their number. */
const MAX_DIGITS = 1000
export const TOO_LONG: Refused = refused('max_string_length')
const NOT_WHOLE = refused('invalid.integer')
const LOST: Refused = refused('invalid.precision')
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

interface DecimalOptions extends FieldOptions<string> {
  /** Digits in all. @default no limit */
  readonly maxDigits?: number
  /** Digits after the decimal point, and how many are shown. @default no limit, and as many as there are */
  readonly decimalPlaces?: number
  readonly min?: number | string
  readonly max?: number | string
  /**
   * The rounding of rows with more places than are shown: to the nearest, and from the middle to the even digit or away from
   * zero (`halfEven`, `halfUp`); towards zero or away from it (`down`, `up`); towards less or more (`floor`, `ceiling`). Input
   * with more places is refused. @default 'halfEven'
   */
  readonly rounding?: Rounding
  /** Shown as text, so that no reader loses a digit; `false` shows a number (N42). @default true */
  readonly coerceToString?: boolean
}

type Rounding = 'halfEven' | 'halfUp' | 'down' | 'up' | 'floor' | 'ceiling'

type Raw = string | number | bigint
/** Rows of Prisma have objects of a library: `toFixed()` writes all digits out. */
type RawDecimal = Raw | { toFixed(): string }
type DecimalShown<O> = O extends { readonly coerceToString: false } ? number : string

/**
 * A decimal number, such as a price: a text with all its places (`"12.50"`), in rows, in answers and as
 * input. Numbers are taken where no digit was lost on their way.
 *
 * @throws ConfigurationError a limit is not a decimal number
 * @example field.decimal({ maxDigits: 8, decimalPlaces: 2 })
 */
export function decimal<const O = unknown>(
  options?: Chosen<O, DecimalOptions>,
): Field<RawDecimal, DecimalShown<O>, string, O> {
  const rules: DecimalOptions = options ?? {}
  const [least, most] = [rules.min, rules.max].map(toLimit)
  const show = (value: RawDecimal): string => showDecimal(value, rules)
  const showNumber = (value: RawDecimal) => asItIs(Number(show(value)))
  return fieldOf('decimal', options, {
    own: ['maxDigits', 'decimalPlaces', 'min', 'max', 'rounding', 'coerceToString'],
    show: (rules.coerceToString === false ? showNumber : show) as (
      value: RawDecimal,
    ) => DecimalShown<O>,
    ...(rules.coerceToString !== false && { keepsBytes: havePlaces(rules) }),
    takesDigits: true,
    meansNull: (value) => typeof value === 'string' && value.trim() === '',
    read(value) {
      const number = readValue(value)
      if (number instanceof Refused) return number
      const refusal = precisionProblem(number, rules)
      if (refusal !== null) return refusal
      if (least && isLess(number, least)) return refused('min_value', { limit: rules.min! })
      if (most && isLess(most, number)) return refused('max_value', { limit: rules.max! })
      return written(number, rules)
    },
    schema: ({ direction }) => schemaOf(rules, direction),
  })
}

function schemaOf(rules: DecimalOptions, direction: Direction): JSONSchema {
  if (rules.coerceToString === false) return { type: 'number' }
  const { maxDigits, decimalPlaces }: DecimalOptions = direction === 'output' ? {} : rules
  const whole =
    maxDigits === undefined ? '+' : `{1,${Math.max(1, maxDigits - (decimalPlaces ?? 0))}}`
  const places = decimalPlaces ?? maxDigits
  const fraction = places === 0 ? '' : `(\\.[0-9]{1,${places ?? ''}})?`
  return { type: 'string', format: 'decimal', pattern: `^-?[0-9]${whole}${fraction}$` }
}

const INVALID = refused('invalid.decimal')

/** A `number` with more digits than these may stand for another that was sent (IEEE 754). */
const SAFE_DIGITS = 15

function readValue(value: unknown): Decimal | Refused {
  if (typeof value !== 'string' && typeof value !== 'bigint' && typeof value !== 'number')
    return INVALID
  const text = String(value)
  if (text.length > MAX_DIGITS) return TOO_LONG
  return typeof value === 'number' && hasLost(text) ? LOST : (readDecimal(text.trim()) ?? INVALID)
}

function hasLost(text: string): boolean {
  return text.replace(/^-?0?\.?0*|\.|e.*$/g, '').length > SAFE_DIGITS
}

function written(number: Decimal, { decimalPlaces, rounding }: DecimalOptions): string {
  if (decimalPlaces === undefined) return writeDecimal(number)
  return writeDecimal(quantized(number, decimalPlaces, rounding))
}

/** Two different decimal numbers of so many digits are never the same `number` (IEEE 754). */
const MOST_UNITS = 10 ** SAFE_DIGITS
const MOST_PLACES = 6

/**
 * A number of SQLite. Its quotient is rounded as the literal is: where it is the number, these are its digits.
 * `null`: they have to be read.
 */
function inUnits(value: number, places: number = Infinity): string | null {
  if (places > MOST_PLACES) return null
  const factor = 10 ** places
  const units = Math.round(value * factor)
  const isExact = Math.abs(units) < MOST_UNITS && units / factor === value
  return isExact ? value.toFixed(places) : null
}

function showDecimal(value: RawDecimal, rules: DecimalOptions): string {
  const known = typeof value === 'number' ? inUnits(value, rules.decimalPlaces) : null
  if (known !== null) return known
  const text = typeof value === 'object' && 'toFixed' in value ? value.toFixed() : String(value)
  if (rules.decimalPlaces !== undefined && hasPlaces(text, rules.decimalPlaces)) return text
  const number = readDecimal(text)
  if (number === null) throw new RangeError('A row holds something that is no decimal number.')
  return written(number, rules)
}

/** Databases mostly have the places already. */
function hasPlaces(text: string, places: number): boolean {
  return places > 0 && text.length > places + 1 && text.at(-places - 1) === '.' && PLAIN.test(text)
}

/** The check for columns of decimals, in which only numbers begin with a digit. */
function havePlaces({
  decimalPlaces = 0,
}: DecimalOptions): (column: WrittenKind) => AreKept | null {
  const areKept: AreKept = (bytes, from, end) =>
    end - from > decimalPlaces + 1 &&
    bytes[end - decimalPlaces - 1] === POINT &&
    bytes[from]! >= ZERO &&
    bytes[from]! <= NINE
  return (column) => (column === 'decimal' && decimalPlaces > 0 ? areKept : null)
}

const [POINT, ZERO, NINE] = [0x2e, 0x30, 0x39]

const PLAIN = /^(?:[1-9]\d*|0)\.\d+$/

function precisionProblem(
  { units, places }: Decimal,
  { maxDigits = Infinity, decimalPlaces = Infinity }: DecimalOptions,
): Refused | null {
  const digits = units === 0n ? 0 : String(units < 0n ? -units : units).length
  const whole = Math.max(digits - places, 0)
  if (whole + places > maxDigits) return refused('max_digits', { count: maxDigits })
  if (places > decimalPlaces) return refused('max_decimal_places', { count: decimalPlaces })
  const mostWhole = decimalPlaces === Infinity ? Infinity : maxDigits - decimalPlaces
  return whole > mostWhole ? refused('max_whole_digits', { count: mostWhole }) : null
}

function toLimit(value: number | string | undefined): Decimal | null {
  if (value === undefined) return null
  const limit = readDecimal(String(value))
  if (limit === null) throw new ConfigurationError(`"${value}" is no limit of decimal numbers.`)
  return limit
}

/** `units / 10 ** places`: all digits, as one whole number. */
interface Decimal {
  readonly units: bigint
  readonly places: number
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,4}))?$/i

/** The number that a text writes; `null`: none, or one of more than a thousand digits. */
function readDecimal(text: string): Decimal | null {
  const found = text.length > MAX_DIGITS ? null : DECIMAL.exec(text)
  if (found === null) return null
  const [, sign = '', whole = '', fraction = '', power = '0'] = found
  const digits = whole + fraction
  if (digits === '' || Math.abs(Number(power)) > MAX_DIGITS) return null
  const units = BigInt(sign === '-' ? `-${digits}` : digits)
  const places = fraction.length - Number(power)
  return places < 0 ? { units: units * 10n ** BigInt(-places), places: 0 } : { units, places }
}

/** The number with exactly so many places. */
function quantized(
  { units, places }: Decimal,
  wanted: number,
  rounding: Rounding = 'halfEven',
): Decimal {
  if (places <= wanted) return { units: units * 10n ** BigInt(wanted - places), places: wanted }
  const divisor = 10n ** BigInt(places - wanted)
  const [quotient, rest] = [units / divisor, units % divisor]
  const sign = units < 0n ? -1n : 1n
  const isAway =
    rest !== 0n && AWAY[rounding]({ sign, twice: 2n * rest * sign - divisor, quotient })
  return { units: isAway ? quotient + sign : quotient, places: wanted }
}

interface Between {
  readonly sign: bigint
  /** Less than zero: nearer to the quotient. Zero: in the middle. */
  readonly twice: bigint
  readonly quotient: bigint
}

/** Does what lies between two go to the one that is farther from zero? */
const AWAY: Readonly<Record<Rounding, (between: Between) => boolean>> = {
  halfEven: ({ twice, quotient }) => twice > 0n || (twice === 0n && quotient % 2n !== 0n),
  halfUp: ({ twice }) => twice >= 0n,
  down: () => false,
  up: () => true,
  floor: ({ sign }) => sign < 0n,
  ceiling: ({ sign }) => sign > 0n,
}

/** `-12.50`; zero has no sign. */
function writeDecimal({ units, places }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0')
  const point = digits.length - places
  const fraction = places === 0 ? '' : `.${digits.slice(point)}`
  return `${units < 0n ? '-' : ''}${digits.slice(0, point)}${fraction}`
}

function isLess(first: Decimal, second: Decimal): boolean {
  const places = Math.max(first.places, second.places)
  return quantized(first, places).units < quantized(second, places).units
}
