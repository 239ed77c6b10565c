// The same service with Colophon, as an application would write it.
import {
  IsAuthenticated,
  PageNumberPagination,
  TokenAuthentication,
  configurationOf,
  defineApi,
  list,
} from 'colophon'
import { serve } from 'colophon/node'
import { defineAccounts } from 'colophon/accounts'
import { sqlSource } from 'colophon/sql'
import { openSqlite } from 'colophon/sqlite'
import { tellParent } from './server-process.ts'
import { type Tables, PAGE_SIZE, SECRET_KEY } from './world.ts'

const [path = ''] = process.argv.slice(2)
const database = openSqlite({ path })
const accounts = defineAccounts({ database, secretKey: SECRET_KEY })
const items = sqlSource({
  database,
  query: database
    .kysely<Tables>()
    .selectFrom('item')
    .select(['id', 'name', 'price', 'stock', 'created']),
  key: 'id',
})

const api = defineApi({ urls: { hello: '/hello/', me: '/me/', items: '/items/' } })
const hello = api.endpoint('hello').get(() => ({ hello: 'world' }))
const me = api
  .endpoint('me', {
    authentication: [new TokenAuthentication({ tokens: accounts.tokens })],
    permissions: [new IsAuthenticated()],
  })
  .get(({ user }) => ({ id: user.id, username: user.username }))
const pages = api
  .endpoint('items', { pagination: new PageNumberPagination({ pageSize: PAGE_SIZE }) })
  .get(list({ source: items }))

const app = api.serve([hello, me, pages], { configuration: configurationOf() })
const server = await serve(app, { port: 0 })
tellParent(Number(new URL(server.url).port))
