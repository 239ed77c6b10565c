import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Dialect, MigrationDialect } from '../dialect.ts'
import { STEPS } from './steps.ts'

export const migrationNames: readonly string[] = Object.keys(STEPS)

/**
 * Runs the steps that are missing and returns their names. Other processes wait at the dialect's lock. All steps
 * are done or none, but on MySQL, which cannot undo them: there what is done stays, and the next run goes on.
 */
export async function migrate(
  database: Kysely<unknown>,
  dialect: Dialect,
): Promise<readonly string[]> {
  const migrations = await dialect.migrations()
  return migrations.exclusively(database, async (connection) => {
    const all = await migrator(connection, migrations)
    const { error, results = [] } = await all.migrateToLatest()
    if (error !== undefined) throw error
    // A backup may have left them out.
    await migrations.routines?.(connection)
    return results.map(({ migrationName }) => migrationName)
  })
}

/** Names of the steps that `migrate` would run. */
export async function pendingMigrations(
  database: Kysely<unknown>,
  dialect: Dialect,
): Promise<readonly string[]> {
  const all = await (await migrator(database, await dialect.migrations())).getMigrations()
  return all.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name)
}

async function migrator(db: Kysely<unknown>, dialect: MigrationDialect): Promise<Migrator> {
  const schema = (await dialect.schema?.(db)) ?? null
  const steps = Object.entries(STEPS).map(([name, step]): [string, Migration] => [
    name,
    { up: (database) => dialect.run(database, name, step(database, dialect)) },
  ])
  return new Migrator({
    db,
    provider: { getMigrations: async () => Object.fromEntries(steps) },
    // An application may keep its own migrations beside these.
    migrationTableName: 'colophon_migration',
    migrationLockTableName: 'colophon_migration_lock',
    // Other applications of the same database may keep theirs in other schemas.
    ...(schema === null ? {} : { migrationTableSchema: schema }),
  })
}
