import type { Kysely } from 'kysely'
import type { Dialect } from '../../dialect.ts'
import { growing, integer } from './columns.ts'

const CARRIED = ['digest', 'sealed', 'user_id', 'created'] as const

type Carried = Record<(typeof CARRIED)[number], unknown>
type Both = { colophon_token: Carried; colophon_token_new: Carried }

/**
 * Several tokens a user, told apart by name. The old table is built anew: that a user had one row only
 * was said by a constraint that SQLite cannot drop.
 */
export async function nameTokens(database: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await createTable(database, dialect)
  const db = database.withTables<Both>()
  await db
    .insertInto('colophon_token_new')
    .columns(CARRIED)
    .expression(db.selectFrom('colophon_token').select(CARRIED).orderBy('created'))
    .execute()
  await database.schema.dropTable('colophon_token').execute()
  await database.schema.alterTable('colophon_token_new').renameTo('colophon_token').execute()
}

function createTable(database: Kysely<unknown>, dialect: Dialect): Promise<void> {
  return (
    database.schema
      .createTable('colophon_token_new')
      .addColumn('id', integer(dialect), growing(dialect))
      .addColumn('digest', 'varchar(64)', (column) => column.unique())
      .addColumn('sealed', 'varchar(255)')
      .addColumn('clear_key', 'varchar(40)', (column) => column.unique())
      .addColumn('user_id', integer(dialect), (column) => column.notNull())
      .addColumn('name', 'varchar(100)', (column) => column.notNull().defaultTo(''))
      .addColumn('scopes', 'varchar(2000)')
      .addColumn('created', 'bigint', (column) => column.notNull())
      .addColumn('expires', 'bigint')
      .addColumn('last_used', 'bigint')
      // K5: at most one of each name, the one without a name included.
      .addUniqueConstraint('colophon_token_name', ['user_id', 'name'])
      // Another name than the old table's, which is still there.
      .addForeignKeyConstraint(
        'colophon_token_owner',
        ['user_id'],
        'colophon_user',
        ['id'],
        (constraint) => constraint.onDelete('cascade'),
      )
      .execute()
  )
}
