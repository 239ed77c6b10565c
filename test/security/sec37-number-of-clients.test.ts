// SEC37: memory does not grow with the number of clients, and a flood of them makes room for no one who has to wait.
// More: test/policies/throttling/memory-counters.test.ts.
import { expect, test } from 'vitest'
import { MemoryCounters, UserRateThrottle, configurationOf, defineApi } from '../../src/index.ts'
import { client } from '../../src/testing.ts'

const CAPACITY = 20_000

function service(numProxies: null | 'peer' = 'peer') {
  const counters = new MemoryCounters({ capacity: CAPACITY })
  const throttles = [new UserRateThrottle({ rate: '2/h' })]
  const api = defineApi({ urls: { one: '/one/' }, counters, throttles, numProxies })
  const app = api.serve([api.endpoint('one').get(() => 1)], { configuration: configurationOf() })
  const { get } = client(app)
  const from = async (REMOTE_ADDR: string, forwarded = REMOTE_ADDR): Promise<number> => {
    const headers = { 'x-forwarded-for': forwarded }
    return (await get('/one/', { environ: { REMOTE_ADDR }, headers })).status
  }
  return { counters, from }
}

const address = (i: number): string => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`

test('20,000 clients: the room stays as it is, and who has to wait goes on waiting', async () => {
  const { counters, from } = service()
  for (const status of [200, 200, 429]) expect(await from('192.0.2.1')).toBe(status)
  for (let i = 0; i < 20_000; i++) {
    expect(await from(address(i))).toBe(200)
    expect(counters.size * 50).toBeLessThanOrEqual(CAPACITY)
  }
  expect(await from('192.0.2.1')).toBe(429)
})

test('clients who all have to wait do not switch the limit off for those who come after', async () => {
  const { counters, from } = service()
  for (let i = 0; i < 5000; i++) for (let times = 0; times < 3; times++) await from(address(i))
  expect(counters.size * 50).toBeLessThanOrEqual(CAPACITY)
  const strangers = []
  for (let i = 0; i < 1000; i++) strangers.push(await from(address(100_000 + i)))
  expect(strangers.filter((status) => status === 200).length).toBeLessThanOrEqual(2)
})

test('a client that counts by what it sends (NUM_PROXIES null) fills no more with 16 kB each', async () => {
  const { counters, from } = service(null)
  for (let i = 0; i < 3000; i++) await from('192.0.2.1', `${i},${'x'.repeat(16_000)}`)
  expect(counters.size * 50).toBeLessThanOrEqual(CAPACITY)
})
