import { defineAccounts } from 'colophon/accounts'
import { openPostgres } from 'colophon/postgres'
import { digestWith } from '../http/hand.ts'
import { HAND_KEY } from '../http/world.ts'

export { HAND_KEY } from '../http/world.ts'

export const USERS = 1000
export const CONNECTIONS = 32
/** The number of connections that each server has to the database. */
export const POOL = 10
export const SECRET_KEY = 'a secret for benchmarks only'

interface Tables {
  hand_token: { digest: string; user_id: number; created: number }
}

/** Makes users in an empty database, and gives their tokens. */
export async function createWorld(url: string): Promise<readonly string[]> {
  const database = openPostgres({ url })
  await database.migrate()
  const db = database.kysely<Tables>()
  await db.schema
    .createTable('hand_token')
    .addColumn('digest', 'varchar(64)', (column) => column.primaryKey())
    .addColumn('user_id', 'bigint', (column) => column.notNull())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .execute()
  const { users, tokens } = defineAccounts({ database, secretKey: SECRET_KEY })
  const digestOf = digestWith(HAND_KEY)
  const keys: string[] = []
  for (let i = 0; i < USERS; i++) {
    const user = await users.create({ username: `user-${i}` })
    const { key } = await tokens.obtain(user)
    const digest = digestOf(key)
    await db.insertInto('hand_token').values({ digest, user_id: user.id, created: 0 }).execute()
    keys.push(key)
  }
  await database.write({ sql: 'analyze', parameters: [] })
  await database.close()
  return keys
}
