import type { SqlDatabase, Statement } from 'colophon/sql'

/** Tables whose rows are made by the framework, owners before what refers to them. */
const MADE = ['colophon_user', 'colophon_token', 'colophon_session'] as const
const TABLES = [...MADE, 'author', 'book']

/** Tables that number their rows themselves. */
const NUMBERED = ['colophon_user', 'author', 'book'] as const

/** Deletes every row. */
export const emptied: readonly Statement[] = TABLES.toReversed().map((table) => ({
  sql: `delete from ${table}`,
  parameters: [],
}))

/**
 * The statements that bring back every row as it is now. Passwords are in it as hashes; `library` fills the
 * other tables.
 */
export async function takeSnapshot(
  database: SqlDatabase,
  library: readonly Statement[],
): Promise<readonly Statement[]> {
  const inserts: Statement[] = []
  for (const table of MADE) inserts.push(...(await insertsOf(database, table)))
  return [...emptied, ...inserts, ...library, ...(await countersOf(database))]
}

/** What moves on with each row that is written, and with nothing else, by the names of databases. */
const WRITTEN: Readonly<Record<string, string>> = {
  // Of the connection that reads, to which all that is written comes from elsewhere.
  SQLite: 'select data_version as written from pragma_data_version',
  // Only what writes gets a number.
  PostgreSQL: 'select pg_snapshot_xmax(pg_current_snapshot()) as written',
  MySQL:
    "select sum(variable_value) as written from information_schema.global_status where variable_name in ('HANDLER_WRITE', 'HANDLER_UPDATE', 'HANDLER_DELETE')",
}

/** How far a database has been written to: as long as this stays the same, so do the rows. */
export async function writtenTo(database: SqlDatabase): Promise<string> {
  const sql = WRITTEN[database.dialect.name]!
  return JSON.stringify(await database.read({ sql, parameters: [] }))
}

/** Runs statements, all of them or none. */
export function runAll(database: SqlDatabase, statements: readonly Statement[]): Promise<void> {
  return database.transaction(async (transaction) => {
    // In order: rows before those that refer to them.
    for (const statement of statements) await transaction.write(statement)
  })
}

type AnyTable = Readonly<Record<string, Readonly<Record<string, unknown>>>>

async function insertsOf(database: SqlDatabase, table: string): Promise<readonly Statement[]> {
  const db = database.kysely<AnyTable>()
  const rows = await db.selectFrom(table).selectAll().execute()
  return rows.length === 0 ? [] : [db.insertInto(table).values(rows).compile()]
}

/** Numbers go on after those of the world; how a database is told so differs. */
async function countersOf(database: SqlDatabase): Promise<readonly Statement[]> {
  if (database.dialect.name === 'SQLite') return sqliteCounters(database)
  if (database.dialect.name === 'MySQL') return []
  return NUMBERED.map((table) => ({
    sql: `select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`,
    parameters: [],
  }))
}

/**
 * MariaDB can turn a counter back only by changing the table, which is slow and commits what was
 * before: done for tables that have counted further than their rows, and after everything else.
 */
export async function turnBackCounters(database: SqlDatabase): Promise<void> {
  if (database.dialect.name !== 'MySQL') return
  const sql = NUMBERED.map(countedFurther).join(' union all ')
  for (const { name } of await database.read<{ name: string }>({ sql, parameters: [] })) {
    await database.write({ sql: `alter table ${name} auto_increment = 1`, parameters: [] })
  }
}

function countedFurther(table: string): string {
  const next = `select max(id) + 1 from ${table}`
  return `select '${table}' as name from information_schema.tables where table_schema = database() and table_name = '${table}' and auto_increment > (${next})`
}

async function sqliteCounters(database: SqlDatabase): Promise<readonly Statement[]> {
  const emptying = { sql: 'delete from sqlite_sequence', parameters: [] }
  return [emptying, ...(await insertsOf(database, 'sqlite_sequence'))]
}
