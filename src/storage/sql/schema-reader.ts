// The catalogue of a whole database, for `colophon inspect`, which writes programs from it.
import type { Executor } from '../../core/ports/database.ts'
import { type Rule, rulesOf } from './checks.ts'

/** Asks the catalogue of a database for everything at once. */
export type ReadCatalogue = (reader: Pick<Executor, 'rows'>) => Promise<SchemaCatalogue>

export interface SchemaCatalogue {
  /** The tables in the order of their names. */
  readonly tables: readonly FoundTable[]
  /** Objects with rows that are not tables, such as views, each with its kind. */
  readonly others: readonly { readonly name: string; readonly what: string }[]
}

export interface FoundTable {
  /** The name in queries: `book`, or `library.book` if a connection needs the schema to find it. */
  readonly name: string
  /** Does the name have a schema? The table is then read only on demand. */
  readonly isElsewhere: boolean
  readonly comment: string | null
  /** The columns in order. */
  readonly columns: readonly FoundColumn[]
  /** The columns of the primary key in order; empty: the table has no primary key. */
  readonly primaryKey: readonly string[]
  /** Sets of columns that no two rows share, beside the primary key. */
  readonly unique: readonly (readonly string[])[]
  readonly foreignKeys: readonly ForeignKey[]
  /** Conditions on single columns in the checks of the table. */
  readonly rules: readonly Rule[]
  /** Sentences without a full stop about parts that a program cannot take over: triggers, checks, indexes. */
  readonly notes: readonly string[]
}

export interface ForeignKey {
  readonly columns: readonly string[]
  readonly table: string
  /** The columns there; empty: its primary key. */
  readonly referenced: readonly string[]
}

export interface FoundColumn {
  readonly name: string
  /** The type in the words of the database. */
  readonly declared: string
  readonly value: FoundValue
  readonly nullable: boolean
  /** The source of a value that is not given. */
  readonly filled: ColumnFilling
  readonly comment: string | null
  /** Can lists be ordered by it? @default true */
  readonly isOrdered?: boolean
}

/**
 * `counted`: the next number. `now`: the time. `empty`: an empty text. `constant`: some other value.
 * `always`: nothing else may be written.
 */
export type ColumnFilling = 'no' | 'counted' | 'now' | 'empty' | 'constant' | 'always'

/** The kind of a column's values, and the TypeScript types of read and written ones; both are empty for a choice. */
export type FoundValue = Kind & { readonly read: string; readonly written: string }

export type Kind =
  | { readonly kind: 'integer' | 'bigInteger'; readonly min?: number; readonly max?: number }
  | { readonly kind: 'decimal'; readonly digits: number | null; readonly places: number | null }
  | { readonly kind: 'text'; readonly maxLength: number | null }
  | { readonly kind: 'choice'; readonly values: readonly (string | number)[] }
  /** `isDate`: a `Date` is written. */
  | { readonly kind: 'dateTime'; readonly hasZone: boolean; readonly isDate?: true }
  | { readonly kind: 'list'; readonly of: FoundValue }
  | { readonly kind: 'boolean' | 'float' | 'uuid' | 'date' | 'time' | 'json' | 'ip' }
  /** No field has this type; `shown`: its values can be shown unchanged. */
  | { readonly kind: 'other'; readonly shown: boolean }

/** A value whose rows have the type that is written. */
export function plainly(kind: Kind, type: string): FoundValue {
  return { ...kind, read: type, written: type }
}

/** 0 or 1 in the rows. */
export const BIT: FoundValue = { kind: 'boolean', read: 'number', written: 'boolean | number' }

/** Decimal numbers with all of their digits. */
export function decimalText(digits: number | null, places: number | null): FoundValue {
  return { kind: 'decimal', digits, places, read: 'string', written: 'string | number' }
}

/** Values that rows have as text, and that no field of ours reads. */
export const FOREIGN: FoundValue = plainly({ kind: 'other', shown: false }, 'unknown')

/** Groups rows of a query by their first value, the table. */
export function byTable<Row extends readonly unknown[]>(
  rows: readonly (readonly unknown[])[],
): (table: unknown) => readonly Row[] {
  const groups = Map.groupBy(rows as readonly Row[], ([table]) => table)
  return (table) => groups.get(table) ?? []
}

/** Groups rows of a table by their second value, the constraint. */
export function byName<Row extends readonly unknown[]>(
  rows: readonly Row[],
): readonly (readonly [Row, ...Row[]])[] {
  return [...Map.groupBy(rows, ([, name]) => name).values()] as unknown as [Row, ...Row[]][]
}

/** A column of a unique index: an expression has no name, and `part` says that it is about some rows, or parts of texts. */
export type UniqueRow = readonly [
  table: string,
  index: string,
  column: string | null,
  part: number | null,
]

/** Does a unique index cover the whole of its columns in all rows? */
export const isWhole = (rows: readonly UniqueRow[]): boolean =>
  rows.every(([, , column, part]) => column !== null && !part)

export type TriggerRow = readonly [table: string, name: string]

/** Notes about parts that no program takes over: unique indexes about other things than columns, and triggers. */
export function notTaken(
  indexes: readonly UniqueRow[],
  triggers: readonly TriggerRow[],
  about: string,
): readonly string[] {
  const others = byName(indexes).filter((rows) => !isWhole(rows))
  return [
    ...others.map(([[, name]]) => `The unique index ${name} is about ${about}`),
    ...triggers.map(([, name]) => `The trigger ${name} runs in the database`),
  ]
}

/** Rules of checks that fields can express, and notes about the others. */
export function rulesAndNotes(
  checks: readonly Parameters<typeof rulesOf>[0][],
  columns: readonly (readonly [table: string, column: string, ...rest: unknown[]])[],
): Pick<FoundTable, 'rules' | 'notes'> {
  const names = columns.map(([, name]) => name)
  const found = checks.map((check) => rulesOf(check, names))
  const others = checks.filter((_, at) => found[at] === null)
  return {
    rules: found.flatMap((rules) => rules ?? []),
    notes: others.map(
      (check) => `Only the database checks ${check.map(([, text]) => text).join(' ')}`,
    ),
  }
}

/** `varchar(20)` → 20; `decimal(8, 2)` → 8 and 2. */
export function sizesIn(declared: string): readonly [number | null, number | null] {
  const [, first, second] = /\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)/.exec(declared) ?? []
  return [first === undefined ? null : Number(first), second === undefined ? null : Number(second)]
}

/** Does a default stand for the time at which a row is written? */
export function isNow(expression: string): boolean {
  return /\b(?:now|current_timestamp|current_date|current_time|localtimestamp|curdate|sysdate|clock_timestamp|transaction_timestamp|strftime|datetime|unixepoch)\b/i.test(
    expression,
  )
}
