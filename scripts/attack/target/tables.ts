import type { Generated } from 'kysely'
import { defineAccounts } from 'colophon/accounts'
import { type SqlDatabase, openDatabase } from 'colophon/sql'
import { type Configuration, configurationOf } from 'colophon'

export interface Tables {
  city: { id: number; name: string; population: number }
  note: { slug: string; text: string }
  memo: { id: Generated<number>; title: string }
  patient: { id: number; clinic: number }
  visit: { id: Generated<number>; clinic: number; patient: number; companion: number | null }
}

/** The administrator, with an unlimited token: the first user after those who log in. */
export const STAFF = { id: 5, username: 'staff', token: 's'.repeat(40) } as const

/** The number of rows in the list of cities. */
export const CITIES = 300_000

/** The user who may write, with a token. */
export const WRITER = { username: 'alice', token: 'a'.repeat(40) }

/** Users who log in with the same password, which is not hashed again after a recent log-in. */
export const LOGINS = {
  usernames: ['bob', 'carol', 'dave'],
  firstId: 2,
  password: 'wonderland',
} as const

/** Patients: those with an even key belong to clinic 1, like the writer, and the others to clinic 2. */
export const PATIENTS = 40

/** Makes the tables, the rows and the users, in an empty database. */
export async function prepare(keys: Readonly<Record<string, string>>): Promise<void> {
  const configuration = configurationOf(keys)
  const database = openDatabase({ configuration })
  try {
    await database.migrate()
    const id = database.dialect.name === 'PostgreSQL' ? 'serial' : 'integer'
    for (const sql of tables(id)) await database.write({ sql, parameters: [] })
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
  await tokens.create(await users.create({ username: STAFF.username, isStaff: true }), STAFF.token)
}

const counting = (last: number): string =>
  `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${last})`

/** `id`: the type of keys that count up. */
const tables = (id: string): readonly string[] => [
  `create table city (id ${id} primary key, name varchar(200) not null, population integer not null)`,
  'create index city_population on city (population, id)',
  'create table note (slug varchar(100) primary key, text text not null)',
  `create table memo (id ${id} primary key, title text not null)`,
  `create table patient (id ${id} primary key, clinic integer not null)`,
  `create table visit (id ${id} primary key, clinic integer not null, patient integer not null,
    companion integer)`,
  `insert into patient ${counting(PATIENTS)} select i, i % 2 + 1 from n`,
  `insert into city ${counting(CITIES)} select i, 'City number ' || i, i % 1000 from n`,
]
