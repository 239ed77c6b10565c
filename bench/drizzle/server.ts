// The same rows of one table twice: with Drizzle or Prisma, and with `sqlTable`. `plain`: texts and numbers; `all`: also a time
// and a boolean. SQLite keeps both as numbers, but Prisma keeps the time there as a text.
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
import { openMysql } from 'colophon/mysql'
import { openPostgres } from 'colophon/postgres'
import { prismaTable } from 'colophon/prisma'
import { sqlTable } from 'colophon/sql'
import { openSqlite } from 'colophon/sqlite'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as onPostgres } from 'drizzle-orm/pg-proxy'
import * as lite from 'drizzle-orm/sqlite-core'
import { drizzle as onSqlite } from 'drizzle-orm/sqlite-proxy'
import { openPrisma } from '../../test/storage/prisma/clients.ts'
import { tellParent } from '../http/server-process.ts'

const ROWS = 10_000
const [address = '', orm = ''] = process.argv.slice(2)
const isMysql = address.startsWith('mysql')
const isServer = isMysql || address.startsWith('postgres')
const open = () => (isMysql ? openMysql({ url: address }) : openPostgres({ url: address }))
const database = isServer ? open() : openSqlite(address)
const run = (sql: string) => database.write({ sql, parameters: [] })
await run('drop table if exists ticket')
// These columns are those of the models in the tests.
await run(`create table ticket (id integer primary key, ticket_title text not null, team_id integer not null,
  opened_at ${isMysql ? 'datetime(3)' : isServer ? 'timestamptz(3)' : 'integer'} not null, is_closed ${isServer ? 'boolean' : 'integer'} not null,
  org_id integer, team_count integer)`)
const second =
  orm === 'prisma'
    ? "strftime('%Y-%m-%dT%H:%M:%S.000+00:00', 1700000000 + i, 'unixepoch')"
    : '1700000000 + i'
const inMysql = `insert into ticket select seq, concat('Ticket number ', seq), seq % 100,
  from_unixtime(1700000000 + seq), seq % 2 = 0, null, null from seq_1_to_${ROWS}`
await run(
  isMysql
    ? inMysql
    : isServer
      ? `insert into ticket select i, 'Ticket number ' || i, i % 100, to_timestamp(1700000000 + i), i % 2 = 0, null, null from generate_series(1, ${ROWS}) as s (i)`
      : `insert into ticket with recursive s (i) as (select 1 union all select i + 1 from s where i < ${ROWS}) select i, 'Ticket number ' || i, i % 100, ${second}, i % 2 = 0, null, null from s`,
)

const nothing = async () => ({ rows: [] })
const inFile = {
  db: onSqlite(nothing),
  table: lite.sqliteTable('ticket', {
    id: lite.integer().primaryKey(),
    title: lite.text('ticket_title').notNull(),
    size: lite.integer('team_id').notNull(),
    openedAt: lite.integer('opened_at', { mode: 'timestamp' }).notNull(),
    closed: lite.integer('is_closed', { mode: 'boolean' }).notNull(),
  }),
}
const onServer = {
  db: onPostgres(nothing),
  table: pg.pgTable('ticket', {
    id: pg.integer().primaryKey(),
    title: pg.text('ticket_title').notNull(),
    size: pg.integer('team_id').notNull(),
    openedAt: pg.timestamp('opened_at', { withTimezone: true }).notNull(),
    closed: pg.boolean('is_closed').notNull(),
  }),
}
const theirs = orm === 'prisma' ? await modelOfPrisma() : tableOfDrizzle()

function tableOfDrizzle() {
  return isServer
    ? drizzleTable({ database, ...onServer, key: 'id' })
    : drizzleTable({ database, ...inFile, key: 'id' })
}

async function modelOfPrisma() {
  const prisma = await openPrisma(isMysql ? 'mysql' : isServer ? 'postgres' : 'sqlite', address)
  return prismaTable({ prisma, model: 'ticket', key: 'id' } as never) as { source: unknown }
}

interface Tables {
  ticket: { id: number; ticket_title: string; team_id: number; opened_at: Date; is_closed: boolean }
}
const ours = sqlTable({ database, db: database.kysely<Tables>(), table: 'ticket', key: 'id' })

const size = orm === 'prisma' ? 'teamId' : 'size'
const plain = { id: field.integer(), title: field.text(), size: field.integer({ source: size }) }
const shown = { ...plain, openedAt: field.dateTime(), closed: field.boolean() }
const plainOfOurs = {
  id: field.integer(),
  title: field.text({ source: 'ticket_title' }),
  size: field.integer({ source: 'team_id' }),
}
// On SQLite the column has seconds or a text, which `sqlTable` can show with these fields.
const moment = orm === 'prisma' ? field.text : field.integer
const shownOfOurs = {
  ...plainOfOurs,
  openedAt: isServer ? field.dateTime({ source: 'opened_at' }) : moment({ source: 'opened_at' }),
  closed: field.boolean({ source: 'is_closed' }),
}
const urls = defineUrls({
  'own-plain': '/own/plain/',
  'own-all': '/own/all/',
  'orm-plain': '/orm/plain/',
  'orm-all': '/orm/all/',
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
    api.endpoint('own-plain').get(listing(ours.source, plainOfOurs)),
    api.endpoint('own-all').get(listing(ours.source, shownOfOurs)),
    api.endpoint('orm-plain').get(listing(theirs.source, plain)),
    api.endpoint('orm-all').get(listing(theirs.source, shown)),
  ],
  { configuration: configurationOf({ SECRET_KEY: 'a secret for benchmarks alone' }) },
)
const server = await serve(app, { port: 0 })
for (const path of ['/own/plain/', '/own/all/', '/orm/plain/', '/orm/all/']) {
  const answer = await fetch(new URL(path, server.url))
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
}
tellParent(Number(new URL(server.url).port))
