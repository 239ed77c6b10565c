import { existsSync } from 'node:fs'
import { type CompiledQuery, SelectQueryNode } from 'kysely'
import type { MaybePromise } from '../../contract/request.ts'
import type { ColumnFacts, Statement } from '../../contract/database.ts'
import type { Rows } from '../../contract/list-source.ts'
import type { CounterStore } from '../../contract/throttling.ts'
import { DatabaseUnavailable } from '../../errors/storage-errors.ts'
import { toRowObjects } from '../../std/row-objects.ts'
import type { Dialect } from '../../sql/dialect.ts'
import type { SqlDatabase } from '../../sql/sql-database.ts'
import { AccountsDatabase, type OpenTransaction, type OwnTables } from '../database.ts'
import { type Outcome, WritingConnection } from './connection.ts'
import type { FileOptions } from './open-file.ts'
import { SqliteCounters } from './counters.ts'
import { sqliteDialect } from './dialect.ts'
import { isLocked } from './failures.ts'
import { ForeignLocks } from './foreign-locks.ts'
import type { Execution, QueryConnection } from '../kysely.ts'
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

interface DatabaseOptions extends FileOptions, OwnTables {
  readonly busyTimeout: number
  readonly queueTimeout: number
}

/** Milliseconds to wait while another process migrates, as on servers. */
const MIGRATION_PATIENCE = 600_000

export class FileDatabase extends AccountsDatabase implements SqliteDatabase {
  readonly dialect: Dialect = sqliteDialect
  readonly path: string
  readonly #options: DatabaseOptions
  readonly #queue: Turns
  readonly #locks: ForeignLocks
  /** Of opening the file: nothing else is in the way of reads. */
  readonly #readLocks: ForeignLocks
  #opened: WritingConnection | null = null
  #lockedOut: unknown = null
  #closed = false

  constructor(options: DatabaseOptions) {
    super(options)
    this.path = options.path
    this.#options = options
    this.#queue = new Turns(1, options.queueTimeout, () => stuck(options))
    this.#locks = new ForeignLocks(options.busyTimeout)
    this.#readLocks = new ForeignLocks(options.busyTimeout)
  }

  read<Row = Record<string, unknown>>(statement: Statement): readonly Row[] {
    return toRowObjects<Row>(this.rows(statement))
  }

  rows(statement: Statement): Rows {
    return this.#writer().reader.rows(statement)
  }

  describe({ sql }: Statement): readonly ColumnFacts[] {
    return this.#writer().reader.describe(sql)
  }

  write(statement: Statement): MaybePromise<Outcome> {
    return this.#writing((writer) => writer.run(statement))
  }

  /** For a caller that can wait while another process locks the file. Selects read, the rest goes to the writer. */
  execute(query: CompiledQuery): MaybePromise<Execution> {
    if (!SelectQueryNode.is(query.query)) return this.#writing((writer) => writer.execute(query))
    return this.#readLocks.outwait(() => ({ ...this.rows(query), changes: null }))
  }

  override begin(locks: ForeignLocks = this.#locks): Promise<SqliteTransaction> {
    const ended = (): void => this.#queue.end()
    return this.#inTurn(() => new SqliteTransaction(this.#writer(), locks, ended), locks)
  }

  close(): void {
    this.#closed = true
    this.#opened?.close()
    this.#opened = null
  }

  protected override get exists(): boolean {
    return this.#opened !== null || existsSync(this.path)
  }

  protected override createCounters(): CounterStore {
    return new SqliteCounters((work) => this.#writing(work))
  }

  protected override queries({
    unhurried = false,
  }: { readonly unhurried?: boolean } = {}): QueryConnection {
    let transaction: SqliteTransaction | null = null
    const locks = unhurried ? new ForeignLocks(MIGRATION_PATIENCE) : this.#locks
    return {
      execute: (query) => (transaction ?? this).execute(query),
      begin: async () => void (transaction = await this.begin(locks)),
      commit: async () => transaction?.commit(),
      rollback: async () => transaction?.end(),
      release: async () => void (transaction = null),
    }
  }

  #writing<T>(work: (writer: WritingConnection) => T): MaybePromise<T> {
    if (this.#queue.full) return this.#writingInTurn(work)
    try {
      return this.#writer().writing(work)
    } catch (error) {
      if (!isLocked(error)) throw error
      return this.#writingInTurn(work)
    }
  }

  /** A write that comes during a transaction, or behind one that waits for another process, must not slip in. */
  async #writingInTurn<T>(work: (writer: WritingConnection) => T): Promise<T> {
    const done = await this.#inTurn(() => this.#writer().writing(work))
    this.#queue.end()
    return done
  }

  /** The turn goes on, except where the work fails. */
  async #inTurn<T>(work: () => T, locks: ForeignLocks = this.#locks): Promise<T> {
    const arrived = performance.now()
    await this.#queue.take()
    try {
      return await locks.outwait(work, arrived)
    } catch (error) {
      this.#queue.end()
      throw error
    }
  }

  #writer(): WritingConnection {
    return this.#opened ?? this.#open()
  }

  #open(): WritingConnection {
    const { path } = this
    if (this.#closed) throw new DatabaseUnavailable(`The database ${path} has been closed.`)
    if (this.#lockedOut !== null) throw this.#lockedOut
    try {
      return (this.#opened = new WritingConnection(this.#options))
    } catch (error) {
      if (isLocked(error)) {
        // Opening stops the event loop: once a turn, not for each of a hundred requests.
        this.#lockedOut = error
        setImmediate(() => (this.#lockedOut = null))
      }
      throw error
    }
  }
}

function stuck({ path, queueTimeout }: DatabaseOptions): DatabaseUnavailable {
  return new DatabaseUnavailable(
    `A write to ${path} waited ${queueTimeout} ms for others of this process to end. Inside of a transaction, write through what the transaction gives you.`,
  )
}

/** A transaction of the writer. It sees its own changes; others see them once it is committed. */
export class SqliteTransaction implements OpenTransaction {
  readonly #writer: WritingConnection
  readonly #locks: ForeignLocks
  readonly #ended: () => void
  #over = false

  /** Begins at once. `ended`: committed or not. */
  constructor(writer: WritingConnection, locks: ForeignLocks, ended: () => void) {
    this.#writer = writer
    this.#locks = locks
    this.#ended = ended
    writer.writing(() => writer.command('BEGIN IMMEDIATE'))
  }

  read<Row = Record<string, unknown>>(statement: Statement): readonly Row[] {
    return toRowObjects<Row>(this.rows(statement))
  }

  rows(statement: Statement): Rows {
    return this.#open().rows(statement)
  }

  write(statement: Statement): Outcome {
    return this.#open().run(statement)
  }

  execute(statement: Statement): Execution {
    return this.#open().execute(statement)
  }

  /** Where the file system allows no write-ahead log, a reader elsewhere stands in its way. */
  async commit(): Promise<void> {
    const writer = this.#open()
    await this.#locks.outwait(() => writer.writing(() => writer.command('COMMIT')))
    this.#close()
  }

  end(): void {
    if (this.#over) return
    try {
      // Some failures, a full disk for one, have rolled back by themselves.
      if (this.#writer.inTransaction) this.#writer.command('ROLLBACK')
    } finally {
      this.#close()
    }
  }

  #open(): WritingConnection {
    if (this.#over) throw new Error('This transaction is over: await everything inside of it.')
    return this.#writer
  }

  #close(): void {
    this.#over = true
    this.#ended()
  }
}
