import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator, type MigratorProps } from 'kysely/migration'
import type { Dialect } from '../dialect.ts'
import { withExactTables } from './exact-tables.ts'
import { exclusively } from './migration-lock.ts'
import { resume } from './resumable-step.ts'
import { createUsers } from './steps/0001-users.ts'
import { createTokens } from './steps/0002-tokens.ts'
import { createSessions } from './steps/0003-sessions.ts'
import { nameTokens } from './steps/0004-named-tokens.ts'

type Steps = Readonly<Record<string, Migration>>

/** Names of all steps, in the order in which they run. */
export function migrationNames(dialect: Dialect): readonly string[] {
  return Object.keys(steps(dialect))
}

/**
 * Runs the steps that are missing and returns their names. Other processes wait. All steps are done or
 * none, but on MySQL, which cannot undo them: there what is done stays, and the next run goes on behind it.
 */
export function migrate(database: Kysely<unknown>, dialect: Dialect): Promise<readonly string[]> {
  return exclusively(database, dialect, async (connection) => {
    const exact = dialect.id === 'mysql' ? await withExactTables(connection) : connection
    const { error, results = [] } = await (await migrator(exact, dialect)).migrateToLatest()
    if (error !== undefined) throw error
    return results.map(({ migrationName }) => migrationName)
  })
}

/** Names of the steps that `migrate` would run. */
export async function pendingMigrations(
  database: Kysely<unknown>,
  dialect: Dialect,
): Promise<readonly string[]> {
  const all = await (await migrator(database, dialect)).getMigrations()
  return all.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name)
}

async function migrator(db: Kysely<unknown>, dialect: Dialect): Promise<Migrator> {
  const provider: MigratorProps['provider'] = { getMigrations: async () => steps(dialect) }
  const schema = dialect.id === 'postgres' ? await currentSchema(db) : null
  return new Migrator({
    db,
    provider,
    // An application may keep its own migrations beside these.
    migrationTableName: 'colophon_migration',
    migrationLockTableName: 'colophon_migration_lock',
    // Other applications of the same database may keep theirs in other schemas.
    ...(schema === null ? {} : { migrationTableSchema: schema }),
  })
}

/** Where tables are made that are named without a schema; `null`: nowhere, and making one says so. */
async function currentSchema(db: Kysely<unknown>): Promise<string | null> {
  const { rows } = await sql<{ name: string | null }>`select current_schema() as name`.execute(db)
  return rows[0]!.name
}

/** Portable SQL only: bounded texts as keys, points in time as milliseconds in 64 bits. */
function steps(dialect: Dialect): Steps {
  const all = {
    '0001_users': createUsers,
    '0002_tokens': createTokens,
    '0003_sessions': createSessions,
    '0004_named_tokens': nameTokens,
  }
  return Object.fromEntries(
    Object.entries(all).map(([name, step]) => [name, migration(name, step, dialect)]),
  )
}

type Step = (database: Kysely<unknown>, dialect: Dialect) => Promise<void>

function migration(name: string, step: Step, dialect: Dialect): Migration {
  const up = (database: Kysely<unknown>) => step(database, dialect)
  return dialect.id === 'mysql' ? { up: (database) => resume(database, name, up, dialect) } : { up }
}
