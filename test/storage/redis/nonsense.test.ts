// A Redis, or what is taken for one, whose answers make no sense: as good as away.
import { describe, expect, onTestFinished, test } from 'vitest'
import { FakeRedis, NONSENSE } from '../../../scripts/servers/fake-redis.ts'
import type { StoreErrorPolicy } from '../../../src/core/ports/policies/throttling.ts'
import { DatabaseUnavailable } from '../../../src/core/errors/storage-errors.ts'
import { AnonRateThrottle, configurationOf, defineApi, obtainToken } from '../../../src/index.ts'
import { redisCounters } from '../../../src/redis.ts'
import { client } from '../../../src/testing.ts'
import { openAccounts } from '../../accounts/fixtures.ts'

async function counting(answer: string) {
  const server = await FakeRedis.start(answer)
  const counters = redisCounters({ url: server.url })
  onTestFinished(async () => {
    await counters.close()
    server.close()
  })
  return { server, counters }
}

const LIMIT = { key: 'a', limit: 5, seconds: 60, cost: 1, algorithm: 'log' } as const

describe.each(Object.entries(NONSENSE))('%s', (_title, answer) => {
  test('is an answer of a store that is away', async () => {
    const { counters, server } = await counting(answer)
    const hit = counters.hit({ limits: [LIMIT], at: null, counting: true })
    await expect(hit).rejects.toThrow(DatabaseUnavailable)
    await expect(hit).rejects.toThrow('Redis answers what no counter answers.')
    expect(server.asked).toBe(1)
  })

  test.each([
    ['allow', [200, 200, 200], 200],
    ['local', [200, 200, 429], 200],
    ['deny', [503, 503, 503], 503],
  ] as const)('requests and logins are answered by the policy: %s', async (policy, many, login) => {
    const { ask, logIn } = await throttled(answer, policy)
    const answers = []
    for (const _ of many) answers.push(await ask())
    expect(answers).toEqual(many)
    expect(await logIn()).toBe(login)
  })
})

async function throttled(answer: string, onStoreError: StoreErrorPolicy) {
  const { counters } = await counting(answer)
  const accounts = await openAccounts()
  await accounts.users.create({ username: 'ada', password: 'engine' })
  const api = defineApi({
    urls: { it: '/', token: '/token/' },
    credentialFailures: '5/h',
    logger: { error: () => undefined },
    counters,
    onStoreError,
  })
  const throttles = [new AnonRateThrottle({ rate: '2/h' })]
  const served = [
    api.endpoint('it', { throttles }).get(() => 'it'),
    api.endpoint('token').post(obtainToken({ accounts })),
  ]
  const { get, post } = client(api.serve(served, { configuration: configurationOf() }))
  const json = { username: 'ada', password: 'engine' }
  return {
    ask: async () => (await get('/')).status,
    logIn: async () => (await post('/token/', { json })).status,
  }
}

test.each(['nothing (nil)', 'a text', 'OK', 'no members'])(
  'clearing ends where the cursor is none: %s',
  async (title) => {
    const { counters, server } = await counting(NONSENSE[title]!)
    await expect(counters.clear()).rejects.toThrow(DatabaseUnavailable)
    expect(server.asked).toBe(1)
  },
)
