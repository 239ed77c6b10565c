import { openPostgres } from 'colophon/postgres'

/** The list of pages. */
export interface Tables {
  item: { id: number; name: string; price: number; stock: number; created: string }
}

export const CONNECTIONS = 32
/** The number of connections that each server has to the database. */
export const POOL = 10
export const ITEMS = 100_000
export const PAGE_SIZE = 100

/** Fills an empty database, and leaves it in the state after autovacuum. */
export async function createWorld(url: string): Promise<void> {
  const database = openPostgres({ url })
  for (const sql of [
    `create table item (id integer primary key, name varchar(100) not null, price integer not null,
      stock integer not null, created varchar(30) not null)`,
    `insert into item select id, 'Item number ' || id, (id * 7919::bigint) % 100000, id % 500, '2026-01-01T00:00:00Z'
      from generate_series(1, ${ITEMS}) as id`,
    'vacuum (analyze) item',
  ]) {
    await database.write({ sql, parameters: [] })
  }
  await database.close()
}
