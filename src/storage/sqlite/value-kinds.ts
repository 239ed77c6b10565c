import { type OperationNode, RawNode, ValueNode } from 'kysely'
import type { Statement } from '../../core/ports/database.ts'
import type { PositionValue } from '../../core/ports/list-source.ts'
import type { Dialect, ValueKind } from '../sql/dialect.ts'
import { inParens } from '../sql/nodes.ts'
import { exactInteger, storedJSON, unfit } from '../values.ts'
import * as means from '../../resources/lists/filter-values.ts'

// SQLite stores a type with each value: a position may have any, which is compared as it was stored.
function fits(value: PositionValue): boolean {
  if (typeof value === 'number') return !Number.isNaN(value)
  if (typeof value === 'bigint') return means.integerValue(value) !== undefined
  return typeof value === 'string' || value instanceof Uint8Array
}

const STORED = { fits, list: { of: exactJSON, has: inJSON } }

const INTEGER: ValueKind = { ...STORED, meant: means.integerValue }
/** JSON cannot carry all of these numbers exactly, so lists of them take a parameter for each. */
const REAL: ValueKind = { fits, meant: means.realValue }
const TEXT: ValueKind = { ...STORED, meant: means.anyText }
const BOOLEAN: ValueKind = { ...STORED, meant: means.bitValue }
const NUMERIC: ValueKind = { ...STORED, meant: means.anyValue }
const DECIMAL: ValueKind = { ...STORED, stored: unrounded, meant: means.decimalValue }
const JSON_VALUE: ValueKind = { ...STORED, stored: storedJSON, meant: means.anyValue }
/** Milliseconds since 1970, the stored form of a `Date`. */
const MILLISECONDS: ValueKind = {
  ...STORED,
  stored: (value) => milliseconds(value) ?? value,
  meant: milliseconds,
}
const ANY: ValueKind = {
  fits,
  boundInCondition: asStored,
  boundByValue: true,
  oneOf: inEither,
  meant: means.anyValue,
}

/** A column without a type cannot tell the meaning of a text of digits, so the type of the stored value does. */
function asStored(parameter: ValueNode, column: OperationNode): OperationNode {
  if (means.decimalValue(parameter.value) === undefined) return parameter
  return RawNode.create(
    ['case typeof(', ") when 'text' then cast(", ' as text) else cast(', ' as numeric) end'],
    [column, parameter, parameter],
  )
}

/** Looks for texts among texts, and for numbers among numbers. A plus removes the affinity. */
function inEither(column: OperationNode, values: readonly unknown[]): OperationNode | null {
  const texts = exactJSON(values)
  const numbers = exactJSON(values.filter((value) => means.decimalValue(value) !== undefined))
  if (texts === null || numbers === null) return null
  return RawNode.create(
    [
      '',
      ' in (select +cast(value as text) from json_each(',
      ') union all select +cast(value as numeric) from json_each(',
      '))',
    ],
    [inParens(column), ValueNode.create(texts), ValueNode.create(numbers)],
  )
}

/**
 * Values from JSON have no affinity, like parameters, so they are compared with the affinity and the collation of the column,
 * through its index.
 */
function inJSON(column: OperationNode, list: ValueNode): OperationNode {
  return RawNode.create(['', ' in (select value from json_each(', '))'], [inParens(column), list])
}

/** JSON of texts and 64-bit integers; of other numbers SQLite may lose the last digit. */
function exactJSON(values: readonly unknown[]): string | null {
  // Most lists are of keys. JavaScript would write larger numbers with an exponent, or inexactly.
  if (values.every(Number.isSafeInteger)) return `[${values.join(',')}]`
  const isCarried = (value: unknown) =>
    typeof value === 'string' || means.integerValue(value) !== undefined
  if (!values.every(isCarried)) return null
  const items = values.map((value) =>
    typeof value === 'string' ? JSON.stringify(value) : String(value),
  )
  return `[${items.join(',')}]`
}

/** `loose`: its texts may have another collation than BINARY. `sample`: a stored point in time. */
export function kindOf({ type, loose, sample }: Parameters<Dialect['kindOf']>[0]): ValueKind {
  const kind = isPoint(type) ? pointKind(sample) : declaredKind(type)
  return loose ? { ...kind, exact: (column) => [inBinary(column), kind] } : kind
}

/** This collation overrides that of the column, and keeps its affinity. */
function inBinary(column: OperationNode): OperationNode {
  return RawNode.create(['', ' collate binary'], [column])
}

/** The kind by the rules of column affinity (https://sqlite.org/datatype3.html#determination_of_column_affinity). */
function declaredKind(type: string | null): ValueKind {
  const declared = type ?? ''
  if (declared === MOMENT) return MILLISECONDS
  if (isJSON(declared)) return JSON_VALUE
  if (declared.includes('int')) return INTEGER
  if (/char|clob|text/.test(declared)) return TEXT
  if (declared === '' || declared.includes('blob')) return ANY
  if (/real|floa|doub/.test(declared)) return REAL
  if (/^dec|^num/.test(declared)) return DECIMAL
  return declared.startsWith('bool') ? BOOLEAN : NUMERIC
}

/** The most digits of a decimal number that a floating-point number of 64 bits keeps. */
export const DIGITS = 15

/** Keeps whole numbers of 64 bits exact. @throws RangeError the number would be rounded */
function unrounded(value: unknown): unknown {
  if (typeof value !== 'string' || means.decimalValue(value) === undefined) return value
  const whole = value.replace(/\.0*$/, '')
  if (means.integerValue(whole) !== undefined) return whole
  const [digits = ''] = value.replace(/^[+-]?0*\.?0*/, '').split(/e/i)
  if (digits.replace('.', '').replace(/0+$/, '').length <= DIGITS) return value
  throw new RangeError(`SQLite keeps decimal numbers of at most ${DIGITS} digits.`)
}

/** The declared type of points in time, which means nothing to SQLite. */
export const MOMENT = 'datetime_ms'

/** The declared type of JSON: it has the affinity of texts. */
export const JSON_TEXT = 'json_text'

/** Includes the usual name `json`, with which SQLite stores number-like texts as numbers. */
export function isJSON(declared: string): boolean {
  return declared === JSON_TEXT || declared === 'json'
}

/** Does the column hold points in time as texts or numbers, in the form of the program that made the table? */
export function isPoint(declared: string | null): boolean {
  return declaredKind(declared) === NUMERIC && /^(?:datetime|timestamp)/.test(declared ?? '')
}

const POINT = /^\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d(?:\.(\d{1,6}))?((?: ?(?:Z|\+00(?::?00)?))?)$/

/** Texts are compared by character, so new ones take the form of a stored one, or of `current_timestamp`. */
function pointKind(sample: unknown): ValueKind {
  if (Number.isInteger(sample)) return pointsBy(milliseconds)
  const text = sample ?? '0000-00-00 00:00:00'
  const found = typeof text === 'string' ? POINT.exec(text) : null
  if (found === null) return NUMERIC
  const [, separator = '', fraction = '', zone = ''] = found
  // Python writes six digits, or none if all are zeros.
  const length = /^(?!0{6})\d{6}$/.test(fraction) ? 0 : fraction.length
  return pointsBy((value) => {
    const [seconds, part = ''] = means.momentValue(value)?.split('.') ?? []
    const digits = part.padEnd(6, '0')
    // All digits are kept, and zeros appear if the sample has them.
    const shown = /[1-9]/.test(digits.slice(length)) ? digits : digits.slice(0, length)
    return seconds && `${seconds.replace(' ', separator)}${shown && `.${shown}`}${zone}`
  })
}

/** Leaves a value that is not a point in time unchanged. */
function pointsBy(write: (value: unknown) => unknown): ValueKind {
  return {
    ...STORED,
    stored: (value) => write(value) ?? value,
    meant: (value) => write(value) ?? means.anyValue(value),
  }
}

/** Converts a point in time to milliseconds; a number already is one. */
function milliseconds(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'bigint') return means.integerValue(value)
  const moment = means.momentValue(value)
  return moment === undefined ? undefined : Date.parse(`${moment.replace(' ', 'T')}Z`)
}

/** The value in a form for a database without booleans and times. */
export function plainValue(value: unknown, index: number, statement: Statement): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value instanceof Date) return value.getTime()
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value))
    throw unfit(statement, index, 'a value of type object (JSON is given as JSON.stringify(value))')
  return value
}

/** Converts bigints to exact numbers, in place, because copies of the rows would cost more. */
export function withSafeNumbers(rows: unknown[][]): unknown[][] {
  for (const row of rows)
    for (let place = 0; place < row.length; place++) {
      const value = row[place]
      if (typeof value === 'bigint') row[place] = exactInteger(value)
    }
  return rows
}
