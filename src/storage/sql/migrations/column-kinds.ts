import type { ColumnType } from 'kysely'
import type { JSONValue } from '../../../core/std/json/exact-json.ts'
import { ConfigurationError } from '../../../core/errors/configuration-error.ts'

/** The declaration of a column. It has only the given members, because it makes the checksum of a migration. */
export interface ColumnDefinition {
  readonly kind: ColumnKind
  /** Characters of a text at most. */
  readonly maxLength?: number
  /** Digits of a decimal number in all, and how many of them follow the decimal point. */
  readonly digits?: number
  readonly places?: number
  /** The values of a choice. */
  readonly values?: readonly string[]
  /** A type in the words of each database. */
  readonly types?: OwnTypes
  readonly nullable?: boolean
  readonly unique?: boolean
  readonly primaryKey?: boolean
  readonly default?: string | number | boolean
  readonly references?: {
    readonly table: string
    readonly key: string
    readonly onDelete: OnDelete
  }
}

export type ColumnKind =
  | 'id'
  | 'integer'
  | 'float'
  | 'decimal'
  | 'boolean'
  | 'text'
  | 'choice'
  | 'date'
  | 'time'
  | 'dateTime'
  | 'uuid'
  | 'bytes'
  | 'json'
  | 'own'

/** The fate of a row when the row that it refers to is deleted. */
export type OnDelete = 'cascade' | 'restrict' | 'set null'

/** A text for each database, by its name: a type, or SQL. */
export interface OwnTypes {
  readonly sqlite: string
  readonly postgres: string
  readonly mysql: string
  /** The text of another database, by its folder's name for itself: `own` of its migrations. */
  readonly [other: string]: string
}

/** A column of a table. `Type` is what Kysely's tables have for it. */
export interface Column<Type = unknown> {
  readonly '~definition': ColumnDefinition
  /** Are its values kept out of the audit trail? It changes no table, and no checksum. `undefined`: its name says so. */
  readonly '~secret'?: boolean | undefined
  /** Only for the compiler: the member does not exist at run time. */
  readonly '~type'?: Type
}

/** Options of every column. */
interface ColumnOptions<N extends boolean, D> {
  /** May it be NULL? @default false */
  readonly nullable?: N
  /** The value of a row that gives none. @default none: a value is required */
  readonly default?: D
  /** No two rows have the same value. @default false */
  readonly unique?: boolean
  /** For users: does the audit trail show `***` for its values? @default if its name is that of a secret */
  readonly secret?: boolean
}

interface KeyOptions<N extends boolean, D> extends ColumnOptions<N, D> {
  /** The key of the table, where that is no `column.id()`. @default false */
  readonly primaryKey?: boolean
}

/** A column that reads as `Read` and is written as `Write`. */
type ColumnOf<Read, Write, N, D> = Column<
  N extends true
    ? ColumnType<Read | null, Write | null | undefined, Write | null>
    : D extends undefined
      ? ColumnType<Read, Write, Write>
      : ColumnType<Read, Write | undefined, Write>
>

/** A key that counts up, and never gives the number of a deleted row to another. Whole numbers of 64 bits. */
function id(): Column<ColumnType<number, number | undefined, number>> {
  return made('id', { primaryKey: true })
}

/** A whole number of 64 bits. */
function integer<const N extends boolean = false, const D extends number | undefined = undefined>(
  options: KeyOptions<N, D> = {},
): ColumnOf<number, number | bigint, N, D> {
  return made('integer', options)
}

/** A number with a floating point, of 64 bits. */
function float<const N extends boolean = false, const D extends number | undefined = undefined>(
  options: ColumnOptions<N, D> = {},
): ColumnOf<number, number, N, D> {
  return made('float', options)
}

/** The digits of a decimal number, as in `field.decimal`. */
interface Digits {
  /** All digits. */
  readonly maxDigits: number
  /** The digits after the decimal point. */
  readonly decimalPlaces: number
}

/**
 * An exact decimal number. It is read as a text, on SQLite as a number; `field.decimal` shows both alike. SQLite takes at
 * most 15 digits.
 *
 * @example column.decimal({ maxDigits: 10, decimalPlaces: 2 })
 */
function decimal<
  const N extends boolean = false,
  const D extends string | number | undefined = undefined,
>({
  maxDigits: digits,
  decimalPlaces: places,
  ...options
}: Digits & ColumnOptions<N, D>): ColumnOf<string | number, string | number, N, D> {
  return made('decimal', { ...options, digits, places })
}

/** `true` or `false`: read as 1 or 0 on SQLite and MySQL. */
function boolean<const N extends boolean = false, const D extends boolean | undefined = undefined>(
  options: ColumnOptions<N, D> = {},
): ColumnOf<boolean | number, boolean, N, D> {
  return made('boolean', options)
}

/** A text. What is unique, indexed or a key needs `maxLength`, in characters. */
function text<const N extends boolean = false, const D extends string | undefined = undefined>(
  options: KeyOptions<N, D> & {
    /** Characters at most. @default no limit */
    readonly maxLength?: number
  } = {},
): ColumnOf<string, string, N, D> {
  return made('text', options)
}

/**
 * One of these texts; the database refuses every other.
 *
 * @throws ConfigurationError there are none
 */
function choice<
  const V extends string,
  const N extends boolean = false,
  const D extends V | undefined = undefined,
>(values: readonly V[], options: ColumnOptions<N, D> = {}): ColumnOf<V, V, N, D> {
  if (values.length === 0)
    throw new ConfigurationError('column.choice([]): no value would fit. List one at least.')
  return made('choice', { ...options, values })
}

/** A day of the calendar, written as `2024-02-29`. */
function date<const N extends boolean = false, const D extends string | undefined = undefined>(
  options: ColumnOptions<N, D> = {},
): ColumnOf<string | Date, string, N, D> {
  return made('date', options)
}

/** A time of day, `08:30:00`. */
function time<const N extends boolean = false, const D extends string | undefined = undefined>(
  options: ColumnOptions<N, D> = {},
): ColumnOf<string, string, N, D> {
  return made('time', options)
}

/**
 * A point in time: to the microsecond, and on SQLite to the millisecond. Takes a `Date`; `sqlTable` also
 * takes texts in ISO 8601. It is read as a `Date`, on SQLite as milliseconds since 1970; `field.dateTime` shows
 * both alike. `default: 'now'`: the moment at which a row is inserted.
 */
function dateTime<const N extends boolean = false, const D extends 'now' | undefined = undefined>(
  options: ColumnOptions<N, D> = {},
): ColumnOf<Date | number, Date | string, N, D> {
  return made('dateTime', options)
}

/** A UUID, written in small letters with hyphens. */
function uuid<const N extends boolean = false>(
  options: KeyOptions<N, undefined> = {},
): ColumnOf<string, string, N, undefined> {
  return made('uuid', options)
}

function bytes<const N extends boolean = false>(
  options: ColumnOptions<N, undefined> = {},
): ColumnOf<Uint8Array, Uint8Array, N, undefined> {
  return made('bytes', options)
}

/** Options of a JSON column beside `nullable`. */
interface JSONOptions<Type> {
  readonly nullable?: false
  /** The value of a row that gives none. @default none: a value is required */
  readonly default?: Type
}

type Nullable<Type> = ColumnType<Type | null, Type | null | undefined, Type | null>

/**
 * Any value of JSON, and the same one on every database; `null` alone is NULL. On PostgreSQL it is a `jsonb`. `sqlTable`
 * takes and gives the value; a query of Kysely gives the value too, and is given the text: `JSON.stringify(value)`.
 * `Type`: what you know of the values, which the database does not check.
 *
 * @example column.json({ nullable: true })
 * @example column.json<readonly string[]>({ default: [] })
 */
function json<Type = JSONValue>(options: { readonly nullable: true }): Column<Nullable<Type>>
function json<Type = JSONValue>(
  options: JSONOptions<Type> & { readonly default: Type },
): Column<ColumnType<Type, Type | undefined, Type>>
function json<Type = JSONValue>(options?: JSONOptions<Type>): Column<ColumnType<Type, Type, Type>>
function json({
  default: value,
  ...options
}: { readonly nullable?: boolean; readonly default?: unknown } = {}): Column {
  return made('json', { ...options, default: value === undefined ? value : JSON.stringify(value) })
}

/** Options of a reference beside its table. */
interface ReferenceOptions<C> {
  /** The fate of the row when its reference is deleted; `'restrict'`: that row cannot be deleted. @default 'restrict' */
  readonly onDelete?: OnDelete
  /** The column there. @default 'id' */
  readonly key?: string
  /** The type of the key, unless it is `column.id()`: `column.text({ maxLength: 2 })`. @default column.integer() */
  readonly as?: Column<C>
}

type Stored<C> = C extends { readonly __select__: infer Read; readonly __insert__: infer Write }
  ? [Read, Write]
  : never

/**
 * The key of a row of another table, of `colophon_user` too. It is indexed.
 *
 * @throws ConfigurationError `onDelete: 'set null'` where the column takes no NULL
 */
function references<
  C = ColumnType<number, number | bigint, number | bigint>,
  const N extends boolean = false,
>(
  table: string,
  options: Omit<ColumnOptions<N, undefined>, 'default'> & ReferenceOptions<C> = {},
): ColumnOf<Stored<C>[0], Stored<C>[1], N, undefined> {
  const { onDelete = 'restrict', key = 'id', as, ...rest } = options
  if (onDelete === 'set null' && !rest.nullable)
    throw new ConfigurationError(
      `column.references("${table}"): onDelete: 'set null' needs nullable: true, else no row of "${table}" that is referred to can be deleted.`,
    )
  const { kind, ...like }: ColumnDefinition = as?.['~definition'] ?? { kind: 'integer' }
  return made(kind, { ...like, ...rest, references: { table, key, onDelete } })
}

/**
 * A type of your own in the words of each database.
 *
 * @example column.of<string>({ sqlite: 'text', postgres: 'inet', mysql: 'inet6' })
 * @example column.of<string>({ sqlite: 'text', postgres: 'citext', mysql: 'text' }, { nullable: true })
 */
function of<Type>(
  types: OwnTypes,
  options: ColumnOptions<true, undefined> & { readonly nullable: true },
): Column<Nullable<Type>>
function of<Type>(
  types: OwnTypes,
  options?: ColumnOptions<false, undefined>,
): Column<ColumnType<Type, Type, Type>>
function of(types: OwnTypes, options: ColumnOptions<boolean, undefined> = {}): Column {
  return made('own', { ...options, types })
}

function made<Type>(kind: ColumnKind, all: object): Column<Type> {
  const { secret, ...options }: ColumnOptions<boolean, unknown> = all
  const given = Object.entries(options).filter(
    ([, value]) => value !== undefined && value !== false,
  )
  // `default: false` is a value, and no absence.
  if (options.default === false) given.push(['default', false])
  const definition = Object.freeze({ kind, ...Object.fromEntries(given) })
  return { '~definition': definition, ...(secret !== undefined && { '~secret': secret }) }
}

/**
 * The columns of tables, alike on every database; each says the type of its values too. A column takes no NULL
 * unless `nullable: true` says so.
 *
 * @example
 * const ticket = createTable('ticket', {
 *   id: column.id(),
 *   organisation: column.references('organisation', { onDelete: 'cascade' }),
 *   title: column.text({ maxLength: 200 }),
 *   status: column.choice(['open', 'closed'], { default: 'open' }),
 *   closed: column.dateTime({ nullable: true }),
 * })
 */
export const column: {
  readonly id: typeof id
  readonly integer: typeof integer
  readonly float: typeof float
  readonly decimal: typeof decimal
  readonly boolean: typeof boolean
  readonly text: typeof text
  readonly choice: typeof choice
  readonly date: typeof date
  readonly time: typeof time
  readonly dateTime: typeof dateTime
  readonly uuid: typeof uuid
  readonly bytes: typeof bytes
  readonly json: typeof json
  readonly references: typeof references
  readonly of: typeof of
} = Object.freeze({
  id,
  integer,
  float,
  decimal,
  boolean,
  text,
  choice,
  date,
  time,
  dateTime,
  uuid,
  bytes,
  json,
  references,
  of,
})

/** A database's names of column types. */
interface TypeWords {
  /** Its name in the texts of `column.of`. */
  readonly own: string
  readonly kinds: Readonly<Record<Exclude<ColumnKind, 'choice' | 'decimal' | 'own'>, string>>
  readonly decimal: (digits: number, places: number) => string
  /** Characters of a text that is a `varchar`. @default any number of them */
  readonly longest?: number
}

export function typesIn({
  own,
  kinds,
  decimal: ofDigits,
  longest = Number.MAX_VALUE,
}: TypeWords): (column: ColumnDefinition) => string {
  return ({ kind, maxLength = Infinity, digits, places, values = [], types }) => {
    if (kind === 'own') return ownText(types!, own)
    if (kind === 'decimal') return ofDigits(digits!, places!)
    if (kind === 'choice') return `varchar(${Math.max(...values.map(({ length }) => length))})`
    if (kind === 'text' && maxLength <= longest) return `varchar(${maxLength})`
    return kinds[kind]
  }
}

/** @throws ConfigurationError there is none for this database */
export function ownText(texts: OwnTypes, name: string): string {
  const own = texts[name]
  if (own !== undefined) return own
  throw new ConfigurationError(
    `A migration has texts for ${Object.keys(texts).join(', ')}, and none for "${name}": column.of({ …, ${name}: "…" }).`,
  )
}
