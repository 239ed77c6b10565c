// CPU time of a throttled request ÷ the same without a throttle, in interleaved rounds, for each store of counters: the median,
// and the middle half of all rounds.
// `npm run bench -- throttling [--stores memory,sqlite,postgres,mysql,redis] [--rounds 60] [--peers]`
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { configurationOf } from 'colophon'
import { defineAccounts } from 'colophon/accounts'
import { openSqlite } from 'colophon/sqlite'
import { startMariadb } from '../../scripts/servers/mariadb.ts'
import { startPostgres } from '../../scripts/servers/postgres.ts'
import { startRedis } from '../../scripts/servers/redis.ts'
import { type ServerProcess, startServer } from '../http/server-process.ts'
import { CLIENTS, compareCost } from './cost.ts'
import { comparePeers } from './peers.ts'

const { values } = parseArgs({
  options: {
    stores: { type: 'string', default: 'memory,sqlite' },
    rounds: { type: 'string', default: '60' },
    peers: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds)
const servers: Readonly<Record<string, () => Promise<{ url: string; stop(): Promise<void> }>>> = {
  postgres: startPostgres,
  mysql: startMariadb,
  redis: startRedis,
}

const folder = mkdtempSync(join(tmpdir(), 'colophon-bench-'))
const path = join(folder, 'bench.sqlite')
try {
  const tokens = await createUsers(path)
  for (const store of values.stores.split(',').filter(Boolean)) await compare(store, tokens)
  if (values.peers)
    await comparePeers(rounds, (limit, seconds, url) => start('memory', limit, seconds, url))
} finally {
  rmSync(folder, { recursive: true })
}

async function createUsers(file: string): Promise<readonly string[]> {
  const database = openSqlite({ path: file })
  await database.migrate()
  const configuration = configurationOf()
  const accounts = defineAccounts({ database, configuration, secretKey: 'for benchmarks only' })
  const tokens: string[] = []
  for (let i = 0; i < CLIENTS; i++) {
    const user = await accounts.users.create({ username: `user-${i}` })
    tokens.push((await accounts.tokens.obtain(user)).key)
  }
  database.close()
  return tokens
}

async function compare(store: string, tokens: readonly string[]): Promise<void> {
  const shared = await servers[store]?.()
  try {
    for (const endpoint of ['/hello', '/me']) {
      const server = await start(store, 10_000, 60, shared?.url)
      console.log(
        `${store.padEnd(9)} ${endpoint.padEnd(6)} ${await compareCost(server, endpoint, rounds, tokens)}`,
      )
    }
  } finally {
    await shared?.stop()
  }
}

function start(store: string, limit: number, seconds: number, url = store): Promise<ServerProcess> {
  const service = new URL('service.ts', import.meta.url)
  return startServer(service, [path, url, `${limit}/${seconds}s`])
}
