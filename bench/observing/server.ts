// A service with tokens, without observers (`off`) or with those that are named.
import { openSync, writeSync } from 'node:fs'
import * as otel from '@opentelemetry/api'
import {
  AggregationTemporality,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  NodeTracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node'
import {
  IsAuthenticated,
  type Observer,
  PageNumberPagination,
  TokenAuthentication,
  configurationOf,
  defineApi,
  list,
} from 'colophon'
import { defineAccounts } from 'colophon/accounts'
import { serve } from 'colophon/node'
import { defineMetrics, requestLog, together, traces } from 'colophon/operations'
import { openPostgres } from 'colophon/postgres'
import { sqlSource } from 'colophon/sql'
import { openSqlite } from 'colophon/sqlite'
import { tellParent } from '../http/server-process.ts'
import { type Tables, SECRET_KEY } from '../http/world.ts'

const [address = '', ...names] = process.argv.slice(2)
const nowhere = openSync('/dev/null', 'w')
// Lines are written as to a pipe, but go nowhere.
process.stdout.write = (text: string | Uint8Array) => writeSync(nowhere, String(text)) >= 0

/** Spans go to an exporter, beyond which the cost depends on its format. */
const exporter = {
  export: (_: unknown, done: Parameters<SpanExporter['export']>[1]) => done({ code: 0 }),
  shutdown: async () => undefined,
}
function tracing(sampler: AlwaysOffSampler | AlwaysOnSampler): Observer {
  new NodeTracerProvider({ sampler, spanProcessors: [new BatchSpanProcessor(exporter)] }).register()
  return traces(otel)
}

function metered(): Observer {
  const selectAggregationTemporality = () => AggregationTemporality.CUMULATIVE
  const dropping = { ...exporter, forceFlush: async () => undefined, selectAggregationTemporality }
  const readers = [new PeriodicExportingMetricReader({ exporter: dropping })]
  otel.metrics.setGlobalMeterProvider(new MeterProvider({ readers }))
  return defineMetrics({ openTelemetry: otel }).observe
}

const known: Readonly<Record<string, () => Observer>> = {
  plain: () => () => undefined,
  log: () => requestLog({ format: 'json' }),
  'log of a tenth': () => requestLog({ format: 'json', sample: 0.1, slow: 500 }),
  metrics: () => defineMetrics().observe,
  'metrics, with an SDK': metered,
  'traces, no SDK': () => traces(otel),
  'traces, not sampled': () => tracing(new AlwaysOffSampler()),
  'traces, all sampled': () => tracing(new AlwaysOnSampler()),
}
const observers = names.filter((name) => name !== 'off').map((name) => known[name]!())
const database = address.startsWith('postgres')
  ? openPostgres({ url: address })
  : openSqlite({ path: address })
const accounts = defineAccounts({ database, secretKey: SECRET_KEY })
const api = defineApi({
  urls: { me: '/me/', items: '/items/' },
  observe: observers.length === 0 ? null : together(...observers),
})
const policy = {
  authentication: [new TokenAuthentication({ tokens: accounts.tokens })],
  permissions: [new IsAuthenticated()],
}
const me = api.endpoint('me', policy).get(({ user }) => ({ id: user.id, username: user.username }))
const query = database
  .kysely<Tables>()
  .selectFrom('item')
  .select(['id', 'name', 'price', 'stock', 'created'])
const items = api
  .endpoint('items', { ...policy, pagination: new PageNumberPagination({ pageSize: 10 }) })
  .get(list({ source: sqlSource({ database, query, key: 'id' }) }))
const server = await serve(api.serve([me, items], { configuration: configurationOf() }), {
  port: 0,
})
tellParent(Number(new URL(server.url).port))
