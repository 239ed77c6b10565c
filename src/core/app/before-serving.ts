import type { ServedEndpoint } from '../ports/kernel.ts'
import type { Database } from '../ports/database.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import {
  DatabaseUnavailable,
  NotMigrated,
  changedSinceApplied,
  migrationsThatAre,
} from '../errors/storage-errors.ts'

/** @throws ConfigurationError a table is missing, or not as a migration makes it */
export async function requireTables(databases: readonly Database[]): Promise<void> {
  const statuses = await Promise.all(databases.map((database) => database.migrationStatus()))
  const changed = changedSinceApplied(statuses.flat())
  if (changed !== null) throw new ConfigurationError(changed)
  const names = migrationsThatAre(statuses.flat(), 'pending', 'late')
  if (names.length === 0) return
  throw new ConfigurationError(
    `The database is not up to date (${names.join(', ')}). Run: colophon migrate`,
  )
}

/** @throws ConfigurationError an endpoint, or the accounts, name a column that its table does not have */
async function requireColumns(
  served: readonly Asked[],
  accounts: { lacks?(): Promise<string | null> } | null,
): Promise<void> {
  const lacking = (await accounts?.lacks?.()) ?? null
  if (lacking !== null) throw new ConfigurationError(lacking)
  for (const { place, settings, behaviours } of served)
    for (const behaviour of Object.values(behaviours)) {
      const problem = (await behaviour.lacks?.(settings)) ?? null
      if (problem !== null) throw new ConfigurationError(`${place}: ${problem}`)
    }
}

interface Asked extends Pick<ServedEndpoint, 'behaviours' | 'settings'> {
  readonly place: string
}

/** The same for a server that is to outlive its database: if the database cannot be asked now, requests ask it later. */
export async function requireTablesIfKnown(
  databases: readonly Database[],
  served: readonly Asked[],
  accounts: { lacks?(): Promise<string | null> } | null,
): Promise<void> {
  try {
    await requireTables(databases)
    await requireColumns(served, accounts)
  } catch (error) {
    const isAway = error instanceof DatabaseUnavailable || error instanceof NotMigrated
    if (!isAway) throw error
  }
}
