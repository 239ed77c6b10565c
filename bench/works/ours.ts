// The service with Colophon, as an application would write it.
import {
  CursorPagination,
  IsAuthenticated,
  SearchFilter,
  TokenAuthentication,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  resource,
  resourceUrls,
  serializer,
} from 'colophon'
import { defineAccounts } from 'colophon/accounts'
import { serve } from 'colophon/node'
import { sqlTable } from 'colophon/sql'
import { tellParent } from '../http/server-process.ts'
import { type Tables, open } from './data.ts'
import { HOST, PAGE_SIZE, SECRET_KEY, STATES } from './world.ts'

const [dialect = '', address = ''] = process.argv.slice(2)
const database = open(dialect, address)
const accounts = defineAccounts({ database, secretKey: SECRET_KEY })
const orders = sqlTable({ database, db: database.kysely<Tables>(), table: 'purchase', key: 'id' })

const order = serializer({
  url: field.identity('order-detail'),
  id: field.integer({ readOnly: true }),
  customer: field.text({ maxLength: 100 }),
  state: field.choice(STATES),
  amount: field.decimal({ maxDigits: 10, decimalPlaces: 2, min: '0' }),
  items: field.integer({ min: 1, max: 999 }),
  placed: field.dateTime(),
  note: field.text({ nullable: true, required: false, maxLength: 1000 }),
})

const api = defineApi({
  urls: defineUrls({
    hello: '/hello/',
    me: '/me/',
    ...resourceUrls('order', '/orders/', ':id<int>'),
  }),
  accounts,
  authentication: [new TokenAuthentication({ tokens: accounts.tokens })],
  pagination: new CursorPagination({ ordering: '-placed', pageSize: PAGE_SIZE }),
  filters: [new SearchFilter()],
})
const members = api.group({ permissions: [new IsAuthenticated()] })

const app = api.serve(
  [
    api.endpoint('hello', { authentication: [] }).get(() => ({ hello: 'world' })),
    members.endpoint('me').get(({ user }) => ({ id: user.id, username: user.username })),
    ...resource(members, 'order', {
      store: orders,
      scope: ({ user }) => ({ tenant: user.id }),
      serializer: order,
      searchFields: ['customer'],
    }),
  ],
  { configuration: configurationOf({ SECRET_KEY, ALLOWED_HOSTS: [HOST] }) },
)
const server = await serve(app, { port: 0 })
tellParent(Number(new URL(server.url).port))
