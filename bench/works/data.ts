// A service of orders that belong to tenants. Each of 2,000 users is a tenant, and has a token and its own orders.
import { defineAccounts } from 'colophon/accounts'
import { openPostgres } from 'colophon/postgres'
import { column, createTable, defineMigrations, migration } from 'colophon/sql'
import type { TablesOf } from 'colophon/sql'
import { openSqlite } from 'colophon/sqlite'
import { digestWith } from '../http/hand.ts'
import { type Dialect, HAND_KEY, POOL, SECRET_KEY, STATES, TENANTS } from './world.ts'

export const migrations = defineMigrations([
  migration('0001_orders', [
    createTable(
      'purchase',
      {
        id: column.id(),
        tenant: column.integer(),
        customer: column.text({ maxLength: 100 }),
        state: column.choice(STATES),
        amount: column.decimal({ maxDigits: 10, decimalPlaces: 2 }),
        items: column.integer(),
        placed: column.dateTime(),
        note: column.text({ nullable: true }),
      },
      { indexes: [['tenant', 'placed', 'id']] },
    ),
    // The server by hand stores tokens in its own way.
    createTable('hand_token', {
      digest: column.text({ maxLength: 64, primaryKey: true }),
      user_id: column.integer(),
    }),
  ]),
])
export type Tables = TablesOf<typeof migrations>

/** Opens the database as the service does; `address`: a file, or a URL of PostgreSQL. */
export function open(dialect: string, address: string) {
  return dialect === 'sqlite'
    ? openSqlite({ path: address, migrations })
    : openPostgres({ url: address, connections: POOL, migrations })
}

const COLOURS = ['amber', 'blue', 'copper', 'green', 'ivory', 'silver', 'violet']
const NOTES = [null, 'Called back', 'Says “later” – é', 'A "quoted"\nline', null]

/** The order with the number `id`. Those of a tenant are far apart, and three of four have a moment of their own. */
function orderAt(id: number) {
  const mixed = (id * 7919) % 100_003
  return {
    tenant: (id % TENANTS) + 1,
    customer: `${COLOURS[mixed % COLOURS.length]} customer ${mixed}`,
    state: STATES[mixed % STATES.length]!,
    amount: ((mixed * 37) % 1_000_000) / 100,
    items: (mixed % 9) + 1,
    placed: 1_600_000_000_000 + (id - (id % 4 === 0 ? TENANTS : 0)) * 977,
    note: NOTES[id % NOTES.length]!,
  }
}

/** The number of rows that a statement inserts. */
const BATCH = 1000

/** Fills an empty database with `rows` orders, and gives the keys of all tenants, in the order of their numbers. */
export async function fill(dialect: Dialect, address: string, rows: number): Promise<string[]> {
  const database = open(dialect, address)
  try {
    await database.migrate()
    const keys = await fillAccounts(database)
    const db = database.kysely<Tables>()
    for (let from = 1; from <= rows; from += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, rows - from + 1) }, (_, at) => {
        const row = orderAt(from + at)
        return { ...row, amount: row.amount.toFixed(2), placed: new Date(row.placed) }
      })
      await db.insertInto('purchase').values(batch).execute()
    }
    await database.write({ sql: 'analyze', parameters: [] })
    return keys
  } finally {
    await database.close()
  }
}

async function fillAccounts(database: ReturnType<typeof open>): Promise<string[]> {
  const { users, tokens } = defineAccounts({ database, secretKey: SECRET_KEY })
  const digestOf = digestWith(HAND_KEY)
  const keys: string[] = []
  for (let tenant = 1; tenant <= TENANTS; tenant++) {
    const user = await users.create({ username: `tenant-${tenant}` })
    if (user.id !== tenant) throw new Error('Users are numbered otherwise than tenants.')
    const { key } = await tokens.obtain(user)
    await database
      .kysely<Tables>()
      .insertInto('hand_token')
      .values({ digest: digestOf(key), user_id: user.id })
      .execute()
    keys.push(key)
  }
  return keys
}
