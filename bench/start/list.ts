// The same endpoint with Colophon, as an application would write it.
import { PageNumberPagination, defineApi, list } from 'colophon'
import { serve } from 'colophon/node'
import { openDatabase, sqlSource } from 'colophon/sql'
import { tell } from './tell.ts'

interface Tables {
  item: { id: number; name: string }
}

const database = openDatabase()
const query = database.kysely<Tables>().selectFrom('item').select(['id', 'name'])

const api = defineApi({ urls: { items: '/' } })
const items = api
  .endpoint('items', { pagination: new PageNumberPagination({ pageSize: 100 }) })
  .get(list({ source: sqlSource({ database, query, key: 'id' }) }))

const server = await serve(api.serve([items]), { port: 0 })
tell(Number(new URL(server.url).port))
