// Traces with the real SDK of OpenTelemetry, sent to a collector of this test: the real one is no package of npm.
import { once } from 'node:events'
import { type IncomingMessage, type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as otel from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type ApiRequest,
  type Observer,
  QueryParameterVersioning,
  configurationOf,
  defineApi,
  defineUrls,
} from '../../../src/index.ts'
import { serve } from '../../../src/node.ts'
import {
  type OpenTelemetry,
  type TracesOptions,
  requestLog,
  together,
  traceparentOf,
  traces,
} from '../../../src/operations.ts'
import { client } from '../../../src/testing.ts'
import { databaseOfThings } from '../../contract/temporary.ts'

/** What the tests look at in a span of OTLP. */
interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status: { readonly code?: number }
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly attributes: readonly {
    readonly key: string
    readonly value: { readonly stringValue?: string; readonly intValue?: number }
  }[]
}

const received: Span[] = []
const collector = createServer((request, response) => {
  void textOf(request).then((text) => {
    const { resourceSpans } = JSON.parse(text) as {
      readonly resourceSpans: readonly {
        readonly scopeSpans: readonly { readonly spans: readonly Span[] }[]
      }[]
    }
    for (const { scopeSpans } of resourceSpans)
      for (const { spans } of scopeSpans) received.push(...spans)
    response.setHeader('Content-Type', 'application/json').end('{}')
  })
})
const provider = new NodeTracerProvider({
  spanProcessors: [
    new BatchSpanProcessor(
      new OTLPTraceExporter({ url: `${await listening(collector)}/v1/traces` }),
    ),
  ],
})
provider.register()

const database = await databaseOfThings()
afterAll(async () => {
  await provider.shutdown()
  collector.close()
  otel.trace.disable()
})
beforeEach(async () => {
  await provider.forceFlush()
  received.length = 0
})

async function listening(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of request) text += String(piece)
  return text
}

/** Everything that the collector has, by name. */
async function collected(): Promise<ReadonlyMap<string, Span>> {
  await provider.forceFlush()
  return new Map(received.map((span) => [span.name, span]))
}

function attributesOf({ attributes }: Span): Readonly<Record<string, string | number | undefined>> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
  )
}

const headers: Record<string, string | undefined>[] = []
const elsewhere = createServer((request, response) => {
  headers.push(request.headers as Record<string, string>)
  response.end()
})
const elsewhereUrl = await listening(elsewhere)
afterAll(() => void elsewhere.close())

const urls = defineUrls({
  thing: '/things/:id<int>/',
  broken: '/broken/',
  crash: '/crash/',
  nested: '/nested/',
})

function service(observe: Observer) {
  const api = defineApi({
    urls,
    observe,
    authentication: [],
    versioning: new QueryParameterVersioning(),
    logger: { error: () => undefined },
  })
  return api.serve(
    [
      api.endpoint('thing').get(async ({ params }) => {
        const sql = 'select id from thing where id = ?'
        return database.read({ sql, parameters: [params.id] })
      }),
      api.endpoint('broken').get(() => database.read({ sql: 'select no', parameters: [] })),
      api.endpoint('crash').get(() => {
        throw new TypeError('crashed')
      }),
      api.endpoint('nested').get((request: ApiRequest) =>
        otel.trace.getTracer('application').startActiveSpan('own', async (span) => {
          const carrier: Record<string, string> = {}
          otel.propagation.inject(otel.context.active(), carrier)
          await fetch(elsewhereUrl, { headers: carrier })
          span.end()
          return traceparentOf(request)
        }),
      ),
    ],
    { configuration: configurationOf() },
  )
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const sent = { traceparent: `00-${TRACE}-${PARENT}-01` }
const traced = (options?: TracesOptions) => service(traces(otel, options))

test('a request continues the trace of its client, with its steps and statements within it', async () => {
  await using server = await serve(traced({ steps: 0 }), { port: 0 })
  const answer = await fetch(`${server.url}/things/2/?draft=yes`, { headers: sent })
  expect(answer.headers.get('vary') ?? '').not.toMatch(/trace/i)
  await expect.poll(async () => (await collected()).has('GET /things/:id<int>/')).toBe(true)
  const spans = await collected()
  const request = spans.get('GET /things/:id<int>/')!
  expect(request).toMatchObject({ traceId: TRACE, parentSpanId: PARENT, kind: 2 })
  expect(attributesOf(request)).toEqual({
    'http.request.method': 'GET',
    'http.response.status_code': 200,
    'http.route': '/things/:id<int>/',
    'url.path': '/things/2/',
    'url.scheme': 'http',
    'colophon.request.id': answer.headers.get('x-request-id'),
  })
  const steps = ['negotiation', 'version', 'sunset', 'authentication', 'permissions', 'throttles']
  for (const name of [...steps, 'handler', 'answer'])
    expect(spans.get(name)).toMatchObject({ traceId: TRACE, parentSpanId: request.spanId, kind: 1 })
  const statement = spans.get('SELECT')!
  const handler = spans.get('handler')!
  expect(statement).toMatchObject({ traceId: TRACE, parentSpanId: handler.spanId, kind: 3 })
  expect(attributesOf(statement)).toEqual({
    'db.system.name': 'sqlite',
    'db.operation.name': 'SELECT',
    'db.query.text': 'select id from thing where id = ?',
  })
  const nanoseconds = ({ startTimeUnixNano, endTimeUnixNano }: Span) =>
    [startTimeUnixNano, endTimeUnixNano].map(BigInt) as [bigint, bigint]
  for (const [inner, outer] of [
    [statement, handler],
    [handler, request],
  ] as const) {
    const [[from, to], [begin, end]] = [nanoseconds(inner), nanoseconds(outer)]
    expect(begin <= from && from <= to && to <= end).toBe(true)
  }
})

test('short steps without statements have no span', async () => {
  await client(traced({ steps: 60_000 })).get('/things/2/')
  expect([...(await collected()).keys()].toSorted()).toEqual([
    'GET /things/:id<int>/',
    'SELECT',
    'handler',
  ])
})

describe('while a request is worked on', () => {
  test('its span is active, for spans of the application and for requests that it sends', async () => {
    const { data } = await client(traced()).get('/nested/', { headers: sent })
    const spans = await collected()
    const request = spans.get('GET /nested/')!
    const own = spans.get('own')!
    expect(own).toMatchObject({ traceId: TRACE, parentSpanId: request.spanId })
    expect(headers.at(-1)!['traceparent']).toBe(`00-${TRACE}-${own.spanId}-01`)
    expect(data).toBe(`00-${TRACE}-${request.spanId}-01`)
  })

  test('a span around it is its parent', async () => {
    const app = traced()
    await otel.trace.getTracer('application').startActiveSpan('around', async (span) => {
      await client(app).get('/nested/', { headers: sent })
      span.end()
    })
    const spans = await collected()
    const { traceId, spanId } = spans.get('around')!
    expect(spans.get('GET /nested/')).toMatchObject({ traceId, parentSpanId: spanId })
  })

  test('one around it that is over is not', async () => {
    const app = traced()
    await otel.trace.getTracer('application').startActiveSpan('over', async (span) => {
      span.end()
      await client(app).get('/nested/', { headers: sent })
    })
    expect((await collected()).get('GET /nested/')).toMatchObject({ parentSpanId: PARENT })
  })
})

test('failures are shown by their class, or by the code of the database', async () => {
  const { get } = client(traced())
  await get('/crash/')
  await get('/broken/')
  const spans = await collected()
  const crash = spans.get('GET /crash/')!
  expect(crash.status.code).toBe(2)
  expect(attributesOf(crash)).toMatchObject({
    'error.type': 'TypeError',
    'http.response.status_code': 500,
  })
  const statement = spans.get('SELECT')!
  expect(statement.status.code).toBe(2)
  expect(attributesOf(statement)['error.type']).toBe('ERR_SQLITE_ERROR')
})

test('what has no endpoint has a span, and methods that clients make up have no name', async () => {
  const { get, request } = client(traced())
  await get('/nowhere/', { headers: sent })
  await request('BREW', '/crash/')
  const spans = await collected()
  const nowhere = spans.get('GET')!
  expect(nowhere).toMatchObject({ traceId: TRACE, parentSpanId: PARENT })
  expect(nowhere.status.code ?? 0).toBe(0)
  expect(attributesOf(nowhere)).toMatchObject({ 'http.response.status_code': 404 })
  expect(attributesOf(spans.get('HTTP /crash/')!)).toMatchObject({
    'http.request.method': '_OTHER',
    'http.request.method_original': 'BREW',
  })
})

test('a client that is not trusted names no trace: its own is linked', async () => {
  await client(traced({ trusts: () => false })).get('/nested/', { headers: sent })
  const request = (await collected()).get('GET /nested/')!
  expect(request.traceId).not.toBe(TRACE)
  expect(request.parentSpanId ?? '').toBe('')
  expect(request.links).toMatchObject([{ traceId: TRACE, spanId: PARENT }])
})

test('what the client does not want sampled is not, and others are told so', async () => {
  const { data } = await client(traced()).get('/nested/', {
    headers: { traceparent: `00-${TRACE}-${PARENT}-00` },
  })
  expect([...(await collected()).keys()]).toEqual([])
  expect(data).toMatch(new RegExp(`^00-${TRACE}-[\\da-f]{16}-00$`))
  expect(headers.at(-1)!['traceparent']).toMatch(new RegExp(`^00-${TRACE}-[\\da-f]{16}-00$`))
})

test('the request log has the trace', async () => {
  const lines: Readonly<Record<string, unknown>>[] = []
  const keep = (line: Readonly<Record<string, unknown>>) => void lines.push(line)
  const log = requestLog({ logger: { info: keep, error: keep } })
  await client(service(together(traces(otel), log))).get('/things/1/')
  const { traceId } = (await collected()).get('GET /things/:id<int>/')!
  expect(lines).toMatchObject([{ trace: traceId, statements: 1 }])
})

test('a tracer that fails is no reason for an answer to', async () => {
  const failing = (member: 'setSpan' | 'with'): OpenTelemetry => {
    const fail = (): never => {
      throw new Error('no tracer')
    }
    const context = { active: () => otel.ROOT_CONTEXT, with: fail }
    const trace = Object.assign(Object.create(otel.trace) as typeof otel.trace, { setSpan: fail })
    return member === 'with' ? { ...otel, context } : { ...otel, trace }
  }
  for (const member of ['setSpan', 'with'] as const) {
    const { data, status } = await client(service(traces(failing(member)))).get('/things/1/')
    expect([status, data]).toEqual([200, [{ id: 1 }]])
  }
})

test('without a registered SDK nothing is recorded, and the trace of the client is passed on; with one from then on, it is', async () => {
  const own = otel.trace.getTracerProvider()
  otel.trace.disable()
  const app = client(traced())
  try {
    expect((await app.get('/nested/', { headers: sent })).data).toBe(sent.traceparent)
    expect((await app.get('/nested/')).text).toBe('')
  } finally {
    otel.trace.setGlobalTracerProvider(own)
  }
  expect((await collected()).size).toBe(0)
  await app.get('/things/1/')
  expect((await collected()).size).toBeGreaterThan(0)
})
