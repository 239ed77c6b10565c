// A program that migrates, and prints the names of what it did. Its migration takes a while.
import { column, createTable, defineMigrations, migration, run } from 'colophon/sql'
import type { DialectName } from '../../../setup/dialects.ts'
import { opened } from './open.ts'

const [dialect = '', where = ''] = process.argv.slice(2)
const migrations = defineMigrations([
  migration('0001_tables', [
    createTable('word', { id: column.id(), text: column.text() }),
    run(() => new Promise((resolve) => void setTimeout(resolve, 300))),
    run((db) =>
      db
        .withTables<{ word: { text: string } }>()
        .insertInto('word')
        .values({ text: 'once' })
        .execute(),
    ),
  ]),
])
const database = opened(dialect as DialectName, where, migrations)
console.log(JSON.stringify(await database.migrate()))
await database.close()
