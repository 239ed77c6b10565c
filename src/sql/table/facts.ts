import type { Executor } from '../../contract/storage.ts'
import type { ValueKind } from '../kinds/value-kind.ts'

/** What reads a catalogue: a database, or a transaction of it. */
export type Reader = Pick<Executor, 'rows'>

/** What a table is called: `book`, or `library.book` with its schema. */
export interface TableName {
  readonly name: string
  /** `null`: wherever the connection looks first. */
  readonly schema: string | null
}

export interface ColumnOfTable {
  readonly name: string
  readonly kind: ValueKind
  /** The type in the words of the store. */
  readonly type: string
  /** Characters of a text at most; `null`: no limit that is known. */
  readonly maxLength: number | null
}

/** A constraint that has a name, and the columns that it is about. */
export interface Constraint {
  readonly name: string
  readonly kind: 'unique' | 'foreign' | 'check'
  readonly columns: readonly string[]
}

/** A reference to another table, where the database does not say which one failed. */
export interface Reference {
  readonly table: string
  readonly columns: readonly string[]
  /** The columns there; empty: its primary key. */
  readonly referenced: readonly string[]
}

/** What the database knows about a table. */
export interface TableFacts {
  readonly columns: ReadonlyMap<string, ColumnOfTable>
  readonly constraints: readonly Constraint[]
  readonly references: readonly Reference[]
  /** May an INSERT give back the row? */
  readonly returning: boolean
}

export function tableName(text: string): TableName {
  const point = text.indexOf('.')
  if (point < 0) return { name: text, schema: null }
  return { name: text.slice(point + 1), schema: text.slice(0, point) }
}
