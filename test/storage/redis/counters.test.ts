import { createClient } from '@redis/client'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, test } from 'vitest'
import { startRedis } from '../../../scripts/servers/redis.ts'
import type { CounterStore, Hit, Limit } from '../../../src/core/ports/policies/throttling.ts'
import { redisCounters } from '../../../src/redis.ts'
import { limitOf } from '../../contract/counter-exactness.ts'
import { testCounterStore } from '../../contract/counter-store.ts'
import { PATIENT, commander, newPrefix, openCounters, sharedRedis } from '../../setup/redis.ts'

testCounterStore('Redis', async () =>
  redisCounters({ url: await sharedRedis(), prefix: newPrefix(), ...PATIENT }),
)

testCounterStore('Redis through a client of node-redis', async () => {
  const client = createClient({ url: await sharedRedis() })
  await client.connect()
  afterAll(() => client.close())
  return redisCounters({ client, prefix: newPrefix(), ...PATIENT })
})

testCounterStore('Redis through a client of ioredis', async () => {
  const client = new Redis(await sharedRedis())
  afterAll(() => client.quit())
  return redisCounters({ client, prefix: newPrefix(), ...PATIENT })
})

const hitOf = (...limits: readonly Limit[]): Hit => ({ limits, at: null, counting: true })
const both = [limitOf(3, 60), limitOf(3, 60, { key: 'b', algorithm: 'gcra' })]

async function isAllowed(store: CounterStore, ...limits: readonly Limit[]): Promise<boolean> {
  const { standings } = await store.hit(hitOf(...limits))
  return standings.every(({ allowed }) => allowed)
}

describe('counters in Redis', () => {
  test('are exact, whatever connections they come on', async () => {
    const [url, prefix] = [await sharedRedis(), newPrefix()]
    const stores = Array.from({ length: 4 }, () => openCounters(url, { prefix }))
    const limits = [limitOf(100, 60), limitOf(150, 3600, { key: 'b', algorithm: 'gcra' })]
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, i) => isAllowed(stores[i % 4]!, ...limits)),
    )
    expect(answers.filter(Boolean)).toHaveLength(100)
  })

  test('need one trip, however many limits there are', async () => {
    const send = await commander(await sharedRedis())
    const sent: string[] = []
    const client = {
      sendCommand(command: string[]) {
        sent.push(command[0]!)
        return send(...command)
      },
    }
    const store = redisCounters({ client, prefix: newPrefix(), ...PATIENT })
    await store.hit(hitOf(...both))
    sent.length = 0
    await store.hit(hitOf(...both, limitOf(9, 9, { key: 'c' })))
    await store.withdraw(both, 1)
    expect(sent).toEqual(['EVALSHA', 'EVALSHA'])
  })

  test('are gone soon after they no longer matter', async () => {
    const [url, prefix] = [await sharedRedis(), newPrefix()]
    const [store, send] = [openCounters(url, { prefix }), await commander(url)]
    const keysNow = () => send('KEYS', `${prefix}*`)
    const limits = both.map((limit) => ({ ...limit, seconds: 1 }))
    await store.hit(hitOf(...limits))
    expect(await keysNow()).toHaveLength(2)
    await expect.poll(keysNow).toEqual([])
  })

  test('live no longer than what is counted, by whatever clock', async () => {
    const [url, prefix] = [await sharedRedis(), newPrefix()]
    const [store, send] = [openCounters(url, { prefix }), await commander(url)]
    const lifetimes = () =>
      Promise.all(both.map(({ key, algorithm }) => send('PTTL', `${prefix}${algorithm}:${key}`)))
    await store.hit(hitOf(...both))
    for (const lifetime of await lifetimes()) {
      expect(lifetime).toBeGreaterThan(60_000)
      expect(lifetime).toBeLessThanOrEqual(61_000)
    }
    await store.withdraw(both, (await store.hit(hitOf(...both))).at)
    expect((await lifetimes()).every((lifetime) => Number(lifetime) > 0)).toBe(true)
    // A clock of a test may stand still, while that of Redis goes on.
    await store.hit({ ...hitOf(...both), at: 1 })
    for (const lifetime of await lifetimes()) expect(lifetime).toBeGreaterThan(3_600_000)
  })

  test('take no more memory than the limit, whatever is refused', async () => {
    const [url, prefix] = [await sharedRedis(), newPrefix()]
    const [store, send] = [openCounters(url, { prefix }), await commander(url)]
    const second = limitOf(3, 1)
    for (const at of [0, 900, 1800, 2700])
      for (let i = 0; i < 9; i++) await store.hit({ ...hitOf(second), at })
    expect(await send('LLEN', `${prefix}log:a`)).toBe(3)
    expect(await send('KEYS', `${prefix}*`)).toEqual([`${prefix}log:a`])
  })

  test('are only those of their prefix, when they are cleared, too', async () => {
    const [url, prefix] = [await sharedRedis(), newPrefix()]
    const send = await commander(url)
    const [one, other] = [`${prefix}[a]*?\\:`, `${prefix}a:`].map((own) =>
      openCounters(url, { prefix: own }),
    ) as [CounterStore, CounterStore]
    const limits = Array.from({ length: 1500 }, (_, i) => limitOf(1, 60, { key: `key ${i}` }))
    await Promise.all(limits.map(async (limit) => one.hit(hitOf(limit))))
    await other.hit(hitOf(limits[0]!))
    await send('SET', `${prefix}foreign`, 'yes', 'PX', '10000')
    await one.clear()
    expect(((await send('KEYS', `${prefix}*`)) as string[]).toSorted()).toEqual([
      `${prefix}a:log:key 0`,
      `${prefix}foreign`,
    ])
    expect(await isAllowed(one, limits[0]!)).toBe(true)
    expect(await isAllowed(other, limits[0]!)).toBe(false)
  })

  test('hold on a server that forgets its scripts', async () => {
    const server = await startRedis()
    const [store, send] = [openCounters(server.url), await commander(server.url)]
    const hits: boolean[] = []
    for (let i = 0; i < 4; i++) {
      hits.push(await isAllowed(store, ...both))
      await send('SCRIPT', 'FLUSH', 'SYNC')
    }
    expect(hits).toEqual([true, true, true, false])
    await store.withdraw(both, (await store.hit({ ...hitOf(...both), counting: false })).at)
    await send('SCRIPT', 'FLUSH', 'SYNC')
    await store.clear()
    expect(await send('DBSIZE')).toBe(0)
    await server.stop()
  })

  test('lie in the database that the address names', async () => {
    const url = (await sharedRedis()).replace(/0$/, '5')
    const [prefix, send] = [newPrefix(), await commander(url)]
    await openCounters(url, { prefix }).hit(hitOf(limitOf(1, 1)))
    expect(await send('KEYS', `${prefix}*`)).toHaveLength(1)
  })
})
