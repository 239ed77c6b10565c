// A server with passwords of the default cost, which reports the delays of its event loop.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import {
  IsAuthenticated,
  TokenAuthentication,
  configurationOf,
  defineApi,
  defineUrls,
  obtainToken,
} from 'colophon'
import { serve } from 'colophon/node'
import { HashQueue, defineAccounts } from 'colophon/accounts'
import { openSqlite } from 'colophon/sqlite'

/** Milliseconds between two turns of a timer of 5 ms: the part above 5 is delay. */
export interface Delays {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

const database = openSqlite({ path: process.argv[2]! })
await database.migrate()
// All log-ins come from one address here. They must be hashed however long it takes, and not be refused.
const hashQueue = new HashQueue({ waitingEach: 500, patience: 600_000 })
const accounts = defineAccounts({
  database,
  secretKey: 'a secret for benchmarks only',
  hashQueue,
})
const api = defineApi({
  urls: defineUrls({ token: '/token/', me: '/me/' }),
  authentication: [new TokenAuthentication({ tokens: accounts.tokens })],
})
const alice = await accounts.users.create({ username: 'alice', password: 'wonderland' })
const { key } = await accounts.tokens.obtain(alice)
const app = api.serve(
  [
    api.endpoint('token').post(obtainToken({ accounts })),
    api
      .endpoint('me', { permissions: [new IsAuthenticated()] })
      .get(({ user }) => ({ username: user.username })),
  ],
  { configuration: configurationOf() },
)
const server = await serve(app, { port: 0 })
const histogram = monitorEventLoopDelay({ resolution: 5 })
histogram.enable()

process.on('message', () => {
  const [p50, p99, max] = [histogram.percentile(50), histogram.percentile(99), histogram.max]
  process.send!({ p50: p50 / 1e6, p99: p99 / 1e6, max: max / 1e6 } satisfies Delays)
  histogram.reset()
})
process.send!({ port: Number(new URL(server.url).port), key })
