import { type Kysely, sql } from 'kysely'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { MigrationFailed } from '../../core/errors/storage-errors.ts'
import type { MigrationDialect } from '../sql/dialect.ts'
import { type ColumnDefinition, typesIn } from '../sql/migrations/column-kinds.ts'
import { runAll } from '../sql/migrations/own-tables.ts'
import { DIGITS, JSON_TEXT, MOMENT } from './value-kinds.ts'

/** Changes of tables in SQLite: in a transaction, which is the only one that writes. */
export const migrations: MigrationDialect = {
  // Only an `integer` primary key counts up by itself; it has 64 bits anyway.
  integer: 'integer',
  growing: (column) => column.autoIncrement().primaryKey(),
  exclusively: (database, work) => database.transaction().execute(work),
  run,
  refuseDrop,
  undone: true,
  // The declared type of a column decides the comparison of its values: see `kindOf`.
  type: typesIn({
    own: 'sqlite',
    kinds: {
      id: 'integer',
      integer: 'integer',
      float: 'double precision',
      boolean: 'boolean',
      text: 'text',
      date: 'date',
      time: 'time',
      dateTime: MOMENT,
      uuid: 'char(36)',
      bytes: 'blob',
      json: JSON_TEXT,
    },
    decimal(digits, places) {
      if (digits <= DIGITS) return `decimal(${digits}, ${places})`
      throw new ConfigurationError(
        `column.decimal({ maxDigits: ${digits} }): SQLite keeps decimal numbers of at most ${DIGITS} digits. Take fewer, or another database.`,
      )
    },
  }),
  check,
  inlineReferences: true,
  indexesOfTables: false,
  now: "(cast(unixepoch('subsec') * 1000 as integer))",
  own: 'sqlite',
  counters: (table) =>
    table.addColumn('state', 'blob', (column) => column.notNull()).modifyEnd(sql`without rowid`),
}

/** SQLite deletes the rows of a table that it drops, and with them the rows of others that `cascade` to them. */
async function refuseDrop(database: Kysely<unknown>, table: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select distinct t.name from sqlite_schema as t, pragma_foreign_key_list(t.name) as k
    where t.type = 'table' and k."table" = ${table} collate nocase and t.name <> ${table} collate nocase
    order by t.name`.execute(database)
  if (rows.length === 0) return
  throw new MigrationFailed(
    `${rows.map(({ name }) => name).join(', ')} still refers to ${table}. Drop what refers to it first`,
  )
}

/** SQLite keeps any value in any column, so each column has a check of its values. */
function check(
  { kind, maxLength, nullable = false }: ColumnDefinition,
  name: string,
): string | null {
  const ofType = (...names: string[]) =>
    `typeof(${name}) in (${[...names, ...(nullable ? ['null'] : [])].map((each) => `'${each}'`).join(', ')})`
  const orNull = (condition: string) => (nullable ? `${name} is null or ${condition}` : condition)
  switch (kind) {
    case 'integer':
    case 'dateTime':
      return ofType('integer')
    case 'float':
      return ofType('real')
    case 'decimal':
      return ofType('integer', 'real')
    case 'boolean':
      return orNull(`${name} in (0, 1)`)
    case 'text':
      return maxLength === undefined
        ? ofType('text')
        : `${ofType('text')} and length(coalesce(${name}, '')) <= ${maxLength}`
    case 'date':
      return orNull(`date(${name}) is ${name}`)
    case 'time':
      return orNull(`${name} glob '[0-2][0-9]:[0-5][0-9]:[0-5][0-9]*'`)
    case 'uuid':
      return orNull(`length(${name}) = 36`)
    case 'bytes':
      return ofType('blob')
    case 'json':
      return orNull(`json_valid(${name})`)
    case 'id':
    case 'choice':
    case 'own':
      return null
  }
}

/**
 * SQLite accepts a reference to a missing table, and then refuses every row. Other databases refuse the reference, so it is
 * refused here if the step leaves a new one behind.
 */
async function run(...given: Parameters<typeof runAll>): Promise<void> {
  const [database] = given
  const before = new Set(await lostReferences(database))
  await runAll(...given)
  const lost = (await lostReferences(database)).find((each) => !before.has(each))
  if (lost !== undefined) throw new MigrationFailed(lost)
}

async function lostReferences(database: Kysely<unknown>): Promise<readonly string[]> {
  const { rows } = await sql<{ from: string; to: string }>`
    select t.name || '.' || k."from" as "from", k."table" as "to"
    from sqlite_schema as t, pragma_foreign_key_list(t.name) as k
    where t.type = 'table' and not exists (
      select 1 from sqlite_schema as o where o.type = 'table' and o.name = k."table" collate nocase
    ) order by 1`.execute(database)
  return rows.map(({ from, to }) => `${from} refers to the table "${to}", which is not there`)
}
