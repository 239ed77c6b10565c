// A server with tables on SQLite that is killed while it writes: rows that are created and changed, each request by
// itself, beside transactions of several statements.
import {
  defineApi,
  defineUrls,
  resource,
  resourceUrls,
  serializer,
  field,
} from '../../src/index.ts'
import { serve } from '../../src/node.ts'
import { configurationOf } from '../../src/index.ts'
import { column, createTable, defineMigrations, migration, sqlTable } from '../../src/sql.ts'
import { openSqlite } from '../../src/sqlite.ts'
import type { Generated } from 'kysely'

interface Tables {
  entry: { id: Generated<number>; name: string; value: number }
  half: { id: Generated<number>; pair: string }
}

const migrations = defineMigrations([
  migration('0001_entries', [
    createTable('entry', {
      id: column.id(),
      name: column.text({ maxLength: 60, unique: true }),
      value: column.integer(),
    }),
    createTable('half', { id: column.id(), pair: column.text({ maxLength: 60 }) }),
  ]),
])
const database = openSqlite({ path: process.argv[2]!, migrations })
await database.migrate()
const db = database.kysely<Tables>()
const entries = sqlTable({ database, db, table: 'entry', key: 'id' })
const halves = sqlTable({ database, db, table: 'half', key: 'id' })

const entry = serializer({
  id: field.integer({ readOnly: true }),
  name: field.text({ maxLength: 60 }),
  value: field.integer(),
})
const api = defineApi({
  urls: defineUrls({
    ...resourceUrls('entry', '/entries/', ':id<int>'),
    pair: '/pairs/:name<slug>/',
  }),
})
const app = api.serve(
  [
    ...resource(api, 'entry', { store: entries, serializer: entry }),
    api.endpoint('pair').post(({ params }) =>
      database.transaction(async (transaction) => {
        const first = await halves.in(transaction).insert({ pair: params.name })
        const second = await halves.in(transaction).insert({ pair: params.name })
        return { ids: [first.id, second.id] }
      }),
    ),
  ],
  { configuration: configurationOf() },
)
const server = await serve(app, { port: 0 })
process.stdout.write(`${server.url}\n`)
