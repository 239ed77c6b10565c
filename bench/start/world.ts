import { createHmac } from 'node:crypto'
import { defineAccounts } from 'colophon/accounts'
import { openSqlite } from 'colophon/sqlite'

/** The facts that both servers get. */
export interface World {
  readonly environment: Readonly<Record<string, string>>
  /** A token that both accept. */
  readonly key: string
}

const SECRET_KEY = 'benchmarks only: tN4vQ0xJ8wYcR2mZ6kLpD1s'
const ITEMS = 1000

/** A database with one user and one list. */
export async function createWorld(path: string): Promise<World> {
  const database = openSqlite({ path })
  await database.migrate()
  const write = (sql: string, ...parameters: readonly unknown[]) =>
    database.write({ sql, parameters })
  await write('create table item (id integer primary key, name text not null)')
  await write('create table hand_token (digest text primary key, user_id integer not null)')
  for (let id = 1; id <= ITEMS; id++) {
    await write('insert into item values (?, ?)', id, `Item number ${id}`)
  }
  const { users, tokens } = defineAccounts({ database, secretKey: SECRET_KEY })
  const user = await users.create({ username: 'alice' })
  const { key } = await tokens.obtain(user)
  const digest = createHmac('sha256', SECRET_KEY).update(key).digest('hex')
  await write('insert into hand_token values (?, ?)', digest, user.id)
  database.close()
  return { environment: { DATABASE_URL: `sqlite:${path}`, SECRET_KEY }, key }
}
