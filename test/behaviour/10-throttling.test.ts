import { describe, expect, test } from 'vitest'
import {
  AnonRateThrottle,
  type ApiRequest,
  ConcurrencyThrottle,
  type Endpoint,
  MemoryCounters,
  RateThrottle,
  ScopedRateThrottle,
  type Settings,
  TokenRateThrottle,
  UserRateThrottle,
  defineApi,
  defineUrls,
} from '../../src/index.ts'
import type { Throttle } from '../../src/types.ts'
import { client, fakeClock } from '../../src/testing.ts'
import { ada, bob, quiet } from './fixtures.ts'

const urls = defineUrls({ one: '/one/', two: '/two/' })

/** Two endpoints under one clock; `at` asks at a second, and gives the status and `Retry-After`. */
function service(policy: Partial<Settings>, second: Partial<Settings> = policy) {
  const clock = fakeClock(1_000_000_000)
  const api = defineApi({ urls, now: clock.now, ...policy })
  const endpoints: Endpoint<never>[] = [
    api.endpoint('one').get(() => 'one'),
    api.endpoint('two', second).get(() => 'two'),
  ]
  const { get } = client(api.serve(endpoints, quiet))
  const start = clock.now()
  const at = async (seconds: number, path = '/one/', options = {}): Promise<string> => {
    clock.advance(start + seconds * 1000 - clock.now())
    const response = await get(path, options)
    return [response.status, response.header('retry-after')].filter(Boolean).join(' ')
  }
  return { clock, get, at }
}

const everyMinute = (rate: string): Throttle => new UserRateThrottle({ rate })

describe('T4–T9 the log of a window', () => {
  test('T6 vector: 2/min', async () => {
    const { at } = service({ throttles: [everyMinute('2/min')] })
    const answers: [number, string][] = [
      [0, '200'],
      [10, '200'],
      [20, '429 40'],
      [59, '429 1'],
      [60, '200'],
      [61, '429 9'],
      [70, '200'],
    ]
    for (const [second, answer] of answers)
      expect([second, await at(second)]).toEqual([second, answer])
  })

  test('T7 as I7 has it: what one refuses, none counts', async () => {
    const throttles = [
      new UserRateThrottle({ scope: 'burst', rate: '2/min' }),
      new UserRateThrottle({ scope: 'sustained', rate: '5/hour' }),
    ]
    const { at } = service({ throttles })
    const answers: [number, string][] = [
      [0, '200'],
      [1, '200'],
      [2, '429 58'],
      [3, '429 57'],
      [61, '200'],
      [62, '200'],
      [63, '429 58'],
      [122, '200'],
      [123, '429 3477'],
    ]
    for (const [second, answer] of answers)
      expect([second, await at(second)]).toEqual([second, answer])
  })

  test('T9 a limit of 0 refuses always, and names its period', async () => {
    const { at } = service({ throttles: [everyMinute('0/min')] })
    expect([await at(0), await at(61)]).toEqual(['429 60', '429 60'])
  })

  test('T9 no rate is no limit', async () => {
    const { at } = service({ throttles: [new UserRateThrottle({ rate: null })] })
    expect([await at(0), await at(0)]).toEqual(['200', '200'])
  })

  test('T5 a limit that has been lowered waits until enough has left', async () => {
    let rate = '4/min'
    const { at } = service({ throttles: [new UserRateThrottle({ rate: () => rate })] })
    for (const second of [0, 10, 20, 30]) await at(second)
    rate = '2/min'
    expect([await at(40), await at(79), await at(80)]).toEqual(['429 40', '429 1', '200'])
  })
})

describe('T10–T13 whose requests count together', () => {
  test('T11 anonymous requests only, by client', async () => {
    const { at } = service({ throttles: [new AnonRateThrottle({ rate: '1/min' })] })
    const from = (REMOTE_ADDR: string) => ({ environ: { REMOTE_ADDR } })
    expect(await at(0, '/one/', from('192.0.2.1'))).toBe('200')
    expect(await at(0, '/one/', from('192.0.2.1'))).toBe('429 60')
    expect(await at(0, '/one/', from('192.0.2.2'))).toBe('200')
    expect(await at(0, '/one/', { ...from('192.0.2.1'), as: ada })).toBe('200')
    expect(await at(0, '/one/', { ...from('192.0.2.1'), as: ada })).toBe('200')
  })

  test('T12 by user, and without one by client', async () => {
    const { at } = service({ throttles: [everyMinute('1/min')] })
    expect(await at(0, '/one/', { as: ada })).toBe('200')
    expect(await at(0, '/one/', { as: ada, environ: { REMOTE_ADDR: '192.0.2.9' } })).toBe('429 60')
    expect(await at(0, '/one/', { as: bob })).toBe('200')
    expect(await at(0)).toBe('200')
    expect(await at(0)).toBe('429 60')
  })

  test('T13 all endpoints of a scope share its counter, and one without is not limited', async () => {
    const throttles = [new ScopedRateThrottle()]
    const shared = { throttles, throttleRates: { contacts: '2/min' }, throttleScope: 'contacts' }
    const { at } = service(shared)
    expect([await at(0), await at(0, '/two/'), await at(0)]).toEqual(['200', '200', '429 60'])
    const other = service(shared, { throttleScope: null })
    await other.at(0)
    await other.at(0)
    expect([await other.at(0), await other.at(0, '/two/')]).toEqual(['429 60', '200'])
  })

  test('D67 a scope that no throttle counts under refuses to start, unless an inner list does without', () => {
    const [throttles, throttleScope] = [[everyMinute('1/min')], 'uploads']
    const problem = (from: string, list: string): string =>
      `(from ${from}) is "uploads", and none of "throttles" (from ${list}) counts under it. Add new ScopedRateThrottle() there, or set throttleScope to null.`
    expect(() => service({ throttleScope })).toThrow(problem('api', 'defaults'))
    expect(() => service({ throttles }, { throttleScope })).toThrow(problem('endpoint two', 'api'))
    const concurrent = [new ConcurrencyThrottle({ limit: 1 })]
    expect(() => service({}, { throttles: concurrent, throttleScope })).toThrow(
      problem('endpoint two', 'endpoint two'),
    )
    const rated = { throttleRates: { uploads: '1/min' }, throttleScope }
    for (const inner of [throttles, []])
      expect(() =>
        service({ throttles: [new ScopedRateThrottle()], ...rated }, { throttles: inner }),
      ).not.toThrow()
    const own: Throttle = { admit: () => ({ allowed: true }) }
    expect(() => service({}, { throttles: [own], throttleScope })).not.toThrow()
    expect(() => service({ throttles: [] }, { throttleScope })).not.toThrow()
  })

  test('T12 other scopes count separately', async () => {
    const { at } = service(
      { throttles: [new UserRateThrottle({ rate: '1/min' })] },
      { throttles: [new UserRateThrottle({ scope: 'other', rate: '1/min' })] },
    )
    expect([await at(0), await at(0, '/two/'), await at(0)]).toEqual(['200', '200', '429 60'])
  })
})

describe('custom throttles and other limits', () => {
  test('T15 what a throttle decides by itself counts nothing elsewhere', async () => {
    let open = false
    const gate: Throttle = {
      admit: () => (open ? { allowed: true } : { allowed: false, wait: 7.2 }),
    }
    const { at } = service({ throttles: [everyMinute('1/min'), gate] })
    expect(await at(0)).toBe('429 8')
    open = true
    expect(await at(0)).toBe('200')
    open = false
    expect(await at(10)).toBe('429 50')
  })

  test('T15 an identity of its own, or none', async () => {
    class Tenants extends RateThrottle {
      override identify({ query }: ApiRequest): string | null {
        const tenant: string | null = query.get('tenant')
        return tenant && `tenant:${tenant}`
      }
    }
    const { at } = service({ throttles: [new Tenants({ scope: 'tenant', rate: '1/min' })] })
    expect([await at(0, '/one/?tenant=a'), await at(0, '/one/?tenant=a')]).toEqual([
      '200',
      '429 60',
    ])
    expect([await at(0, '/one/?tenant=b'), await at(0), await at(0)]).toEqual(['200', '200', '200'])
  })

  test('several rates of one throttle all hold', async () => {
    const { at } = service({ throttles: [new UserRateThrottle({ rate: ['2/min', '3/h'] })] })
    expect([await at(0), await at(0), await at(0)]).toEqual(['200', '200', '429 60'])
    expect([await at(60), await at(61)]).toEqual(['200', '429 3539'])
  })

  test('a cost: 3 and then 3 of 5 is refused', async () => {
    const { at } = service({ throttles: [new UserRateThrottle({ rate: '5/min', cost: 3 })] })
    expect([await at(0), await at(1), await at(60)]).toEqual(['200', '429 59', '200'])
  })

  test('a cost that the request decides', async () => {
    const cost = async ({ method }: { readonly method: string }): Promise<number> => method.length
    const { at } = service({ throttles: [new UserRateThrottle({ rate: '6/min', cost })] })
    expect([await at(0), await at(0), await at(0)]).toEqual(['200', '200', '429 60'])
  })

  test.each([
    [
      'less than nothing',
      { cost: -1 },
      'UserRateThrottle: "cost" must be a whole number, but is -1.',
    ],
    ['more than its rate', { cost: 6 }, '"5/min" is less than one request costs'],
  ])('a cost of %s is refused at the start', (_title, options, said) => {
    expect(() => new UserRateThrottle({ rate: '5/min', ...options })).toThrow(said)
  })

  test('a user without an id is a mistake of the program, which the log explains', async () => {
    const records: Readonly<Record<string, unknown>>[] = []
    const logger = {
      error: (record: Readonly<Record<string, unknown>>) => void records.push(record),
    }
    const api = defineApi({ urls, throttles: [new UserRateThrottle({ rate: '5/min' })], logger })
    const { get } = client(
      api.serve([api.endpoint('one').get(() => 1), api.endpoint('two').get(() => 2)], quiet),
    )
    expect((await get('/one/', { as: { isAuthenticated: true } })).status).toBe(500)
    expect(records[0]!['error']).toContain(
      'Throttles count users by "id", and request.user has none',
    )
  })

  test('a rate that the user decides takes effect with the next request', async () => {
    const rate = async ({ user }: { readonly user: unknown }): Promise<string | null> =>
      user === ada ? null : user === bob ? '2/min' : '1/min'
    const { at } = service({ throttles: [new UserRateThrottle({ rate })] })
    expect([await at(0), await at(0)]).toEqual(['200', '429 60'])
    for (const answer of ['200', '200', '429 60'])
      expect(await at(0, '/one/', { as: bob })).toBe(answer)
    for (let i = 0; i < 4; i++) expect(await at(0, '/one/', { as: ada })).toBe('200')
  })

  test('gcra: a burst, and then one each time that a share of the period has passed', async () => {
    const { at } = service({
      throttles: [new UserRateThrottle({ rate: '3/min', algorithm: 'gcra' })],
    })
    expect([await at(0), await at(0), await at(0), await at(0)]).toEqual([
      '200',
      '200',
      '200',
      '429 20',
    ])
    expect([await at(19), await at(20), await at(20)]).toEqual(['429 1', '200', '429 20'])
  })

  test('concurrency: what another throttle refuses takes no place away from others', async () => {
    let isOpen = true
    const gate: Throttle = { admit: () => ({ allowed: isOpen, wait: 1 }) }
    const gates: (() => void)[] = []
    const { now } = fakeClock(1_000_000_000)
    const throttles = [new ConcurrencyThrottle({ limit: 2 }), gate]
    const api = defineApi({ urls, now, throttles })
    const slow = api
      .endpoint('one')
      .get(() => new Promise<string>((done) => gates.push(() => done('ok'))))
    const { get } = client(api.serve([slow, api.endpoint('two').get(() => 'two')], quiet))
    const first = get('/one/')
    await expect.poll(() => gates.length).toBe(1)
    isOpen = false
    expect((await get('/two/')).status).toBe(429)
    isOpen = true
    const second = get('/one/')
    await expect.poll(() => gates.length).toBe(2)
    expect((await get('/two/')).status).toBe(429)
    for (const open of gates) open()
    expect([(await first).status, (await second).status]).toEqual([200, 200])
  })

  test('concurrency: what is being answered counts, and what is answered does not', async () => {
    const gates: (() => void)[] = []
    // All in one moment: what is taken back of it could be another's place.
    const { now } = fakeClock(1_000_000_000)
    const api = defineApi({ urls, now, throttles: [new ConcurrencyThrottle({ limit: 2 })] })
    const slow = api
      .endpoint('one')
      .get(() => new Promise<string>((done) => gates.push(() => done('ok'))))
    const { get } = client(api.serve([slow, api.endpoint('two').get(() => 'two')], quiet))
    const first = [get('/one/'), get('/one/')]
    await expect.poll(() => gates.length).toBe(2)
    const refused = await get('/two/')
    expect([refused.status, refused.header('retry-after')]).toEqual([429, '1'])
    // A refused one had no place, and gives none back.
    expect((await get('/two/')).status).toBe(429)
    for (const open of gates) open()
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200])
    expect((await get('/two/')).status).toBe(200)
  })
})

test('memory: counters of one process', async () => {
  const counters = new MemoryCounters()
  const api = defineApi({ urls, counters, throttles: [everyMinute('2/min')] })
  const { get } = client(
    api.serve([api.endpoint('one').get(() => 1), api.endpoint('two').get(() => 2)], quiet),
  )
  const answers = await Promise.all(Array.from({ length: 10 }, () => get('/one/')))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
  expect(counters.size).toBe(1)
})

describe('A quota for each key', () => {
  const auths: Readonly<Record<string, object | null>> = {
    ci: { name: 'ci', scopes: null },
    other: { name: 'other', scopes: ['plan:team'] },
    usual: { name: '', scopes: null },
    access: { name: 'phone', family: 7 },
    next: { name: 'phone', family: 7 },
    family: { name: 'phone', family: 8 },
    none: null,
    claims: { claims: {} },
  }
  const byHeader = {
    authenticate: (request: ApiRequest) => {
      const name = request.header('x-auth') ?? 'none'
      return { user: request.header('x-user') === 'bob' ? bob : ada, auth: auths[name] ?? null }
    },
  }
  const headers = (auth: string, user = 'ada') => ({ headers: { 'x-auth': auth, 'x-user': user } })

  test('counts by owner and name, or by family, and nothing else', async () => {
    const { at } = service({
      authentication: [byHeader as never],
      throttles: [new TokenRateThrottle({ rate: '1/h' })],
    })
    for (const auth of ['ci', 'other', 'usual', 'access', 'family']) {
      expect([auth, await at(0, '/one/', headers(auth))]).toEqual([auth, '200'])
      expect([auth, await at(0, '/two/', headers(auth))]).toEqual([auth, '429 3600'])
    }
    expect(await at(0, '/one/', headers('next'))).toBe('429 3600')
    expect(await at(0, '/one/', headers('ci', 'bob'))).toBe('200')
    for (const auth of ['none', 'none', 'claims', 'claims'])
      expect(await at(0, '/one/', headers(auth))).toBe('200')
    expect(await at(3600, '/one/', headers('ci'))).toBe('200')
  })

  test('is that of the key', async () => {
    const rate = ({ auth }: ApiRequest) =>
      (auth as { scopes?: readonly string[] | null } | null)?.scopes?.includes('plan:team')
        ? '3/30d'
        : '1/day'
    const { at } = service({
      authentication: [byHeader as never],
      throttles: [new TokenRateThrottle({ rate })],
    })
    const statuses = async (auth: string) => {
      const all = []
      for (let times = 0; times < 4; times++)
        all.push((await at(0, '/one/', headers(auth))).slice(0, 3))
      return all.join(' ')
    }
    expect(await statuses('ci')).toBe('200 429 429 429')
    expect(await statuses('other')).toBe('200 200 200 429')
  })
})
