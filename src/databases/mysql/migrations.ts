import { CreateTableNode, type Kysely, type KyselyPlugin, RawNode, sql } from 'kysely'
import { DatabaseUnavailable } from '../../errors/storage-errors.ts'
import type { MigrationDialect, StepPart } from '../../sql/dialect.ts'
import type { ColumnDefinition } from '../../sql/migrations/columns.ts'
import { runPart } from '../../sql/migrations/steps.ts'
import { makeRoutines } from './routines.ts'

/** Seconds to wait while another process migrates. */
const PATIENCE = 600

/** Locks of MySQL belong to the whole server, so the name of the database is in it. They end with the connection, too. */
const LOCK = sql`concat('colophon ', left(sha2(database(), 256), 40))`

/** How the tables of MySQL and MariaDB change: statement by statement, none of which can be undone. */
export const migrations: MigrationDialect = {
  integer: 'bigint',
  growing: (column) => column.autoIncrement().primaryKey(),
  exclusively: (database, work) =>
    database.connection().execute(async (connection) => {
      const lock = sql<{ got: unknown }>`select get_lock(${LOCK}, ${sql.lit(PATIENCE)}) as got`
      const { rows } = await lock.execute(connection)
      if (rows[0]?.got !== 1)
        throw new DatabaseUnavailable('Another process is migrating this database. Try again.')
      try {
        return await work(connection.withPlugin(exactTables(await collationOf(connection))))
      } finally {
        await sql`select release_lock(${LOCK})`.execute(connection)
      }
    }),
  run: resume,
  // An operator who deletes the note of a migration wants it to run anew.
  forget: async (database, step) => {
    await database.withTables<Progress>().deleteFrom(PROGRESS).where('step', '=', step).execute()
  },
  undone: false,
  type: typeOf,
  check: ({ kind, maxLength }, name) =>
    kind === 'text' && maxLength! > LONGEST_VARCHAR ? `char_length(${name}) <= ${maxLength}` : null,
  inlineReferences: false,
  indexesOfTables: true,
  now: 'current_timestamp(6)',
  own: ({ mysql }) => mysql,
  counters: (table) => table.addColumn('state', sql`mediumblob`, (column) => column.notNull()),
  routines: async (database) => makeRoutines(database, await collationOf(database)),
}

const PROGRESS = 'colophon_migration_progress'

type Progress = { [PROGRESS]: { step: string; statements: number } }

/**
 * A step that breaks off anywhere is finished by running it again: MySQL keeps every change of tables at once,
 * transaction or not, so each statement that was run is noted, and not run twice. One that the server refused is noted
 * too, as a negative number: it was not run.
 */
async function resume(
  database: Kysely<unknown>,
  step: string,
  parts: readonly StepPart[],
): Promise<void> {
  const before = await progressOf(database, step)
  const note = (statements: number) =>
    database
      .withTables<Progress>()
      .updateTable(PROGRESS)
      .set({ statements })
      .where('step', '=', step)
      .execute()
  const begun = before === null ? 0 : before < 0 ? -before - 1 : before
  for (const [index, part] of parts.entries()) {
    if (index < begun) continue
    try {
      await runPart(database, part)
    } catch (error) {
      // The run that broke off may have run this one without noting it. What is not of our making is never skipped.
      const mayBeDone = index === before && !('work' in part)
      if (!mayBeDone || !isDoneAlready(error)) {
        // Without a connection there is nothing to note it with.
        await note(-index - 1).catch(() => null)
        throw error
      }
    }
    await note(index + 1)
  }
}

/** `null`: it has not begun. */
async function progressOf(database: Kysely<unknown>, step: string): Promise<number | null> {
  await database.schema
    .createTable(PROGRESS)
    .ifNotExists()
    .addColumn('step', 'varchar(100)', (column) => column.primaryKey())
    .addColumn('statements', 'integer', (column) => column.notNull())
    .execute()
  const db = database.withTables<Progress>()
  const noted = db.selectFrom(PROGRESS).select('statements').where('step', '=', step)
  const begun = (await noted.executeTakeFirst())?.statements
  if (begun !== undefined) return begun
  await db.insertInto(PROGRESS).values({ step, statements: 0 }).execute()
  return null
}

/** Numbers with which a server refuses what is so already: a table, a column, an index is there, or gone. */
const DONE: ReadonlySet<unknown> = new Set([
  1005, 1022, 1050, 1051, 1054, 1060, 1061, 1091, 1146, 1826,
])

function isDoneAlready(error: unknown): boolean {
  const cause = error instanceof DatabaseUnavailable ? error.cause : error
  return cause instanceof Error && 'errno' in cause && DONE.has(cause.errno)
}

/** Compares texts byte by byte: `alice`, `Alice` and `alice ` are three names, whatever is set. */
function exactTables(collation: string): KyselyPlugin {
  const options = RawNode.createWithSql(
    `engine = InnoDB default character set utf8mb4 collate ${collation}`,
  )
  return {
    transformQuery: ({ node }) =>
      CreateTableNode.is(node) ? CreateTableNode.cloneWithEndModifier(node, options) : node,
    transformResult: async ({ result }) => result,
  }
}

/** Ignores nothing, not even spaces at the end; MySQL and MariaDB have different names for it. */
async function collationOf(database: Kysely<unknown>): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select collation_name as name from information_schema.collations
    where collation_name in ('utf8mb4_nopad_bin', 'utf8mb4_0900_bin')`.execute(database)
  return rows[0]?.name ?? 'utf8mb4_bin'
}

/** All columns of a row have 65,535 bytes together; longer texts are kept beside it. */
const LONGEST_VARCHAR = 2000

const TYPES: Readonly<Partial<Record<ColumnDefinition['kind'], string>>> = {
  id: 'bigint',
  integer: 'bigint',
  float: 'double',
  time: 'time(6)',
  dateTime: 'datetime(6)',
  uuid: 'char(36)',
  bytes: 'longblob',
}

function typeOf({ kind, maxLength, digits, places, values = [], types }: ColumnDefinition): string {
  if (kind === 'own') return types!.mysql
  if (kind === 'decimal') return `decimal(${digits}, ${places})`
  if (kind === 'choice') return `varchar(${Math.max(...values.map((value) => value.length))})`
  if (kind !== 'text') return TYPES[kind] ?? kind
  return maxLength === undefined || maxLength > LONGEST_VARCHAR
    ? 'longtext'
    : `varchar(${maxLength})`
}
