import { DatabaseSync } from 'node:sqlite'
import { afterAll } from 'vitest'
import { aliasedTable, and, asc, eq, isNotNull, ne } from 'drizzle-orm'
import { drizzle as onMysql } from 'drizzle-orm/mysql2'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle as onPostgres } from 'drizzle-orm/node-postgres'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as onSqlite } from 'drizzle-orm/sqlite-proxy'
import * as lite from 'drizzle-orm/sqlite-core'
import { createPool } from 'mysql2/promise'
import { Pool } from 'pg'
import { type DrizzleQuery, drizzleSource, drizzleTable } from '../../../src/drizzle.ts'
import type { SqlDatabase, SqlTransaction } from '../../../src/sql.ts'
import { openSqlite } from '../../../src/sqlite.ts'
import { type OpenOrm, type Orm, makeOrmTables, testOrmStore } from '../../contract/orm-store.ts'
import { temporaryPath } from '../../contract/temporary.ts'
import { emptyDatabaseUrl, opened } from '../../setup/databases.ts'

const open: OpenOrm = (dialect) =>
  ({ sqlite: openFile, postgres: openPg, mysql: openMy })[dialect]()

const liteId = lite.integer().primaryKey()
const liteTables = {
  items: lite.sqliteTable('item', {
    id: liteId,
    kind: lite.integer('item_kind'),
    name: lite.text('item_name'),
  }),
  teams: lite.sqliteTable('team', {
    id: liteId,
    name: lite.text('team_name').notNull(),
    orgId: lite.integer('organisation'),
    firstOrg: lite.integer('org_id'),
  }),
  tickets: lite.sqliteTable('ticket', {
    id: liteId,
    title: lite.text('ticket_title').notNull(),
    teamId: lite.integer('team_id').notNull(),
    openedAt: lite.integer('opened_at', { mode: 'timestamp' }).notNull(),
    closed: lite.integer('is_closed', { mode: 'boolean' }).notNull(),
    orgId: lite.integer('org_id'),
    teams: lite.integer('team_count'),
  }),
}

async function openFile(): ReturnType<OpenOrm> {
  const path = temporaryPath(afterAll)
  const database = openSqlite({ path })
  afterAll(() => database.close())
  await makeOrmTables(database, 'sqlite')
  const file = new DatabaseSync(path)
  const db = onSqlite(async (text, values) => {
    const statement = file.prepare(text)
    statement.setReturnArrays(true)
    return { rows: statement.all(...values) }
  })
  return ormOf({ database, db, tables: liteTables, close: () => file.close() })
}

async function openPg(): ReturnType<OpenOrm> {
  const id = pg.integer().primaryKey().generatedByDefaultAsIdentity()
  const tables = {
    items: pg.pgTable('item', {
      id,
      kind: pg.integer('item_kind'),
      name: pg.varchar('item_name'),
    }),
    teams: pg.pgTable('team', {
      id,
      name: pg.varchar('team_name').notNull(),
      orgId: pg.integer('organisation'),
      firstOrg: pg.integer('org_id'),
    }),
    tickets: pg.pgTable('ticket', {
      id,
      title: pg.varchar('ticket_title').notNull(),
      teamId: pg.integer('team_id').notNull(),
      openedAt: pg.timestamp('opened_at', { withTimezone: true }).notNull(),
      closed: pg.boolean('is_closed').notNull(),
      orgId: pg.integer('org_id'),
      teams: pg.integer('team_count'),
    }),
  }
  const url = await emptyDatabaseUrl('postgres', afterAll)
  const database = opened('postgres', url, {}, afterAll)
  await makeOrmTables(database, 'postgres')
  const pool = new Pool({ connectionString: url, max: 2 })
  // Its database may go before the last of its connections does.
  pool.on('error', () => undefined)
  const db = onPostgres({ client: pool }) as never
  return ormOf({ database, db, tables: tables as never, close: () => pool.end() })
}

async function openMy(): ReturnType<OpenOrm> {
  const id = my.int().primaryKey().autoincrement()
  const text = { length: 40 }
  const tables = {
    items: my.mysqlTable('item', {
      id,
      kind: my.int('item_kind'),
      name: my.varchar('item_name', text),
    }),
    teams: my.mysqlTable('team', {
      id,
      name: my.varchar('team_name', text).notNull(),
      orgId: my.int('organisation'),
      firstOrg: my.int('org_id'),
    }),
    tickets: my.mysqlTable('ticket', {
      id,
      title: my.varchar('ticket_title', text).notNull(),
      teamId: my.int('team_id').notNull(),
      openedAt: my.datetime('opened_at', { fsp: 3 }).notNull(),
      closed: my.boolean('is_closed').notNull(),
      orgId: my.int('org_id'),
      teams: my.int('team_count'),
    }),
  }
  const url = await emptyDatabaseUrl('mysql', afterAll)
  const database = opened('mysql', url, {}, afterAll)
  await makeOrmTables(database, 'mysql')
  const pool = createPool({ uri: url, connectionLimit: 2, timezone: 'Z' })
  const db = onMysql({ client: pool }) as never
  return ormOf({ database, db, tables: tables as never, close: () => pool.end() })
}

interface Opened {
  readonly database: SqlDatabase
  /** What is called alike on every dialect has the types of this one. */
  readonly db: ReturnType<typeof onSqlite>
  readonly tables: typeof liteTables
  close(): unknown
}

function ormOf({ database, db, tables, close }: Opened): { database: SqlDatabase; orm: Orm } {
  const items = drizzleTable({ database, db, table: tables.items, key: 'id' })
  const teams = drizzleTable({ database, db, table: tables.teams, key: 'id' })
  const relations = { team: { store: teams, source: 'teamId', columns: ['name'] } } as const
  const tickets = drizzleTable({ database, db, table: tables.tickets, key: 'id', relations })
  const { name, id } = tables.teams
  const renameTeam = async (transaction: SqlTransaction, row: number, given: string) => {
    const query = db.update(tables.teams).set({ name: given }).where(eq(id, row)).toSQL()
    return transaction.write({ sql: query.sql, parameters: query.params })
  }
  const other = aliasedTable(tables.items, 'other')
  const hasName = and(eq(other.id, tables.items.id), isNotNull(other.name))
  // Who has no name has no row there.
  const joined = db
    .select({ id: tables.items.id, kind: tables.items.kind, name: other.name })
    .from(tables.items)
    .leftJoin(other, hasName)
  const ticketsOfRed = db
    .select({
      id: tables.tickets.id,
      team: name,
      openedAt: tables.tickets.openedAt,
      closed: tables.tickets.closed,
    })
    .from(tables.tickets)
    .leftJoin(tables.teams, and(eq(id, tables.tickets.teamId), eq(name, 'Red')))
    .where(ne(tables.tickets.id, 3))
  const listed = <Row extends { id: unknown }>(query: DrizzleQuery<Row>) =>
    drizzleSource({ database, db, query, key: ['id'] })
  return {
    database,
    orm: {
      ...({ items, teams, tickets } as unknown as Pick<Orm, 'items' | 'teams' | 'tickets'>),
      joined: listed(joined),
      ticketsOfRed: { source: listed(ticketsOfRed), select: async () => ticketsOfRed },
      selectTickets: async () => db.select().from(tables.tickets).orderBy(asc(tables.tickets.id)),
      renameTeam,
      transact: (work) => database.transaction(work as never),
      transactAlone: (work) => db.transaction(work as never),
      close,
    },
  }
}

// `WALKS=1000 npx vitest run …` takes two minutes.
testOrmStore('Drizzle', open, {
  walks: Number(process.env['WALKS'] ?? 20),
  lists: ['items', 'joined'],
})
