import { join } from 'node:path'
import { openPostgres } from 'colophon/postgres'
import type { SqlDatabase } from 'colophon/sql'
import { openSqlite } from 'colophon/sqlite'

export type Dialect = 'sqlite' | 'postgres'

/** The list of pages: seven entries share each moment, so the key decides between them. */
export interface Tables {
  entry: { id: number; created: Date; title: string; author: string; words: number }
}

export const CONNECTIONS = 32
/** The number of connections that each server has to PostgreSQL. */
export const POOL = 10
export const ENTRIES = 300_000
export const PAGE_SIZE = 100
export const SECRET_KEY = 'a secret for benchmarks only'

/** The address of a database: a file in the folder, or a PostgreSQL server. */
export async function createWorld(dialect: Dialect, place: string): Promise<string> {
  const address = dialect === 'sqlite' ? join(place, 'cursor.sqlite') : place
  const database = open(dialect, address)
  for (const sql of STATEMENTS[dialect]) await database.write({ sql, parameters: [] })
  await database.close()
  return address
}

export function open(dialect: Dialect, address: string): SqlDatabase {
  return dialect === 'sqlite'
    ? openSqlite({ path: address })
    : openPostgres({ url: address, connections: POOL })
}

const INDEX = 'create index entry_created on entry (created, id)'

const STATEMENTS: Readonly<Record<Dialect, readonly string[]>> = {
  sqlite: [
    `create table entry (id integer primary key, created varchar(30) not null, title varchar(100) not null,
      author varchar(30) not null, words integer not null)`,
    `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${ENTRIES})
      insert into entry select n, strftime('%Y-%m-%dT%H:%M:%SZ', 1700000000 + n / 7, 'unixepoch'),
        'Entry number ' || n, 'author-' || n % 500, n % 5000 from numbers`,
    INDEX,
    'analyze',
  ],
  postgres: [
    `create table entry (id integer primary key, created timestamptz(6) not null, title varchar(100) not null,
      author varchar(30) not null, words integer not null)`,
    `insert into entry select n, to_timestamp(1700000000 + n / 7 + 0.123456), 'Entry number ' || n, 'author-' || n % 500, n % 5000
      from generate_series(1, ${ENTRIES}) as n`,
    INDEX,
    'vacuum (analyze) entry',
  ],
}
