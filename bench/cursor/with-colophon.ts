// The same service with Colophon, as an application would write it.
import { CursorPagination, configurationOf, defineApi, list } from 'colophon'
import { serve } from 'colophon/node'
import { sqlSource } from 'colophon/sql'
import { tellParent } from '../http/server-process.ts'
import { type Dialect, PAGE_SIZE, SECRET_KEY, type Tables, open } from './world.ts'

const [dialect, address] = process.argv.slice(2) as [Dialect, string]
const database = open(dialect, address)
const db = database.kysely<Tables>()
const source = sqlSource({
  database,
  query: db.selectFrom('entry').select(['id', 'created', 'title', 'author', 'words']),
  key: 'id',
})

const api = defineApi({ urls: { entries: '/entries/' } })
const entries = api
  .endpoint('entries', {
    pagination: new CursorPagination({ ordering: 'created', pageSize: PAGE_SIZE }),
  })
  .get(list({ source }))

const app = api.serve([entries], { configuration: configurationOf({ SECRET_KEY }) })
const server = await serve(app, { port: 0 })
tellParent(Number(new URL(server.url).port))
