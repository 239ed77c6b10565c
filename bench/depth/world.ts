// Ten million rows on each database, in files that are deleted afterwards.
import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openMysql } from 'colophon/mysql'
import { openPostgres } from 'colophon/postgres'
import type { SqlDatabase } from 'colophon/sql'
import { openSqlite } from 'colophon/sqlite'
import { startMariadb } from '../../scripts/servers/mariadb.ts'
import { startPostgres } from '../../scripts/servers/postgres.ts'

export interface Tables {
  entry: { id: number; created: string; shelf: number; title: string }
}

/** A database with the table `entry`. */
export interface World {
  readonly name: string
  /** Its name in figures. */
  readonly short: string
  /** The statement for its version; `null`: the version of Node's SQLite. */
  readonly version: string | null
  readonly database: SqlDatabase
  /** The word before a statement that shows its plan. */
  readonly explain: string
  remove(): Promise<void>
}

/** Bytes for a row on PostgreSQL, with both indexes and the log, and a reserve. */
const BYTES_PER_ROW = 300

/** @throws Error the disk is too small for the rows */
export function checkDisk(rows: number): void {
  const { bavail, bsize } = statfsSync(tmpdir())
  const needed = rows * BYTES_PER_ROW
  if (bavail * bsize > needed) return
  throw new Error(`${tmpdir()} has no room for ${(needed / 2 ** 30).toFixed(1)} GiB.`)
}

/** Three rows share a second, so that only the key makes the order total. */
const PER_SECOND = 3
/** Millions of rows share each shelf. */
const SHELVES = 2

const INDEXES = [
  'create index entry_created on entry (created, id)',
  'create index entry_shelf on entry (shelf, id)',
]

/** Making ten million rows takes long, and so do offsets far into them. */
const PATIENT = { connections: 2, statementTimeout: null }

export async function sqliteWorld(rows: number): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-depth-'))
  const database = openSqlite({ path: join(folder, 'depth.sqlite') })
  await run(database, [
    'create table entry (id integer primary key, created text not null, shelf integer not null, title text not null)',
    `insert into entry with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
      select i, datetime(1700000000 + i / ${PER_SECOND}, 'unixepoch'), i * ${SHELVES} / (${rows} + 1), 'Entry number ' || i from n`,
    ...INDEXES,
  ])
  return {
    name: 'SQLite',
    short: 'sqlite',
    version: null,
    database,
    explain: 'explain query plan',
    async remove() {
      database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function postgresWorld(rows: number): Promise<World> {
  const server = await startPostgres()
  const database = openPostgres({ url: server.url, ...PATIENT })
  await run(database, [
    'create table entry (id bigint not null, created timestamptz not null, shelf integer not null, title text not null)',
    `insert into entry select i, to_timestamp(1700000000 + i / ${PER_SECOND}), i * ${SHELVES}::bigint / (${rows} + 1), 'Entry number ' || i
      from generate_series(1, ${rows}) as i`,
    'alter table entry add primary key (id)',
    ...INDEXES,
    'vacuum analyze entry',
  ])
  return {
    name: 'PostgreSQL',
    short: 'pg',
    version: 'show server_version',
    database,
    explain: 'explain (costs off)',
    async remove() {
      await database.close()
      await server.stop()
    },
  }
}

export async function mariadbWorld(rows: number): Promise<World> {
  const server = await startMariadb()
  const database = openMysql({ url: server.url, ...PATIENT })
  await run(database, [
    `create table entry (id bigint not null primary key, created datetime(6) not null, shelf integer not null, title varchar(100) not null)`,
    `insert into entry select seq, date_add('2023-11-14 22:13:20', interval seq div ${PER_SECOND} second), seq * ${SHELVES} div (${rows} + 1),
      concat('Entry number ', seq) from seq_1_to_${rows}`,
    ...INDEXES,
    'analyze table entry',
  ])
  return {
    name: 'MariaDB',
    short: 'mariadb',
    version: 'select version()',
    database,
    explain: 'explain',
    async remove() {
      await database.close()
      await server.stop()
    },
  }
}

async function run(database: SqlDatabase, statements: readonly string[]): Promise<void> {
  for (const sql of statements) await database.write({ sql, parameters: [] })
}
