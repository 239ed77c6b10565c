import { ConfigurationError } from '../../errors/configuration-error.ts'
import type { Chosen, Field, FieldOptions, WriteValue } from '../declaration.ts'
import type { JSONSchema } from '../../types/documents.ts'
import { Refused, refused } from '../refused.ts'
import { asItIs } from '../represent.ts'
import type { JSONOutput } from '../../contract/serializer.ts'
import { fieldOf, writes } from '../field-of.ts'
import { LOST, MAX_DIGITS, TOO_LONG } from './numbers.ts'

interface DecimalOptions extends FieldOptions<string> {
  /** Digits in all. @default no limit */
  readonly maxDigits?: number
  /** Digits after the decimal point, and how many are shown. @default no limit, and as many as there are */
  readonly decimalPlaces?: number
  readonly min?: number | string
  readonly max?: number | string
  /**
   * Where rows have more places than are shown: to the nearest, and from the middle to the even digit or away from
   * zero (`halfEven`, `halfUp`); towards zero or away from it (`down`, `up`); towards less or more (`floor`,
   * `ceiling`). Input with more places is refused. @default 'halfEven'
   */
  readonly rounding?: Rounding
  /** Shown as text, so that no reader loses a digit; `false` shows a number (N42). @default true */
  readonly coerceToString?: boolean
}

type Rounding = 'halfEven' | 'halfUp' | 'down' | 'up' | 'floor' | 'ceiling'

type Raw = string | number | bigint
type Shown<O> = O extends { readonly coerceToString: false } ? number : string

/**
 * A decimal number, such as a price: a text with all its places (`"12.50"`), in rows, in answers and as
 * input. Numbers are taken where no digit was lost on their way.
 *
 * @throws ConfigurationError a limit is not a decimal number
 * @example field.decimal({ maxDigits: 8, decimalPlaces: 2 })
 */
export function decimal<const O = unknown>(
  options?: Chosen<O, DecimalOptions>,
): Field<Raw, Shown<O>, string, O> {
  const rules: DecimalOptions = options ?? {}
  const [least, most] = [rules.min, rules.max].map(toLimit)
  const show = (value: Raw): string => showDecimal(value, rules)
  const showNumber = (value: Raw) => asItIs(Number(show(value)))
  const write = writerOf(rules)
  return fieldOf('decimal', options, {
    show: (rules.coerceToString === false ? showNumber : show) as (value: Raw) => Shown<O>,
    write: writes(
      { values: write, decimal: write, float: (text, to) => write(Number(text), to) },
      '"',
    ),
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
    schema: () => schemaOf(rules),
  })
}

function schemaOf({ maxDigits, decimalPlaces, coerceToString }: DecimalOptions): JSONSchema {
  if (coerceToString === false) return { type: 'number' }
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

/** Databases mostly have the places already. */
function writerOf({ decimalPlaces, coerceToString }: DecimalOptions): WriteValue {
  if (coerceToString === false) return () => false
  const form = decimalPlaces === undefined ? ALL_PLACES : exactly(decimalPlaces)
  const factor = 10 ** (decimalPlaces ?? 0)
  const isExact = decimalPlaces !== undefined && decimalPlaces <= MOST_PLACES
  return (value, to) => {
    if (typeof value === 'number') return isExact && putUnits(value, factor, to)
    const isPlain = typeof value === 'string' && form.test(value)
    if (isPlain) to.put(value)
    return isPlain
  }
}

/** Zero has no sign. */
const ALL_PLACES = /^(?:0|-?[1-9]\d{0,400})(?:\.\d{1,400})?$/

function exactly(places: number): RegExp {
  return new RegExp(`^(?:0|-?[1-9]\\d*)${places === 0 ? '' : `\\.\\d{${places}}`}$`)
}

/** Of so many digits no two decimal numbers are one `number` (IEEE 754). */
const MOST_UNITS = 10 ** SAFE_DIGITS
const MOST_PLACES = 6

/** A number of SQLite. The quotient is rounded as the literal is: where it is the number, these are its digits. */
function putUnits(value: number, factor: number, to: JSONOutput): boolean {
  const units = Math.round(value * factor)
  const size = Math.abs(units)
  if (size >= MOST_UNITS || units / factor !== value) return false
  const whole = Math.floor(size / factor)
  if (units < 0) to.putByte(MINUS)
  to.putWhole(whole)
  if (factor === 1) return true
  const point = to.length
  // Behind the one, the fraction has all of its zeros; the point takes its place.
  to.putWhole(factor + size - whole * factor)
  to.replace(point, POINT)
  return true
}

const [MINUS, POINT] = [0x2d, 0x2e]

function showDecimal(value: Raw, rules: DecimalOptions): string {
  const text = String(value)
  if (rules.decimalPlaces !== undefined && hasPlaces(text, rules.decimalPlaces)) return text
  const number = readDecimal(text)
  if (number === null) throw new RangeError('A row holds something that is no decimal number.')
  return written(number, rules)
}

/** Databases mostly have the places already. */
function hasPlaces(text: string, places: number): boolean {
  return places > 0 && text.length > places + 1 && text.at(-places - 1) === '.' && PLAIN.test(text)
}

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

/** With exactly so many places. */
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
