import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import { toRowObjects } from '../../std/row-objects.ts'
import type { ConnectionPool, PooledConnection } from './connection-pool.ts'
import { dialectParts } from './dialect-parts.ts'
import { savepointQuery } from './savepoint.ts'

/** Typed queries over a pool of connections. */
export function createPooledKysely(
  dialect: 'postgres' | 'mysql',
  pool: ConnectionPool,
): Kysely<unknown> {
  return new Kysely<unknown>({
    dialect: { ...dialectParts(dialect), createDriver: () => new PoolDriver(pool) },
  })
}

type Compile = QueryCompiler['compileQuery']

class PoolDriver implements Driver {
  readonly #pool: ConnectionPool

  constructor(pool: ConnectionPool) {
    this.#pool = pool
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<KyselyConnection> {
    return new KyselyConnection(await this.#pool.connect())
  }

  beginTransaction({ pooled }: KyselyConnection, settings: TransactionSettings): Promise<void> {
    return pooled.begin(settings)
  }

  commitTransaction({ pooled }: KyselyConnection): Promise<void> {
    return pooled.commit()
  }

  async rollbackTransaction(connection: KyselyConnection): Promise<void> {
    connection.unusable = true
    await connection.pooled.rollback()
    connection.unusable = false
  }

  async savepoint(connection: KyselyConnection, name: string, compile: Compile): Promise<void> {
    await connection.executeQuery(savepointQuery('savepoint', name, compile))
  }

  async rollbackToSavepoint(
    connection: KyselyConnection,
    name: string,
    compile: Compile,
  ): Promise<void> {
    await connection.executeQuery(savepointQuery('rollback to', name, compile))
  }

  async releaseSavepoint(
    connection: KyselyConnection,
    name: string,
    compile: Compile,
  ): Promise<void> {
    await connection.executeQuery(savepointQuery('release savepoint', name, compile))
  }

  async releaseConnection({ pooled, unusable }: KyselyConnection): Promise<void> {
    pooled.release(unusable)
  }

  /** The database is closed by whoever opened it. */
  async destroy(): Promise<void> {}
}

class KyselyConnection implements DatabaseConnection {
  readonly pooled: PooledConnection
  unusable = false

  constructor(pooled: PooledConnection) {
    this.pooled = pooled
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { columns, values, changes, insertId } = await this.pooled.execute(query)
    return {
      rows: toRowObjects(columns, values) as Row[],
      ...(changes === null ? {} : { numAffectedRows: BigInt(changes) }),
      ...(insertId === undefined ? {} : { insertId: BigInt(insertId) }),
    }
  }

  /** In one piece: the drivers' cursors are packages of their own. */
  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery(query)
  }
}
