import type { ColumnDefinitionBuilder, Compilable, Kysely } from 'kysely'

/** What a kind of database does in its own way when its tables change. */
export interface MigrationDialect {
  /** The type of numbers that a key counts up. */
  readonly integer: 'integer' | 'bigint'
  /** A primary key that never gives the number of a deleted row to another. */
  growing(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder
  /**
   * Does work on one connection while no other process does such work.
   *
   * @throws DatabaseUnavailable another process has been migrating for ten minutes
   */
  exclusively<T>(
    database: Kysely<unknown>,
    work: (connection: Kysely<unknown>) => Promise<T>,
  ): Promise<T>
  /** Runs the statements of a step. Where it breaks off, the next run of the step finishes it. */
  run(database: Kysely<unknown>, step: string, statements: readonly Compilable[]): Promise<void>
  /** The schema in which tables are made that are named without one; `null`: there is one only. */
  schema(database: Kysely<unknown>): Promise<string | null>
}

/** Runs statements in a transaction that keeps all of them or none, as most databases can. */
export async function runAll(
  database: Kysely<unknown>,
  _step: string,
  statements: readonly Compilable[],
): Promise<void> {
  for (const statement of statements) await database.executeQuery(statement.compile())
}
