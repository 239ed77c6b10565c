import { existsSync } from 'node:fs'
import type { Kysely } from 'kysely'
import type { MaybePromise } from '../../contract/request.ts'
import type {
  ColumnFacts,
  Executor,
  Rows,
  SessionStore,
  Statement,
  TokenStore,
  UserStore,
} from '../../contract/storage.ts'
import { DatabaseUnavailable } from '../../errors/storage-errors.ts'
import { toRowObjects } from '../../std/row-objects.ts'
import { createSessionStore } from '../sql/sessions.ts'
import type { SqlDatabase } from '../sql/sql-database.ts'
import { createTokenStore } from '../sql/tokens.ts'
import { createUserStore } from '../sql/users.ts'
import type { Connection, Outcome } from './connection.ts'
import { Connections } from './connections.ts'
import { createKysely } from './kysely.ts'
import { type Execution, SqliteTransaction, execute } from './transaction.ts'
import { WriteQueue } from './write-queue.ts'

/** An SQLite database. Reads are synchronous; so are writes, unless a transaction is under way. */
export interface SqliteDatabase extends SqlDatabase {
  readonly dialect: 'sqlite'
  /** The file, absolute. */
  readonly path: string
  read<Row = Record<string, unknown>>(statement: Statement): readonly Row[]
  rows(statement: Statement): Rows
  describe(statement: Statement): readonly ColumnFacts[]
  close(): void
}

/** The options of `openSqlite`, all of them said. */
export interface DatabaseOptions {
  readonly path: string
  readonly busyTimeout: number
  readonly queueTimeout: number
}

/** The database behind `openSqlite`. */
export class FileDatabase implements SqliteDatabase {
  readonly dialect = 'sqlite'
  readonly path: string
  readonly #options: DatabaseOptions
  readonly #queue: WriteQueue
  #opened: Connections | null = null
  #closed = false
  #users: UserStore | null = null
  #tokens: TokenStore | null = null
  #sessions: SessionStore | null = null
  #kysely: Kysely<unknown> | null = null

  constructor(options: DatabaseOptions) {
    this.path = options.path
    this.#options = options
    this.#queue = new WriteQueue(options.queueTimeout, () => stuck(options))
  }

  get users(): UserStore {
    return (this.#users ??= createUserStore(this))
  }

  get tokens(): TokenStore {
    return (this.#tokens ??= createTokenStore(this))
  }

  get sessions(): SessionStore {
    return (this.#sessions ??= createSessionStore(this))
  }

  read<Row = Record<string, unknown>>(statement: Statement): readonly Row[] {
    const { columns, values } = this.rows(statement)
    return toRowObjects(columns, values) as Row[]
  }

  rows(statement: Statement): Rows {
    const { turn, reader } = this.#connections()
    turn.join()
    return reader.rows(statement)
  }

  describe({ sql }: Statement): readonly ColumnFacts[] {
    return this.#connections().reader.describe(sql)
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
      transaction.commit()
      return result
    } catch (error) {
      transaction.rollback()
      throw error
    }
  }

  /** A transaction that the caller ends. */
  async begin(): Promise<SqliteTransaction> {
    await this.#queue.enter()
    try {
      return new SqliteTransaction(this.#connections(), () => this.#queue.leave())
    } catch (error) {
      this.#queue.leave()
      throw error
    }
  }

  kysely<Tables>(): Kysely<Tables> {
    this.#kysely ??= createKysely(this)
    return this.#kysely as Kysely<Tables>
  }

  async migrate(): Promise<readonly string[]> {
    const { migrate } = await migrations()
    return migrate(this.kysely(), this.dialect)
  }

  async pendingMigrations(): Promise<readonly string[]> {
    const { migrationNames, pendingMigrations } = await migrations()
    if (this.#opened === null && !existsSync(this.#options.path))
      return migrationNames(this.dialect)
    return pendingMigrations(this.kysely(), this.dialect)
  }

  close(): void {
    this.#closed = true
    this.#opened?.close()
    this.#opened = null
  }

  #writing<T>(work: (writer: Connection) => T): MaybePromise<T> {
    return this.#queue.taken ? this.#inTurn(work) : this.#connections().writing(work)
  }

  /** A write that comes during a transaction waits for its end: it must not slip into it. */
  async #inTurn<T>(work: (writer: Connection) => T): Promise<T> {
    await this.#queue.enter()
    try {
      return this.#connections().writing(work)
    } finally {
      this.#queue.leave()
    }
  }

  #connections(): Connections {
    return this.#opened ?? this.#open()
  }

  #open(): Connections {
    const { path, busyTimeout } = this.#options
    if (this.#closed) throw new DatabaseUnavailable(`The database ${path} has been closed.`)
    return (this.#opened = new Connections(path, busyTimeout))
  }
}

/** Loaded when somebody migrates or asks: a service that only serves has no use for them. */
function migrations(): Promise<typeof import('../sql/migrations.ts')> {
  return import('../sql/migrations.ts')
}

function stuck({ path, queueTimeout }: DatabaseOptions): DatabaseUnavailable {
  return new DatabaseUnavailable(
    `A write to ${path} waited ${queueTimeout} ms for a transaction of this process to end. Inside of a transaction, write through what the transaction gives you.`,
  )
}
