import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { Behaviour } from '../../core/ports/kernel.ts'
import type { Follower, Observer, SentAnswer } from '../../core/ports/policies/observing.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { AskedStatement } from '../../core/std/asked-statement.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { contextOf } from '../../core/pipeline/context.ts'
import { reply } from '../../core/replies/reply.ts'
import { knownVersions } from '../../core/versions/life.ts'
import type { OwnService } from './health.ts'
import { errorTypeOf } from './traces.ts'
import { ofAllWorkers } from './worker-metrics.ts'

/** Options for counting requests, and for further metrics. */
export interface MetricsOptions {
  /** Upper bounds of durations, in seconds, rising. @default 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10 */
  readonly buckets?: readonly number[]
  /**
   * Sets of labels that requests may have. Those beyond count together, as `route="other"`: the names of addresses are few, so
   * that this is for services with thousands of them. @default 2,000
   */
  readonly most?: number
  /** Further metrics in the format of Prometheus: `() => register.metrics()` of `prom-client`. @default none */
  readonly also?: () => string | Promise<string>
  /**
   * The package `@opentelemetry/api` of the application: the same numbers go to the SDK that is registered with it, by the names of
   * the semantic conventions. @default none
   */
  readonly openTelemetry?: OpenTelemetryMeters
}

/**
 * The part of the package `@opentelemetry/api` that metrics need.
 *
 * @example import * as api from '@opentelemetry/api'
 */
export interface OpenTelemetryMeters {
  readonly metrics: { getMeterProvider(): { getMeter(name: string): InstrumentMaker } }
}

/** Makes instruments: a meter of OpenTelemetry. */
export interface InstrumentMaker {
  createHistogram(name: string, options?: object): { record(value: number, of?: object): void }
  createObservableUpDownCounter(name: string, options?: object): ObservedInstrument
  createObservableGauge(name: string, options?: object): ObservedInstrument
}

/** An instrument of OpenTelemetry that asks for its values. */
export interface ObservedInstrument {
  addCallback(look: (shown: { observe(value: number, of?: object): void }) => void): void
}

/** Numbers about requests, and the endpoint that shows them. */
export interface Metrics {
  /** Counts requests: the setting `observe`, alone or with others by `together`. */
  readonly observe: Observer
  /**
   * GET of all metrics in the text format of Prometheus. Who may see it is up to the endpoint's permissions.
   *
   * @example api.endpoint('metrics', { observe: null, permissions: [new IsAdminUser()] }).get(metrics.page())
   */
  page(): Behaviour<ApiRequest>
}

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Counts requests by route, method, version and class of status, statements by kind of database, and shows them with what
 * the process and the stores of the service say of themselves. However many requests come, whatever they send, the number
 * of series is bounded by the addresses and versions of the service.
 *
 * @throws ConfigurationError `buckets` do not rise
 * @example
 * const metrics = defineMetrics()
 * const api = defineApi({ urls: defineUrls({ metrics: '/metrics' }), observe: metrics.observe })
 * export default api.serve([api.endpoint('metrics', { observe: null }).get(metrics.page())])
 */
export function defineMetrics(options: MetricsOptions = {}): Metrics {
  const { buckets = BUCKETS, most = 2000, also, openTelemetry: api } = options
  if (buckets.some((bound, at) => !(bound > (buckets[at - 1] ?? 0))))
    throw new ConfigurationError(
      `defineMetrics: "buckets" must rise, but are ${buckets.join(', ')}.`,
    )
  const meters = api === undefined ? null : new Meters(api, buckets, () => service?.gauges() ?? [])
  const requests = new RequestMetrics(buckets, most, meters)
  const observe: Observer = (answer, request) => requests.count(answer, request)
  let processes: ProcessGauges | null = null
  let service: OwnService | null = null
  const own = async (): Promise<string> => {
    // From the first look on: the delay of the event loop is measured by a timer.
    processes ??= new ProcessGauges()
    const shown = new Exposition()
    requests.show(shown)
    processes.show(shown)
    // Another worker may be asked before the first request came here.
    for (const { name, labels, value } of service?.gauges() ?? [])
      shown.gauge(`colophon_${name}`, value, labels)
    return shown.text + ((await also?.()) ?? '')
  }
  const text = ofAllWorkers(own)
  const follow = (request: ApiRequest): Follower => {
    service ??= contextOf(request).service
    return requests.begin(request)
  }
  return {
    observe: Object.assign(observe, { follow }),
    page: () => ({
      policy: { DEFAULT_RENDERER_CLASSES: ['JSONRenderer'] },
      operation: () => null,
      async handle(request) {
        service ??= contextOf(request).service
        return reply(await text(), {
          contentType: 'text/plain; version=0.0.4; charset=utf-8',
          headers: { 'Cache-Control': 'no-store' },
        })
      },
    }),
  }
}

/** Methods that have a label of their own; those that a client makes up have one together. */
const METHODS: ReadonlySet<string> = new Set([
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
])

/** Statuses that are counted one by one: what clients are refused for. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 413, 429, 503])

interface Series {
  readonly labels: Labels
  readonly durations: Histogram
  /** For OpenTelemetry, by the exact status. */
  readonly attributes: Map<number, Attributes>
  bytes: number
  aborted: number
}

interface Last extends Pick<SentAnswer, 'method' | 'version'> {
  /** The first digit of the status. */
  readonly group: number
  readonly series: Series
}

class RequestMetrics {
  readonly #buckets: readonly number[]
  readonly #most: number
  readonly #meters: Meters | null
  readonly #series = new Map<string, Series>()
  /** The last request of each endpoint: the next one is of the same kind, as a rule. */
  readonly #last = new Map<string | null, Last>()
  readonly #refused = new Map<string, { readonly labels: Labels; count: number }>()
  readonly #statements = new Map<string, { readonly durations: Histogram; failed: number }>()
  #underway = 0

  constructor(buckets: readonly number[], most: number, meters: Meters | null) {
    this.#buckets = buckets
    this.#most = most
    this.#meters = meters
  }

  begin(request: ApiRequest): Follower {
    this.#underway++
    this.#meters?.underway(request, 1)
    return this.#follower
  }

  count(answer: SentAnswer, request: ApiRequest | null): void {
    const { status, duration, bytes, aborted, endpoint } = answer
    const series = this.#seriesOf(answer, request)
    series.durations.add(duration / 1000)
    series.bytes += bytes
    if (aborted) series.aborted++
    if (REFUSALS.has(status)) this.#refuse(endpoint ?? '', status)
    this.#meters?.request(series, answer, request)
  }

  readonly #statement = ({ system, duration, error }: AskedStatement): void => {
    this.#meters?.statement(system, duration, error)
    let known = this.#statements.get(system)
    if (known === undefined)
      this.#statements.set(system, (known = { durations: new Histogram(this.#buckets), failed: 0 }))
    known.durations.add(duration / 1000)
    if (error !== undefined) known.failed++
  }

  /** One follower for all requests. */
  readonly #follower: Follower = {
    statement: this.#statement,
    ended: (answer, request) => {
      this.#underway--
      this.#meters?.underway(request, -1)
      this.count(answer, request)
    },
  }

  #seriesOf(answer: SentAnswer, request: ApiRequest | null): Series {
    const { endpoint, method, version, status } = answer
    const group = Math.floor(status / 100)
    const last = this.#last.get(endpoint)
    if (last?.method === method && last.version === version && last.group === group)
      return last.series
    const series = this.#found(answer, request)
    this.#last.set(endpoint, { method, version, group, series })
    return series
  }

  #found({ endpoint, method, version, status }: SentAnswer, request: ApiRequest | null): Series {
    const route = endpoint ?? ''
    const known = method === null ? '' : METHODS.has(method) ? method : 'other'
    const of = version === null ? '' : isKnown(version, request) ? version : 'other'
    const group = `${Math.floor(status / 100)}xx`
    const key = `${route} ${known} ${of} ${group}`
    const labels = { route, method: known, version: of, status: group }
    return this.#series.get(key) ?? this.#added(key, labels)
  }

  #added(key: string, labels: Labels): Series {
    const isOver = this.#series.size >= this.#most && labels['route'] !== 'other'
    if (isOver) {
      const other = { route: 'other', method: 'other', version: 'other', status: labels['status']! }
      const shared = Object.values(other).join(' ')
      return this.#series.get(shared) ?? this.#added(shared, other)
    }
    const durations = new Histogram(this.#buckets)
    const series = { labels, durations, attributes: new Map(), bytes: 0, aborted: 0 }
    this.#series.set(key, series)
    return series
  }

  #refuse(route: string, status: number): void {
    const key = `${status} ${route}`
    const known = this.#refused.get(key)
    if (known !== undefined) known.count++
    else if (this.#refused.size < this.#most)
      this.#refused.set(key, { labels: { route, status: String(status) }, count: 1 })
  }

  show(shown: Exposition): void {
    const all = [...this.#series.values()]
    shown.histograms('colophon_request_duration_seconds', all)
    shown.counters('colophon_response_bytes_total', all, ({ bytes }) => bytes)
    shown.counters('colophon_requests_aborted_total', all, ({ aborted }) => aborted)
    shown.counters(
      'colophon_requests_refused_total',
      [...this.#refused.values()],
      ({ count }) => count,
    )
    shown.gauge('colophon_requests_underway', this.#underway)
    const statements = [...this.#statements].map(([system, each]) => ({
      labels: { system },
      ...each,
    }))
    shown.histograms('colophon_statement_duration_seconds', statements)
    shown.counters('colophon_statements_failed_total', statements, ({ failed }) => failed)
  }
}

/** Does the service name this version? Clients make up others. */
function isKnown(version: string, request: ApiRequest | null): boolean {
  if (request === null) return false
  const { settings, namespace } = request
  if (version === settings.defaultVersion || namespace.includes(version)) return true
  return knownVersions(settings)?.includes(version) ?? false
}

// The same numbers in the form of OpenTelemetry.

type Attributes = Readonly<Record<string, string | number>>

/**
 * Gives durations to an SDK as they come, and all other numbers when it asks. Sets of attributes are as few as those of
 * labels.
 */
class Meters {
  readonly #api: OpenTelemetryMeters
  readonly #buckets: readonly number[]
  readonly #gauges: OwnService['gauges']
  readonly #underway = new Map<string, { readonly of: Attributes; count: number }>()
  #provider: object | null = null
  readonly #named = new Set<string>()
  #instruments!: Instruments

  constructor(api: OpenTelemetryMeters, buckets: readonly number[], gauges: OwnService['gauges']) {
    this.#api = api
    this.#buckets = buckets
    this.#gauges = gauges
  }

  underway(request: ApiRequest, change: 1 | -1): void {
    const { method } = request
    const [name, scheme] = [conventional(method), schemeOf(request)]
    const key = `${name} ${scheme}`
    let known = this.#underway.get(key)
    if (known === undefined) {
      const of = { 'http.request.method': name, 'url.scheme': scheme }
      this.#underway.set(key, (known = { of, count: 0 }))
    }
    known.count += change
  }

  request({ labels, attributes }: Series, answer: SentAnswer, request: ApiRequest | null): void {
    const { status, duration } = answer
    const scheme = schemeOf(request)
    const key = scheme === 'https' ? -status : status
    let known = attributes.get(key)
    if (known === undefined)
      attributes.set(key, (known = attributesOf(labels, { status, scheme, request })))
    this.#current().requests.record(duration / 1000, known)
  }

  statement(system: string, duration: number, error: unknown): void {
    const failure = error === undefined ? null : { 'error.type': errorTypeOf(error) }
    this.#current().statements.record(duration / 1000, { 'db.system.name': system, ...failure })
  }

  /** The instruments of the SDK. An SDK that is registered later gets what happens from then on. */
  #current(): Instruments {
    const provider = this.#api.metrics.getMeterProvider()
    if (provider !== this.#provider) {
      this.#provider = provider
      this.#instruments = this.#made(provider.getMeter('colophon'))
      this.#named.clear()
    }
    // The gauges of the service are known from the first request on.
    if (this.#named.size === 0) this.#addGauges(provider.getMeter('colophon'))
    return this.#instruments
  }

  #made(meter: InstrumentMaker): Instruments {
    const advice = { explicitBucketBoundaries: [...this.#buckets] }
    const active = meter.createObservableUpDownCounter('http.server.active_requests', {
      unit: '{request}',
    })
    active.addCallback((shown) => {
      for (const { of, count } of this.#underway.values()) shown.observe(count, of)
    })
    return {
      requests: meter.createHistogram('http.server.request.duration', { unit: 's', advice }),
      statements: meter.createHistogram('db.client.operation.duration', { unit: 's', advice }),
    }
  }

  #addGauges(meter: InstrumentMaker): void {
    for (const { name } of this.#gauges()) {
      if (this.#named.has(name)) continue
      this.#named.add(name)
      meter.createObservableGauge(`colophon.${name}`).addCallback((shown) => {
        for (const each of this.#gauges())
          if (each.name === name) shown.observe(each.value, each.labels)
      })
    }
  }
}

type Instruments = Readonly<
  Record<'requests' | 'statements', ReturnType<InstrumentMaker['createHistogram']>>
>

function conventional(method: string): string {
  return METHODS.has(method) ? method : '_OTHER'
}

function schemeOf(request: ApiRequest | null): 'http' | 'https' {
  return request !== null && contextOf(request).origin.startsWith('https:') ? 'https' : 'http'
}

interface Exact {
  readonly status: number
  readonly scheme: string
  readonly request: ApiRequest | null
}

function attributesOf(labels: Labels, { status, scheme, request }: Exact): Attributes {
  const { route, version } = labels
  const path = request === null ? undefined : contextOf(request).route?.path
  return {
    'http.request.method': conventional(labels['method']!),
    'url.scheme': scheme,
    'http.response.status_code': status,
    ...(path !== undefined && route !== '' && route !== 'other' && { 'http.route': path }),
    ...(version !== '' && { 'colophon.version': version! }),
    ...(status >= 500 && { 'error.type': String(status) }),
  }
}

// The text format of Prometheus, version 0.0.4, and the counters for it.

type Labels = Readonly<Record<string, string>>

/** Durations in buckets with upper bounds, in seconds. */
class Histogram {
  readonly bounds: readonly number[]
  /** The counts of the buckets: one more than there are bounds, because the last bucket has no bound. */
  readonly counts: number[]
  sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  add(seconds: number): void {
    let at = 0
    while (at < this.bounds.length && seconds > this.bounds[at]!) at++
    this.counts[at]!++
    this.sum += seconds
  }
}

interface Labelled {
  readonly labels: Labels
}

/** Collects samples as text. */
class Exposition {
  readonly #types = new Set<string>()
  text = ''

  gauge(name: string, value: number, labels: Labels = {}): void {
    this.#type(name, 'gauge')
    this.#sample(name, labels, value)
  }

  counter(name: string, value: number): void {
    this.#type(name, 'counter')
    this.#sample(name, {}, value)
  }

  counters<Each extends Labelled>(
    name: string,
    all: readonly Each[],
    valueOf: (each: Each) => number,
  ): void {
    this.#type(name, 'counter')
    for (const each of all) this.#sample(name, each.labels, valueOf(each))
  }

  /** Writes histograms, in which each bucket includes those before it. */
  histograms(name: string, all: readonly (Labelled & { readonly durations: Histogram })[]): void {
    this.#type(name, 'histogram')
    for (const { labels, durations } of all) {
      let count = 0
      durations.counts.forEach((each, at) => {
        count += each
        this.#sample(
          `${name}_bucket`,
          { ...labels, le: String(durations.bounds[at] ?? '+Inf') },
          count,
        )
      })
      this.#sample(`${name}_sum`, labels, durations.sum)
      this.#sample(`${name}_count`, labels, count)
    }
  }

  #type(name: string, type: string): void {
    if (this.#types.has(name)) return
    this.#types.add(name)
    this.text += `# TYPE ${name} ${type}\n`
  }

  #sample(name: string, labels: Labels, value: number): void {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
    this.text += `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`
  }
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

const NANOSECONDS = 1e9

/** The gauges of a process, by the names that all clients of Prometheus use. */
class ProcessGauges {
  readonly #delay = monitorEventLoopDelay({ resolution: 20 })
  readonly #started = Date.now() / 1000 - process.uptime()

  constructor() {
    this.#delay.enable()
  }

  show(shown: Exposition): void {
    const { user, system } = process.cpuUsage()
    const { rss, heapUsed, external } = process.memoryUsage()
    shown.counter('process_cpu_seconds_total', (user + system) / 1e6)
    shown.gauge('process_start_time_seconds', this.#started)
    shown.gauge('process_resident_memory_bytes', rss)
    shown.gauge('nodejs_heap_size_used_bytes', heapUsed)
    shown.gauge('nodejs_external_memory_bytes', external)
    // The measurements since the last look.
    for (const share of [50, 99])
      shown.gauge('nodejs_eventloop_delay_seconds', this.#delay.percentile(share) / NANOSECONDS, {
        quantile: String(share / 100),
      })
    this.#delay.reset()
    const { active } = performance.eventLoopUtilization()
    shown.counter('nodejs_eventloop_active_seconds_total', active / 1000)
  }
}
