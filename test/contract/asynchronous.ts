import type { Executor } from '../../src/core/ports/database.ts'
import type { SqlDatabase } from '../../src/storage/sql/sql-database.ts'

/** The same database, as one that is far away: everything it is asked takes a turn. */
export function asynchronous(database: SqlDatabase): Omit<SqlDatabase, 'kysely'> {
  return {
    ...farExecutor(database),
    dialect: database.dialect,
    transaction: (work, options) =>
      database.transaction(
        (transaction) => work({ ...transaction, ...farExecutor(transaction) }),
        options,
      ),
    migrate: () => database.migrate(),
    pendingMigrations: () => database.pendingMigrations(),
    migrationStatus: () => database.migrationStatus(),
    close: () => database.close(),
    counters: database.counters,
  }
}

function farExecutor(executor: Executor): Executor {
  return {
    read: async (statement) => after(() => executor.read(statement)),
    rows: async (statement) =>
      after(async () => {
        const { columns, values } = await executor.rows(statement)
        return { columns, values }
      }),
    write: async (statement) => after(() => executor.write(statement)),
  }
}

async function after<T>(work: () => T | Promise<T>): Promise<T> {
  await new Promise<void>((resolve) => void setImmediate(resolve))
  return work()
}
