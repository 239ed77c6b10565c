import type { Kysely } from 'kysely'
import type { Dialect } from '../../dialect.ts'
import { integer } from './columns.ts'

export async function createSessions(database: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await database.schema
    .createTable('colophon_session')
    .addColumn('digest', 'varchar(64)', (column) => column.primaryKey().notNull())
    .addColumn('user_id', integer(dialect), (column) => column.notNull())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('expires', 'bigint', (column) => column.notNull())
    .addForeignKeyConstraint(
      'colophon_session_user',
      ['user_id'],
      'colophon_user',
      ['id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute()
  await createIndex(database, 'user_id')
  await createIndex(database, 'expires')
}

/** Sessions are ended by user, and cleared by age. */
function createIndex(database: Kysely<unknown>, column: 'user_id' | 'expires'): Promise<void> {
  return database.schema
    .createIndex(`colophon_session_${column}`)
    .on('colophon_session')
    .column(column)
    .execute()
}
