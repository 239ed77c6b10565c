import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  AnonRateThrottle,
  type ApiRequest,
  ConcurrencyThrottle,
  IsAuthenticated,
  MemoryCounters,
  type Settings,
  UserRateThrottle,
  defineApi,
  defineUrls,
  reply,
} from '../../../src/index.ts'
import type { CounterStore, Limit, Throttle } from '../../../src/types.ts'
import { type TestResponse, client, fakeClock } from '../../../src/testing.ts'
import { ada, quiet } from '../../behaviour/fixtures.ts'
import { type Item, parseItems } from './structured-fields.ts'

const urls = defineUrls({ one: '/one/', bad: '/bad/', own: '/own/', closed: '/closed/' })

function service(policy: Partial<Settings>, counters: CounterStore = new MemoryCounters()) {
  const clock = fakeClock(1_000_000_000_000)
  const logger = { error: () => {} }
  const own = { urls, logger, now: clock.now, counters }
  const api = defineApi({ ...own, ...policy })
  const app = api.serve(
    [
      api.endpoint('one').get(() => 'one'),
      api.endpoint('bad').get(() => {
        throw new Error('of the handler')
      }),
      api.endpoint('own').get(() => reply('own', { headers: { ratelimit: '"own";r=1' } })),
      api.endpoint('closed', { permissions: [new IsAuthenticated()] }).get(() => 'closed'),
    ],
    quiet,
  )
  return { clock, ...client(app) }
}

const fieldsOf = (response: TestResponse) => [
  response.status,
  response.header('ratelimit-policy'),
  response.header('ratelimit'),
]
const NONE = [null, null]

const byRate = (rate: string | readonly string[], more = {}): Throttle =>
  new UserRateThrottle({ rate, ...more })

describe('RateLimit and RateLimit-Policy', () => {
  const throttles = [byRate('2/min')]

  test('say how much is left, and when more is', async () => {
    const { get, clock } = service({ throttles })
    const policy = '"user";q=2;w=60'
    expect(fieldsOf(await get('/one/'))).toEqual([200, policy, '"user";r=1;t=60'])
    clock.advance(10_001)
    expect(fieldsOf(await get('/one/'))).toEqual([200, policy, '"user";r=0;t=50'])
    clock.advance(20_000)
    const refused = await get('/one/')
    expect(fieldsOf(refused)).toEqual([429, policy, '"user";r=0;t=30'])
    expect(refused.header('retry-after')).toBe('30')
  })

  test.each<[string, string, string, number]>([
    ['a handler that is there', 'GET', '/one/', 200],
    ['HEAD', 'HEAD', '/one/', 200],
    ['OPTIONS', 'OPTIONS', '/one/', 200],
    ['no handler', 'DELETE', '/one/', 405],
    ['a handler that fails', 'GET', '/bad/', 500],
  ])('stand on the answer of %s', async (_title, method, path, status) => {
    const { request } = service({ throttles })
    expect(fieldsOf(await request(method, path))).toEqual([
      status,
      '"user";q=2;w=60',
      '"user";r=1;t=60',
    ])
  })

  test.each<[string, Partial<Settings>, string, object, number]>([
    ['without the setting', { throttles, rateLimitHeaders: false }, '/one/', {}, 200],
    ['without throttles', {}, '/one/', {}, 200],
    ['without a rate', { throttles: [new UserRateThrottle()] }, '/one/', {}, 200],
    [
      'for whom no throttle is',
      { throttles: [new AnonRateThrottle({ rate: '2/min' })] },
      '/one/',
      { as: ada },
      200,
    ],
    ['that a permission refused', { throttles }, '/closed/', {}, 403],
    ['that was not negotiated', { throttles }, '/one/', { headers: { accept: 'image/png' } }, 406],
    ['that found no endpoint', { throttles }, '/nowhere/', {}, 404],
    ['that costs nothing', { throttles: [byRate('2/min', { cost: 0 })] }, '/one/', {}, 200],
    [
      'with a limit of concurrency alone',
      { throttles: [new ConcurrencyThrottle({ limit: 2 })] },
      '/one/',
      {},
      200,
    ],
  ])('are not there %s', async (_title, policy, path, options, status) => {
    const { get } = service(policy)
    expect(fieldsOf(await get(path, options))).toEqual([status, ...NONE])
  })

  test('show all rates that a client could plan by, and no others', async () => {
    const limit = { limit: 9, seconds: 9, cost: 1, algorithm: 'log' } as const
    const nameless: Throttle = {
      limits: () => [
        { ...limit, key: 'nameless' },
        { ...limit, key: 'held', name: 'held', held: true },
      ],
    }
    const { get } = service({
      throttles: [
        byRate(['20/s', '1000/day']),
        new ConcurrencyThrottle({ limit: 5 }),
        nameless,
        new AnonRateThrottle({ rate: '5/min', algorithm: 'gcra' }),
      ],
    })
    expect(fieldsOf(await get('/one/'))).toEqual([
      200,
      '"user-1";q=20;w=1, "user-86400";q=1000;w=86400, "anon";q=5;w=60',
      '"user-1";r=19;t=1, "user-86400";r=999;t=86400, "anon";r=4;t=12',
    ])
  })

  test('count in requests that cost the same', async () => {
    const { get, clock } = service({ throttles: [byRate('10/min', { cost: 3 })] })
    const policy = '"user";q=3;w=60'
    expect(fieldsOf(await get('/one/'))).toEqual([200, policy, '"user";r=2'])
    clock.advance(7000)
    expect(fieldsOf(await get('/one/'))).toEqual([200, policy, '"user";r=1'])
    clock.advance(7000)
    // One of the four that are left is too few: three are free when the first request is over.
    expect(fieldsOf(await get('/one/'))).toEqual([200, policy, '"user";r=0;t=46'])
    expect(fieldsOf(await get('/one/'))).toEqual([429, policy, '"user";r=0;t=46'])
  })

  test('name no moment where a request will never pass', async () => {
    const { get } = service({ throttles: [byRate('0/min')] })
    const closed = await get('/one/')
    expect(fieldsOf(closed)).toEqual([429, '"user";q=0;w=60', '"user";r=0'])
    const dear = service({ throttles: [byRate('5/min', { cost: () => 6 })] })
    const refused = await dear.get('/one/')
    expect(fieldsOf(refused)).toEqual([429, '"user";q=0;w=60', '"user";r=0'])
    expect(refused.header('retry-after')).toBeNull()
  })

  test('of what one limit refuses, the others show that it was not counted', async () => {
    const { get } = service({ throttles: [byRate('1/min'), byRate('5/h', { scope: 'hour' })] })
    await get('/one/')
    const [status, , left] = fieldsOf(await get('/one/'))
    expect([status, left]).toEqual([429, '"user";r=0;t=60, "hour";r=4;t=3600'])
  })

  test('what a throttle of its own refuses shows what is left all the same', async () => {
    const gate: Throttle = { admit: () => ({ allowed: false, wait: 7 }) }
    const { get } = service({ throttles: [byRate('5/min'), gate] })
    expect(fieldsOf(await get('/one/'))).toEqual([429, '"user";q=5;w=60', '"user";r=5'])
  })

  test('tell policies of one name apart', async () => {
    const { get } = service({ throttles: [byRate('1/s'), byRate('9/min'), byRate('50/h')] })
    const names = (await get('/one/')).header('ratelimit-policy')
    expect(names).toBe('"user";q=1;w=1, "user-60";q=9;w=60, "user-3600";q=50;w=3600')
  })

  test.each([
    ['burst', 'burst'],
    ['per day', 'per day'],
    ['"a\\b"', '"a\\b"'],
    ['a";q=9;w=1, "b', 'a";q=9;w=1, "b'],
    ['Müller\r\nX: y', 'M%C3%BCller%0D%0AX: y'],
    ['\ud800', '%EF%BF%BD'],
    ['😀', '%F0%9F%98%80'],
    ['', ''],
  ])('a name %j is a string of structured fields', async (name, expected) => {
    const limit: Limit = { key: 'k', limit: 2, seconds: 60, cost: 1, algorithm: 'log', name }
    const { get } = service({ throttles: [{ limits: () => [limit] }] })
    const response = await get('/one/')
    for (const field of ['ratelimit', 'ratelimit-policy'])
      expect(parseItems(response.header(field)!).map((item) => item.name)).toEqual([expected])
  })

  test('leave alone what a handler says, Vary, and whether an answer may be kept', async () => {
    const plain = service({ throttles, rateLimitHeaders: false })
    const shown = service({ throttles })
    expect((await shown.get('/own/')).header('ratelimit')).toBe('"own";r=1')
    for (const name of ['vary', 'cache-control'])
      expect((await shown.get('/one/')).header(name)).toBe((await plain.get('/one/')).header(name))
  })

  describe('ask a store again', () => {
    class Counting extends MemoryCounters {
      readonly asked: boolean[] = []
      away = false
      override hit(hit: Parameters<MemoryCounters['hit']>[0]) {
        this.asked.push(hit.counting)
        if (this.away && !hit.counting) throw new Error('away')
        return super.hit(hit)
      }
    }

    test('only where too little is left for a request that costs more than one', async () => {
      const store = new Counting()
      const { get } = service({ throttles: [byRate('5/min', { cost: 2 }), byRate('1/h')] }, store)
      await get('/one/')
      expect(store.asked).toEqual([true])
      const dear = service({ throttles: [byRate('5/min', { cost: 2, scope: 'other' })] }, store)
      for (let i = 0; i < 3; i++) await dear.get('/one/')
      expect(store.asked.slice(1)).toEqual([true, true, false, true])
    })

    test('and say a whole window where it is away by then', async () => {
      const store = new Counting()
      const { get, clock } = service({ throttles: [byRate('4/min', { cost: 2 })] }, store)
      await get('/one/')
      store.away = true
      clock.advance(20_000)
      expect(fieldsOf(await get('/one/'))).toEqual([200, '"user";q=2;w=60', '"user";r=0;t=60'])
    })
  })
})

const policies = fc.record({
  throttles: fc.uniqueArray(
    fc.record({
      limit: fc.integer({ min: 1, max: 12 }),
      seconds: fc.constantFrom(1, 2, 7, 60, 3600),
      algorithm: fc.constantFrom('log', 'gcra'),
      cost: fc.constantFrom(1, 1, 1, 2, 3, 5),
    }),
    { selector: ({ seconds }) => seconds, minLength: 1, maxLength: 3 },
  ),
})

type Policy = typeof policies extends fc.Arbitrary<infer Value> ? Value : never

/** Requests cost no more than the limit, or none would ever pass. */
function serviceOf({ throttles }: Policy) {
  return service({
    throttles: throttles.map(({ limit, seconds, algorithm, cost }, i) =>
      byRate(`${limit}/${seconds}s`, { scope: `s${i}`, algorithm, cost: Math.min(cost, limit) }),
    ),
  })
}

function promised(response: TestResponse): { left: number; wait: number; items: readonly Item[] } {
  const items = parseItems(response.header('ratelimit')!)
  const policy = parseItems(response.header('ratelimit-policy')!)
  expect(policy.map(({ name }) => name)).toEqual(items.map(({ name }) => name))
  for (const [i, { parameters }] of items.entries()) {
    expect(parameters['r']).toBeLessThanOrEqual(policy[i]!.parameters['q']!)
    expect(parameters['t'] ?? 1).toBeGreaterThan(0)
    expect(parameters['t'] ?? 0).toBeLessThanOrEqual(policy[i]!.parameters['w']!)
  }
  const left = Math.min(...items.map(({ parameters }) => parameters['r']!))
  const waits = items.filter(({ parameters }) => parameters['r'] === 0)
  return { left, wait: Math.max(0, ...waits.map(({ parameters }) => parameters['t']!)), items }
}

describe('the fields never promise what will be refused', () => {
  const pauses = fc.array(
    fc.oneof(
      fc.constantFrom<number | 'early' | 'late'>(0, 0, 0, 0, 1, 499, 1000, 3001, 60_000),
      fc.constantFrom<number | 'early' | 'late'>('early', 'late'),
    ),
    { maxLength: 40 },
  )

  test('after r=k the next k pass, and one after t; a second earlier it would not', async () => {
    await fc.assert(
      fc.asyncProperty(policies, pauses, async (policy, schedule) => {
        const { get, clock } = serviceOf(policy)
        let [sure, answered, wait] = [0, 0, 0]
        for (const pause of schedule) {
          const due = answered + wait * 1000
          if (pause === 'late') clock.advance(Math.max(0, due - clock.now()))
          else if (pause === 'early') clock.advance(Math.max(0, due - 1000 - clock.now()))
          else clock.advance(pause)
          const early = wait > 0 && clock.now() <= due - 1000
          const response = await get('/one/')
          if (sure > 0 || clock.now() >= due) expect(response.status).toBe(200)
          if (early) expect(response.status).toBe(429)
          const next = promised(response)
          if (response.status === 429)
            expect(response.header('retry-after')).toBe(String(next.wait))
          answered = clock.now()
          wait = next.wait
          sure = Math.max(sure - 1, next.left)
          expect(next.left).toBeGreaterThanOrEqual(sure)
        }
      }),
      { numRuns: 400 },
    )
  })

  test.each<[string, Policy['throttles']]>([
    ['a log', [{ limit: 10, seconds: 7, algorithm: 'log', cost: 1 }]],
    ['gcra', [{ limit: 10, seconds: 7, algorithm: 'gcra', cost: 1 }]],
    ['a cost', [{ limit: 11, seconds: 60, algorithm: 'log', cost: 3 }]],
    [
      'three at once',
      [
        { limit: 3, seconds: 1, algorithm: 'gcra', cost: 1 },
        { limit: 50, seconds: 60, algorithm: 'log', cost: 1 },
        { limit: 500, seconds: 3600, algorithm: 'log', cost: 2 },
      ],
    ],
  ])('a client that goes by them alone is never refused: %s', async (_title, throttles) => {
    const { get, clock } = serviceOf({ throttles })
    const between = [0, 0, 0, 13, 250, 0, 1999, 0]
    for (let i = 0; i < 10_000; i++) {
      const response = await get('/one/')
      expect(response.status).toBe(200)
      const { left, wait } = promised(response)
      clock.advance(left === 0 ? wait * 1000 : between[i % between.length]!)
    }
  })

  test('requests that cost differently read what holds for their own', async () => {
    const cost = ({ method }: ApiRequest): number => (method === 'GET' ? 1 : 4)
    const { get, request, clock } = service({ throttles: [byRate('10/min', { cost })] })
    expect(promised(await get('/one/')).left).toBe(9)
    clock.advance(10_000)
    expect(promised(await request('OPTIONS', '/one/')).left).toBe(1)
    clock.advance(10_000)
    const last = promised(await request('OPTIONS', '/one/'))
    // One unit is free after 40 seconds; with the one that is left and two more of the second, not before 50.
    expect([last.left, last.wait]).toEqual([0, 50])
    expect(promised(await get('/one/')).left).toBe(0)
  })
})
