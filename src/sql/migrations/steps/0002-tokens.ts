import type { Kysely } from 'kysely'
import type { Dialect } from '../../dialect.ts'
import { integer } from './columns.ts'

export async function createTokens(database: Kysely<unknown>, dialect: Dialect): Promise<void> {
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
