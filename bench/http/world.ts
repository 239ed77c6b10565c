import { type KeyObject, createSecretKey } from 'node:crypto'
import { defineAccounts } from 'colophon/accounts'
import { openSqlite } from 'colophon/sqlite'
import { digestWith } from './hand.ts'

/** Rows of the list of pages, and of the hand-written server's own tokens. */
export interface Tables {
  item: { id: number; name: string; price: number; stock: number; created: string }
  hand_token: { digest: string; user_id: number; created: number }
}

export const PAGE_SIZE = 100
export const ITEMS = 100_000
export const USERS = 1000
export const SECRET_KEY = 'a secret for benchmarks only'
/** The hand-written server's own key, made once: from bytes, OpenSSL would make it again for every digest. */
export const HAND_KEY: KeyObject = createSecretKey('another secret for benchmarks only', 'utf8')

/** Fills a database file and gives the tokens of its users. */
export async function createWorld(path: string): Promise<readonly string[]> {
  const database = openSqlite({ path })
  await database.migrate()
  const db = database.kysely<Tables>()
  await db.schema
    .createTable('item')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('name', 'varchar(100)', (column) => column.notNull())
    .addColumn('price', 'integer', (column) => column.notNull())
    .addColumn('stock', 'integer', (column) => column.notNull())
    .addColumn('created', 'varchar(30)', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('hand_token')
    .addColumn('digest', 'varchar(64)', (column) => column.primaryKey())
    .addColumn('user_id', 'integer', (column) => column.notNull())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .execute()
  await database.transaction(async (transaction) => {
    for (let id = 1; id <= ITEMS; id++) {
      await transaction.write({
        sql: 'insert into item values (?, ?, ?, ?, ?)',
        parameters: [
          id,
          `Item number ${id}`,
          (id * 7919) % 100_000,
          id % 500,
          '2026-01-01T00:00:00Z',
        ],
      })
    }
  })
  const keys = await createUsers(database)
  database.close()
  return keys
}

async function createUsers(database: ReturnType<typeof openSqlite>): Promise<string[]> {
  const { users, tokens } = defineAccounts({ database, secretKey: SECRET_KEY })
  const digestOf = digestWith(HAND_KEY)
  const keys: string[] = []
  for (let i = 0; i < USERS; i++) {
    const user = await users.create({ username: `user-${i}` })
    const { key } = await tokens.obtain(user)
    await database.write({
      sql: 'insert into hand_token values (?, ?, ?)',
      parameters: [digestOf(key), user.id, 0],
    })
    keys.push(key)
  }
  return keys
}
