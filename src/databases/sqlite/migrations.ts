import { sql } from 'kysely'
import type { MigrationDialect } from '../../sql/dialect.ts'
import { runAll } from '../../sql/migrations/steps.ts'

/** How the tables of SQLite change: in a transaction, which is the only one that writes. */
export const migrations: MigrationDialect = {
  // Only an `integer` primary key counts up by itself. It has 64 bits anyway.
  integer: 'integer',
  growing: (column) => column.autoIncrement().primaryKey(),
  exclusively: (database, work) => database.transaction().execute(work),
  run: runAll,
  counters: (table) =>
    table.addColumn('state', 'blob', (column) => column.notNull()).modifyEnd(sql`without rowid`),
}
