import type { Database } from '../contract/database.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { DatabaseUnavailable } from '../errors/storage-errors.ts'

/** @throws ConfigurationError a table is missing, or not as a migration makes it */
export async function requireTables(databases: readonly Database[]): Promise<void> {
  const pending = await Promise.all(databases.map((database) => database.pendingMigrations()))
  const names = pending.flat()
  if (names.length === 0) return
  throw new ConfigurationError(
    `The database is not up to date (${names.join(', ')}). Run: colophon migrate`,
  )
}

/** The same, for a server that is to outlive its database: one that cannot be asked now is asked by requests. */
export async function requireTablesIfKnown(databases: readonly Database[]): Promise<void> {
  try {
    await requireTables(databases)
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error
  }
}
