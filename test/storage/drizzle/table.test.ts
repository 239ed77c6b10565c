import { DatabaseSync } from 'node:sqlite'
import { afterAll } from 'vitest'
import { type Table, asc, eq } from 'drizzle-orm'
import { drizzle as onMysql } from 'drizzle-orm/mysql2'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle as onPostgres } from 'drizzle-orm/node-postgres'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as onSqlite } from 'drizzle-orm/sqlite-proxy'
import * as lite from 'drizzle-orm/sqlite-core'
import { createPool } from 'mysql2/promise'
import { Pool } from 'pg'
import { type DrizzleInstance, drizzleTable } from '../../../src/drizzle.ts'
import type { SqlDatabase, SqlTransaction } from '../../../src/sql.ts'
import { openSqlite } from '../../../src/sqlite.ts'
import { type OpenOrm, type Orm, makeOrmTables, testOrmStore } from '../../contract/orm-store.ts'
import { temporaryPath } from '../../contract/temporary.ts'
import { emptyDatabaseUrl, opened } from '../../setup/databases.ts'

const open: OpenOrm = (dialect) =>
  ({ sqlite: openFile, postgres: openPg, mysql: openMy })[dialect]()

async function openFile(): ReturnType<OpenOrm> {
  const id = lite.integer().primaryKey()
  const items = lite.sqliteTable('item', {
    id,
    kind: lite.integer('item_kind'),
    name: lite.text('item_name'),
  })
  const teams = lite.sqliteTable('team', {
    id,
    name: lite.text('team_name').notNull(),
    orgId: lite.integer('organisation'),
    firstOrg: lite.integer('org_id'),
  })
  const tickets = lite.sqliteTable('ticket', {
    id,
    title: lite.text('ticket_title').notNull(),
    teamId: lite.integer('team_id').notNull(),
    openedAt: lite.integer('opened_at', { mode: 'timestamp' }).notNull(),
    closed: lite.integer('is_closed', { mode: 'boolean' }).notNull(),
    orgId: lite.integer('org_id'),
    teams: lite.integer('team_count'),
  })
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
  const close = () => file.close()
  const transact: Orm['transact'] = (work) => database.transaction(work as never)
  const renameTeam = renaming((row, name) =>
    db.update(teams).set({ name }).where(eq(teams.id, row)),
  )
  const selectTickets = () => db.select().from(tickets).orderBy(asc(tickets.id))
  return {
    database,
    orm: {
      ...storesOf(database, db, { items, teams, tickets }),
      selectTickets,
      renameTeam,
      transact,
      close,
    },
  }
}

async function openPg(): ReturnType<OpenOrm> {
  const id = pg.integer().primaryKey().generatedByDefaultAsIdentity()
  const items = pg.pgTable('item', {
    id,
    kind: pg.integer('item_kind'),
    name: pg.varchar('item_name'),
  })
  const teams = pg.pgTable('team', {
    id,
    name: pg.varchar('team_name').notNull(),
    orgId: pg.integer('organisation'),
    firstOrg: pg.integer('org_id'),
  })
  const tickets = pg.pgTable('ticket', {
    id,
    title: pg.varchar('ticket_title').notNull(),
    teamId: pg.integer('team_id').notNull(),
    openedAt: pg.timestamp('opened_at', { withTimezone: true }).notNull(),
    closed: pg.boolean('is_closed').notNull(),
    orgId: pg.integer('org_id'),
    teams: pg.integer('team_count'),
  })
  const url = await emptyDatabaseUrl('postgres', afterAll)
  const database = opened('postgres', url, {}, afterAll)
  await makeOrmTables(database, 'postgres')
  const pool = new Pool({ connectionString: url, max: 2 })
  // Its database may go before the last of its connections does.
  pool.on('error', () => undefined)
  const db = onPostgres({ client: pool })
  const close = () => pool.end()
  const transact: Orm['transact'] = (work) => database.transaction(work as never)
  const renameTeam = renaming((row, name) =>
    db.update(teams).set({ name }).where(eq(teams.id, row)),
  )
  const selectTickets = () => db.select().from(tickets).orderBy(asc(tickets.id))
  return {
    database,
    orm: {
      ...storesOf(database, db, { items, teams, tickets }),
      selectTickets,
      renameTeam,
      transact,
      close,
    },
  }
}

async function openMy(): ReturnType<OpenOrm> {
  const id = my.int().primaryKey().autoincrement()
  const text = { length: 40 }
  const items = my.mysqlTable('item', {
    id,
    kind: my.int('item_kind'),
    name: my.varchar('item_name', text),
  })
  const teams = my.mysqlTable('team', {
    id,
    name: my.varchar('team_name', text).notNull(),
    orgId: my.int('organisation'),
    firstOrg: my.int('org_id'),
  })
  const tickets = my.mysqlTable('ticket', {
    id,
    title: my.varchar('ticket_title', text).notNull(),
    teamId: my.int('team_id').notNull(),
    openedAt: my.datetime('opened_at', { fsp: 3 }).notNull(),
    closed: my.boolean('is_closed').notNull(),
    orgId: my.int('org_id'),
    teams: my.int('team_count'),
  })
  const url = await emptyDatabaseUrl('mysql', afterAll)
  const database = opened('mysql', url, {}, afterAll)
  await makeOrmTables(database, 'mysql')
  const pool = createPool({ uri: url, connectionLimit: 2 })
  const db = onMysql({ client: pool })
  const close = () => pool.end()
  const transact: Orm['transact'] = (work) => database.transaction(work as never)
  const renameTeam = renaming((row, name) =>
    db.update(teams).set({ name }).where(eq(teams.id, row)),
  )
  const selectTickets = () => db.select().from(tickets).orderBy(asc(tickets.id))
  return {
    database,
    orm: {
      ...storesOf(database, db, { items, teams, tickets }),
      selectTickets,
      renameTeam,
      transact,
      close,
    },
  }
}

/** As it writes itself out. */
function renaming(
  query: (
    row: number,
    name: string,
  ) => { toSQL(): { readonly sql: string; readonly params: readonly unknown[] } },
): Orm['renameTeam'] {
  return async (transaction: SqlTransaction, row: number, name: string) => {
    const { sql, params } = query(row, name).toSQL()
    return transaction.write({ sql, parameters: params })
  }
}

type Columns<Names extends string> = Table & {
  readonly $inferSelect: Readonly<Record<Names, unknown>>
}

function storesOf(
  database: SqlDatabase,
  db: DrizzleInstance,
  tables: {
    items: Columns<'id'>
    teams: Columns<'id' | 'name'>
    tickets: Columns<'id' | 'teamId'>
  },
): Pick<Orm, 'items' | 'teams' | 'tickets'> {
  const items = drizzleTable({ database, db, table: tables.items, key: 'id' as never })
  const teams = drizzleTable({ database, db, table: tables.teams, key: 'id' as never })
  const relations = {
    team: { store: teams, source: 'teamId' as never, columns: ['name'] },
  } as const
  const tickets = drizzleTable({
    database,
    db,
    table: tables.tickets,
    key: 'id' as never,
    relations,
  })
  return { items, teams, tickets } as unknown as Orm
}

// `WALKS=1000 npx vitest run …` takes two minutes.
testOrmStore('Drizzle', open, { walks: Number(process.env['WALKS'] ?? 20) })
