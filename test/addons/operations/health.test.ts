import { SAFEGUARDS } from '../../../src/core/app/served-endpoints.ts'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Authenticator, Hit, StoreErrorPolicy } from '../../../src/types.ts'
import type { Database } from '../../../src/sql.ts'
import {
  type App,
  AuthenticationFailed,
  MemoryCounters,
  configurationOf,
  defineApi,
  defineUrls,
  include,
} from '../../../src/index.ts'
import { serve } from '../../../src/node.ts'
import { type HealthOptions, healthEndpoints, healthUrls } from '../../../src/operations.ts'
import { openSqlite } from '../../../src/sqlite.ts'
import { client, fakeClock } from '../../../src/testing.ts'
import { Wire, requestText } from '../../../scripts/attack/tools/wire.ts'
import { until } from '../../setup/until.ts'

const SECRET_PLACE = 'postgres://service:hunter2@10.0.0.7/db'
const clock = fakeClock(1_000_000)
const records: Readonly<Record<string, unknown>>[] = []
const logger = {
  error: (record: object) => void records.push({ ...record }),
  info: (record: object) => void records.push({ ...record }),
}
/** How often each store was asked. */
const asked = { database: 0, counters: 0 }
/** What the stores do when they are asked; `null`: they answer. */
const does: { database: (() => unknown) | null; counters: (() => unknown) | null } = {
  database: null,
  counters: null,
}
const database = fakeDatabase()
const counters = {
  hit(hit: Hit) {
    asked.counters++
    does.counters?.()
    return new MemoryCounters().hit(hit)
  },
  withdraw() {},
  clear() {},
}

function fakeDatabase(): Database {
  const real = openSqlite({ path: join(tmpdir(), 'never-opened.db') })
  return Object.assign(real as Database, {
    read: () => {
      asked.database++
      return does.database?.() ?? []
    },
    migrationStatus: () => Promise.resolve([]),
  })
}

const down = () => {
  throw new Error(`connect ECONNREFUSED ${SECRET_PLACE}`)
}
const staff: Authenticator = {
  authenticate(request) {
    const name = request.header('authorization')
    if (name === 'wrong') throw new AuthenticationFailed()
    return name === null ? null : { user: { isStaff: name === 'staff' }, auth: null }
  },
}
const noOne: Authenticator = {
  authenticate() {
    throw new AuthenticationFailed()
  },
}

function service(options?: HealthOptions, onStoreError: StoreErrorPolicy = 'local'): App {
  const api = defineApi({
    urls: defineUrls({ ...healthUrls, hello: '/hello/' }),
    authentication: [noOne],
    permissions: [{ hasPermission: () => false }],
    throttles: [{ admit: () => ({ allowed: false, wait: null }) }],
    database,
    counters,
    onStoreError,
    logger,
    now: clock.now,
  })
  const open = { authentication: [], permissions: [], throttles: [] }
  const hello = api.endpoint('hello', open).get(() => 'world')
  return api.serve([...healthEndpoints(api, options), hello], {
    configuration: configurationOf({ ALLOWED_HOSTS: ['api.example.com'] }),
  })
}

beforeEach(() => {
  clock.advance(60_000)
  records.length = 0
  Object.assign(asked, { database: 0, counters: 0 })
})
afterEach(() => Object.assign(does, { database: null, counters: null }))

const PROBES = ['/livez', '/readyz', '/startupz']

describe('probes', () => {
  test.each(PROBES)(
    '%s answers strangers of any host, whatever refuses all others',
    async (path) => {
      const { get } = client(service())
      for (const host of ['10.2.3.4:8000', 'kubelet', 'api.example.com']) {
        const { status, data, header } = await get(path, { headers: { host, authorization: 'x' } })
        expect({ status, data }).toEqual({ status: 200, data: { status: 'ok' } })
        expect(header('cache-control')).toBe('no-store')
      }
      expect((await get('/hello/', { headers: { host: '10.2.3.4' } })).status).toBe(400)
      expect((await client(service()).post(path, { headers: { host: '10.2.3.4' } })).status).toBe(
        400,
      )
    },
  )

  test('under a prefix', async () => {
    const api = defineApi({ urls: defineUrls({ probes: include('/probes', healthUrls) }) })
    const app = api.serve([...healthEndpoints(api)], { configuration: configurationOf() })
    expect((await client(app).get('/probes/readyz')).data).toEqual({ status: 'ok' })
  })

  test.each(['database', 'counters'] as const)(
    '%s away: 503 without a word of why',
    async (store) => {
      const { get } = client(service({}, 'deny'))
      does[store] = down
      const answer = await get('/readyz')
      expect([answer.status, answer.data]).toEqual([503, { status: 'unavailable' }])
      expect((await get('/startupz')).status).toBe(503)
      expect((await get('/livez')).status).toBe(200)
      does[store] = null
      clock.advance(1000)
      expect((await get('/readyz')).status).toBe(200)
      does[store] = down
      clock.advance(1000)
      expect([(await get('/startupz')).status, (await get('/readyz')).status]).toEqual([200, 503])
    },
  )

  test('a store that goes and comes back is logged once each', async () => {
    const { get } = client(service())
    for (const what of [down, down, null, null]) {
      does.database = what
      await get('/readyz')
      clock.advance(1000)
    }
    expect(records.map(({ event, check }) => [event, check])).toEqual([
      ['health.away', 'database'],
      ['health.back', 'database'],
    ])
    expect(records[0]!['error']).toContain(SECRET_PLACE)
  })

  test('one that is tolerated leaves the service ready, and a name of none is refused', async () => {
    does.database = down
    const { get } = client(service({ tolerates: ['database'] }))
    expect((await get('/readyz')).status).toBe(200)
    expect(() => service({ tolerates: ['redis'] })).toThrow(
      'healthEndpoints: "tolerates" names "redis", which no check is called. Name one of: accounts, database, counters.',
    )
  })

  test.each([
    [undefined, undefined, 200],
    ['allow', undefined, 200],
    ['deny', undefined, 503],
    ['deny', ['counters'], 200],
    ['local', [], 503],
  ] as const)(
    'without counters, onStoreError %s, tolerates %j: %i',
    async (policy, tolerates, status) => {
      does.counters = down
      const { get } = client(service(tolerates && { tolerates }, policy))
      expect((await get('/readyz')).status).toBe(status)
    },
  )

  test('checks of the application are among them', async () => {
    const { get } = client(service({ checks: { search: () => Promise.reject(new Error('gone')) } }))
    expect((await get('/readyz')).status).toBe(503)
  })
})

describe('however many ask', () => {
  test('the stores are asked once a second', async () => {
    const { get } = client(service())
    await Promise.all(Array.from({ length: 100 }, () => get('/readyz')))
    clock.advance(999)
    await get('/readyz')
    expect(asked).toEqual({ database: 1, counters: 1 })
    clock.advance(1)
    await get('/readyz')
    expect(asked).toEqual({ database: 2, counters: 2 })
  })

  test('one that hangs is given up in time, and not asked again before it has answered', async () => {
    const hanging = Promise.withResolvers<readonly never[]>()
    const { get } = client(service({ timeout: 20 }))
    does.database = () => hanging.promise
    for (let i = 0; i < 3; i++) {
      expect((await get('/readyz')).status).toBe(503)
      clock.advance(1000)
    }
    expect(asked.database).toBe(1)
    does.database = null
    hanging.resolve([])
    await hanging.promise
    await until(async () => {
      clock.advance(1000)
      expect((await get('/readyz')).status).toBe(200)
    })
  })
})

describe('?verbose', () => {
  const ask = async (authorization: string | null, options: HealthOptions = { staff: [staff] }) => {
    does.database = down
    const headers = authorization === null ? {} : { authorization }
    return (await client(service(options)).get('/readyz?verbose', { headers })).data
  }

  test('names each store to staff, and why it is away', async () => {
    expect(await ask('staff')).toEqual({
      status: 'unavailable',
      isDraining: false,
      checks: [
        {
          name: 'database',
          status: 'away',
          tolerated: false,
          duration: expect.any(Number),
          error: `Error: connect ECONNREFUSED ${SECRET_PLACE}`,
        },
        { name: 'counters', status: 'ok', tolerated: true, duration: expect.any(Number) },
      ],
    })
  })

  test.each([
    ['a stranger', null, undefined],
    ['a user who is no staff', 'user', undefined],
    ['wrong credentials', 'wrong', undefined],
    ['staff where none are named', 'staff', {}],
    [
      'a scheme that hangs',
      'staff',
      { staff: [{ authenticate: () => new Promise<null>(() => {}) }], timeout: 20 },
    ],
  ])('is the short form for %s', async (_title, authorization, options) => {
    expect(await ask(authorization, options)).toEqual({ status: 'unavailable' })
  })
})

describe('while the service stops', () => {
  test('readyz is 503 and livez 200, until it is opened again', async () => {
    const app = service({ staff: [staff] })
    const { get } = client(app)
    app.drain()
    const headers = { authorization: 'staff' }
    expect((await get('/readyz?verbose', { headers })).data).toMatchObject({ isDraining: true })
    expect((await get('/readyz')).status).toBe(503)
    expect((await get('/livez')).status).toBe(200)
    expect((await get('/hello/', { headers: { host: 'api.example.com' } })).status).toBe(200)
    await app.open()
    expect((await get('/readyz')).status).toBe(200)
  })

  test('a server that is closing says so on connections that are open', async () => {
    const api = defineApi({ urls: defineUrls({ ...healthUrls, slow: '/slow/' }) })
    const gate = Promise.withResolvers<string>()
    const slow = api.endpoint('slow').get(() => gate.promise)
    const app = api.serve([...healthEndpoints(api), slow], { configuration: configurationOf() })
    const server = await serve(app, { port: 0 })
    onTestFinished(() => server.close())
    const wire = (await Wire.open(server.url)).count()
    wire.write(requestText('GET /slow/'))
    await wire.flushed()
    const closed = server.close()
    wire.write(requestText('GET /readyz'))
    await wire.flushed()
    gate.resolve('done')
    await closed
    expect(wire.answers).toMatchObject({ 200: 1, 503: 1 })
  })
})

test('probes have no filter whose name may be misspelt', () => {
  const readyz = service()
    .describe()
    .find(({ name }) => name === 'readyz')!
  const settings = { ...readyz.settings, strictQuery: false }
  expect(SAFEGUARDS['lenient-query'].isMissing({ ...readyz, settings })).toBe(false)
})

test('a password of staff that may be guessed is found by the doctor, as everywhere', () => {
  const isFound = (sends: 'password' | 'token'): boolean => {
    const described = service({ staff: [{ ...staff, sends }] }).describe()
    return SAFEGUARDS['unlimited-guesses'].isMissing(
      described.find(({ name }) => name === 'readyz')!,
    )
  }
  expect(isFound('password')).toBe(true)
  expect(isFound('token')).toBe(false)
})
