import { type SqlDatabase, defineAccounts, openDatabase } from 'colophon/sqlite'
import { type Configuration, configurationOf } from 'colophon'

export interface Tables {
  city: { id: number; name: string; population: number }
  note: { slug: string; text: string }
}

/** How many rows the list of cities has. */
export const CITIES = 300_000

/** Who may write, and how. */
export const WRITER = { username: 'alice', token: 'a'.repeat(40) }

/** Who may log in, each with this password: one that was right a moment ago is not hashed again. */
export const LOGINS = { usernames: ['bob', 'carol', 'dave'], password: 'wonderland' } as const

/** Makes the tables, the rows and the users; on an empty database. */
export async function prepare(keys: Readonly<Record<string, string>>): Promise<void> {
  const configuration = configurationOf(keys)
  const database = openDatabase({ configuration })
  try {
    await database.migrate()
    for (const sql of TABLES) await database.write({ sql, parameters: [] })
    await createUsers(database, configuration)
  } finally {
    await database.close()
  }
}

async function createUsers(database: SqlDatabase, configuration: Configuration): Promise<void> {
  const { users, tokens } = defineAccounts({ database, configuration })
  const { username, token } = WRITER
  const { usernames, password } = LOGINS
  await tokens.create(await users.create({ username, password }), token)
  for (const each of usernames) await users.create({ username: each, password })
}

const counting = (last: number): string =>
  `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${last})`

const TABLES = [
  'create table city (id integer primary key, name varchar(200) not null, population integer not null)',
  'create index city_population on city (population, id)',
  'create table note (slug varchar(100) primary key, text text not null)',
  `insert into city ${counting(CITIES)} select i, 'City number ' || i, i % 1000 from n`,
]
