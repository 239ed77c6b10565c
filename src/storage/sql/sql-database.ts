import type { Kysely } from 'kysely'
import type { MaybePromise } from '../../core/std/after.ts'
import type { ColumnFacts, Database, Executor, Statement } from '../../core/ports/database.ts'
import type { Rows } from '../../core/ports/list-source.ts'
import { DatabaseUnavailable } from '../../core/errors/storage-errors.ts'
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

/** What lists are read from. */
export type ListDatabase = Pick<
  SqlDatabase,
  'dialect' | 'rows' | 'describe' | 'snapshot' | 'sharedSnapshot'
>

/** The connection broke while a statement was under way. The next statement gets another connection. */
export class ConnectionLost extends DatabaseUnavailable {
  constructor(place: string, cause: Error, how = 'broke while a statement was under way') {
    super(`The connection to ${place} ${how}. Try again.`, { cause })
  }
}
