import { sql } from 'kysely'
import type { MigrationDialect } from '../../sql/dialect.ts'
import type { ColumnDefinition } from '../../sql/migrations/columns.ts'
import { runAll } from '../../sql/migrations/steps.ts'
import { makeRoutines } from './routines.ts'

/** Milliseconds to wait while another process migrates. */
const PATIENCE = 600_000

/** A number that means migrations and nothing else; the lock ends with the transaction. */
const LOCK = 4_033_250_142_908_817_153n

/** How the tables of PostgreSQL change: in a transaction that has taken a lock. */
export const migrations: MigrationDialect = {
  integer: 'bigint',
  growing: (column) => column.generatedByDefaultAsIdentity().primaryKey(),
  exclusively: (database, work) =>
    database.transaction().execute(async (transaction) => {
      await sql`set local lock_timeout = ${sql.lit(PATIENCE)}`.execute(transaction)
      await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(transaction)
      return work(transaction)
    }),
  run: runAll,
  undone: true,
  type: typeOf,
  check: () => null,
  inlineReferences: false,
  indexesOfTables: false,
  now: 'now()',
  own: ({ postgres }) => postgres,
  // Unlogged: nothing is written to the log of the server, and so not to its replicas. After a crash the counters
  // begin anew. With room on each page a new state replaces the old one there.
  counters: (table) =>
    table
      .modifyFront(sql`unlogged`)
      .addColumn('state', sql`bigint[]`, (column) => column.notNull())
      .modifyEnd(sql`with (fillfactor = 50)`),
  routines: makeRoutines,
  // `null`: there is none, and making a table reports it.
  async schema(database) {
    const found = sql<{ name: string | null }>`select current_schema() as name`
    return (await found.execute(database)).rows[0]!.name
  },
}

const TYPES: Readonly<Partial<Record<ColumnDefinition['kind'], string>>> = {
  id: 'bigint',
  integer: 'bigint',
  float: 'double precision',
  dateTime: 'timestamptz',
  bytes: 'bytea',
}

function typeOf({ kind, maxLength, digits, places, values = [], types }: ColumnDefinition): string {
  if (kind === 'own') return types!.postgres
  if (kind === 'decimal') return `numeric(${digits}, ${places})`
  if (kind === 'choice') return `varchar(${Math.max(...values.map((value) => value.length))})`
  if (kind === 'text') return maxLength === undefined ? 'text' : `varchar(${maxLength})`
  return TYPES[kind] ?? kind
}
