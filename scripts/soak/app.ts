// The service that `npm run soak` watches: tokens, rows, rates, a log and metrics, and the state of the process.
import { getHeapSpaceStatistics } from 'node:v8'
import {
  IsAuthenticated,
  TokenAuthentication,
  UserRateThrottle,
  defineApi,
  defineUrls,
  reply,
} from 'colophon'
import { defineAccounts } from 'colophon/accounts'
import { defineMetrics, requestLog, together } from 'colophon/operations'
import { column, createTable, defineMigrations, migration, openDatabase } from 'colophon/sql'
import { aliveBytes } from '../../test/setup/alive.ts'

const migrations = defineMigrations([
  migration('0001_notes', [createTable('note', { id: column.id(), n: column.integer() })]),
])
const database = openDatabase({ migrations })
const notes = database.kysely<{ note: { id: number; n: number } }>()
const accounts = defineAccounts({ database, secretKey: process.env['SECRET_KEY']! })
const metrics = defineMetrics()

const urls = defineUrls({
  notes: '/notes/',
  note: '/notes/:id<int>/',
  keys: '/keys/',
  state: '/state/',
  metrics: '/metrics',
})
const api = defineApi({
  urls,
  database,
  authentication: [new TokenAuthentication({ tokens: accounts.tokens })],
  observe: together(requestLog({ format: 'json' }), metrics.observe),
  throttleRates: { user: '1000000/second' },
})
const guarded = {
  permissions: [new IsAuthenticated()],
  throttles: [new UserRateThrottle({ algorithm: 'gcra' })],
}
const open = { permissions: [], observe: null }

export default api.serve([
  api
    .endpoint('notes', guarded)
    .get(() => notes.selectFrom('note').selectAll().orderBy('id', 'desc').limit(20).execute())
    .post(async (request) => {
      const { n } = (await request.body()) as { n: number }
      const { id } = await notes
        .insertInto('note')
        .values({ n } as never)
        .returning('id')
        .executeTakeFirstOrThrow()
      // Old rows are deleted, so that the table does not grow.
      await notes
        .deleteFrom('note')
        .where('id', '<=', id - 1000)
        .execute()
      return reply({ id }, { status: 201 })
    }),
  api
    .endpoint('note', guarded)
    .get(({ params }) =>
      notes.selectFrom('note').selectAll().where('id', '=', params.id).executeTakeFirst(),
    ),
  api.endpoint('keys', open).post(async () => {
    const user = await accounts.users.create({ username: `user-${performance.now()}` })
    return { key: (await accounts.tokens.obtain(user)).key }
  }),
  api.endpoint('state', open).get(() => {
    const resources = process.getActiveResourcesInfo()
    const space = getHeapSpaceStatistics().find((each) => each.space_name === 'new_space')!
    const { rss } = process.memoryUsage()
    return { alive: aliveBytes(), rss, young: space.space_size, resources }
  }),
  api.endpoint('metrics', open).get(metrics.page()),
])
