import {
  type CompiledQuery,
  type DatabaseConnection,
  DeleteQueryNode,
  type Driver,
  InsertQueryNode,
  Kysely,
  type QueryResult,
  SelectQueryNode,
  UpdateQueryNode,
} from 'kysely'
import { DatabaseUnavailable } from '../../errors/storage-errors.ts'
import type { Dialect } from '../dialect.ts'

type Progress = {
  colophon_migration_progress: { step: string; statements: number }
}

type Step = (database: Kysely<unknown>) => Promise<void>

/**
 * A step of migrations that can break off anywhere and is finished by running it again. MySQL keeps every
 * change of tables at once, transaction or not; so what has been done is written down statement by
 * statement, and not done twice. Statements of a step must not depend on what it has read.
 */
export async function resume(
  database: Kysely<unknown>,
  name: string,
  step: Step,
  dialect: Dialect,
): Promise<void> {
  const db = database.withTables<Progress>()
  await createTable(database)
  const begun = await db
    .selectFrom('colophon_migration_progress')
    .select('statements')
    .where('step', '=', name)
    .executeTakeFirst()
  if (begun === undefined) {
    await db
      .insertInto('colophon_migration_progress')
      .values({ step: name, statements: 0 })
      .execute()
  }
  await step(recording(database, dialect, new Recorder(db, name, begun?.statements ?? null)))
}

async function createTable(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('colophon_migration_progress')
    .ifNotExists()
    .addColumn('step', 'varchar(100)', (column) => column.primaryKey())
    .addColumn('statements', 'integer', (column) => column.notNull())
    .execute()
}

/** Queries as they are built on `database`, but run by the recorder. */
function recording(
  database: Kysely<unknown>,
  dialect: Dialect,
  recorder: Recorder,
): Kysely<unknown> {
  return new Kysely<unknown>({
    dialect: { ...dialect.queryBuilder, createDriver: () => new RecorderDriver(recorder) },
    plugins: database.getExecutor().plugins.slice(),
  })
}

/** Runs the statements of a step that have not been run, and counts. */
class Recorder implements DatabaseConnection {
  readonly #db: Kysely<Progress>
  readonly #step: string
  /** Statements that are written down. */
  readonly #done: number
  /** Did somebody else begin? Then the next statement may have been run, but not written down. */
  #resumed: boolean
  #position = 0

  /** `done`: statements that another run has written down; `null`: there was none. */
  constructor(db: Kysely<Progress>, step: string, done: number | null) {
    this.#db = db
    this.#step = step
    this.#done = done ?? 0
    this.#resumed = done !== null
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (SelectQueryNode.is(query.query)) return this.#db.executeQuery<Row>(query)
    this.#position++
    if (this.#position <= this.#done) return { rows: [] }
    return changesRows(query) ? this.#changeRows(query) : this.#changeTables(query)
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery(query)
  }

  /** Rows and the note about them are kept together. */
  #changeRows<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    this.#resumed = false
    return this.#db.transaction().execute(async (transaction) => {
      const result = await transaction.executeQuery<Row>(query)
      await this.#note(transaction)
      return result
    })
  }

  async #changeTables<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const resumed = this.#resumed
    this.#resumed = false
    try {
      await this.#db.executeQuery(query)
    } catch (error) {
      if (!resumed || !isDoneAlready(error)) throw error
    }
    await this.#note(this.#db)
    return { rows: [] }
  }

  async #note(db: Kysely<Progress>): Promise<void> {
    await db
      .updateTable('colophon_migration_progress')
      .set({ statements: this.#position })
      .where('step', '=', this.#step)
      .execute()
  }
}

/** Numbers with which a server refuses what is so already: a table, a column, an index is there, or gone. */
const DONE: ReadonlySet<unknown> = new Set([1005, 1022, 1050, 1051, 1060, 1061, 1091, 1146, 1826])

function isDoneAlready(error: unknown): boolean {
  const cause = error instanceof DatabaseUnavailable ? error.cause : error
  return cause instanceof Error && 'errno' in cause && DONE.has(cause.errno)
}

function changesRows({ query }: CompiledQuery): boolean {
  return InsertQueryNode.is(query) || UpdateQueryNode.is(query) || DeleteQueryNode.is(query)
}

/** Everything goes over the one connection that the migrations run on. */
class RecorderDriver implements Driver {
  readonly #connection: Recorder

  constructor(connection: Recorder) {
    this.#connection = connection
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }

  /* There is nothing to be undone: what is done is written down. */
  async beginTransaction(): Promise<void> {}
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}
