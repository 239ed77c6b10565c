// A column of Drizzle: its name in the database, and the conversion between its values and those of the driver.
import { Column, type SQL, is, noopDecoder } from 'drizzle-orm'
import type { SelectQueryNode } from 'kysely'
import type { FilterOperator, WrittenColumn } from '../../core/ports/list-source.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { type MaybePromise, after } from '../../core/std/after.ts'
import { exactTextOf } from '../../core/std/exact-date.ts'
import { keptIn } from '../../core/std/once.ts'
import { bitValue, momentValue, realValue } from '../../resources/lists/filter-values.ts'
import { noRows } from '../sql/nodes.ts'
import { compilerOf } from '../sql/prepared.ts'
import type { ListDatabase } from '../sql/sql-database.ts'
import { JSON_TEXT, MOMENT } from '../sqlite/value-kinds.ts'

type Convert = (value: unknown) => unknown

/** The conversion between Drizzle's values and those of `sqlTable`. NULL stays NULL. */
interface Conversion {
  readonly out?: Convert
  readonly into?: Convert
  /** The values that a client's text means in a filter; an empty list: no row has it. `undefined`: it does not fit the type. */
  readonly meant?: (value: unknown, operator: FilterOperator) => readonly unknown[] | undefined
  /** Only the program knows the meaning of its values. */
  readonly isOpaque?: boolean
  /** Is the result of `into` the stored text, whatever the type's name? */
  readonly isText?: boolean
}

/** Types whose values are equal in Drizzle and in the driver. */
const SAME =
  /^(?:Pg(?:Text|Varchar|Char|UUID|Enum(?:Object)?Column|Inet|Cidr|Macaddr8?|Time|Numeric|Boolean|Integer|SmallInt|Serial|SmallSerial|Real|DoublePrecision|Timestamp|Date)|MySql(?:VarChar|Text|Char|Int|TinyInt|SmallInt|MediumInt|Double|Real|Year|Enum(?:Object)?Column|Decimal|DateTime|Timestamp|Date)|SQLite(?:Integer|Real|Text))$/
/** Types whose values Drizzle converts from and to those of the driver. */
const MAPPED =
  /^(?:Pg(?:Big(?:Int|Serial)(?:53|64)|Numeric(?:Number|BigInt))|MySql(?:Boolean|Serial|BigInt(?:53|64)|Decimal(?:Number|BigInt))|SQLite(?:BlobBuffer|Numeric(?:Number|BigInt)?))$/
const JSON_COLUMN = /^(?:PgJsonb?|MySqlJson)$/
const POINT_TEXT = /^(?:Pg(?:Timestamp|Date)String|MySql(?:DateTime|Timestamp|Date)String)$/
/** Types whose arrays Drizzle and the driver of PostgreSQL read alike. */
const LISTED = /^Pg(?:Text|Varchar|UUID|Integer|SmallInt|Boolean|Real|DoublePrecision)$/
/** Types of `customType` whose values all drivers give in one form. */
const CUSTOM =
  /^(?:text|varchar|character varying|char|character|uuid|citext|integer|int|int4|smallint|int2|real|double precision|double|boolean|numeric|decimal|bytea|blob|(?:var)?binary)\b(?!.*\[)/i

/** `isRead`: has the driver already parsed the column's JSON? */
function conversionOf(column: Column, isRead = (): boolean => false): Conversion | null {
  const { columnType } = column
  const [out, into] = [
    (value: unknown) => column.mapFromDriverValue(value),
    (value: unknown) => column.mapToDriverValue(value),
  ]
  if (SAME.test(columnType)) return {}
  if (columnType === 'SQLiteTimestamp') return { out, into, meant: momentIn(column) }
  if (columnType === 'SQLiteBoolean') return { out, into, meant: bitIn }
  if (MAPPED.test(columnType)) return { out, into }
  if (columnType === 'SQLiteTextJson')
    return { out: (value) => (isRead() ? value : out(value)), into, isText: true }
  if (JSON_COLUMN.test(columnType)) return { out }
  if (POINT_TEXT.test(columnType)) return { out: pointText(column) }
  if (columnType === 'MySqlFloat') return { out: digitsOf(column), meant: singleIn }
  if (/^MySql(?:Var)?Binary$/.test(columnType)) return { out, into, meant: bytesIn }
  if (columnType === 'MySqlTime') return { out: withPlaces(column) }
  const isOpaque = true
  if (columnType.startsWith('SQLiteB')) return { out, into, isOpaque }
  if (columnType === 'PgArray') {
    const { baseColumn } = column as Column & { readonly baseColumn: Column }
    return LISTED.test(baseColumn.columnType) ? { out, into, isOpaque } : null
  }
  if (!columnType.endsWith('CustomColumn') || !CUSTOM.test(column.getSQLType())) return null
  const { mapTo, mapFrom } = column as Column & {
    readonly mapTo?: unknown
    readonly mapFrom?: unknown
  }
  return mapTo === undefined && mapFrom === undefined ? {} : { out, into, isOpaque }
}

/** Can rows give this column's values as Drizzle does? */
export function hasItsValues(column: Column): boolean {
  return conversionOf(column) !== null
}

function bitIn(text: unknown): readonly unknown[] | undefined {
  const meant = bitValue(text)
  return meant === undefined ? undefined : [meant]
}

/** Drizzle gives texts for these columns, but the driver compares bytes. */
function bytesIn(text: unknown): readonly unknown[] {
  return [Buffer.from(String(text))]
}

/** A moment between two storable values equals no row; a range that it limits begins or ends at a storable value. */
function momentIn(column: Column): NonNullable<Conversion['meant']> {
  return (text, operator) => {
    const moment = momentValue(text)
    if (moment === undefined) return undefined
    const date = new Date(`${moment.slice(0, 23).replace(' ', 'T')}Z`)
    const before = Number(column.mapToDriverValue(date))
    const kept = column.mapFromDriverValue(before) as Date
    if (kept.getTime() === date.getTime() && !/\.\d{3}0*[1-9]/.test(moment)) return [before]
    if (operator === 'lt' || operator === 'gte') return [before + 1]
    return operator === 'gt' || operator === 'lte' ? [before] : []
  }
}

/** Writes a time as the database does: PostgreSQL without trailing zeros, MariaDB with all digits of the column. */
function pointText(column: Column): Convert {
  const isPg = column.columnType.startsWith('Pg')
  const isDay = column.columnType.endsWith('DateString')
  const zone = column.getSQLType().endsWith('with time zone') ? '+00' : ''
  return (value) => {
    // PostgreSQL has infinite times, which a `Date` cannot hold.
    if (value === Infinity || value === -Infinity) return String(value).toLowerCase()
    if (!(value instanceof Date) || (isPg && Number.isNaN(value.getTime()))) return value
    const { day, clock, places, era } = partsOf(value, isPg)
    if (isDay) return `${day}${era}`
    const digits = isPg ? places.replace(/0+$/, '') : padded(places, column)
    return `${day} ${clock}${digits && `.${digits}`}${zone}${era}`
  }
}

interface Parts {
  readonly day: string
  readonly clock: string
  /** The digits of a fraction of a second. */
  readonly places: string
  readonly era: string
}

/** MariaDB's value for a missing day. */
const NO_DAY: Parts = { day: '0000-00-00', clock: '00:00:00', places: '', era: '' }

function partsOf(date: Date, hasEras: boolean): Parts {
  const year = date.getUTCFullYear()
  if (Number.isNaN(year)) return NO_DAY
  const text = exactTextOf(date) ?? date.toISOString()
  const behind = text.replace(/^[+-]?\d+|Z$/g, '')
  const [clock = '', places = ''] = behind.slice(7).split('.')
  const isBefore = hasEras && year <= 0
  const day = `${String(isBefore ? 1 - year : year).padStart(4, '0')}${behind.slice(0, 6)}`
  return { day, clock, places, era: isBefore ? ' BC' : '' }
}

/** Cuts or fills the fraction to the digits of the column. */
function padded(places: string, column: Column): string {
  const digits = Number(/\((\d)\)/.exec(column.getSQLType())?.[1] ?? 0)
  return places.padEnd(digits, '0').slice(0, digits)
}

function withPlaces(column: Column): Convert {
  return (value) => {
    if (typeof value !== 'string') return value
    const [clock = '', places = ''] = value.split('.')
    const digits = padded(places, column)
    return `${clock}${digits && `.${digits}`}`
  }
}

/** Drizzle reads a FLOAT from a text, which has six digits, or as many as the column declares. */
function digitsOf(column: Column): Convert {
  const [, precision, scale] = /\((\d+)(?:,(\d+))?\)/.exec(column.getSQLType()) ?? []
  const isDouble = scale === undefined && Number(precision) > 24
  return (value) => {
    if (typeof value !== 'number' || isDouble) return value
    return Number(scale === undefined ? value.toPrecision(6) : value.toFixed(Number(scale)))
  }
}

/** The nearest number of 32 bits, which the column stores. */
function singleIn(value: unknown): readonly unknown[] | undefined {
  const meant = realValue(value)
  return meant === undefined ? undefined : [Math.fround(meant)]
}

export interface KnownColumn extends Conversion {
  readonly property: string
  readonly name: string
  /** Absent: the select has an expression here. */
  readonly column?: Column
  readonly written: Map<WrittenColumn | null, WrittenColumn>
}

/** The prefix of Drizzle's column types, by the name of the database. */
export const COLUMN_PREFIXES: Readonly<Record<string, string>> = {
  SQLite: 'SQLite',
  PostgreSQL: 'Pg',
  MySQL: 'MySql',
}

/** The declared types of columns, by name; `null`: the database does not say. */
export type Types = ReadonlyMap<string, string | null>

/** The types of a select's columns, asked for once. SQLite answers without a promise. */
export function declaredIn(
  database: ListDatabase,
  select: () => SelectQueryNode,
): () => MaybePromise<Types> {
  let known: Types | null = null
  const ask = (): MaybePromise<Types> => {
    return after(
      database.describe!(compilerOf(database.dialect)(noRows(select()))),
      (columns) => (known = new Map(columns.map(({ name, type }) => [name, type]))),
    )
  }
  return () => known ?? ask()
}

const JSON_TYPES: ReadonlySet<string | null> = new Set(['json', 'jsonb', JSON_TEXT])

/** Does the driver convert values of this type as Drizzle expects? It parses JSON, and turns points in time into numbers. */
export function fitsDriver(column: Column, type: string | null): boolean {
  if (type === MOMENT && column.getSQLType() === 'text') return false
  if (column.columnType === 'SQLiteTextJson' || type === null) return true
  return JSON_COLUMN.test(column.columnType) === JSON_TYPES.has(type)
}

export interface ColumnPlace {
  readonly table: string
  readonly property: string
  readonly column: Column
  /** The name of the column in rows. */
  readonly name: string
  readonly dialect: string
  readonly types: () => MaybePromise<Types>
}

/** @throws ConfigurationError its values would differ from those of Drizzle, or it belongs to another database */
export function knownColumn(place: ColumnPlace): KnownColumn {
  const { table, property, column, name, dialect, types } = place
  const { columnType } = column
  if (!columnType.startsWith(COLUMN_PREFIXES[dialect] ?? ''))
    throw new ConfigurationError(
      `drizzleTable(): the table "${table}" is of another kind of database than ${dialect}, which "database" is.`,
    )
  const isRead = (): boolean => JSON_TYPES.has((types() as Types).get(name) ?? null)
  const conversion = conversionOf(column, isRead)
  if (conversion === null)
    throw new ConfigurationError(
      `drizzleTable(): the column "${property}" of "${table}" is ${column.getSQLType()} (${columnType}), and its values would not be those that Drizzle gives. Serve a table of Drizzle without it, or keep it as a text.`,
    )
  const { out } = conversion
  const named = out && { out: naming(property, table, out) }
  return { ...conversion, ...named, property, name, column, written: new Map() }
}

/** @throws Error of a value that Drizzle cannot read, such as a text that is no JSON, with the name of its column */
function naming(property: string, table: string, out: Convert): Convert {
  return (value) => {
    try {
      return out(value)
    } catch (cause) {
      const place = `the column "${property}" of "${table}"`
      throw new Error(`Drizzle cannot read a value in ${place}: ${String(cause)}`, { cause })
    }
  }
}

/** An expression has the value of the driver, or the result of its `mapWith`. */
export function knownExpression({
  expression,
  ...place
}: Omit<ColumnPlace, 'column'> & { readonly expression: SQL }): KnownColumn {
  const { decoder } = expression as SQL & { readonly decoder: typeof noopDecoder }
  const { property, name } = place
  if (is(decoder, Column)) return knownColumn({ ...place, column: decoder })
  const known = { property, name, written: new Map<WrittenColumn | null, WrittenColumn>() }
  if (decoder === noopDecoder) return known
  const out: Convert = (value) => decoder.mapFromDriverValue(value)
  const isPlain = [Number, String].includes(decoder.mapFromDriverValue as never)
  return isPlain
    ? { ...known, out }
    : { ...known, out, isOpaque: true, meant: (): undefined => undefined }
}

/** @throws ConfigurationError the column has another type in the database, so the driver would convert its values otherwise */
export function checkTypes(table: string, known: readonly KnownColumn[], types: Types): void {
  for (const { property, name, column } of known) {
    const type = types.get(name) ?? null
    if (column === undefined || fitsDriver(column, type)) continue
    throw new ConfigurationError(
      `drizzleTable(): the column "${property}" of "${table}" is ${column.getSQLType()} (${column.columnType}) in Drizzle and ${type} in the database, so its values would not be those that Drizzle gives. Declare it alike in both, or serve a table of Drizzle without it.`,
    )
  }
}

/** The reader of a row's value; `before`: the reader that the driver gives for the column. */
export function writtenBy(
  { written, out }: KnownColumn,
  before: WrittenColumn | null,
): WrittenColumn | null {
  if (out === undefined) return before
  const read: WrittenColumn['read'] = before === null ? out : (text) => out(before.read(text))
  return keptIn(written, before, () => ({ kind: 'other', read }))
}
