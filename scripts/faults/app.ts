// The service that meets faults: it stores notes, and counts requests.
import { AnonRateThrottle, defineApi, defineUrls, reply } from 'colophon'
import { healthEndpoints, healthUrls } from 'colophon/operations'
import { column, createTable, defineMigrations, migration, openDatabase } from 'colophon/sql'

const migrations = defineMigrations([
  // The table accepts a note twice, so that repeated writes show.
  migration('0001_notes', [createTable('note', { id: column.id(), n: column.integer() })]),
])
const { LIMIT = '1000' } = process.env
const database = openDatabase({ migrations })
const notes = database.kysely<{ note: { n: number } }>()

const urls = defineUrls({ ...healthUrls, notes: '/notes/', limited: '/limited/' })
const api = defineApi({ urls, database, throttleRates: { anon: `${LIMIT}/hour` } })

export default api.serve([
  ...healthEndpoints(api),
  api
    .endpoint('notes', { reads: 'replica' })
    .get(async () => {
      const query = notes.selectFrom('note').select(({ fn }) => fn.max('n').as('last'))
      return query.executeTakeFirst()
    })
    .post(async (request) => {
      const { n } = (await request.body()) as { n: number }
      await notes.insertInto('note').values({ n }).execute()
      return reply({ n }, { status: 201 })
    }),
  api.endpoint('limited', { throttles: [new AnonRateThrottle()] }).get(() => 'well'),
])
