import { beforeEach, describe, expect, test } from 'vitest'
import type { DoorRequest } from '../../../src/types.ts'
import {
  type App,
  NamespaceVersioning,
  QueryParameterVersioning,
  Throttled,
  configurationOf,
  defineApi,
  defineUrls,
  include,
} from '../../../src/index.ts'
import { hostileRequest } from '../../../scripts/attack/hostile/request.ts'
import { Dice } from '../../../scripts/attack/hostile/dice.ts'
import { type MetricsOptions, defineMetrics } from '../../../src/operations.ts'
import { client } from '../../../src/testing.ts'

const urls = defineUrls({
  metrics: '/metrics',
  items: '/items/',
  item: '/items/:id<int>/',
  crash: '/crash/',
  slow: '/slow/',
})

function service(options?: MetricsOptions): App {
  const metrics = defineMetrics(options)
  const api = defineApi({
    urls,
    observe: metrics.observe,
    authentication: [],
    versioning: new QueryParameterVersioning(),
    allowedVersions: ['v1', 'v2', null],
    logger: { error: () => undefined },
  })
  const now = () => slow.promise
  return api.serve(
    [
      api.endpoint('metrics', { observe: null }).get(metrics.page()),
      api
        .endpoint('items')
        .get(() => [1, 2, 3])
        .post(async (request) => typeof (await request.body())),
      api.endpoint('item').get(() => {
        throw new Throttled(1)
      }),
      api.endpoint('crash').get(() => {
        throw new Error('crashed')
      }),
      api.endpoint('slow').get(now),
    ],
    { configuration: configurationOf() },
  )
}

let slow = Promise.withResolvers<number>()
beforeEach(() => void (slow = Promise.withResolvers()))

async function scraped(app: App): Promise<string> {
  const { text, header } = await client(app).get('/metrics')
  expect(header('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return text
}

/** Every sample by its name and labels. */
function samples(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}

describe('requests', () => {
  test('are counted by route, method, version and class of status', async () => {
    const app = service()
    const { get, post } = client(app)
    await get('/items/?version=v1')
    await get('/items/?version=v1')
    await post('/items/', { json: {} })
    await get('/crash/')
    await get('/items/?version=v9')
    await get('/nowhere/')
    const found = samples(await scraped(app))
    const count = (labels: string) =>
      found.get(`colophon_request_duration_seconds_count{${labels}}`)
    expect(count('route="items",method="GET",version="v1",status="2xx"')).toBe(2)
    expect(count('route="items",method="POST",version="",status="2xx"')).toBe(1)
    expect(count('route="crash",method="GET",version="",status="5xx"')).toBe(1)
    expect(count('route="items",method="GET",version="",status="4xx"')).toBe(1)
    expect(count('route="",method="GET",version="",status="4xx"')).toBe(1)
    const bytes =
      'colophon_response_bytes_total{route="items",method="GET",version="v1",status="2xx"}'
    expect(found.get(bytes)).toBe(2 * '[1,2,3]'.length)
  })

  test('have their durations in buckets, each with those before it', async () => {
    const metrics = defineMetrics({ buckets: [0.1, 1] })
    for (const duration of [50, 100, 101, 5000]) metrics.observe({ ...SENT, duration }, null)
    const found = samples(await page(metrics))
    const labels = 'route="items",method="GET",version="",status="2xx"'
    const name = 'colophon_request_duration_seconds'
    expect([...found].filter(([key]) => key.startsWith(name))).toEqual([
      [`${name}_bucket{${labels},le="0.1"}`, 2],
      [`${name}_bucket{${labels},le="1"}`, 3],
      [`${name}_bucket{${labels},le="+Inf"}`, 4],
      [`${name}_sum{${labels}}`, expect.closeTo(5.251)],
      [`${name}_count{${labels}}`, 4],
    ])
  })

  test('are counted while they are under way, and by what they were refused for', async () => {
    const app = service()
    const waiting = client(app).get('/slow/')
    await client(app).get('/items/1/')
    expect(samples(await scraped(app)).get('colophon_requests_underway')).toBe(1)
    slow.resolve(1)
    await waiting
    const found = samples(await scraped(app))
    expect(found.get('colophon_requests_underway')).toBe(0)
    expect(found.get('colophon_requests_refused_total{route="item",status="429"}')).toBe(1)
  })

  test('that a client leaves are counted', async () => {
    const metrics = defineMetrics()
    metrics.observe({ ...SENT, aborted: true }, null)
    const found = samples(await page(metrics))
    const labels = 'route="items",method="GET",version="",status="2xx"'
    expect(found.get(`colophon_requests_aborted_total{${labels}}`)).toBe(1)
  })

  test('have the version of their namespace', async () => {
    const metrics = defineMetrics()
    const v1 = defineUrls({ items: '/items/' })
    const api = defineApi({
      urls: defineUrls({ metrics: '/metrics', v1: include('/v1', v1) }),
      versioning: new NamespaceVersioning(),
      observe: metrics.observe,
    })
    const app = api.serve(
      [
        api.endpoint('items').get(() => 1),
        api.endpoint('metrics', { observe: null, versioning: null }).get(metrics.page()),
      ],
      { configuration: configurationOf() },
    )
    await client(app).get('/v1/items/')
    expect((await client(app).get('/metrics')).text).toContain('version="v1"')
  })
})

const SENT = {
  id: 'a-1',
  method: 'GET',
  endpoint: 'items',
  version: null,
  user: null,
  scheme: null,
  status: 200,
  duration: 1,
  bytes: 10,
  aborted: false,
  error: undefined,
}

/** What the page of some metrics shows. */
async function page(metrics: ReturnType<typeof defineMetrics>): Promise<string> {
  const api = defineApi({ urls: defineUrls({ metrics: '/metrics' }) })
  const app = api.serve([api.endpoint('metrics').get(metrics.page())], {
    configuration: configurationOf(),
  })
  return (await client(app).get('/metrics')).text
}

describe('the number of series', () => {
  const seed = Number(process.env['HOSTILE_SEED'] ?? Math.floor(Math.random() * 2 ** 32))
  /** Six routes with none, methods with `other`, two versions with none and `other`, classes of status, lines of a histogram. */
  const MOST = 6 * 8 * 4 * 4 * (14 + 2)

  test(`is bounded whatever 20,000 requests have (HOSTILE_SEED=${seed})`, async () => {
    const app = service()
    const dice = new Dice(seed)
    for (let i = 0; i < 20_000; i++) {
      const { method, target } = madeUp(dice, i)
      const reply = await app.handle({ ...DOOR, method, target })
      reply.ended?.({ bytes: 1, aborted: false })
    }
    const found = [...samples(await scraped(app)).keys()]
    expect(found.length).toBeLessThan(MOST)
    const { length } = found.filter((key) => key.includes('method="other"'))
    expect(length).toBeGreaterThan(0)
    const known = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|other|)$/
    for (const key of found) {
      expect(/route="([^"]*)"/.exec(key)?.[1] ?? '').toMatch(/^(?:items|item|crash|slow|)$/)
      expect(/method="([^"]*)"/.exec(key)?.[1] ?? '').toMatch(known)
      expect(/version="([^"]*)"/.exec(key)?.[1] ?? '').toMatch(/^(?:v1|v2|other|)$/)
    }
  })

  test('of a service that takes any version does not grow with them', async () => {
    const metrics = defineMetrics()
    const api = defineApi({
      urls,
      observe: metrics.observe,
      versioning: new QueryParameterVersioning(),
      allowedVersions: null,
    })
    const app = api.serve(
      [
        api.endpoint('items').get(() => 1),
        ...(['item', 'crash', 'slow'] as const).map((name) => api.endpoint(name).get(() => 1)),
        api.endpoint('metrics', { observe: null, versioning: null }).get(metrics.page()),
      ],
      { configuration: configurationOf() },
    )
    for (let i = 0; i < 100; i++) await client(app).get(`/items/?version=x${i}`)
    const { text } = await client(app).get('/metrics')
    expect(text).toContain('version="other",status="2xx"} 100')
    expect(text).not.toContain('x1')
  })

  test('has an end for services with any number of addresses', async () => {
    const metrics = defineMetrics({ most: 3 })
    for (let i = 0; i < 100; i++) metrics.observe({ ...SENT, endpoint: `e${i}`, status: 429 }, null)
    const found = samples(await page(metrics))
    const counts = [...found].filter(([key]) =>
      key.startsWith('colophon_request_duration_seconds_count'),
    )
    expect(counts.map(([, value]) => value)).toEqual([1, 1, 1, 97])
    expect(counts.at(-1)![0]).toContain('route="other"')
    expect([...found.keys()].filter((key) => key.includes('refused'))).toHaveLength(3)
  })
})

const DOOR: DoorRequest = {
  method: 'GET',
  target: '/',
  scheme: 'http',
  environ: { REMOTE_ADDR: '127.0.0.1' },
  body: null,
  header: (name) => (name === 'host' ? 'localhost' : null),
}

/** Methods, paths and versions that a client makes up, and now and then a target of the attack. */
function madeUp(dice: Dice, i: number): { readonly method: string; readonly target: string } {
  const methods = ['GET', 'POST', 'HEAD', 'OPTIONS', 'BREW', `M${i}`, 'get', 'constructor']
  const paths = [
    '/items/',
    `/items/${i}/`,
    '/crash/',
    `/made-up-${i}/`,
    '/%ff/',
    '/items',
    '//',
    '/__proto__/',
  ]
  const versions = ['v1', 'v2', `v${i}`, '', 'other', '%00', '"}', '__proto__']
  const method = dice.pick(methods)
  const target = `${dice.pick(paths)}?version=${dice.pick(versions)}`
  const [, wild = '/'] = hostileRequest(dice, { paths, tokens: ['a'] }).split(' ')
  return { method, target: i % 10 === 0 && wild.startsWith('/') ? wild : target }
}

describe('what is shown beside requests', () => {
  test('the process, its stores and its queues', async () => {
    const found = samples(await scraped(service()))
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'nodejs_eventloop_delay_seconds{quantile="0.99"}',
      'nodejs_eventloop_active_seconds_total',
      'colophon_counters_away',
      'colophon_tasks_after_answers',
    ])
      expect(found.get(name)).toBeTypeOf('number')
  })

  test('metrics of others', async () => {
    const text = await page(defineMetrics({ also: () => Promise.resolve('mine_total 7\n') }))
    expect(samples(text).get('mine_total')).toBe(7)
  })

  test('buckets that do not rise are refused', () => {
    expect(() => defineMetrics({ buckets: [1, 1] })).toThrow('"buckets" must rise, but are 1, 1.')
  })
})
