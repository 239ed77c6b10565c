// A service of another shape than that of the independent bench: fourteen columns with booleans, an enumeration, texts, dates
// and numbers that may be NULL, 64-bit numbers, decimals, times to the microsecond, a joined author, and one link. SQLite and
// PostgreSQL have the same rows.
import { DatabaseSync } from 'node:sqlite'
import { Pool } from 'pg'

export const PAGE_SIZE = 100
/** The number of rows in `ticket`, which has numbered pages. */
export const TICKETS = 100_000
/** The number of rows in `entry`, which has the same columns, and pages by cursor. */
export const ENTRIES = 400_000
/** The number of connections that each server has to PostgreSQL. */
export const POOL = 10
const PEOPLE = 500

/** A row in the form of SQLite. */
export interface Row {
  readonly id: number
  readonly title: string
  readonly note: string | null
  readonly status: string
  readonly is_public: number
  readonly is_pinned: number
  /** Larger than a number of JavaScript can hold. */
  readonly serial: bigint
  readonly score: number | null
  readonly price: string
  readonly due: string | null
  readonly created: string
  readonly updated: string
  readonly author_id: number
  readonly project_id: number
}

/** A row in the form for clients. */
export function itemOf(row: Row, host: string): object {
  return {
    id: row.id,
    title: row.title,
    note: row.note,
    status: row.status,
    is_public: row.is_public === 1,
    is_pinned: row.is_pinned === 1,
    serial: String(row.serial),
    score: row.score,
    price: row.price,
    due: row.due,
    created: `${row.created.replace(' ', 'T')}Z`,
    updated: `${row.updated.replace(' ', 'T')}Z`,
    author: { id: row.author_id, name: nameOf(row.author_id) },
    project: `http://${host}/projects/${row.project_id}/`,
  }
}

const STATUSES = ['open', 'waiting', 'closed']
const NOTES = [null, 'Called back', 'Says “later” – é', 'A "quoted"\nline', null]

/** The row with the number `id`; three of four have a moment of their own. */
export function rowAt(id: number): Row {
  const mixed = (id * 7919) % 100_003
  return {
    id,
    title: `Ticket number ${id} of ${mixed}`,
    note: NOTES[id % 5]!,
    status: STATUSES[mixed % 3]!,
    is_public: mixed % 2,
    is_pinned: Number(id % 50 === 0),
    serial: 7_000_000_000_000_000_000n + BigInt(id) * 1_000_003n,
    score: id % 4 === 0 ? null : mixed - 50_000,
    price: (((mixed * 37) % 1_000_000) / 100).toFixed(2),
    due: id % 3 === 0 ? null : moment(1_600_000_000 + mixed * 3600, 0).slice(0, 10),
    created: moment(
      1_600_000_000 + (id - Number(id % 4 === 0)) * 7,
      (((id - Number(id % 4 === 0)) * 977) % 999_983) + 1,
    ),
    updated: moment(1_700_000_000 + mixed, mixed + 1),
    author_id: (mixed % PEOPLE) + 1,
    project_id: mixed % 40,
  }
}

const nameOf = (id: number): string => `Person ${id}`

/** A time such as `2020-09-13 12:26:40.000977`. */
function moment(seconds: number, microseconds: number): string {
  const text = new Date(seconds * 1000).toISOString()
  return `${text.slice(0, 10)} ${text.slice(11, 19)}.${String(microseconds).padStart(6, '0')}`
}

export type Dialect = 'sqlite' | 'pg'

export const TABLES = [
  { name: 'ticket', rows: TICKETS },
  { name: 'entry', rows: ENTRIES },
] as const

const COLUMNS = Object.keys(rowAt(1))

function definition(name: string, dialect: Dialect): string {
  const [flag, time] = dialect === 'pg' ? ['boolean', 'timestamptz(6)'] : ['boolean', 'datetime']
  return `create table ${name} (id integer primary key, title varchar(200) not null, note text,
    status varchar(10) not null, is_public ${flag} not null, is_pinned ${flag} not null, serial bigint not null,
    score integer, price numeric(10,2) not null, due date, created ${time} not null, updated ${time} not null,
    author_id integer not null references person (id), project_id integer not null)`
}

const PERSON = 'create table person (id integer primary key, name varchar(100) not null)'
const INDEX = 'create index entry_created on entry (created, id)'

/** Makes and fills a file. */
export function fillSqlite(path: string): void {
  const db = new DatabaseSync(path)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF')
  db.exec(`${PERSON}; begin`)
  const person = db.prepare('insert into person values (?, ?)')
  for (let id = 1; id <= PEOPLE; id++) person.run(id, nameOf(id))
  for (const { name, rows } of TABLES) {
    db.exec(definition(name, 'sqlite'))
    const insert = db.prepare(`insert into ${name} values (${COLUMNS.map(() => '?').join(', ')})`)
    for (let id = 1; id <= rows; id++) insert.run(...Object.values(rowAt(id)))
  }
  db.exec(`commit; ${INDEX}; analyze`)
  db.close()
}

const BATCH = 5000

/** Fills an empty database. */
export async function fillPostgres(url: string): Promise<void> {
  const pool = new Pool({ connectionString: url, max: 1, options: '-c timezone=UTC' })
  await pool.query(PERSON)
  await pool.query(
    `insert into person select id, 'Person ' || id from generate_series(1, ${PEOPLE}) as id`,
  )
  for (const { name, rows } of TABLES) {
    await pool.query(definition(name, 'pg'))
    for (let from = 1; from <= rows; from += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, rows - from + 1) }, (_, at) =>
        asJson(rowAt(from + at)),
      )
      const text = `insert into ${name} select * from json_populate_recordset(null::${name}, $1)`
      await pool.query(text, [`[${batch.join(',')}]`])
    }
  }
  await pool.query(INDEX)
  await pool.query('vacuum (analyze)')
  await pool.end()
}

function asJson(row: Row): string {
  const { serial, is_public, is_pinned } = row
  const flags = { is_public: is_public === 1, is_pinned: is_pinned === 1 }
  return JSON.stringify({ ...row, ...flags, serial: String(serial) })
}
