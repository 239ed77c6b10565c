// The same rows of one table twice: as Drizzle declares it, and as `sqlTable` has it. `plain`: texts and numbers; `all`: with a point
// in time and a boolean, which SQLite keeps as numbers.
import {
  CursorPagination,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  list,
  serializer,
} from 'colophon'
import { drizzleTable } from 'colophon/drizzle'
import { serve } from 'colophon/node'
import { openPostgres } from 'colophon/postgres'
import { sqlTable } from 'colophon/sql'
import { openSqlite } from 'colophon/sqlite'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as onPostgres } from 'drizzle-orm/pg-proxy'
import * as lite from 'drizzle-orm/sqlite-core'
import { drizzle as onSqlite } from 'drizzle-orm/sqlite-proxy'
import { tellParent } from '../http/server-process.ts'

const ROWS = 10_000
const [address = ''] = process.argv.slice(2)
const isServer = address.startsWith('postgres')
const database = isServer ? openPostgres({ url: address }) : openSqlite(address)
const run = (sql: string) => database.write({ sql, parameters: [] })
await run('drop table if exists ticket')
await run(`create table ticket (id integer primary key, title text not null, size integer not null,
  opened_at ${isServer ? 'timestamptz' : 'integer'} not null, is_closed ${isServer ? 'boolean' : 'integer'} not null)`)
await run(
  isServer
    ? `insert into ticket select i, 'Ticket number ' || i, i % 100, to_timestamp(1700000000 + i), i % 2 = 0 from generate_series(1, ${ROWS}) as s (i)`
    : `insert into ticket with recursive s (i) as (select 1 union all select i + 1 from s where i < ${ROWS}) select i, 'Ticket number ' || i, i % 100, 1700000000 + i, i % 2 = 0 from s`,
)

const nothing = async () => ({ rows: [] })
const inFile = {
  db: onSqlite(nothing),
  table: lite.sqliteTable('ticket', {
    id: lite.integer().primaryKey(),
    title: lite.text().notNull(),
    size: lite.integer().notNull(),
    openedAt: lite.integer('opened_at', { mode: 'timestamp' }).notNull(),
    closed: lite.integer('is_closed', { mode: 'boolean' }).notNull(),
  }),
}
const onServer = {
  db: onPostgres(nothing),
  table: pg.pgTable('ticket', {
    id: pg.integer().primaryKey(),
    title: pg.text().notNull(),
    size: pg.integer().notNull(),
    openedAt: pg.timestamp('opened_at', { withTimezone: true }).notNull(),
    closed: pg.boolean('is_closed').notNull(),
  }),
}
const theirs = isServer
  ? drizzleTable({ database, ...onServer, key: 'id' })
  : drizzleTable({ database, ...inFile, key: 'id' })

interface Tables {
  ticket: { id: number; title: string; size: number; opened_at: Date; is_closed: boolean }
}
const ours = sqlTable({ database, db: database.kysely<Tables>(), table: 'ticket', key: 'id' })

const plain = { id: field.integer(), title: field.text(), size: field.integer() }
const shown = { ...plain, openedAt: field.dateTime(), closed: field.boolean() }
// On SQLite the column has seconds: what `sqlTable` can show of them.
const shownOfOurs = isServer
  ? {
      ...plain,
      openedAt: field.dateTime({ source: 'opened_at' }),
      closed: field.boolean({ source: 'is_closed' }),
    }
  : {
      ...plain,
      openedAt: field.integer({ source: 'opened_at' }),
      closed: field.boolean({ source: 'is_closed' }),
    }
const urls = defineUrls({
  'own-plain': '/own/plain/',
  'own-all': '/own/all/',
  'drizzle-plain': '/drizzle/plain/',
  'drizzle-all': '/drizzle/all/',
})
const api = defineApi({
  urls,
  pagination: new CursorPagination({ pageSize: 100, ordering: ['id'] }),
  logger: { error: (record) => console.error(record) },
})
const listing = (source: unknown, fields: object) =>
  list({ source: source as never, serializer: serializer(fields as never) as never })
const app = api.serve(
  [
    api.endpoint('own-plain').get(listing(ours.source, plain)),
    api.endpoint('own-all').get(listing(ours.source, shownOfOurs)),
    api.endpoint('drizzle-plain').get(listing(theirs.source, plain)),
    api.endpoint('drizzle-all').get(listing(theirs.source, shown)),
  ],
  { configuration: configurationOf({ SECRET_KEY: 'a secret for benchmarks alone' }) },
)
const server = await serve(app, { port: 0 })
for (const path of ['/own/plain/', '/own/all/', '/drizzle/plain/', '/drizzle/all/']) {
  const answer = await fetch(new URL(path, server.url))
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
}
tellParent(Number(new URL(server.url).port))
