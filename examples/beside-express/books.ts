import { defineAccounts } from 'colophon/accounts'
import {
  column,
  createTable,
  defineMigrations,
  migration,
  type TablesOf,
  openDatabase,
  sqlTable,
} from 'colophon/sql'

const migrations = defineMigrations([
  migration('0001_books', [
    createTable('book', {
      id: column.id(),
      title: column.text({ maxLength: 200 }),
      cents: column.integer(),
    }),
  ]),
])

export const database = openDatabase({ migrations })
export const accounts = defineAccounts({ database })
/** A query builder for the pages of Express, which read the tables of the API. */
export const db = database.kysely<TablesOf<typeof migrations>>()
export const books = sqlTable({ database, db, table: 'book', key: 'id' })
