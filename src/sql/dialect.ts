import type { Dialect as KyselyDialect } from 'kysely'
import type { MaybePromise } from '../contract/request.ts'
import type { ValueKind } from './kinds/value-kind.ts'
import type { Attempt, Violation } from './table/attempt.ts'
import type { Reader, TableFacts, TableName } from './table/facts.ts'

/**
 * What one kind of database does in its own way. Everything else in `sql/` is the same for all of them, and
 * asks the dialect of its database where it is not. Implemented in `databases/sqlite`, `databases/postgres`
 * and `databases/mysql`; `test/contract/dialect.ts` says what is promised.
 */
export interface Dialect {
  /** What people call the database: `PostgreSQL`. For messages only. */
  readonly name: string
  /** On its way out: use a member of this port instead. */
  readonly id: 'sqlite' | 'postgres' | 'mysql'
  /** What the query builder needs to write SQL; the connection to the database comes from elsewhere. */
  readonly queryBuilder: Omit<KyselyDialect, 'createDriver'>
  /** How values of a type are compared. `type` as the database calls it, `null` where it is not known. */
  kindOf(type: string | null, scale: number): ValueKind
  /** What the catalogue of the database has about a table; no columns where there is no such table. */
  facts(reader: Reader, table: TableName): MaybePromise<TableFacts>
  /** The constraint that an error is about, and its columns; `null`: the error is about something else. */
  violation(error: Error, attempt: Attempt): MaybePromise<Violation | null>
}
