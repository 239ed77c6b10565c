// The service of the model: users by token, pages of rows, an optional rate, a log and metrics, as in production.
import { CursorPagination, IsAuthenticated, TokenAuthentication, UserRateThrottle } from 'colophon'
import { defineApi, defineUrls, field, resource, resourceUrls, serializer } from 'colophon'
import { defineAccounts } from 'colophon/accounts'
import { defineMetrics, requestLog, together } from 'colophon/operations'
import { type TablesOf, column, createTable } from 'colophon/sql'
import { defineMigrations, migration, openDatabase, sqlTable } from 'colophon/sql'

const migrations = defineMigrations([
  migration('0001_notes', [
    createTable('note', { id: column.id(), text: column.text({ maxLength: 500 }) }),
  ]),
])
const database = openDatabase({ migrations })
const db = database.kysely<TablesOf<typeof migrations>>()
const accounts = defineAccounts({ database, secretKey: process.env['SECRET_KEY']! })

const api = defineApi({
  urls: defineUrls({ ...resourceUrls('note', '/notes/', ':id<int>'), keys: '/keys/' }),
  database,
  authentication: [new TokenAuthentication({ tokens: accounts.tokens })],
  permissions: [new IsAuthenticated()],
  throttles: process.env['COUNTS'] === 'yes' ? [new UserRateThrottle({ algorithm: 'gcra' })] : [],
  throttleRates: { user: '1000000/second' },
  pagination: new CursorPagination({ ordering: '-id', pageSize: 20 }),
  observe: together(requestLog({ format: 'json' }), defineMetrics().observe),
})
const notes = resource(api, 'note', {
  store: sqlTable({ database, db, table: 'note', key: 'id' }),
  serializer: serializer({
    id: field.integer({ readOnly: true }),
    text: field.text({ maxLength: 500 }),
  }),
})
const keys = api.endpoint('keys', { permissions: [], throttles: [] }).post(async () => {
  const user = await accounts.users.create({ username: `user-${performance.now()}` })
  for (let at = 0; at < 100; at++)
    await db
      .insertInto('note')
      .values({ text: `Note ${at}` })
      .execute()
  return { key: (await accounts.tokens.obtain(user)).key }
})

export default api.serve([...notes, keys])
