import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import * as otel from '@opentelemetry/api'
import { JsonMetricsSerializer } from '@opentelemetry/otlp-transformer'
import {
  AggregationTemporality,
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics'
import { beforeEach, describe, expect, test } from 'vitest'
import type { PlainRequest } from '../../../src/types.ts'
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
import { databaseOfThings } from '../../contract/temporary.ts'

const urls = defineUrls({
  metrics: '/metrics',
  items: '/items/',
  item: '/items/:id<int>/',
  crash: '/crash/',
  slow: '/slow/',
  rows: '/rows/',
  noRows: '/no-rows/',
})
const database = await databaseOfThings()
const rowsOf = (sql: string) => () => database.read({ sql, parameters: [] })

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
      api.endpoint('rows').get(rowsOf('select id from thing')),
      api.endpoint('noRows').get(rowsOf('select no')),
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
  const COUNT = Number(process.env['HOSTILE_REQUESTS'] ?? 20_000)
  /** Six routes with none, methods with `other`, two versions with none and `other`, classes of status, lines of a histogram. */
  const MOST = 6 * 8 * 4 * 4 * (14 + 2)

  test(`is bounded whatever ${COUNT} requests have (HOSTILE_SEED=${seed})`, async () => {
    const app = service()
    const dice = new Dice(seed)
    for (let i = 0; i < COUNT; i++) {
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
        ...(['item', 'crash', 'slow', 'rows', 'noRows'] as const).map((name) =>
          api.endpoint(name).get(() => 1),
        ),
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

const DOOR: PlainRequest = {
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

describe('OpenTelemetry', () => {
  test('a collector gets the same numbers, by the names of the semantic conventions', async () => {
    await using collector = await startCollector()
    const app = service({ openTelemetry: otel })
    const { get, post } = client(app)
    // What never became a request may come first.
    await get('/nowhere/')
    const waiting = get('/slow/')
    await get('/items/?version=v1')
    await get('/items/?version=v1')
    await post('/items/', { json: {} })
    await get('/crash/')
    await get('/rows/')
    await get('/no-rows/')
    const found = await collector.collected()
    slow.resolve(1)
    await waiting

    const requests = found.get('http.server.request.duration')!
    expect(requests.unit).toBe('s')
    const of = (more: Readonly<Record<string, unknown>>) => ({ 'url.scheme': 'http', ...more })
    expect(pointsOf(requests.histogram)).toEqual([
      [1, of({ 'http.request.method': 'GET', 'http.response.status_code': 404 })],
      [
        2,
        of({
          'http.request.method': 'GET',
          'http.response.status_code': 200,
          'http.route': '/items/',
          'colophon.version': 'v1',
        }),
      ],
      [
        1,
        of({
          'http.request.method': 'POST',
          'http.response.status_code': 200,
          'http.route': '/items/',
        }),
      ],
      [
        1,
        of({
          'http.request.method': 'GET',
          'http.response.status_code': 500,
          'http.route': '/crash/',
          'error.type': '500',
        }),
      ],
      [
        1,
        of({
          'http.request.method': 'GET',
          'http.response.status_code': 200,
          'http.route': '/rows/',
        }),
      ],
      [
        1,
        of({
          'http.request.method': 'GET',
          'http.response.status_code': 503,
          'http.route': '/no-rows/',
          'error.type': '503',
        }),
      ],
    ])
    expect(requests.histogram!.dataPoints[0]!.explicitBounds).toContain(0.025)
    expect(pointsOf(found.get('db.client.operation.duration')!.histogram)).toEqual([
      [1, { 'db.system.name': 'sqlite' }],
      [1, { 'db.system.name': 'sqlite', 'error.type': 'ERR_SQLITE_ERROR' }],
    ])
    const active = found.get('http.server.active_requests')!
    expect(active.sum!.isMonotonic).toBe(false)
    expect(pointsOf(active.sum)).toEqual([
      [1, { 'http.request.method': 'GET', 'url.scheme': 'http' }],
      [0, { 'http.request.method': 'POST', 'url.scheme': 'http' }],
    ])
    // Every gauge of the page.
    const shown = samples(await scraped(app))
    const own = [...shown.keys()].filter((key) => /^colophon_(?:counters_away|tasks)/.test(key))
    expect(own).toHaveLength(2)
    for (const name of own)
      expect(pointsOf(found.get(`colophon.${name.slice('colophon_'.length)}`)!.gauge)).toEqual([
        [expect.any(Number), {}],
      ])
  })

  test('its sets of attributes are bounded whatever clients send', async () => {
    const app = service({ openTelemetry: otel })
    await using collector = await startCollector()
    for (let i = 0; i < 500; i++) {
      const target = `/made-up-${i}/?version=v${i}`
      for (const each of [target, `/items/?version=v${i}`]) {
        const reply = await app.handle({ ...DOOR, method: `M${i}`, target: each })
        reply.ended?.({ bytes: 1, aborted: false })
      }
    }
    const found = await collector.collected()
    // 404 and 405 of a method without a name, and of versions without one.
    const requests = pointsOf(found.get('http.server.request.duration')!.histogram)
    expect(requests.length).toBeLessThan(6)
    expect(requests.reduce((sum, [count]) => sum + count, 0)).toBe(1000)
    expect(pointsOf(found.get('http.server.active_requests')!.sum)).toHaveLength(1)
  })

  test('without an SDK, and before one is there, the page shows what it always does', async () => {
    const app = service({ openTelemetry: otel })
    await client(app).get('/items/')
    await using collector = await startCollector()
    await client(app).get('/items/')
    const found = await collector.collected()
    expect(pointsOf(found.get('http.server.request.duration')!.histogram)[0]![0]).toBe(1)
    const labels = 'route="items",method="GET",version="",status="2xx"'
    const shown = samples(await scraped(app))
    expect(shown.get(`colophon_request_duration_seconds_count{${labels}}`)).toBe(2)
  })
})

/** What the tests look at in a metric of OTLP. */
interface Metric {
  readonly name: string
  readonly unit: string
  readonly histogram?: Points
  readonly sum?: Points & { readonly isMonotonic: boolean }
  readonly gauge?: Points
}
interface Points {
  readonly dataPoints: readonly {
    readonly count?: number
    readonly asInt?: number
    readonly asDouble?: number
    readonly explicitBounds?: readonly number[]
    readonly attributes: readonly {
      readonly key: string
      readonly value: { readonly stringValue?: string; readonly intValue?: number }
    }[]
  }[]
}

function pointsOf(points: Points | undefined) {
  return points!.dataPoints.map(({ count, asInt, asDouble, attributes }) => {
    const of = attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue])
    return [count ?? asInt ?? asDouble ?? NaN, Object.fromEntries(of)] as const
  })
}

/** A collector of this test, as for traces, and an SDK that sends it what it has in JSON of OTLP. */
async function startCollector() {
  const received: Metric[] = []
  const take = (sent: string): void => {
    const { resourceMetrics } = JSON.parse(sent) as {
      readonly resourceMetrics: readonly {
        readonly scopeMetrics: readonly { readonly metrics: readonly Metric[] }[]
      }[]
    }
    for (const { scopeMetrics } of resourceMetrics)
      for (const { metrics } of scopeMetrics) received.push(...metrics)
  }
  const server = createServer((request, response) => {
    void textOf(request).then((sent) => {
      take(sent)
      response.end('{}')
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const exporter: PushMetricExporter = {
    export(metrics, done) {
      const body = Buffer.from(JsonMetricsSerializer.serializeRequest(metrics)!)
      void fetch(`http://127.0.0.1:${port}/v1/metrics`, { method: 'POST', body }).then(
        () => done({ code: 0 }),
        (error: Error) => done({ code: 1, error }),
      )
    },
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
    selectAggregationTemporality: () => AggregationTemporality.CUMULATIVE,
  }
  const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] })
  otel.metrics.setGlobalMeterProvider(provider)
  return {
    async collected(): Promise<ReadonlyMap<string, Metric>> {
      received.length = 0
      await provider.forceFlush()
      return new Map(received.map((metric) => [metric.name, metric]))
    },
    async [Symbol.asyncDispose]() {
      otel.metrics.disable()
      await provider.shutdown()
      server.close()
    },
  }
}
