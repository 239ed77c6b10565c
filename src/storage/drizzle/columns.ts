// A column of Drizzle: its name in the database, and how its values differ from those of the driver.
import { Column, type SQL, is, noopDecoder } from 'drizzle-orm'
import { LimitNode, type SelectQueryNode, ValueNode } from 'kysely'
import type { FilterOperator, WrittenColumn } from '../../core/ports/list-source.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { type MaybePromise, after } from '../../core/std/after.ts'
import { exactTextOf } from '../../core/std/exact-date.ts'
import { keptIn } from '../../core/std/once.ts'
import { bit, momentValue, real } from '../../resources/lists/filter-values.ts'
import { compilerOf } from '../sql/prepared.ts'
import type { ListDatabase } from '../sql/sql-database.ts'
import { JSON_TEXT, MOMENT } from '../sqlite/value-kinds.ts'

type Convert = (value: unknown) => unknown

/** How values differ from those of `sqlTable`. NULL is NULL. */
interface Conversion {
  readonly out?: Convert
  readonly into?: Convert
  /** What a client compares with; none: no row has it. `undefined`: it is none of the type. */
  readonly meant?: (value: unknown, operator: FilterOperator) => readonly unknown[] | undefined
  /** Only a program knows what its values mean. */
  readonly isOpaque?: boolean
  /** What `into` makes is the text that the column has, whatever its type is called. */
  readonly isText?: boolean
}

/** The values are the same. */
const SAME =
  /^(?:Pg(?:Text|Varchar|Char|UUID|Enum(?:Object)?Column|Inet|Cidr|Macaddr8?|Time|Numeric|Boolean|Integer|SmallInt|Serial|SmallSerial|Real|DoublePrecision|Timestamp|Date)|MySql(?:VarChar|Text|Char|Int|TinyInt|SmallInt|MediumInt|Double|Real|Year|Enum(?:Object)?Column|Decimal|DateTime|Timestamp|Date)|SQLite(?:Integer|Real|Text))$/
/** Drizzle makes its values of those of the driver, and these of its own. */
const MAPPED =
  /^(?:Pg(?:Big(?:Int|Serial)(?:53|64)|Numeric(?:Number|BigInt))|MySql(?:Boolean|Serial|BigInt(?:53|64)|Decimal(?:Number|BigInt))|SQLite(?:BlobBuffer|Numeric(?:Number|BigInt)?))$/
const JSON_COLUMN = /^(?:PgJsonb?|MySqlJson)$/
const POINT_TEXT = /^(?:Pg(?:Timestamp|Date)String|MySql(?:DateTime|Timestamp|Date)String)$/
/** Types whose arrays the driver of PostgreSQL reads as Drizzle does. */
const LISTED = /^Pg(?:Text|Varchar|UUID|Integer|SmallInt|Boolean|Real|DoublePrecision)$/
/** Types of `customType` whose values every driver gives in one form. */
const CUSTOM =
  /^(?:text|varchar|character varying|char|character|uuid|citext|integer|int|int4|smallint|int2|real|double precision|double|boolean|numeric|decimal|bytea|blob|(?:var)?binary)\b(?!.*\[)/i

/** `isRead`: the driver reads JSON of the column already. */
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
  if (columnType === 'SQLiteTextJson') return { out: unless(isRead, out), into, isText: true }
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

/** Are values of such a column those of Drizzle? */
export function hasItsValues(column: Column): boolean {
  return conversionOf(column) !== null
}

function unless(isDone: () => boolean, convert: Convert): Convert {
  return (value) => (isDone() ? value : convert(value))
}

function bitIn(text: unknown): readonly unknown[] | undefined {
  const meant = bit(text)
  return meant === undefined ? undefined : [meant]
}

/** Drizzle has texts, and the driver compares bytes. */
function bytesIn(text: unknown): readonly unknown[] {
  return [Buffer.from(String(text))]
}

/** Between two values of the column is none, and what begins or ends there begins or ends at one of them. */
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

/** As the database writes it: PostgreSQL as many digits as there are, MariaDB as many as the column has. */
function pointText(column: Column): Convert {
  const isPg = column.columnType.startsWith('Pg')
  const isDay = column.columnType.endsWith('DateString')
  const zone = column.getSQLType().endsWith('with time zone') ? '+00' : ''
  return (value) => {
    // PostgreSQL has them, and no `Date` is one.
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
  /** Of a second. */
  readonly places: string
  readonly era: string
}

/** What MariaDB has in place of a day. */
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

/** With as many digits as the column has. */
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

/** As a text, which Drizzle reads, a FLOAT has six digits, or as many as are declared. */
function digitsOf(column: Column): Convert {
  const [, precision, scale] = /\((\d+)(?:,(\d+))?\)/.exec(column.getSQLType()) ?? []
  const isDouble = scale === undefined && Number(precision) > 24
  return (value) => {
    if (typeof value !== 'number' || isDouble) return value
    return Number(scale === undefined ? value.toPrecision(6) : value.toFixed(Number(scale)))
  }
}

/** The number of 32 bits that the column has for it. */
function singleIn(value: unknown): readonly unknown[] | undefined {
  const meant = real(value)
  return meant === undefined ? undefined : [Math.fround(meant)]
}

export interface KnownColumn extends Conversion {
  readonly property: string
  readonly name: string
  /** Absent: an expression. */
  readonly column?: Column
  readonly written: Map<WrittenColumn | null, WrittenColumn>
}

/** What types of columns begin with, by the name of the database. */
export const COLUMN_PREFIXES: Readonly<Record<string, string>> = {
  SQLite: 'SQLite',
  PostgreSQL: 'Pg',
  MySQL: 'MySql',
}

/** How columns are declared in the database, by their names; `null`: it does not say. */
export type Types = ReadonlyMap<string, string | null>

/** Those of a select, which stay known. SQLite says them at once. */
export function declaredIn(
  database: ListDatabase,
  select: () => SelectQueryNode,
): () => MaybePromise<Types> {
  let known: Types | null = null
  const ask = (): MaybePromise<Types> => {
    const limit = LimitNode.create(ValueNode.create(0))
    const statement = compilerOf(database.dialect)({ ...select(), limit })
    return after(
      database.describe!(statement),
      (columns) => (known = new Map(columns.map(({ name, type }) => [name, type]))),
    )
  }
  return () => known ?? ask()
}

const JSON_TYPES: ReadonlySet<string | null> = new Set(['json', 'jsonb', JSON_TEXT])

/** Does the driver make of values of such a type what Drizzle takes them for? It reads JSON, and makes numbers of points in time. */
export function fits(column: Column, type: string | null): boolean {
  if (type === MOMENT && column.getSQLType() === 'text') return false
  if (column.columnType === 'SQLiteTextJson' || type === null) return true
  return JSON_COLUMN.test(column.columnType) === JSON_TYPES.has(type)
}

export interface ColumnPlace {
  readonly table: string
  readonly property: string
  readonly column: Column
  /** What the rows call it. */
  readonly name: string
  readonly dialect: string
  readonly types: () => MaybePromise<Types>
}

/** @throws ConfigurationError its values would not be those of Drizzle, or it is of another database */
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
  return { ...conversion, property, name, column, written: new Map() }
}

/** An expression has the value of the driver, or what `mapWith` makes of it. */
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

/** @throws ConfigurationError the database has a column of another type, of whose values the driver makes others */
export function checkTypes(table: string, known: readonly KnownColumn[], types: Types): void {
  for (const { property, name, column } of known) {
    const type = types.get(name) ?? null
    if (column === undefined || fits(column, type)) continue
    throw new ConfigurationError(
      `drizzleTable(): the column "${property}" of "${table}" is ${column.getSQLType()} (${column.columnType}) in Drizzle and ${type} in the database, so its values would not be those that Drizzle gives. Declare it alike in both, or serve a table of Drizzle without it.`,
    )
  }
}

/** How a value of a row is read; `before`: what the driver says of the column. */
export function writtenBy(
  { written, out }: KnownColumn,
  before: WrittenColumn | null,
): WrittenColumn | null {
  if (out === undefined) return before
  const read: WrittenColumn['read'] = before === null ? out : (text) => out(before.read(text))
  return keptIn(written, before, () => ({ kind: 'other', read }))
}
