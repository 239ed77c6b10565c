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
import { BoundedMap } from '../../std/bounded-map.ts'
import { toRowObjects } from '../../std/row-objects.ts'
import type { Beginning, ConnectionPool, PooledConnection, Use } from './connection-pool.ts'
import { createPooledKysely } from './kysely.ts'
import { PooledTransaction } from './transaction.ts'
import { unhurried } from './unhurried.ts'
import { createSessionStore } from '../../sql/accounts/sessions.ts'
import { SharedSnapshots } from './shared-snapshots.ts'
import type { Dialect } from '../../sql/dialect.ts'
import type { ServerDatabase } from '../../sql/sql-database.ts'
import { createTokenStore } from '../../sql/accounts/tokens.ts'
import { createUserStore } from '../../sql/accounts/users.ts'

/** Statements whose columns stay known. */
const DESCRIBED = 500

type Reader = Pick<Executor, 'read' | 'rows'>

/** A database that is reached through a pool of connections; each statement borrows one for itself. */
export class PooledDatabase implements ServerDatabase {
  readonly dialect: Dialect
  readonly #pool: ConnectionPool
  readonly #shared: SharedSnapshots
  readonly #described = new BoundedMap<string, readonly ColumnFacts[]>(DESCRIBED)
  #users: UserStore | null = null
  #tokens: TokenStore | null = null
  #sessions: SessionStore | null = null
  #kysely: Kysely<unknown> | null = null

  constructor(dialect: Dialect, pool: ConnectionPool) {
    this.dialect = dialect
    this.#pool = pool
    this.#shared = new SharedSnapshots(pool)
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

  async read<Row = Record<string, unknown>>(statement: Statement): Promise<readonly Row[]> {
    const { columns, values } = await this.rows(statement)
    return toRowObjects(columns, values) as Row[]
  }

  rows(statement: Statement): Promise<Rows> {
    return this.#borrowing((connection) => connection.execute(statement))
  }

  /** Asked once for each text: what a column is does not change while a service runs. */
  describe(statement: Statement): Promise<readonly ColumnFacts[]> {
    const known = this.#described.get(statement.sql)
    if (known !== undefined) return Promise.resolve(known)
    return this.#borrowing(async (connection) => {
      const columns = await connection.describe(statement)
      this.#described.set(statement.sql, columns)
      return columns
    })
  }

  async write(statement: Statement): Promise<{ readonly changes: number }> {
    const work = (connection: PooledConnection) => connection.execute(statement)
    const { changes } = await this.#borrowing(work, 'write')
    return { changes: changes ?? 0 }
  }

  async transaction<T>(work: (transaction: Executor) => MaybePromise<T>): Promise<T> {
    const transaction = await this.#begin({}, 'write')
    try {
      const result = await work(transaction)
      await transaction.commit()
      return result
    } finally {
      await transaction.end()
    }
  }

  async snapshot<T>(work: (reader: Reader) => MaybePromise<T>): Promise<T> {
    const transaction = await this.#begin({ snapshot: true }, 'read')
    try {
      return await work(transaction)
    } finally {
      // Nothing was written, so nobody has to wait for the end.
      void transaction.end()
    }
  }

  sharedSnapshot<T>(
    first: Statement,
    work: (found: Rows, reader: Reader) => MaybePromise<T>,
  ): Promise<T> {
    return this.#shared.read(first, work)
  }

  kysely<Tables>(): Kysely<Tables> {
    this.#kysely ??= createPooledKysely(this.dialect, this.#pool)
    return this.#kysely as Kysely<Tables>
  }

  async migrate(): Promise<readonly string[]> {
    const { migrate } = await import('../../sql/migrations/migrations.ts')
    return migrate(createPooledKysely(this.dialect, unhurried(this.#pool)), this.dialect)
  }

  async pendingMigrations(): Promise<readonly string[]> {
    const { pendingMigrations } = await import('../../sql/migrations/migrations.ts')
    return pendingMigrations(this.kysely(), this.dialect)
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  async #borrowing<T>(
    work: (connection: PooledConnection) => Promise<T>,
    use: Use = 'read',
  ): Promise<T> {
    const connection = await this.#pool.connect(use)
    try {
      return await work(connection)
    } finally {
      connection.release()
    }
  }

  async #begin(beginning: Beginning, use: Use): Promise<PooledTransaction> {
    return PooledTransaction.begin(await this.#pool.connect(use), beginning)
  }
}
