import { existsSync } from 'node:fs'
import { type CompiledQuery, SelectQueryNode } from 'kysely'
import type { MaybePromise } from '../../contract/request.ts'
import type { ColumnFacts, Executor, Rows, Statement } from '../../contract/database.ts'
import { DatabaseUnavailable } from '../../errors/storage-errors.ts'
import { toRowObjects } from '../../std/row-objects.ts'
import type { Dialect } from '../../sql/dialect.ts'
import type { SqlDatabase } from '../../sql/sql-database.ts'
import { AccountsDatabase } from '../database.ts'
import type { Connection, Outcome, Synchronous } from './connection.ts'
import { Connections } from './connections.ts'
import { sqliteDialect } from './dialect.ts'
import { isLocked } from './failures.ts'
import { ForeignLocks } from './foreign-locks.ts'
import { type Execution, QueryConnection } from '../kysely.ts'
import { SqliteTransaction, execute, found } from './transaction.ts'
import { Turns } from '../turns.ts'

/** An SQLite database. Reads are synchronous; so are writes, unless a transaction is under way or another process writes. */
export interface SqliteDatabase extends SqlDatabase {
  /** The file, absolute. */
  readonly path: string
  read<Row = Record<string, unknown>>(statement: Statement): readonly Row[]
  rows(statement: Statement): Rows
  describe(statement: Statement): readonly ColumnFacts[]
  close(): void
}

/** The options of `openSqlite` with their defaults. */
interface DatabaseOptions {
  readonly path: string
  readonly busyTimeout: number
  readonly queueTimeout: number
  readonly synchronous: Synchronous
}

/** The database behind `openSqlite`. */
export class FileDatabase extends AccountsDatabase implements SqliteDatabase {
  readonly dialect: Dialect = sqliteDialect
  readonly path: string
  readonly #options: DatabaseOptions
  readonly #queue: Turns
  /** In the way of writes. */
  readonly #locks: ForeignLocks
  /** In the way of reads: of opening the file, that is. */
  readonly #readLocks: ForeignLocks
  #opened: Connections | null = null
  #lockedOut: unknown = null
  #closed = false

  constructor(options: DatabaseOptions) {
    super()
    this.path = options.path
    this.#options = options
    this.#queue = new Turns(1, options.queueTimeout, () => stuck(options))
    this.#locks = new ForeignLocks(options.busyTimeout)
    this.#readLocks = new ForeignLocks(options.busyTimeout)
  }

  read<Row = Record<string, unknown>>(statement: Statement): readonly Row[] {
    const { columns, values } = this.rows(statement)
    return toRowObjects(columns, values) as Row[]
  }

  rows(statement: Statement): Rows {
    return this.#connections().forReading().rows(statement)
  }

  /** For callers that can wait while another process locks the file. */
  readPatiently(statement: Statement): MaybePromise<Execution> {
    return this.#readLocks.outwait(() => found(this.rows(statement)))
  }

  describe({ sql }: Statement): readonly ColumnFacts[] {
    return this.#connections().forReading().describe(sql)
  }

  write(statement: Statement): MaybePromise<Outcome> {
    return this.#writing((writer) => writer.run(statement))
  }

  /** Runs a statement of any kind on the writer. */
  execute(statement: Statement): MaybePromise<Execution> {
    return this.#writing((writer) => execute(writer, statement))
  }

  async transaction<T>(work: (transaction: Executor) => MaybePromise<T>): Promise<T> {
    const transaction = await this.begin()
    try {
      const result = await work(transaction)
      await transaction.commit()
      return result
    } catch (error) {
      transaction.rollback()
      throw error
    }
  }

  /** A transaction that the caller ends. */
  async begin(): Promise<SqliteTransaction> {
    const arrived = performance.now()
    await this.#queue.take()
    try {
      return await this.#locks.outwait(
        () => new SqliteTransaction(this.#connections(), this.#locks, () => this.#queue.end()),
        arrived,
      )
    } catch (error) {
      this.#queue.end()
      throw error
    }
  }

  async migrate(): Promise<readonly string[]> {
    const { migrate } = await migrations()
    return migrate(this.kysely(), this.dialect)
  }

  async pendingMigrations(): Promise<readonly string[]> {
    const { migrationNames, pendingMigrations } = await migrations()
    if (this.#opened === null && !existsSync(this.#options.path)) return migrationNames
    return pendingMigrations(this.kysely(), this.dialect)
  }

  close(): void {
    this.#closed = true
    this.#opened?.close()
    this.#opened = null
  }

  protected override queries(): QueryConnection {
    return new FileQueries(this)
  }

  #writing<T>(work: (writer: Connection) => T): MaybePromise<T> {
    if (this.#queue.full) return this.#inTurn(work)
    try {
      return this.#connections().writing(work)
    } catch (error) {
      if (!isLocked(error)) throw error
      return this.#inTurn(work)
    }
  }

  /** A write that comes during a transaction, or behind one that waits for another process, must not slip in. */
  async #inTurn<T>(work: (writer: Connection) => T): Promise<T> {
    const arrived = performance.now()
    await this.#queue.take()
    try {
      return await this.#locks.outwait(() => this.#connections().writing(work), arrived)
    } finally {
      this.#queue.end()
    }
  }

  #connections(): Connections {
    return this.#opened ?? this.#open()
  }

  #open(): Connections {
    const { path, synchronous } = this.#options
    if (this.#closed) throw new DatabaseUnavailable(`The database ${path} has been closed.`)
    if (this.#lockedOut !== null) throw this.#lockedOut
    try {
      return (this.#opened = new Connections(path, synchronous))
    } catch (error) {
      if (isLocked(error)) this.#knockOnceATurn(error)
      throw error
    }
  }

  /** Opening waits for a moment, and the event loop with it: not once for each of a hundred requests. */
  #knockOnceATurn(error: unknown): void {
    this.#lockedOut = error
    setImmediate(() => (this.#lockedOut = null))
  }
}

/** Selects read, the rest goes to the writer, and a transaction has the writer for itself. */
class FileQueries extends QueryConnection {
  readonly #database: FileDatabase
  #transaction: SqliteTransaction | null = null

  constructor(database: FileDatabase) {
    super()
    this.#database = database
  }

  execute(query: CompiledQuery): MaybePromise<Execution> {
    if (this.#transaction !== null) return this.#transaction.execute(query)
    return SelectQueryNode.is(query.query)
      ? this.#database.readPatiently(query)
      : this.#database.execute(query)
  }

  async begin(): Promise<void> {
    this.#transaction = await this.#database.begin()
  }

  async commit(): Promise<void> {
    await this.#transaction?.commit()
  }

  rollback(): void {
    this.#transaction?.rollback()
  }

  release(): void {
    this.#transaction = null
  }
}

/** Loaded only for migrations: a service that only serves has no use for them. */
function migrations(): Promise<typeof import('../../sql/migrations/migrations.ts')> {
  return import('../../sql/migrations/migrations.ts')
}

function stuck({ path, queueTimeout }: DatabaseOptions): DatabaseUnavailable {
  return new DatabaseUnavailable(
    `A write to ${path} waited ${queueTimeout} ms for others of this process to end. Inside of a transaction, write through what the transaction gives you.`,
  )
}
