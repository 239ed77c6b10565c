import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core'

const id = () => integer().primaryKey({ autoIncrement: true })
const created = () =>
  integer('created_at', { mode: 'timestamp_ms' })
    .notNull()
    .default(sql`(cast(unixepoch('subsec') * 1000 as integer))`)

export const organisations = sqliteTable('organisations', {
  id: id(),
  name: text().notNull().unique(),
})

const organisation = () =>
  integer('organisation_id')
    .notNull()
    .references(() => organisations.id, { onDelete: 'cascade' })

export const members = sqliteTable(
  'members',
  { id: id(), organisation: organisation(), person: integer('user_id').notNull() },
  (table) => [unique().on(table.organisation, table.person)],
)

export const tickets = sqliteTable(
  'tickets',
  {
    id: id(),
    organisation: organisation(),
    author: integer('author_id').notNull(),
    title: text().notNull(),
    body: text().notNull(),
    status: text({ enum: ['open', 'closed'] })
      .notNull()
      .default('open'),
    created: created(),
  },
  (table) => [index('tickets_of_organisation').on(table.organisation, table.id)],
)

const ticket = () =>
  integer('ticket_id')
    .notNull()
    .references(() => tickets.id, { onDelete: 'cascade' })

export const comments = sqliteTable(
  'comments',
  {
    id: id(),
    ticket: ticket(),
    author: integer('author_id').notNull(),
    body: text().notNull(),
    created: created(),
  },
  (table) => [index('comments_of_ticket').on(table.ticket)],
)

export const files = sqliteTable(
  'files',
  { id: id(), ticket: ticket(), key: text().notNull() },
  (table) => [index('files_of_ticket').on(table.ticket)],
)
