// The same service with Colophon, as an application would write it.
import { PageNumberPagination, configurationOf, defineApi, list } from 'colophon'
import { serve } from 'colophon/node'
import { openPostgres } from 'colophon/postgres'
import { sqlSource } from 'colophon/sql'
import { tellParent } from '../http/server-process.ts'
import { PAGE_SIZE, POOL, type Tables } from './world.ts'

const [url = ''] = process.argv.slice(2)
const database = openPostgres({ url, connections: POOL })
const db = database.kysely<Tables>()
const source = sqlSource({
  database,
  query: db.selectFrom('item').select(['id', 'name', 'price', 'stock', 'created']),
  key: 'id',
})

const api = defineApi({ urls: { items: '/items/' } })
const items = api
  .endpoint('items', { pagination: new PageNumberPagination({ pageSize: PAGE_SIZE }) })
  .get(list({ source }))

const app = api.serve([items], { configuration: configurationOf() })
const server = await serve(app, { port: 0 })
tellParent(Number(new URL(server.url).port))
