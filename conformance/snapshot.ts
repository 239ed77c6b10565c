import type { Database, Statement } from 'colophon/sqlite'

/** Every table with data, owners before what refers to them. The last one holds the counters of ids. */
const TABLES = [
  'colophon_user',
  'colophon_token',
  'colophon_session',
  'author',
  'book',
  'sqlite_sequence',
] as const

/** Deletes every row and forgets the counters. */
export const emptied: readonly Statement[] = TABLES.toReversed().map((table) => ({
  sql: `delete from ${table}`,
  parameters: [],
}))

/** The statements that bring back every row as it is now. Passwords are in it as hashes. */
export async function takeSnapshot(database: Database): Promise<readonly Statement[]> {
  const inserts = TABLES.map(async (table) => insertOf(table, await readTable(database, table)))
  return [...emptied, ...(await Promise.all(inserts)).filter((insert) => insert !== null)]
}

/** Runs statements, all of them or none. */
export function runAll(database: Database, statements: readonly Statement[]): Promise<void> {
  return database.transaction(async (transaction) => {
    // In order: rows before those that refer to them.
    for (const statement of statements) await transaction.write(statement)
  })
}

interface Table {
  readonly columns: readonly string[]
  readonly values: readonly (readonly unknown[])[]
}

async function readTable(database: Database, table: string): Promise<Table> {
  const { columns, values } = await database.rows({ sql: `select * from ${table}`, parameters: [] })
  return { columns, values }
}

function insertOf(table: string, { columns, values }: Table): Statement | null {
  if (values.length === 0) return null
  const row = `(${columns.map(() => '?').join(', ')})`
  const sql = `insert into ${table} (${columns.join(', ')}) values ${values.map(() => row).join(', ')}`
  return { sql, parameters: values.flat() }
}
