import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryCompiler,
  type QueryResult,
  SelectQueryNode,
  type TransactionSettings,
} from 'kysely'
import type { Dialect } from '../../sql/dialect.ts'
import { toRowObjects } from '../../std/row-objects.ts'
import type { ConnectionPool, PooledConnection, Use } from './connection-pool.ts'
import { savepointQuery } from './savepoint.ts'

/** Typed queries over a pool of connections. */
export function createPooledKysely(dialect: Dialect, pool: ConnectionPool): Kysely<unknown> {
  return new Kysely<unknown>({
    dialect: { ...dialect.queryBuilder, createDriver: () => new PoolDriver(pool) },
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
    return new KyselyConnection(this.#pool)
  }

  async beginTransaction(
    connection: KyselyConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    const use = settings.accessMode === 'read only' ? 'read' : 'write'
    await (await connection.pooled(use)).begin(settings)
  }

  async commitTransaction(connection: KyselyConnection): Promise<void> {
    await (await connection.pooled('write')).commit()
  }

  async rollbackTransaction(connection: KyselyConnection): Promise<void> {
    connection.unusable = true
    await (await connection.pooled('write')).rollback()
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

  async releaseConnection(connection: KyselyConnection): Promise<void> {
    await connection.release()
  }

  /** The database is closed by whoever opened it. */
  async destroy(): Promise<void> {}
}

/** It takes its connection when the first statement comes, which tells what it is wanted for. */
class KyselyConnection implements DatabaseConnection {
  readonly #pool: ConnectionPool
  #pooled: Promise<PooledConnection> | null = null
  unusable = false

  constructor(pool: ConnectionPool) {
    this.#pool = pool
  }

  pooled(use: Use): Promise<PooledConnection> {
    return (this.#pooled ??= this.#pool.connect(use))
  }

  async release(): Promise<void> {
    // Where there was none to be had, the statement has failed.
    const pooled = await this.#pooled?.catch(() => null)
    pooled?.release(this.unusable)
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const connection = await this.pooled(isRead(query) ? 'read' : 'write')
    const { columns, values, changes, insertId } = await connection.execute(query)
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

/** One that locks what it reads waits for others like one that writes. */
function isRead({ query }: CompiledQuery): boolean {
  return SelectQueryNode.is(query) && query.endModifiers === undefined
}
