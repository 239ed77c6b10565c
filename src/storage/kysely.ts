import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  IdentifierNode,
  Kysely,
  type Dialect as KyselyDialect,
  type QueryResult,
  RawNode,
  type TransactionSettings,
  createQueryId,
} from 'kysely'
import type { MaybePromise } from '../core/std/after.ts'
import type { Rows } from '../core/ports/list-source.ts'
import { toRowObjects } from '../core/std/row-objects.ts'

export interface Execution extends Rows {
  /** Rows that it changed; `null` where it only read. */
  readonly changes: number | null
  readonly insertId?: number | bigint
}

/** For one typed query or one transaction at a time. */
export interface QueryConnection {
  execute(query: CompiledQuery): MaybePromise<Execution>
  begin(settings: TransactionSettings): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
  release(): Promise<void>
}

class OwnConnection implements DatabaseConnection {
  readonly own: QueryConnection

  constructor(own: QueryConnection) {
    this.own = own
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { changes, insertId, ...rows } = await this.own.execute(query)
    return {
      rows: toRowObjects<Row>(rows),
      ...(changes === null ? {} : { numAffectedRows: BigInt(changes) }),
      ...(insertId === undefined ? {} : { insertId: BigInt(insertId) }),
    }
  }

  /**
   * Gives the result in one piece: a cursor of SQLite would keep its snapshot, and the servers' cursors are packages of
   * their own.
   */
  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery(query)
  }
}

/** `connect` opens nothing: a connection is taken when its first query comes. */
export function createKysely(
  queryBuilder: Omit<KyselyDialect, 'createDriver'>,
  connect: () => QueryConnection,
): Kysely<unknown> {
  // Migrations take locks of ours: those of the query builder would come after the tables of the migrator
  // are made, and on PostgreSQL outlive a transaction that failed.
  const unlocked = { acquireMigrationLock: async () => {}, releaseMigrationLock: async () => {} }
  const createAdapter = () => Object.assign(queryBuilder.createAdapter(), unlocked)
  const createDriver = () => driver(connect)
  return new Kysely<unknown>({ dialect: { ...queryBuilder, createAdapter, createDriver } })
}

/** The query builder hands back the connections that it was given, so they are ours. */
function driver(connect: () => QueryConnection): Driver {
  const ours = (connection: DatabaseConnection) => (connection as OwnConnection).own
  return {
    init: async () => {},
    acquireConnection: async () => new OwnConnection(connect()),
    beginTransaction: (connection, settings) => ours(connection).begin(settings),
    commitTransaction: (connection) => ours(connection).commit(),
    rollbackTransaction: (connection) => ours(connection).rollback(),
    savepoint: savepoint('savepoint'),
    rollbackToSavepoint: savepoint('rollback to'),
    releaseSavepoint: savepoint('release savepoint'),
    releaseConnection: (connection) => ours(connection).release(),
    // The database itself is closed with its own `close()`.
    destroy: async () => {},
  }
}

function savepoint(command: string): NonNullable<Driver['savepoint']> {
  return async (connection, name, compile) => {
    const parts = [RawNode.createWithSql(`${command} `), IdentifierNode.create(name)]
    await connection.executeQuery(compile(RawNode.createWithChildren(parts), createQueryId()))
  }
}
