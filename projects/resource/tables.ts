// <if postgres>
import { existsSync } from 'node:fs'
// <end>
import { type TablesOf, column, createTable, defineMigrations, migration } from 'colophon/sql'
import { defineAccounts } from 'colophon/accounts'
import { openDatabase, sqlTable } from 'colophon/sql'

// <if postgres>
// The file names the database. Variables that are set already stay.
if (existsSync('.env')) process.loadEnvFile()

// <end>
// Each change of the tables is another migration at the end.
const migrations = defineMigrations([
  migration('0001_notes', [
    createTable('note', {
      id: column.id(),
      text: column.text({ maxLength: 500 }),
      done: column.boolean({ default: false }),
      created: column.dateTime({ default: 'now' }),
    }),
  ]),
])

// <if sqlite>
// DATABASE_URL, else the file colophon.sqlite.
// <end>
export const database = openDatabase({ migrations })
export const accounts = defineAccounts({ database })

const db = database.kysely<TablesOf<typeof migrations>>()
export const notes = sqlTable({ database, db, table: 'note', key: 'id' })
