// Tables of Drizzle have the types of Drizzle.
import { drizzleSource, drizzleTable } from 'colophon/drizzle'
import { type SqlSource, openDatabase } from 'colophon/sql'
import { eq } from 'drizzle-orm'
import { boolean, integer, pgTable, serial, text, timestamp } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/node-postgres'
import { type Equal, expectType } from './expect.ts'

const team = pgTable('team', { id: serial().primaryKey(), name: text().notNull() })
const ticket = pgTable('ticket', {
  id: serial().primaryKey(),
  title: text().notNull(),
  teamId: integer('team_id').notNull(),
  closed: boolean().notNull().default(false),
  openedAt: timestamp('opened_at').defaultNow(),
})
const database = openDatabase()
const db = drizzle('postgres://db.example/app')
const teams = drizzleTable({ database, db, table: team, key: 'id' })
const relations = { team: { store: teams, source: 'teamId', columns: ['name'] } } as const
const tickets = drizzleTable({ database, db, table: ticket, key: 'id', relations })

export async function used(): Promise<void> {
  // a row is what Drizzle selects, or nothing
  const found = await tickets.find('7')
  expectType<Equal<typeof found, typeof ticket.$inferSelect | null>>()
  // what has a default may be missing
  await tickets.insert({ title: 'Cold office', teamId: 1 })
  // @ts-expect-error the rest may not
  await tickets.insert({ title: 'Cold office' })
  // @ts-expect-error no column is called so
  await tickets.update(7, { opened_at: new Date() })
  await tickets.update(7, { openedAt: null })
  // @ts-expect-error the key is a number, or a text from an address
  await tickets.remove(true)
  // a scope has values of columns
  const ours = tickets.within({ teamId: [1, 2] }).only(eq(ticket.closed, false))
  // @ts-expect-error it is a number
  tickets.within({ teamId: 'one' })
  // lists know the columns, and those of relations
  ours.source.orderBy([{ field: 'team.name', descending: false, nulls: 'last' }])
  ours.source.where([{ field: 'openedAt', operator: 'gt', value: '2026-01-01T00:00:00Z' }])
  // @ts-expect-error the relation has no such column
  ours.source.orderBy([{ field: 'team.id', descending: false, nulls: 'last' }])
  // @ts-expect-error the column is called otherwise here
  ours.source.where([{ field: 'opened_at', operator: 'isNull', value: true }])
}

// @ts-expect-error there is no such property
drizzleTable({ database, db, table: ticket, key: 'ID' })
const misnamed = { store: teams, source: 'team_id', columns: ['name'] } as const
// @ts-expect-error a relation needs a property of this table
drizzleTable({ database, db, table: ticket, key: 'id', relations: { team: misnamed } })

const query = db
  .select({ id: ticket.id, team: team.name })
  .from(ticket)
  .leftJoin(team, eq(team.id, ticket.teamId))
const queried = drizzleSource({ database, db, query, key: ['id'] })
// rows are those of the query, which may lack what a join adds
expectType<Equal<(typeof query)['_']['result'][number], { id: number; team: string | null }>>()
expectType<Equal<typeof queried, SqlSource<{ id: number; team: string | null }, 'id' | 'team'>>>()
// @ts-expect-error it is not among the columns of the query
drizzleSource({ database, db, query, key: ['teamId'] })
// @ts-expect-error only a table is narrowed so
drizzleSource({ database, db, query, key: ['id'], only: eq(team.id, 1) })
const listed = drizzleSource({ database, db, table: ticket, key: ['id'] })
type Ticket = typeof ticket.$inferSelect
expectType<Equal<typeof listed, SqlSource<Ticket, keyof Ticket>>>()
// @ts-expect-error no property is called so
drizzleSource({ database, db, table: ticket, key: ['opened_at'] })
