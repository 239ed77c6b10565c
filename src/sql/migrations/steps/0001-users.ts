import type { Kysely } from 'kysely'
import type { Dialect } from '../../dialect.ts'
import { growing, integer } from './columns.ts'

export async function createUsers(database: Kysely<unknown>, dialect: Dialect): Promise<void> {
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
