import { openPostgres } from 'colophon/postgres'

export interface Tables {
  item: { id: number; name: string; price: string; open: boolean; note: string | null; at: Date }
}

export const POOL = 8

/** A thousand rows of six columns. */
export async function createWorld(url: string): Promise<void> {
  const database = openPostgres({ url })
  for (const sql of [
    `create table item (id bigint primary key, name text not null, price numeric(10, 2) not null,
      open boolean not null, note text, at timestamptz not null)`,
    `insert into item select i, 'item ' || i, i * 1.25, i % 2 = 0, repeat('é', i % 20),
      '2026-01-01'::timestamptz + i * interval '1.001 s' from generate_series(1, 1000) as i`,
    'vacuum (analyze) item',
  ])
    await database.write({ sql, parameters: [] })
  await database.close()
}
