import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createClient } from '@redis/client'
import { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type RedisOptions, startRedis } from '../../../scripts/servers/redis.ts'
import { freePort } from '../../../scripts/servers/run-server.ts'
import { type TcpProxy, startTcpProxy } from '../../../scripts/servers/tcp-proxy.ts'
import type { CounterStore, Hit } from '../../../src/core/ports/policies/throttling.ts'
import { ConfigurationError } from '../../../src/core/errors/configuration-error.ts'
import { DatabaseUnavailable } from '../../../src/core/errors/storage-errors.ts'
import { type RedisClient, redisCounters } from '../../../src/redis.ts'
import { GuardedCounters } from '../../../src/policies/throttling/guarded-counters.ts'
import { parseAddress } from '../../../src/storage/redis/address.ts'
import { runIn } from '../../house/loaded.ts'
import { commander, newPrefix, openCounters, sharedRedis } from '../../setup/redis.ts'

const HIT: Hit = {
  limits: [{ key: 'a', limit: 1e6, seconds: 60, cost: 1, algorithm: 'log' }],
  at: null,
  counting: true,
}

/** What a hit fails with, `null` where it does not. */
async function hit(store: CounterStore): Promise<{ message: string | null }> {
  try {
    await store.hit(HIT)
    return { message: null }
  } catch (error) {
    expect(error).toBeInstanceOf(DatabaseUnavailable)
    const { message } = error as Error
    expect(message).not.toContain('not-secret')
    return { message }
  }
}

async function ownRedis(options?: RedisOptions) {
  const server = await startRedis(options)
  onTestFinished(() => server.stop())
  return server
}

async function proxied(): Promise<{ url: string; proxy: TcpProxy }> {
  const url = await sharedRedis()
  const proxy = await startTcpProxy(Number(new URL(url).port))
  onTestFinished(() => proxy.close())
  return { url: proxy.via(url), proxy }
}

describe('an address of Redis', () => {
  test.each([
    ['not a url', 'is not a URL'],
    ['redis://:s3cr#et@h/0', 'is not a URL'],
    ['redis://eve:100%@h', 'cannot be read'],
    ['http://h:6379', 'redis+sentinel:// or redis+cluster://, not with http:'],
    ['redis:///0', 'names no host'],
    ['redis://h/cache', 'ends in the number of a database, such as /0, and not in "/cache"'],
  ])('that is none refuses to start: %s', (url, message) => {
    const open = () => redisCounters({ url })
    expect(open).toThrow(ConfigurationError)
    expect(open).toThrow(message)
    expect(open).not.toThrow(/s3cr|eve:|100%/)
  })

  test('may have an account that is written with escapes, none, or only a password', async () => {
    const server = await ownRedis()
    const send = await commander(server.url)
    const place = `127.0.0.1:${server.port}`
    const messageOf = async (url: string) => (await hit(openCounters(url))).message
    await send('ACL', 'SETUSER', 'm@x', 'on', '>p/w#1%', '~*', '+@all')
    expect(await messageOf(`redis://m%40x:p%2Fw%231%25@${place}/1`)).toBeNull()
    await send('ACL', 'SETUSER', 'default', 'on', 'nopass', '~*', '+@all')
    expect(await messageOf(`redis://${place}`)).toBeNull()
    await send('ACL', 'SETUSER', 'default', 'resetpass', '>only')
    expect(await messageOf(`redis://:only@${place}`)).toBeNull()
    expect(await messageOf(`redis://${place}`)).toMatch(/refuses this account/)
  })

  test.each(['pa@ss', 'pa,s@s,', '@,@', 'p@h:1,s'])(
    'may have @ and , in its password, which no message shows: %s',
    async (password) => {
      const server = await ownRedis()
      const send = await commander(server.url)
      await send('ACL', 'SETUSER', 'm', 'on', `>${password}`, '~*', '+@all')
      const account = `m:${password}`
      const messageOf = async (url: string) =>
        (await hit(openCounters(url, { prefix: '{colophon}:' }))).message
      expect(await messageOf(`redis://${account}@127.0.0.1:${server.port}/1`)).toBeNull()
      const both = { username: 'm', password }
      for (const rest of ['127.0.0.1:1/0', '127.0.0.1:1,127.0.0.1:2/mymaster', '127.0.0.1:1']) {
        const kind = rest.endsWith('r') ? '+sentinel' : rest.endsWith('0') ? '' : '+cluster'
        expect(parseAddress(`redis${kind}://${account}@${rest}`)).toMatchObject(both)
        expect(await messageOf(`redis${kind}://${account}@${rest}`)).toMatch(
          `The database redis${kind}://${rest} cannot be reached (`,
        )
      }
    },
  )

  test('may be one of IPv6', async () => {
    const server = await ownRedis({ settings: ['--bind 127.0.0.1 -::1'] })
    const url = server.url.replace('127.0.0.1', '[::1]')
    expect((await hit(openCounters(url))).message).toBeNull()
  })
})

describe('what is wrong with Redis is named', () => {
  test('no server', async () => {
    const url = `redis://colophon:not-secret@127.0.0.1:${await freePort()}/0`
    expect((await hit(openCounters(url))).message).toMatch(
      /^The database redis:\/\/127\.0\.0\.1:\d+\/0 cannot be reached \(ECONNREFUSED\)\. Is its server running, and is the address right\?$/,
    )
  })

  test.each([
    ['a wrong password', (url: string) => url.replace('not-', 'not-not-')],
    ['no account', (url: string) => url.replace(/colophon:.*@/, '')],
  ])('%s', async (_title, change) => {
    const { message } = await hit(openCounters(change(await sharedRedis())))
    expect(message).toMatch(/^redis:\/\/127\.0\.0\.1:\d+\/0 refuses this account: look at/)
  })

  test('a database that is not there', async () => {
    const url = (await sharedRedis()).replace(/0$/, '99')
    expect((await hit(openCounters(url))).message).toContain('DB index is out of range')
  })

  test('an account that may not do enough, and one that may', async () => {
    const server = await ownRedis()
    const send = await commander(server.url)
    const needed =
      '+eval +evalsha +time +llen +lindex +lrange +ltrim +lrem +rpush +pexpire +get +set +del +scan +unlink'
    await send('ACL', 'SETUSER', 'few', 'on', '>few', '~mine:*', ...needed.split(' '))
    const url = server.url.replace('colophon:not-secret', 'few:few')
    const store = openCounters(url, { prefix: 'mine:' })
    const bucket = { key: 'b', limit: 3, seconds: 60, cost: 1, algorithm: 'gcra' } as const
    const both: Hit = { ...HIT, limits: [...HIT.limits, bucket] }
    const { at } = await store.hit(both)
    await store.hit({ ...both, at: at - 1 })
    await store.hit({ ...both, at: at + 60_001 })
    await store.withdraw(both.limits, at)
    await store.withdraw([{ ...bucket, cost: 9 }], at)
    await store.clear()
    for (const named of needed.replaceAll('+', '').split(' ')) {
      await send('ACL', 'SETUSER', 'few', `-${named}`)
    }
    expect((await hit(store)).message).toContain(
      `does not let this account do what counting needs: keys that begin with the prefix, and the commands ${needed
        .replaceAll(' +', ', ')
        .replace('+', '')
        .replace(/, unlink/, ' and unlink')}.`,
    )
    await send('ACL', 'SETUSER', 'few', '+evalsha')
    expect((await hit(store)).message).toContain('does not let this account')
  })

  test('a replica', async () => {
    const server = await ownRedis({ settings: [`--replicaof 127.0.0.1 ${await freePort()}`] })
    expect((await hit(openCounters(server.url))).message).toMatch(
      /\/0 is a replica, which cannot be written: use the address of the primary\.$/,
    )
  })

  test('no memory', async () => {
    const server = await ownRedis({ settings: ['--maxmemory 100kb'] })
    expect((await hit(openCounters(server.url))).message).toMatch(/has no memory left/)
  })

  test('no connection to give', async () => {
    const server = await ownRedis({ settings: ['--maxclients 1'] })
    await commander(server.url)
    expect((await hit(openCounters(server.url))).message).toMatch(/maxclients|cannot be reached/)
  })

  test.each([
    ['log', ['SET', 'x'], /refused a command: WRONGTYPE/],
    ['log', ['RPUSH', 'x'], /refused a command: ERR .*attempt to/],
    ['gcra', ['RPUSH', '1'], /refused a command: WRONGTYPE/],
    ['gcra', ['SET', 'x'], /refused a command: ERR .*bad argument/],
  ] as const)(
    'a key of something else, which is no reason to leave the others: %s %j',
    async (algorithm, [command, value], message) => {
      const [url, prefix] = [await sharedRedis(), newPrefix()]
      const send = await commander(url)
      await send(command, `${prefix}${algorithm}:a`, value)
      onTestFinished(async () => void (await send('DEL', `${prefix}${algorithm}:a`)))
      const store = openCounters(url, { prefix })
      const limits = [{ ...HIT.limits[0]!, algorithm }]
      await expect(store.hit({ ...HIT, limits })).rejects.toThrow(message)
      const lines: object[] = []
      const logger = { error: () => undefined }
      const logSeldom = (_kind: string, line: object) => void lines.push(line)
      const counters = new GuardedCounters({ store, now: null, logger, logSeldom })
      for (let i = 0; i < 5; i++)
        expect(await counters.hit(limits, { onStoreError: 'allow' })).toBe(null)
      expect(lines).toHaveLength(5)
      expect(counters.isAway).toBe(false)
      expect(await counters.hit([{ ...limits[0]!, key: 'b' }])).not.toHaveProperty('local')
    },
  )
})

describe('what a Redis answers is explained', () => {
  test.each([
    ['MOVED 3999 127.0.0.1:6381', /belongs to a cluster/],
    ['ASK 3999 127.0.0.1:6381', /belongs to a cluster/],
    ['LOADING Redis is loading the dataset in memory', /is not ready: it is starting/],
    ['MASTERDOWN Link with MASTER is down', /is not ready/],
    ['BUSY Redis is busy running a script.', /runs another script that does not end/],
    ['MISCONF Redis is configured to save RDB snapshots', /cannot save its data/],
    ['ERR max number of clients reached', /no connection to give: raise its maxclients/],
    [
      "ERR ACL failure in script: User few has no permissions to run the 'time' command script: b7fd",
      /does not let this account/,
    ],
    ['NOAUTH Authentication required.', /refuses this account/],
    ['Socket closed unexpectedly', /The connection to Redis broke while/],
    ['Connection is closed.', /The connection to Redis broke while/],
    ['ERR unknown command `EVALSHA`', /^Redis refused a command: ERR unknown command `EVALSHA`$/],
  ])('%s', async (answer, explained) => {
    const sendCommand = () => Promise.reject(new Error(answer))
    const { message } = await hit(redisCounters({ client: { sendCommand } }))
    expect(message).toMatch(explained)
  })
})

describe('a Redis that goes away', () => {
  test('while it is greeted is not waited for', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.resetAndDestroy())
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const { message } = await hit(openCounters(`redis://colophon:not-secret@127.0.0.1:${port}`))
    expect(message).toContain('cannot be reached')
    // As it would say after the time that connecting may take.
    expect(message).not.toContain('no answer')
  })

  test('is known to be away: hits fail at once, and few of them try', async () => {
    const { url, proxy } = await proxied()
    const store = openCounters(url)
    expect((await hit(store)).message).toBeNull()
    await proxy.refuse()
    const first = await hit(store)
    const others = await Promise.all(Array.from({ length: 100 }, () => hit(store)))
    expect(first.message).toMatch(/cannot be reached|broke/)
    expect(others.every(({ message }) => message !== null)).toBe(true)
    await proxy.resume()
    await expect.poll(async () => (await hit(store)).message).toBeNull()
    expect(proxy.opened).toBe(2)
  })

  test('silently is given up in time, and found again on another connection', async () => {
    const { url, proxy } = await proxied()
    const store = openCounters(url, { commandTimeout: 200, connectTimeout: 300 })
    expect((await hit(store)).message).toBeNull()
    proxy.silence()
    const all = await Promise.all(Array.from({ length: 20 }, () => hit(store)))
    for (const { message } of all)
      expect(message).toMatch(/went silent, and was given up after 0\.2 s|broke/)
    // Connecting goes into the void, too.
    const next = await hit(store)
    expect(next.message).toMatch(/cannot be reached \(no answer in 0\.3 s\)/)
    expect(await hit(store)).toEqual(next)
    await proxy.resume()
    await expect.poll(async () => (await hit(store)).message).toBeNull()
    await expect.poll(() => proxy.silent).toBe(0)
  })

  test('and waits for one attempt at a time, however many ask', async () => {
    const { url, proxy } = await proxied()
    proxy.silence()
    const store = openCounters(url, { connectTimeout: 300 })
    const all = await Promise.all(Array.from({ length: 50 }, () => hit(store)))
    expect(all.every(({ message }) => message?.includes('no answer in 0.3 s'))).toBe(true)
    expect(proxy.opened).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 60))
    const settled: number[] = []
    const hits = Array.from({ length: 50 }, (_, at) => hit(store).then(() => settled.push(at)))
    await Promise.all(hits)
    // The first tries to connect, and the others do not wait for it.
    expect(settled.at(-1)).toBe(0)
    expect(proxy.opened).toBe(2)
  })

  test('and is started again counts on, and no hit hangs', async () => {
    const first = await startRedis()
    const store = openCounters(first.url, { commandTimeout: 400, connectTimeout: 1000 })
    const counts = { passed: 0, failed: 0 }
    const over = new AbortController()
    const work = async (): Promise<void> => {
      while (!over.signal.aborted) {
        const { message } = await hit(store)
        counts[message === null ? 'passed' : 'failed']++
        if (message !== null) await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    const workers = Array.from({ length: 20 }, work)
    await expect.poll(() => counts.passed).toBeGreaterThan(200)
    await first.stop()
    const { passed } = counts
    await expect.poll(() => counts.failed).toBeGreaterThan(200)
    expect(counts.passed).toBe(passed)
    await ownRedis({ port: first.port })
    await expect.poll(() => counts.passed).toBeGreaterThan(passed)
    over.abort()
    await Promise.all(workers)
  })
})

/** Clients that connect again by themselves. */
const CLIENTS = {
  async redis(url: string): Promise<RedisClient> {
    const client = createClient({ url })
    client.on('error', () => undefined)
    onTestFinished(() => client.destroy())
    return client.connect()
  },
  async ioredis(url: string): Promise<RedisClient> {
    const client = new Redis(url, { retryStrategy: () => 100 })
    client.on('error', () => undefined)
    onTestFinished(() => client.disconnect())
    return client
  },
}

describe('a client of the application', () => {
  test.each(['redis', 'ioredis'] as const)('of %s is not asked while it is away', async (kind) => {
    const { url, proxy } = await proxied()
    const store = redisCounters({ client: await CLIENTS[kind](url), prefix: newPrefix() })
    const message = async (): Promise<string | null> => (await hit(store)).message
    expect(await message()).toBeNull()
    await proxy.refuse()
    await expect
      .poll(message)
      .toMatch(/^The database Redis cannot be reached \(not connected\)\. Is its server running/)
    await proxy.resume()
    await expect.poll(message).toBeNull()
    // It stays open: it belongs to the application.
    await store.close()
    expect(await message()).toBeNull()
  })

  test('that is silent is given up in time', async () => {
    const store = redisCounters({
      client: { sendCommand: () => new Promise(() => undefined) },
      commandTimeout: 50,
    })
    expect((await hit(store)).message).toBe(
      'The connection to Redis went silent, and was given up after 0.05 s. Try again.',
    )
  })
})

test('a store that was closed says so, and closing waits for what is under way', async () => {
  const store = openCounters(await sharedRedis())
  const hits = Array.from({ length: 10 }, () => hit(store))
  await hits[0]
  const more = hit(store)
  await store.close()
  const answers = await Promise.all([...hits, more])
  expect(answers.filter(({ message }) => message !== null)).toEqual([])
  expect((await hit(store)).message).toMatch(/^The store of counters at .* was closed\.$/)
  await store.close()
})

test('an idle connection keeps no program from ending, and the client is loaded on first use', async () => {
  const program = (counts: boolean): string => `
    import { redisCounters } from './src/redis.ts'
    const store = redisCounters({ url: process.env.URL, prefix: 'test-idle:' })
    const limits = [{ key: 'a', limit: 9, seconds: 1, cost: 1, algorithm: 'log' }]
    if (${counts}) console.log((await store.hit({ limits, at: null, counting: true })).standings[0].allowed)`
  const environment = { URL: await sharedRedis() }
  const used = await runIn(process.cwd(), program(true), environment)
  expect(used.printed).toBe('true')
  const isClient = (url: string): boolean => url.includes('/@redis/client/')
  expect(used.loaded.some(isClient)).toBe(true)
  const unused = await runIn(process.cwd(), program(false), environment)
  expect(unused.loaded.some(isClient)).toBe(false)
})

test('without its client a store refuses to start', async () => {
  const { printed } = await runIn(
    process.cwd(),
    `
    import { registerHooks } from 'node:module'
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier === '@redis/client') throw new Error('not there')
        return next(specifier, context)
      },
    })
    const { redisCounters } = await import('./src/redis.ts')
    redisCounters({ client: { sendCommand: async () => [] } })
    try {
      redisCounters({ url: 'redis://h' })
    } catch ({ name, message }) {
      console.log(name, message)
    }`,
  )
  expect(printed).toBe(
    'ConfigurationError Redis is reached with the package @redis/client. Run: npm install @redis/client',
  )
})
