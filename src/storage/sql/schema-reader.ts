// What a whole database has, for those who write programs from it: `colophon inspect`.
import type { Executor } from '../../core/ports/database.ts'
import { type Rule, rulesOf } from './checks.ts'

/** Asks the catalogue of a database for everything at once. */
export type ReadCatalogue = (reader: Pick<Executor, 'rows'>) => Promise<SchemaCatalogue>

export interface SchemaCatalogue {
  /** In the order of their names. */
  readonly tables: readonly FoundTable[]
  /** What has rows and is no table, such as a view, each with what it is. */
  readonly others: readonly { readonly name: string; readonly what: string }[]
}

export interface FoundTable {
  /** As a query names it: `book`, or `library.book` where a connection does not find it without its schema. */
  readonly name: string
  /** Is its schema named? Then it is read only where it is asked for. */
  readonly isElsewhere: boolean
  readonly comment: string | null
  /** In their order. */
  readonly columns: readonly FoundColumn[]
  /** Columns of the primary key in its order; empty: there is none. */
  readonly primaryKey: readonly string[]
  /** Sets of columns that no two rows share, beside the primary key. */
  readonly unique: readonly (readonly string[])[]
  readonly foreignKeys: readonly ForeignKey[]
  /** What the checks of the table ask of single columns. */
  readonly rules: readonly Rule[]
  /** What a program cannot take over, as sentences without a full stop: triggers, checks, indexes. */
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
  /** What the database writes where no value is given. */
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

/** What a column holds, in our words, and the types that rows have and that may be written, in TypeScript; of a choice both are empty. */
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
  /** No field has a form for it; `shown`: as it is, it may be shown. */
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

/** What rows have as text, and no field of ours reads. */
export const FOREIGN: FoundValue = plainly({ kind: 'other', shown: false }, 'unknown')

/** Rows of a query by their first values: those of one table. */
export function byTable<Row extends readonly unknown[]>(
  rows: readonly (readonly unknown[])[],
): (table: unknown) => readonly Row[] {
  const groups = Map.groupBy(rows as readonly Row[], ([table]) => table)
  return (table) => groups.get(table) ?? []
}

/** Rows of a table by their second values: those of one constraint. */
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

/** Which unique indexes are about the whole of their columns in all rows. */
export const isWhole = (rows: readonly UniqueRow[]): boolean =>
  rows.every(([, , column, part]) => column !== null && !part)

export type TriggerRow = readonly [table: string, name: string]

/** What no program takes over, as notes: unique indexes about something else than columns, and triggers. */
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

/** What fields can ask of what checks ask, and the rest as notes. */
export function ruled(
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
