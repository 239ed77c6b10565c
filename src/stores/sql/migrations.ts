import type { ColumnDefinitionBuilder, Kysely } from 'kysely'
import { type Migration, Migrator, type MigratorProps } from 'kysely/migration'
import type { DialectName } from './compile.ts'

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
  }
}

async function createUsers(database: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await database.schema
    .createTable('colophon_user')
    .addColumn('id', integer(dialect), growing(dialect))
    .addColumn('username', 'varchar(150)', (column) => column.notNull().unique())
    .addColumn('email', 'varchar(254)', (column) => column.notNull())
    .addColumn('password', 'varchar(256)', (column) => column.notNull())
    .addColumn('is_active', 'boolean', (column) => column.notNull())
    .addColumn('is_staff', 'boolean', (column) => column.notNull())
    .addColumn('is_superuser', 'boolean', (column) => column.notNull())
    .addColumn('date_joined', 'bigint', (column) => column.notNull())
    .addColumn('last_login', 'bigint')
    .execute()
}

async function createTokens(database: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await database.schema
    .createTable('colophon_token')
    .addColumn('digest', 'varchar(64)', (column) => column.primaryKey().notNull())
    .addColumn('sealed', 'varchar(255)', (column) => column.notNull())
    .addColumn('user_id', integer(dialect), (column) => column.notNull().unique())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addForeignKeyConstraint(
      'colophon_token_user',
      ['user_id'],
      'colophon_user',
      ['id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute()
}

/** Only an `integer` primary key counts up by itself on SQLite, where it has 64 bits anyway. */
function integer(dialect: DialectName): 'integer' | 'bigint' {
  return dialect === 'sqlite' ? 'integer' : 'bigint'
}

/** A primary key that never gives the number of a deleted row to another. */
function growing(dialect: DialectName) {
  return (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder =>
    dialect === 'postgres'
      ? column.generatedByDefaultAsIdentity().primaryKey()
      : column.autoIncrement().primaryKey()
}
