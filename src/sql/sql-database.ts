import type { Kysely } from 'kysely'
import type { MaybePromise } from '../contract/request.ts'
import type { ColumnFacts, Database, Executor, Statement } from '../contract/database.ts'
import type { Rows } from '../contract/list-source.ts'
import type { Dialect } from './dialect.ts'

/** A database that speaks SQL, with typed queries. */
export interface SqlDatabase extends Database {
  readonly dialect: Dialect
  /** The same database for typed queries: `database.kysely<Tables>().selectFrom('article')…` */
  kysely<Tables>(): Kysely<Tables>
}

/** A database on a server. Everything it is asked takes a while; look-ups that wait at the same moment travel as one. */
export interface ServerDatabase extends SqlDatabase {
  read<Row = Record<string, unknown>>(statement: Statement): Promise<readonly Row[]>
  rows(statement: Statement): Promise<Rows>
  write(statement: Statement): Promise<{ readonly changes: number }>
  describe(statement: Statement): Promise<readonly ColumnFacts[]>
  snapshot<T>(work: (reader: Pick<Executor, 'read' | 'rows'>) => MaybePromise<T>): Promise<T>
  sharedSnapshot<T>(
    first: Statement,
    work: (found: Rows, reader: Pick<Executor, 'read' | 'rows'>) => MaybePromise<T>,
  ): Promise<T>
  close(): Promise<void>
}
