import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryCompiler,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { MaybePromise } from '../../contract/request.ts'
import type { Statement } from '../../contract/storage.ts'
import { savepointQuery } from '../pooled/savepoint.ts'
import type { Execution, SqliteTransaction } from './transaction.ts'

/** What the query builder needs of a database. */
export interface QueryRunner {
  readPatiently(statement: Statement): MaybePromise<readonly Record<string, unknown>[]>
  execute(statement: Statement): MaybePromise<Execution>
  begin(): Promise<SqliteTransaction>
}

/** Typed queries over a database: selects read, the rest goes to the writer, transactions too. */
export function createKysely<Tables>(database: QueryRunner): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new Adapter(),
      createDriver: () => new RunnerDriver(database),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
}

class Adapter extends SqliteAdapter {
  /** Several queries may be under way: the database has its own queue. */
  override get supportsMultipleConnections(): boolean {
    return true
  }

  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class RunnerDriver implements Driver {
  readonly #database: QueryRunner

  constructor(database: QueryRunner) {
    this.#database = database
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<RunnerConnection> {
    return new RunnerConnection(this.#database)
  }

  async beginTransaction(connection: RunnerConnection): Promise<void> {
    connection.transaction = await this.#database.begin()
  }

  async commitTransaction(connection: RunnerConnection): Promise<void> {
    await connection.transaction?.commit()
  }

  async rollbackTransaction(connection: RunnerConnection): Promise<void> {
    connection.transaction?.rollback()
  }

  savepoint(connection: RunnerConnection, name: string, compile: Compile): Promise<void> {
    return named(connection, 'savepoint', name, compile)
  }

  rollbackToSavepoint(connection: RunnerConnection, name: string, compile: Compile): Promise<void> {
    return named(connection, 'rollback to', name, compile)
  }

  releaseSavepoint(connection: RunnerConnection, name: string, compile: Compile): Promise<void> {
    return named(connection, 'release', name, compile)
  }

  async releaseConnection(connection: RunnerConnection): Promise<void> {
    connection.transaction = null
  }

  /** The database is closed by whoever opened it. */
  async destroy(): Promise<void> {}
}

type Compile = QueryCompiler['compileQuery']

async function named(
  connection: RunnerConnection,
  command: 'savepoint' | 'rollback to' | 'release',
  savepoint: string,
  compile: Compile,
): Promise<void> {
  await connection.executeQuery(savepointQuery(command, savepoint, compile))
}

class RunnerConnection implements DatabaseConnection {
  readonly #database: QueryRunner
  transaction: SqliteTransaction | null = null

  constructor(database: QueryRunner) {
    this.#database = database
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.transaction !== null) return toResult(this.transaction.execute(query))
    if (SelectQueryNode.is(query.query))
      return { rows: (await this.#database.readPatiently(query)) as Row[] }
    return toResult(await this.#database.execute(query))
  }

  /** In one piece: a cursor left open would keep its snapshot beyond the turn. */
  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery(query)
  }
}

function toResult<Row>({ rows, changes, insertId }: Execution): QueryResult<Row> {
  return {
    rows: rows as Row[],
    ...(changes === undefined ? {} : { numAffectedRows: BigInt(changes) }),
    ...(insertId === undefined ? {} : { insertId: BigInt(insertId) }),
  }
}
