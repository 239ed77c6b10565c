import { openSqlite } from 'colophon/sqlite'

export interface Tables {
  doctor: { id: number; name: string; phone: string }
  visit: { id: number; doctor: number; reason: string; starts: string }
  note: { id: number; visit: number; text: string }
  bill: { id: number; visit: number; amount: number; paid: number }
}

export const PAGE_SIZE = 100
export const VISITS = 20_000
const DOCTORS = 300

/** Fills a database file: each visit has a few notes, and two bills. */
export async function createWorld(path: string): Promise<void> {
  const database = openSqlite({ path })
  await database.transaction(async (transaction) => {
    const run = (sql: string) => transaction.write({ sql, parameters: [] })
    const numbers = (count: number) =>
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`
    await run(
      `create table doctor (id integer primary key, name text not null, phone text not null)`,
    )
    await run(`create table visit (id integer primary key, doctor integer not null references doctor,
      reason text not null, starts text not null)`)
    await run(
      `create table note (id integer primary key, visit integer not null references visit, text text not null)`,
    )
    await run(`create table bill (id integer primary key, visit integer not null references visit,
      amount integer not null, paid integer not null)`)
    await run(
      `insert into doctor ${numbers(DOCTORS)} select i, 'Dr. Number ' || i, '030 ' || i from n`,
    )
    await run(`insert into visit ${numbers(VISITS)}
      select i, (i * 7919) % ${DOCTORS} + 1, 'Reason number ' || i, '2026-01-01T08:00:00Z' from n`)
    await run(`insert into note (visit, text) ${numbers(VISITS * 2)}
      select (i + (i % 3) * (i % 5)) % ${VISITS} + 1, 'Note number ' || i from n`)
    await run(`insert into bill (visit, amount, paid) ${numbers(VISITS * 2)}
      select i % ${VISITS} + 1, (i * 7919) % 10000, i % 2 from n`)
    await run('create index note_visit on note (visit)')
    await run('create index bill_visit on bill (visit)')
    await run('analyze')
  })
  database.close()
}
