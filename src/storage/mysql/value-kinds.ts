import { type OperationNode, RawNode, ValueNode } from 'kysely'
import type { WrittenColumn } from '../../core/ports/list-source.ts'
import { withExactText } from '../../core/std/exact-date.ts'
import type { Dialect, ValueKind } from '../sql/dialect.ts'
import { call, cast, inParens, filledUp, operation } from '../sql/nodes.ts'
import * as means from '../../resources/lists/filter-values.ts'
import { storedJSON } from '../values.ts'

// MySQL and MariaDB make 0 of a text that is no number, and may compare numbers with texts as floating
// point numbers: so everything but texts is cast to the type of the column. A list is not put into one
// parameter: with the type and collation that JSON_TABLE gives, an index is used for joining at best, and
// the two differ in it.

type Fits = ValueKind['fits']

const isText: Fits = (value) => typeof value === 'string'
const casting = (type: string) => (node: OperationNode) => cast(node, type)
const written = casting('char')

/** Integers of columns without a sign, which go up to 2^64. */
function wide(value: unknown): number | bigint | undefined {
  const isLong = typeof value === 'string' && /^\+?\d{19,20}$/.test(value)
  const whole: unknown = isLong ? BigInt(value.replace('+', '')) : value
  const isBeyond = typeof whole === 'bigint' && whole >= 2n ** 63n && whole < 2n ** 64n
  return isBeyond ? whole : means.integerValue(whole)
}

function integers(type: 'signed' | 'unsigned'): ValueKind {
  const meant = type === 'signed' ? means.integerValue : wide
  const fits: Fits = (value) => !isText(value) && meant(value) !== undefined
  return { fits, bound: casting(type), meant }
}

/** Decimals have as many digits behind the point as the column, so that as many as possible are left before it. */
function decimals(scale: number): ValueKind {
  return {
    read: written,
    fits: (value) => isText(value) && means.decimalValue(value) !== undefined,
    bound: casting(decimalType(scale)),
    boundInCondition: (parameter, _column, values) =>
      cast(parameter, decimalType(scaleFor(scale, values))),
    boundByValue: true,
    meant: means.decimalValue,
  }
}

function decimalType(scale: number): string {
  return `decimal(65, ${Math.min(scale, MOST_PLACES)})`
}

const MOST_PLACES = 30

/**
 * The places of a cast: those of the column, if they are enough. Clients send any number, and each scale is another text of
 * SQL.
 */
function scaleFor(scale: number, values: readonly unknown[]): number {
  const numbers = values.map((value) => /^[+-]?0*(\d*)\.?(\d*)(e?)/i.exec(String(value))!)
  const places = numbers.map(([, , behind, isPower]) => (isPower ? MOST_PLACES : behind!.length))
  if (Math.max(...places) <= scale) return scale
  // Digits before the point come first.
  const whole = Math.max(...numbers.map(([, before]) => before!.length))
  return Math.max(scale, Math.min(MOST_PLACES, 65 - whole))
}

function points(type: string, meant: (value: unknown) => string | undefined): ValueKind {
  return {
    read: written,
    // A zero date is no day that exists, so only the form is checked.
    fits: (value) => typeof value === 'string' && /^-?[\d:. -]{1,40}$/.test(value),
    bound: casting(type),
    meant,
  }
}

/**
 * Texts of all character sets as bytes of one: collations take capitals, accents and spaces at the end for the same, bytes
 * do not.
 */
const asBytes = (node: OperationNode): OperationNode =>
  RawNode.create(['cast(convert(', ' using utf8mb4) as binary)'], [node])
const BYTES_OF_TEXT: ValueKind = { fits: isText, bound: asBytes, meant: means.anyText }
const EXACT: Pick<ValueKind, 'exact'> = { exact: (column) => [asBytes(column), BYTES_OF_TEXT] }

const TEXT: ValueKind = { ...EXACT, fits: isText, oneOf: inComparisons, meant: means.anyText }
const OTHER: ValueKind = {
  fits: isText,
  oneOf: inComparisons,
  read: written,
  takesObjects: true,
  meant: means.anyValue,
}
/** The `T` and the `Z` of ISO 8601 are not known here. */
const MOMENT: ValueKind = {
  ...points('datetime(6)', means.momentValue),
  stored: (value) => (typeof value === 'string' ? means.momentValue(value) : undefined) ?? value,
}

/** Values that are ordered as numbers, but are bytes or texts in the rows. */
const NUMBERED: ValueKind = {
  ...integers('unsigned'),
  ordered: (column) => operation(column, '+', RawNode.createWithSql('0')),
  read: (ordered) => ordered,
}

/** Values that are numbers in an order, and texts in a comparison with a text. */
const CHOICE: ValueKind = {
  ...NUMBERED,
  ...EXACT,
  boundInCondition: (parameter) => parameter,
  oneOf: inComparisons,
  meant: means.anyText,
}

const DOUBLE: ValueKind = {
  fits: (value) => typeof value === 'number' && Number.isFinite(value),
  meant: means.realValue,
}

const KINDS: ReadonlyMap<string, ValueKind> = new Map<string, ValueKind>([
  ['boolean', { ...integers('signed'), meant: means.bitValue }],
  ['integer', integers('signed')],
  ['integer unsigned', integers('unsigned')],
  // A FLOAT as text has six digits.
  ['float', { ...DOUBLE, read: casting('double') }],
  ['double', DOUBLE],
  ['bit', NUMBERED],
  ['enum', CHOICE],
  ['set', CHOICE],
  ['datetime', MOMENT],
  ['timestamp', MOMENT],
  ['date', points('date', means.dayValue)],
  ['time', points('time(6)', means.timeValue)],
  ['text', TEXT],
  ['bytes', { fits: (value) => value instanceof Uint8Array, meant: means.bytesValue }],
  ['uuid', { fits: isText, meant: means.uuidValue }],
  ['json', { ...OTHER, stored: storedJSON }],
])

/** By the names that the store gives to the types. */
export function kindOf({ type, scale = 0, sortable }: Parameters<Dialect['kindOf']>[0]): ValueKind {
  const kind = type === 'decimal' ? decimals(scale) : (KINDS.get(type ?? '') ?? OTHER)
  return sortable === undefined ? kind : byBeginning(kind, sortable, type === 'bytes')
}

/** Rows are sorted by the beginning of a text, so they are compared by it, too; the rest of the order decides ties. */
function byBeginning(kind: ValueKind, length: number, isBytes: boolean): ValueKind {
  const hash = (column: OperationNode) => call('sha2', column, ValueNode.createImmediate(256))
  return {
    ...kind,
    ordered: (column) => call('left', column, ValueNode.createImmediate(length)),
    read: (ordered) => ordered,
    apart: isBytes ? (column) => call('unhex', hash(column)) : hash,
  }
}

/**
 * Compares the column with each value alone. In one list, a value that the character set of the column does not have is an
 * error (1270); alone, it is compared in a character set that has both. The ranges that are read are the same.
 */
function inComparisons(column: OperationNode, values: readonly unknown[]): OperationNode {
  const sides = filledUp(values).flatMap((value) => [inParens(column), ValueNode.create(value)])
  const between = sides.slice(1).map((_, i) => (i % 2 === 0 ? ' = ' : ' or '))
  return RawNode.create(['(', ...between, ')'], sides)
}

// The driver gives types by number, and values of some of them as texts.

/** A column of a result. */
export interface MysqlColumn {
  readonly name: string
  readonly columnType?: number
  readonly columnLength?: number
  readonly characterSet?: number
  readonly decimals?: number
  /** Names of them, where an option of the driver asks for names. */
  readonly flags?: number | string[]
  /** The table or view behind all aliases; empty where the column is computed. */
  readonly orgTable?: string
  readonly schema?: string
  /** MariaDB's name for a type that otherwise looks like a text: `uuid`, `inet6`. */
  readonly extendedTypeName?: string
  /** MariaDB's name for `json`. */
  readonly extendedFormat?: string
}

const JSON_TYPE = 245

export function isJSON({ columnType, extendedFormat }: MysqlColumn): boolean {
  return columnType === JSON_TYPE || extendedFormat === 'json'
}

const TIMESTAMP = 7
const DATE = 10
const DATETIME = 12
const DECIMAL = 246

const WRITTEN_MOMENT: WrittenColumn = { kind: 'moment', read: momentOf }

const WRITTEN: ReadonlyMap<number | undefined, WrittenColumn> = new Map([
  [TIMESTAMP, WRITTEN_MOMENT],
  [DATETIME, WRITTEN_MOMENT],
  [DATE, { kind: 'date', read: dateOf }],
  [DECIMAL, { kind: 'decimal', read: String }],
])

export function writtenColumn(type: number | undefined): WrittenColumn | null {
  return WRITTEN.get(type) ?? null
}

/** With its microseconds. */
function momentOf(text: string): Date {
  const date = dateOf(text)
  const digits = text.slice(20)
  const isExact = /^\d{3}0*$|^\d{0,2}$/.test(digits) || Number.isNaN(date.getTime())
  return isExact ? date : withExactText(date, text)
}

/** In UTC, as the driver makes it, but for the years before 100: a month or day of 0 is that before the first. */
function dateOf(text: string): Date {
  const part = (from: number, to: number): number => Number(text.slice(from, to))
  const [year, month, day] = [part(0, 4), part(5, 7), part(8, 10)]
  const clock = [part(11, 13), part(14, 16), part(17, 19), part(20, 23)] as const
  const isZero = year + month + day + clock[0] + clock[1] + clock[2] === 0
  if (isZero) return new Date(Number.NaN)
  if (year > 99) return new Date(Date.UTC(year, month - 1, day, ...clock))
  // `Date.UTC` takes them for years of the last century; 400 years later the calendar is the same.
  const later = new Date(Date.UTC(year + CYCLE, month - 1, day, ...clock))
  later.setUTCFullYear(later.getUTCFullYear() - CYCLE)
  return later
}

/** Years. */
const CYCLE = 400
