import type { ColumnDefinitionBuilder, Compilable, CreateTableBuilder, Kysely } from 'kysely'
import type { MigrationDialect, StepPart } from '../dialect.ts'

/** Runs the parts of a step in a transaction that keeps all of them or none, as most databases can. */
export const runAll: MigrationDialect['run'] = async (database, _step, parts) => {
  for (const part of parts) await runPart(database, part)
}

export async function runPart(database: Kysely<unknown>, part: StepPart): Promise<void> {
  if ('work' in part) await part.work(database)
  else await database.executeQuery(part.compile())
}

/** The statements of a step, in their order. They must not depend on what was read before. */
type Step = (database: Kysely<unknown>, dialect: MigrationDialect) => readonly Compilable[]

/**
 * In the order in which they run. Portable SQL only: bounded texts as keys, points in time as milliseconds in
 * 64 bits. Where a step breaks off on MySQL, the last statement that is noted and the next may be run twice.
 */
export const STEPS: Readonly<Record<string, Step>> = {
  '0001_users': (database, { integer, growing }) => [
    database.schema
      .createTable('colophon_user')
      .addColumn('id', integer, growing)
      .addColumn('username', 'varchar(150)', (column) => column.notNull().unique())
      .addColumn('email', 'varchar(254)', required)
      .addColumn('password', 'varchar(256)', required)
      .addColumn('is_active', 'boolean', required)
      .addColumn('is_staff', 'boolean', required)
      .addColumn('is_superuser', 'boolean', required)
      .addColumn('date_joined', 'bigint', required)
      .addColumn('last_login', 'bigint'),
  ],

  '0002_tokens': (database, { integer }) => [
    database.schema
      .createTable('colophon_token')
      .addColumn('digest', 'varchar(64)', (column) => column.primaryKey().notNull())
      .addColumn('sealed', 'varchar(255)', required)
      .addColumn('user_id', integer, (column) => column.notNull().unique())
      .addColumn('created', 'bigint', required)
      .$call(ofUser('colophon_token_user')),
  ],

  '0003_sessions': (database, { integer }) => [
    database.schema
      .createTable('colophon_session')
      .addColumn('digest', 'varchar(64)', (column) => column.primaryKey().notNull())
      .addColumn('user_id', integer, required)
      .addColumn('created', 'bigint', required)
      .addColumn('expires', 'bigint', required)
      .$call(ofUser('colophon_session_user')),
    // Sessions are ended by user, and cleared by age.
    indexOn(database, 'colophon_session', 'user_id'),
    indexOn(database, 'colophon_session', 'expires'),
  ],

  // The table is built anew: a constraint, which SQLite cannot drop, kept it to one row for each user.
  '0004_named_tokens': (database, { integer, growing }) => [
    database.schema
      .createTable('colophon_token_new')
      .addColumn('id', integer, growing)
      .addColumn('digest', 'varchar(64)', (column) => column.unique())
      .addColumn('sealed', 'varchar(255)')
      .addColumn('clear_key', 'varchar(40)', (column) => column.unique())
      .addColumn('user_id', integer, required)
      .addColumn('name', 'varchar(100)', (column) => column.notNull().defaultTo(''))
      .addColumn('scopes', 'varchar(2000)')
      .addColumn('created', 'bigint', required)
      .addColumn('expires', 'bigint')
      .addColumn('last_used', 'bigint')
      // A user has at most one token of each name, including the one without a name (K5).
      .addUniqueConstraint('colophon_token_name', ['user_id', 'name'])
      // Another name than the old table's, which is still there.
      .$call(ofUser('colophon_token_owner')),
    copyTokens(database),
    database.schema.dropTable('colophon_token'),
    database.schema.alterTable('colophon_token_new').renameTo('colophon_token'),
  ],

  '0005_counters': (database, { counters }) => [
    database.schema
      .createTable('colophon_counter')
      .addColumn('id', 'varchar(255)', (column) => column.primaryKey().notNull())
      .addColumn('expires', 'bigint', required)
      .$call(counters),
    indexOn(database, 'colophon_counter', 'expires'),
  ],

  '0006_audit': (database, { integer, growing }) => [
    database.schema
      .createTable('colophon_audit')
      .addColumn('id', integer, growing)
      .addColumn('at', 'bigint', required)
      .addColumn('actor_id', 'bigint')
      .addColumn('actor', 'varchar(150)', required)
      .addColumn('system_user', 'varchar(150)', required)
      .addColumn('command', 'varchar(150)', required)
      .addColumn('action', 'varchar(50)', required)
      .addColumn('user_id', 'bigint', required)
      .addColumn('username', 'varchar(150)', required)
      .addColumn('token', 'varchar(100)')
      .addColumn('details', 'text', required)
      .addColumn('request_id', 'varchar(100)'),
    // The newest entries about an account, and those by one, are each a range of an index.
    indexOn(database, 'colophon_audit', 'actor_id', 'id'),
    indexOn(database, 'colophon_audit', 'user_id', 'id'),
  ],

  '0007_roles': (database) => [
    database.schema
      .alterTable('colophon_user')
      .addColumn('roles', 'varchar(2000)', (column) => column.notNull().defaultTo('')),
  ],

  '0008_leases': (database) => [
    database.schema
      .createTable('colophon_lease')
      .addColumn('name', 'varchar(100)', (column) => column.primaryKey().notNull())
      .addColumn('holder', 'varchar(36)', required)
      .addColumn('held_until', 'bigint', required)
      .addColumn('due', 'bigint', required),
  ],

  // Texts of other services: 255 characters each, which keys of every database hold.
  '0009_identities': (database, { integer, growing }) => [
    database.schema
      .createTable('colophon_identity')
      .addColumn('id', integer, growing)
      .addColumn('issuer', 'varchar(255)', required)
      .addColumn('subject', 'varchar(255)', required)
      .addColumn('user_id', integer, required)
      .addColumn('created', 'bigint', required)
      .addColumn('last_used', 'bigint')
      .addUniqueConstraint('colophon_identity_subject', ['issuer', 'subject'])
      .$call(ofUser('colophon_identity_user')),
    indexOn(database, 'colophon_identity', 'user_id'),
  ],

  // `confirmed_email`: the address in small letters, once its owner has proved it. No two users have the same.
  '0010_addresses': (database) => [
    indexOn(database, 'colophon_user', 'email'),
    database.schema.alterTable('colophon_user').addColumn('confirmed_email', 'varchar(254)'),
    indexOn(database, 'colophon_user', 'confirmed_email').unique(),
  ],

  '0011_factors': (database, { integer, growing }) => [
    database.schema
      .createTable('colophon_factor')
      .addColumn('id', integer, growing)
      .addColumn('user_id', integer, required)
      .addColumn('kind', 'varchar(20)', required)
      .addColumn('name', 'varchar(100)', required)
      .addColumn('digest', 'varchar(64)', (column) => column.unique())
      .addColumn('sealed', 'varchar(255)')
      .addColumn('step', 'bigint', required)
      .addColumn('created', 'bigint', required)
      .addColumn('last_used', 'bigint')
      .$call(ofUser('colophon_factor_user')),
    indexOn(database, 'colophon_factor', 'user_id'),
  ],

  // Digests of links by mail that were used, until these would have ended.
  '0012_spent_links': (database) => [
    database.schema
      .createTable('colophon_spent_link')
      .addColumn('digest', 'varchar(64)', (column) => column.primaryKey().notNull())
      .addColumn('expires', 'bigint', required),
    indexOn(database, 'colophon_spent_link', 'expires'),
  ],

  '0013_refresh_families': (database, { integer, growing }) => [
    database.schema
      .createTable('colophon_family')
      .addColumn('id', integer, growing)
      .addColumn('digest', 'varchar(64)', (column) => column.notNull().unique())
      .addColumn('user_id', integer, required)
      .addColumn('label', 'varchar(100)', required)
      .addColumn('scopes', 'varchar(2000)')
      .addColumn('generation', 'bigint', required)
      .addColumn('created', 'bigint', required)
      .addColumn('last_used', 'bigint')
      .addColumn('expires', 'bigint', required)
      .addColumn('ends', 'bigint', required)
      .$call(ofUser('colophon_family_user')),
    indexOn(database, 'colophon_family', 'user_id'),
    indexOn(database, 'colophon_family', 'expires'),
  ],

  // The JSON of a passkey has the facts that find and check it, all of which are public.
  '0014_passkeys': (database) => [
    database.schema.alterTable('colophon_factor').addColumn('credential', 'text'),
  ],

  // A random text, which another one replaces when all links by mail of the user end.
  '0015_links_epoch': (database) => [
    database.schema.alterTable('colophon_user').addColumn('links_epoch', 'varchar(22)'),
  ],
}

function required(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull()
}

/** Called after the table and the first of its columns. */
function indexOn(database: Kysely<unknown>, table: string, column: string, ...more: string[]) {
  return database.schema
    .createIndex(`${table}_${column}`)
    .on(table)
    .columns([column, ...more])
}

/** Rows of a user are deleted with the user. */
function ofUser(name: string) {
  return <Column extends string>(table: CreateTableBuilder<string, Column | 'user_id'>) =>
    table.addForeignKeyConstraint(name, ['user_id'], 'colophon_user', ['id'], (constraint) =>
      constraint.onDelete('cascade'),
    )
}

const CARRIED = ['digest', 'sealed', 'user_id', 'created'] as const

type Carried = Record<(typeof CARRIED)[number], unknown>
type Both = { colophon_token: Carried; colophon_token_new: Carried }

/** Copies only missing tokens, so that a second run does no harm. */
function copyTokens(database: Kysely<unknown>): Compilable {
  const db = database.withTables<Both>()
  const old = db
    .selectFrom('colophon_token')
    .select(CARRIED)
    .where('digest', 'not in', db.selectFrom('colophon_token_new').select('digest'))
    .orderBy('created')
  return db.insertInto('colophon_token_new').columns(CARRIED).expression(old)
}
