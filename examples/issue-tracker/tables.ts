import { defineAccounts } from 'colophon/accounts'
import { column, createTable, defineMigrations, migration } from 'colophon/sql'
import { type TablesOf, openDatabase, sqlTable } from 'colophon/sql'

const slug = { maxLength: 40 }
const organisation = () => column.references('organisation', { key: 'slug', as: column.text(slug) })

const migrations = defineMigrations([
  migration('0001_issues', [
    createTable('organisation', {
      slug: column.text({ ...slug, primaryKey: true }),
      name: column.text({ maxLength: 100 }),
    }),
    createTable('member', {
      id: column.id(),
      organisation: organisation(),
      person: column.integer(),
      role: column.choice(['reporter', 'lead'], { default: 'reporter' }),
    }),
    createTable('issue', {
      id: column.id(),
      organisation: organisation(),
      author: column.integer(),
      title: column.text({ maxLength: 200 }),
      state: column.choice(['open', 'done'], { default: 'open' }),
      priority: column.integer({ default: 0 }),
    }),
    createTable('attachment', {
      id: column.id(),
      issue: column.references('issue', { onDelete: 'cascade' }),
      key: column.text({ maxLength: 300 }),
    }),
  ]),
])

export const database = openDatabase({ migrations })
export const accounts = defineAccounts({ database })
const db = database.kysely<TablesOf<typeof migrations>>()

export const organisations = sqlTable({ database, db, table: 'organisation', key: 'slug' })
export const members = sqlTable({ database, db, table: 'member', key: 'id' })
export const issues = sqlTable({ database, db, table: 'issue', key: 'id' })
export const attachments = sqlTable({ database, db, table: 'attachment', key: 'id' })

/** The organisations of a person, with the person's role in each. */
export function membershipsOf(person: number) {
  return db
    .selectFrom('member')
    .select(['organisation', 'role'])
    .where('person', '=', person)
    .execute()
}
