// The endpoints of bench/throttling, each plain and throttled: `hello`, limited by client, and `me`, limited by user.
import {
  IsAuthenticated,
  MemoryCounters,
  TokenAuthentication,
  UserRateThrottle,
  configurationOf,
  defineApi,
} from 'colophon'
import type { CounterStore } from 'colophon/types'
import { serve } from 'colophon/node'
import { defineAccounts } from 'colophon/accounts'
import { type SqlDatabase, openDatabase } from 'colophon/sql'
import { openSqlite } from 'colophon/sqlite'
import { tellParent } from '../http/server-process.ts'

const [path = '', store = 'memory', rate = '100/min'] = process.argv.slice(2)
const database = openSqlite({ path })
const configuration = configurationOf({ DATABASE_URL: `sqlite:${path}` })
const accounts = defineAccounts({ database, configuration, secretKey: 'for benchmarks only' })
const api = defineApi({
  urls: {
    'hello-plain': '/hello/plain/',
    'hello-throttled': '/hello/throttled/',
    'me-plain': '/me/plain/',
    'me-throttled': '/me/throttled/',
  },
  accounts,
  counters: await countersOf(store),
  onStoreError: 'deny',
  // One server in front names the client.
  numProxies: 1,
  logger: { error: (record) => console.error(record) },
})
const open = api.group({ authentication: [] })
const closed = api.group({
  authentication: [new TokenAuthentication(accounts)],
  permissions: [new IsAuthenticated()],
})
const throttles = [new UserRateThrottle({ scope: 'bench', rate })]
const hello = () => ({ hello: 'world' })
const me = ({ user }: { readonly user: { readonly username: string } }) => ({ user: user.username })
const app = api.serve(
  [
    open.endpoint('hello-plain').get(hello),
    open.endpoint('hello-throttled', { throttles }).get(hello),
    closed.endpoint('me-plain').get(me),
    closed.endpoint('me-throttled', { throttles }).get(me),
  ],
  { configuration },
)
const server = await serve(app, { port: 0 })
tellParent(Number(new URL(server.url).port))

async function countersOf(name: string): Promise<CounterStore> {
  if (name === 'memory') return new MemoryCounters()
  if (name === 'sqlite') return database.counters
  if (name.startsWith('redis')) return (await import('colophon/redis')).redisCounters({ url: name })
  const shared: SqlDatabase = openDatabase({
    configuration: configurationOf({ DATABASE_URL: name }),
  })
  await shared.migrate()
  return shared.counters
}
