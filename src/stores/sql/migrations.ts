import type { Kysely } from 'kysely'
import { type Migration, Migrator, type MigratorProps } from 'kysely/migration'
import type { DialectName } from './compile.ts'
import { createUsers } from './steps/0001-users.ts'
import { createTokens } from './steps/0002-tokens.ts'
import { createSessions } from './steps/0003-sessions.ts'
import { nameTokens } from './steps/0004-named-tokens.ts'

type Steps = Readonly<Record<string, Migration>>

/** Names of all steps, in the order in which they run. */
export function migrationNames(dialect: DialectName): readonly string[] {
  return Object.keys(steps(dialect))
}

/** Runs the steps that are missing, all of them or none; returns their names. */
export function migrate(
  database: Kysely<unknown>,
  dialect: DialectName,
): Promise<readonly string[]> {
  return database.transaction().execute(async (transaction) => {
    const { error, results = [] } = await migrator(transaction, dialect).migrateToLatest()
    if (error !== undefined) throw error
    return results.map(({ migrationName }) => migrationName)
  })
}

/** Names of the steps that `migrate` would run. */
export async function pendingMigrations(
  database: Kysely<unknown>,
  dialect: DialectName,
): Promise<readonly string[]> {
  const all = await migrator(database, dialect).getMigrations()
  return all.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name)
}

function migrator(db: Kysely<unknown>, dialect: DialectName): Migrator {
  const provider: MigratorProps['provider'] = { getMigrations: async () => steps(dialect) }
  return new Migrator({
    db,
    provider,
    // An application may keep its own migrations beside these.
    migrationTableName: 'colophon_migration',
    migrationLockTableName: 'colophon_migration_lock',
  })
}

/** Portable SQL only: bounded texts as keys, points in time as milliseconds in 64 bits. */
function steps(dialect: DialectName): Steps {
  return {
    '0001_users': { up: (database: Kysely<unknown>) => createUsers(database, dialect) },
    '0002_tokens': { up: (database: Kysely<unknown>) => createTokens(database, dialect) },
    '0003_sessions': { up: (database: Kysely<unknown>) => createSessions(database, dialect) },
    '0004_named_tokens': { up: (database: Kysely<unknown>) => nameTokens(database, dialect) },
  }
}
