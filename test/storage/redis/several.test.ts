// Redis with sentinels and as a cluster, with real servers: counts stay exact while a primary is killed or a slot moves.
import { expect, onTestFinished, test } from 'vitest'
import {
  startRedis,
  startRedisCluster,
  startReplica,
  startSentinels,
} from '../../../scripts/servers/redis.ts'
import { ConfigurationError } from '../../../src/core/errors/configuration-error.ts'
import { DatabaseUnavailable } from '../../../src/core/errors/storage-errors.ts'
import type { CounterStore } from '../../../src/core/ports/policies/throttling.ts'
import { type RedisCounters, redisCounters } from '../../../src/redis.ts'
import { PATIENT } from '../../setup/redis.ts'
import { until } from '../../setup/until.ts'

const LIMITS = [
  { key: 'a', limit: 100_000, seconds: 3600, cost: 1, algorithm: 'log' },
  { key: 'b', limit: 100_000, seconds: 3600, cost: 1, algorithm: 'log' },
] as const

const hit = async (store: CounterStore, counting = true): Promise<readonly number[]> => {
  const { standings } = await store.hit({ limits: LIMITS, at: null, counting })
  return standings.map(({ remaining }) => LIMITS[0].limit - remaining)
}

function open(url: string, options: { prefix?: string } = {}): RedisCounters {
  const store = redisCounters({ url, ...PATIENT, ...options })
  onTestFinished(() => store.close())
  return store
}

/** Hits until its result is called, which gives how many were counted, and how many failed. */
function hitting(store: CounterStore) {
  const over = new AbortController()
  const seen = { counted: 0, failed: 0, failure: '' }
  const all = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (!over.signal.aborted) {
        await hit(store).then(
          () => seen.counted++,
          (error: unknown) => {
            seen.failed++
            seen.failure = String(error)
            expect(error).toBeInstanceOf(DatabaseUnavailable)
          },
        )
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    }),
  )
  const end = async () => {
    over.abort()
    await all
    return seen
  }
  return { seen, end }
}

test('sentinels lead to the primary, and to the one that takes over', async () => {
  const primary = await startRedis()
  const replica = await startReplica(primary)
  onTestFinished(() => replica.stop())
  const sentinels = await startSentinels(primary)
  onTestFinished(() => sentinels.stop())
  const store = open(sentinels.url)
  const { seen, end } = hitting(store)
  await until(() => expect(seen.counted).toBeGreaterThan(50))
  await primary.stop()
  await until(() => expect(seen.failed).toBeGreaterThan(0))
  const before = seen.counted
  await until(() => expect(seen.counted).toBeGreaterThan(before + 50))
  await end()
  // A hit whose answer was lost with the primary may have been counted, and none was twice.
  const [counted = 0] = await hit(store, false)
  expect(counted).toBeLessThanOrEqual(seen.counted + 4)
  expect(counted).toBeGreaterThan(before)
})

test('sentinels that know no such primary, or are away, are named', async () => {
  const nobody = open('redis+sentinel://127.0.0.1:1,127.0.0.1:2/mymaster')
  await expect(hit(nobody)).rejects.toThrow(
    'redis+sentinel://127.0.0.1:1,127.0.0.1:2/mymaster cannot be reached (ECONNREFUSED)',
  )
})

test('a cluster counts exactly while the slot of its counters moves', async () => {
  const cluster = await startRedisCluster()
  onTestFinished(() => cluster.stop())
  const store = open(cluster.url)
  const { seen, end } = hitting(store)
  await until(() => expect(seen.counted).toBeGreaterThan(50))
  await cluster.moveSlotOf('{colophon}:')
  const before = seen.counted
  await until(() =>
    expect(seen).toMatchObject({ counted: expect.toSatisfy((now) => now > before + 50) }),
  )
  await end()
  expect(await hit(store, false)).toEqual([seen.counted, seen.counted])
  await store.clear()
  expect(await hit(store, false)).toEqual([0, 0])
})

test.each([
  ['redis+sentinel://h1,h2', 'ends in the name of the primary'],
  ['redis+sentinel:///mymaster', 'names no host'],
  ['redis+cluster://h1,h2/1', 'has no databases'],
  ['redis://h1,h2', 'begins with redis+sentinel:// or redis+cluster://'],
  ['redis+proxy://h1', 'not with redis+proxy:'],
])('%s is refused', (url, message) => {
  expect(() => redisCounters(url)).toThrow(ConfigurationError)
  expect(() => redisCounters(url)).toThrow(message)
})

test('a prefix without braces is refused on a cluster', () => {
  expect(() => open('redis+cluster://h1,h2', { prefix: 'mine:' })).toThrow('has braces')
})
