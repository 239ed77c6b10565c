import { ConfigurationError } from '../../errors/configuration-error.ts'
import { ErrorDetail } from '../../errors/detail.ts'
import type { Chosen, Field, FieldFacts, FieldOptions } from '../declaration.ts'
import {
  type Decimal,
  MAX_DIGITS,
  compareDecimals,
  digitsOf,
  quantized,
  readDecimal,
  writeDecimal,
} from '../decimal.ts'
import { Refused, refused } from '../refused.ts'
import { asItIs } from '../unshowable.ts'
import { fieldOf } from './field-of.ts'

/** What a decimal number may be. */
export interface DecimalOptions extends FieldOptions<string> {
  /** Digits in all. @default no limit */
  readonly maxDigits?: number
  /** Digits behind the point, and how many are shown. @default no limit, and as many as there are */
  readonly decimalPlaces?: number
  readonly min?: number | string
  readonly max?: number | string
  /** Shown as text, so that no reader loses a digit; `false` shows a number (N42). @default true */
  readonly coerceToString?: boolean
}

type Shown<O> = O extends { readonly coerceToString: false } ? number : string

/**
 * A decimal number, such as a price: a text with all its places (`"12.50"`), in rows, in answers and as
 * input. Numbers are taken where no digit was lost on their way.
 *
 * @example field.decimal({ maxDigits: 8, decimalPlaces: 2 })
 */
export function decimal<const O = unknown>(
  options?: Chosen<O, DecimalOptions>,
): Field<string | number | bigint, Shown<O>, string, O> {
  const rules: DecimalOptions = options ?? {}
  const complaintAbout = limitsOf(rules)
  const show = (value: string | number | bigint): string => showDecimal(value, rules)
  return fieldOf<string | number | bigint, Shown<O>, string, O>(
    {
      type: 'decimal',
      show: (rules.coerceToString === false ? (value) => asItIs(Number(show(value))) : show) as (
        value: string | number | bigint,
      ) => Shown<O>,
      takesDigits: true,
      read(value) {
        const read = readValue(value)
        if (read instanceof Refused) return read
        const complaint = precisionComplaint(read, rules) ?? complaintAbout(read)
        return complaint === null ? written(read, rules.decimalPlaces) : new Refused([complaint])
      },
      facts: () => factsOf(rules),
    },
    options,
  )
}

const INVALID = refused('invalid.decimal')
const TOO_LONG = refused('max_string_length')
const LOST = refused('invalid.precision')

/** Of a number with more digits than these, nobody knows which were sent (IEEE 754). */
const SAFE_DIGITS = 15

function readValue(value: unknown): Decimal | Refused {
  if (typeof value === 'number') return fromNumber(value)
  if (typeof value !== 'string' && typeof value !== 'bigint') return INVALID
  const text = String(value)
  return text.length > MAX_DIGITS ? TOO_LONG : (readDecimal(text.trim()) ?? INVALID)
}

function fromNumber(value: number): Decimal | Refused {
  const text = String(value)
  const [digits = ''] = text
    .replace(/^-?0?\.?0*/, '')
    .replace('.', '')
    .split('e')
  return digits.length > SAFE_DIGITS ? LOST : (readDecimal(text) ?? INVALID)
}

function written(read: Decimal, decimalPlaces: number | undefined): string {
  return writeDecimal(decimalPlaces === undefined ? read : quantized(read, decimalPlaces))
}

function showDecimal(value: string | number | bigint, { decimalPlaces }: DecimalOptions): string {
  const text = String(value)
  if (decimalPlaces !== undefined && hasPlaces(text, decimalPlaces)) return text
  const read = readDecimal(text)
  if (read === null) throw new RangeError('A row holds something that is no decimal number.')
  return written(read, decimalPlaces)
}

/** Databases mostly have the places already. */
function hasPlaces(text: string, places: number): boolean {
  return places > 0 && text.length > places + 1 && text.at(-places - 1) === '.' && PLAIN.test(text)
}

const PLAIN = /^(?:[1-9]\d*|0)\.\d+$/

/** The first rule of the three that is broken: digits in all, behind the point, before it. */
function precisionComplaint(
  read: Decimal,
  { maxDigits = Infinity, decimalPlaces = Infinity }: DecimalOptions,
): ErrorDetail | null {
  const { whole, places } = digitsOf(read)
  if (whole + places > maxDigits) return ErrorDetail.of('max_digits', { count: maxDigits })
  if (places > decimalPlaces) {
    return ErrorDetail.of('max_decimal_places', { count: decimalPlaces })
  }
  const wholeDigits = decimalPlaces === Infinity ? Infinity : maxDigits - decimalPlaces
  return whole > wholeDigits ? ErrorDetail.of('max_whole_digits', { count: wholeDigits }) : null
}

function limitsOf({ min, max }: DecimalOptions): (read: Decimal) => ErrorDetail | null {
  const [least, most] = [limit(min), limit(max)]
  return (read) => {
    if (min !== undefined && compareDecimals(read, least!) < 0)
      return ErrorDetail.of('min_value', { limit: min })
    if (max !== undefined && compareDecimals(read, most!) > 0)
      return ErrorDetail.of('max_value', { limit: max })
    return null
  }
}

function limit(value: number | string | undefined): Decimal | null {
  if (value === undefined) return null
  const read = readDecimal(String(value))
  if (read === null) throw new ConfigurationError(`"${value}" is no limit of decimal numbers.`)
  return read
}

function factsOf({ maxDigits, decimalPlaces, min, max }: DecimalOptions): FieldFacts {
  return {
    ...(maxDigits === undefined ? {} : { max_digits: maxDigits }),
    ...(decimalPlaces === undefined ? {} : { decimal_places: decimalPlaces }),
    ...(min === undefined ? {} : { min_value: min }),
    ...(max === undefined ? {} : { max_value: max }),
  }
}
