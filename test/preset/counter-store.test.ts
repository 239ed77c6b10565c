// Where requests are counted: what the operator says, else the application, else in memory.
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type TcpProxy, startTcpProxy } from '../../scripts/servers/tcp-proxy.ts'
import {
  AnonRateThrottle,
  ConcurrencyThrottle,
  MemoryCounters,
  ScopedRateThrottle,
  configurationOf,
  defineApi,
  defineUrls,
  readConfiguration,
} from '../../src/index.ts'
import type { CounterStore, Throttle } from '../../src/types.ts'
import { serve } from '../../src/node.ts'
import { defineAccounts } from '../../src/accounts.ts'
import { redisCounters } from '../../src/redis.ts'
import { DatabaseUnavailable } from '../../src/sql.ts'
import { client } from '../../src/testing.ts'
import { migratedSqlite } from '../contract/temporary.ts'
import { sharedRedis } from '../setup/redis.ts'

const SECRET_KEY = 'a secret of these tests: tN4vQ0xJ8wYcR2mZ6kLpD1s'
const urls = defineUrls({ one: '/one/', other: '/other/' })

interface Given {
  readonly store?: string | null
  readonly counters?: CounterStore
  readonly throttles?: readonly Throttle[]
}

function serving({
  store = null,
  counters,
  throttles = [new AnonRateThrottle({ rate: '2/day' })],
}: Given) {
  const api = defineApi({ urls, ...(counters && { counters }) })
  const one = api.endpoint('one', { throttles }).get(() => 'one')
  const other = api.endpoint('other').get(() => 'other')
  return api.serve([one, other], { configuration: configurationOf({ THROTTLE_STORE: store }) })
}

async function accountsHere() {
  const database = await migratedSqlite()
  const accounts = defineAccounts({ database, secretKey: SECRET_KEY })
  return { accounts, database }
}

/** The Redis of this run, on a way that shows who connects. */
async function watchedRedis(): Promise<{ readonly store: string; readonly proxy: TcpProxy }> {
  const url = await sharedRedis()
  const proxy = await startTcpProxy(Number(new URL(url).port))
  onTestFinished(() => proxy.close())
  return { store: proxy.via(url), proxy }
}

/** Redis is shared by all tests of a run: each has a client of its own, whose name is nowhere else. */
function asker(app: Parameters<typeof client>[0]): () => Promise<number> {
  const environ = { REMOTE_ADDR: crypto.randomUUID() }
  return async () => (await client(app).get('/one/', { environ })).status
}

describe('the store', () => {
  test('is memory where none is named', () => {
    expect(serving({}).counters).toBeInstanceOf(MemoryCounters)
  })

  test('is that of the application', () => {
    const counters = new MemoryCounters()
    expect(serving({ counters }).counters).toBe(counters)
  })

  test('"memory" of an operator goes before that of the application', () => {
    const counters = {
      hit: () => {
        throw new Error('asked')
      },
      withdraw() {},
      clear() {},
    }
    expect(serving({ counters, store: 'memory' }).counters).toBeInstanceOf(MemoryCounters)
  })

  test('"database" is that of the accounts, and goes before that of the application', async () => {
    const { accounts, database } = await accountsHere()
    const throttles = [new AnonRateThrottle({ rate: '2/day' })]
    const api = defineApi({
      urls: { one: '/one/' },
      accounts,
      throttles,
      counters: new MemoryCounters(),
    })
    const app = api.serve([api.endpoint('one').get(() => 'one')], {
      configuration: configurationOf({ SECRET_KEY, THROTTLE_STORE: 'database' }),
    })
    expect(app.counters).toBe(database.counters)
    const ask = asker(app)
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429])
    await database.counters.clear()
    expect(await ask()).toBe(200)
  })

  test('an address is that of a Redis, which all processes share', async () => {
    const { store } = await watchedRedis()
    const [first, second] = [serving({ store }), serving({ store, counters: new MemoryCounters() })]
    const environ = { REMOTE_ADDR: crypto.randomUUID() }
    const statuses = []
    for (const app of [first, second, first])
      statuses.push((await client(app).get('/one/', { environ })).status)
    expect(statuses).toEqual([200, 200, 429])
    await Promise.all([first.close(), second.close()])
  })
})

describe('a store that cannot be', () => {
  test.for([
    ['"database" without accounts', 'database', 'defineApi({ accounts })'],
    ['another kind of address', 'memcached://cache', '"memory", "database"'],
    ['an empty text', '', '"memory", "database"'],
    ['a number', 7, '"memory", "database"'],
    ['a database that is no number', 'redis://cache/first', 'number of a database'],
    ['no host', 'redis:///0', 'host'],
  ] as const)('%s refuses to start', ([, store, hint]) => {
    const start = () => serving({ store: store as string })
    expect(start).toThrow(/^THROTTLE_STORE \(configuration\)/)
    expect(start).toThrow(hint)
  })

  test('no message repeats the password', () => {
    expect(() => serving({ store: 'redis://me:wonderland@cache/first' })).not.toThrow('wonderland')
  })

  test('the environment says it in plain text', () => {
    const env = { COLOPHON_THROTTLE_STORE: 'redis://cache:6379/1' }
    expect(readConfiguration({ cwd: '/', env }).service.throttleStore).toBe('redis://cache:6379/1')
  })
})

describe('D31: in production, who counts in memory is told that each process counts for itself', () => {
  const rated = [new AnonRateThrottle({ rate: '2/day' })]
  const production = { NODE_ENV: 'production', COLOPHON_SECRET_KEY: SECRET_KEY }
  function lines(given: Given, env: Readonly<Record<string, string>> = production) {
    const logged: Readonly<Record<string, unknown>>[] = []
    const { counters, throttles = rated } = given
    const logger = { error: () => undefined, info: (line: object) => void logged.push({ ...line }) }
    const api = defineApi({
      urls,
      logger,
      throttleRates: { anon: null },
      ...(counters && { counters }),
    })
    const one = api.endpoint('one', { throttles }).get(() => 'one')
    api.serve([one, api.endpoint('other').get(() => 'other')], {
      configuration: readConfiguration({ cwd: '/', env }),
    })
    return logged.filter(({ event }) => event === 'counters.separate')
  }

  test('with the endpoints that count', () => {
    expect(lines({})).toEqual([
      {
        event: 'counters.separate',
        endpoints: ['one'],
        message: expect.stringContaining('THROTTLE_STORE'),
      },
    ])
  })

  test.for<readonly [string, Given, Readonly<Record<string, string>>, number]>([
    ['held requests count too', { throttles: [new ConcurrencyThrottle({ limit: 1 })] }, {}, 1],
    ['a throttle of your own that counts', { throttles: [{ limits: () => null }] }, {}, 1],
    ['one that only decides', { throttles: [{ admit: () => null }] }, {}, 0],
    ['a rate of null', { throttles: [new AnonRateThrottle()] }, {}, 0],
    ['a scope that the endpoint does not name', { throttles: [new ScopedRateThrottle()] }, {}, 0],
    ['no throttle', { throttles: [] }, {}, 0],
    ['wrong passwords', { throttles: [] }, { COLOPHON_CREDENTIAL_FAILURES: '10/h' }, 1],
    ['memory, chosen by the operator', {}, { COLOPHON_THROTTLE_STORE: 'memory' }, 0],
    ['memory, chosen by the application', { counters: new MemoryCounters() }, {}, 0],
    ['a Redis', {}, { COLOPHON_THROTTLE_STORE: 'redis://127.0.0.1:1/0' }, 0],
    ['not in production', {}, { NODE_ENV: '' }, 0],
  ])('%s', ([, given, env, count]) => {
    expect(lines(given, { ...production, ...env })).toHaveLength(count)
  })
})

describe('the connection of THROTTLE_STORE', () => {
  test('is made by the first request that counts, and by nothing before it', async () => {
    const { store, proxy } = await watchedRedis()
    const app = serving({ store })
    app.describe()
    await client(app).get('/other/')
    await app.close()
    expect(proxy.opened).toBe(0)
    expect(await asker(app)()).toBe(200)
    expect(proxy.opened).toBe(1)
    await app.close()
  })

  test('ends with the server, and begins again where another one serves on', async () => {
    const { store, proxy } = await watchedRedis()
    const app = serving({ store })
    const [server, other] = [await serve(app, { port: 0 }), await serve(app, { port: 0 })]
    const ask = async (url: string) => (await fetch(`${url}/one/`)).status
    expect([200, 429]).toContain(await ask(server.url))
    expect(proxy.open).toBe(1)
    await server.close()
    await expect.poll(() => proxy.open).toBe(0)
    expect([200, 429]).toContain(await ask(other.url))
    expect(proxy.opened).toBe(2)
    await other.close()
    await expect.poll(() => proxy.open).toBe(0)
  })

  test('what a store loads first is there before the server listens, without a connection', async () => {
    const { store, proxy } = await watchedRedis()
    const counters = redisCounters({ url: store })
    const own = Object.assign(new MemoryCounters(), {
      prepare: vi.fn<() => Promise<void> | void>(() => counters.prepare!()),
    })
    const server = await serve(serving({ counters: own }), { port: 0 })
    expect(own.prepare).toHaveBeenCalledOnce()
    expect(proxy.opened).toBe(0)
    await server.close()
    await counters.close()
  })

  test('a store that the application has opened stays open', async () => {
    const closed: string[] = []
    const counters = new MemoryCounters()
    const own = Object.assign(counters, { close: () => void closed.push('closed') })
    const app = serving({ counters: own })
    const server = await serve(app, { port: 0 })
    await server.close()
    await app.close()
    expect(closed).toEqual([])
  })
})

describe('ON_STORE_ERROR: what becomes of requests while the store is away', () => {
  const away: CounterStore = {
    hit() {
      throw new DatabaseUnavailable('It is away.')
    },
    withdraw() {},
    clear() {},
  }
  const quiet = { error: () => undefined }

  test.for([
    ['local', [200, 200, 429], '60'],
    ['allow', [200, 200, 200], null],
    ['deny', [503, 503, 503], '1'],
  ] as const)('%s', async ([policy, statuses, wait]) => {
    const throttles = [new AnonRateThrottle({ rate: '2/min' })]
    const api = defineApi({ urls, throttles, counters: away, logger: quiet, onStoreError: 'allow' })
    const app = api.serve(
      [
        api.endpoint('one').get(() => 'one'),
        api.endpoint('other', { onStoreError: 'allow' }).get(() => 'other'),
      ],
      { configuration: configurationOf({ ON_STORE_ERROR: policy }) },
    )
    const answers = []
    for (let i = 0; i < 3; i++) answers.push(await client(app).get('/one/'))
    expect(answers.map(({ status }) => status)).toEqual(statuses)
    expect(answers[2]!.header('Retry-After')).toBe(wait)
    for (let i = 0; i < 3; i++) expect((await client(app).get('/other/')).status).toBe(200)
  })

  test('a mistake in a store is an error of the service, not an outage', async () => {
    const lines: unknown[] = []
    const counters = { ...away, hit: () => (undefined as never as () => never)() }
    const logger = {
      error: ({ event }: Readonly<Record<string, unknown>>) => void lines.push(event),
    }
    const throttles = [new AnonRateThrottle({ rate: '2/min' })]
    const api = defineApi({ urls: defineUrls({ one: '/one/' }), throttles, counters, logger })
    const app = api.serve([api.endpoint('one').get(() => 'one')], {
      configuration: configurationOf({ ON_STORE_ERROR: 'allow' }),
    })
    expect((await client(app).get('/one/')).status).toBe(500)
    expect(lines).toEqual(['request.failed'])
  })
})
