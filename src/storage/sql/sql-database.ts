import type { Kysely } from 'kysely'
import type { MaybePromise } from '../../core/std/after.ts'
import type {
  ColumnFacts,
  Database,
  Executor,
  Statement,
  TransactionOptions,
} from '../../core/ports/database.ts'
import type { ListSource, QuerySource, Rows, SeekableSource } from '../../core/ports/list-source.ts'
import type { Incoming } from '../../core/ports/request.ts'
import { DatabaseUnavailable } from '../../core/errors/storage-errors.ts'
import type { Dialect } from './dialect.ts'

/** A database that speaks SQL, with typed queries. */
export interface SqlDatabase extends Database {
  readonly dialect: Dialect
  /** The same database for typed queries: `database.kysely<Tables>().selectFrom('article')…` */
  kysely<Tables>(): Kysely<Tables>
  transaction<T>(
    work: (transaction: SqlTransaction) => MaybePromise<T>,
    options?: TransactionOptions,
  ): Promise<T>
  /**
   * Short work in a transaction that it may share with other work of the same moment: it is kept or undone by itself, and
   * the answer comes when that is certain. It must not wait, and may be done again. Absent: each has a transaction of its own.
   */
  together?<T>(work: (executor: Pick<Executor, 'rows' | 'write'>) => T): Promise<T>
  /** The rows that one writing statement gives back; it is a transaction of its own, without trips to begin and to commit. */
  returning?(statement: Statement): Promise<Rows>
}

/** A transaction for statements, typed queries and tables (`visits.in(transaction)`), which all see the same. */
export interface SqlTransaction extends Executor {
  /**
   * Typed queries in this transaction. It has no transactions of its own.
   *
   * @example
   * const db = transaction.kysely<Tables>()
   * await db.updateTable('stock').set({ left: 0 }).where('id', '=', id).execute()
   */
  readonly kysely: <Tables>() => Kysely<Tables>
  /**
   * Locks a row until the transaction ends, and gives it as it is now; `null`: there is none. Others who lock or
   * change it wait, so what is read behind the lock stays as true as the lock makes it. SQLite has one writer at a time
   * anyway, which each transaction is from its beginning.
   *
   * @example await transaction.lock(doctors, visit.doctor)
   */
  readonly lock: <Key, Row>(table: Lockable<Key, Row>, key: Key) => Promise<Row | null>
  /**
   * Has something done once this is committed and the request is answered, such as a mail: never where nothing was kept,
   * and once, however often the transaction was tried. See `request.afterAnswer`.
   *
   * @example transaction.afterCommit(request, () => mail.send(confirmation))
   */
  readonly afterCommit: (request: Pick<Incoming, 'afterAnswer'>, task: () => unknown) => void
}

/** A change without values, which every table accepts. */
type NoValues = Readonly<Record<string, never>>

/** A table, as `sqlTable` makes it. */
export interface Lockable<Key, Row> {
  in(transaction: Executor): {
    readonly update: (key: Key, values: NoValues) => MaybePromise<Row | null>
  }
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

export type ListDatabase = Pick<
  SqlDatabase,
  'dialect' | 'rows' | 'describe' | 'snapshot' | 'sharedSnapshot'
>

/** The rows of an SQL query: a list that can be narrowed and ordered by its fields, and read from any place. */
export interface SqlSource<out Row, in Field extends string = never>
  extends QuerySource<Row, Field>, SeekableSource<Row, Field> {
  readonly page: NonNullable<ListSource<Row>['page']>
  readonly cut: NonNullable<ListSource<Row>['cut']>
  readonly estimate: NonNullable<ListSource<Row>['estimate']>
  /**
   * Conditions and orders see those rows of relations alone that have these values of a scope, by column of the list.
   * Resources with a scope do this by themselves.
   */
  readonly relating: (values: Readonly<Record<string, unknown>>) => this
}

/** The connection broke while a statement was under way. The next statement gets another connection. */
export class ConnectionLost extends DatabaseUnavailable {
  constructor(place: string, cause: Error, how = 'broke while a statement was under way') {
    super(`The connection to ${place} ${how}. Try again.`, { cause })
  }
}
