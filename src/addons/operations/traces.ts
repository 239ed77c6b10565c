import type {
  Follower,
  Observer,
  RequestStep,
  SentAnswer,
} from '../../core/ports/policies/observing.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { AskedStatement } from '../../core/std/asked-statement.ts'
import { contextOf } from '../../core/pipeline/context.ts'
import { zeroOfClock } from './observers.ts'

/**
 * The part of the package `@opentelemetry/api` that traces need. Use the application's own, which its SDK has registered with.
 *
 * @example import * as api from '@opentelemetry/api'
 */
export interface OpenTelemetry {
  readonly trace: {
    getTracer(name: string): SpanMaker
    getTracerProvider(): object
    getSpan(context: object): TraceSpan | undefined
    getSpanContext(context: object): SpanIds | undefined
    setSpan(context: object, span: TraceSpan): object
    deleteSpan(context: object): object
  }
  readonly context: { active(): object; with(context: object, work: () => void): void }
  readonly propagation: { extract<From>(context: object, from: From, getter?: object): object }
}

/** Makes spans: a tracer of OpenTelemetry. */
export interface SpanMaker {
  startSpan(name: string, options?: object, context?: object): TraceSpan
}

/** A span of OpenTelemetry. */
export interface TraceSpan {
  spanContext(): SpanIds
  isRecording(): boolean
  setAttribute(name: string, value: string | number): unknown
  setStatus(status: { readonly code: number }): unknown
  end(time: number): void
}

/** The identity of a span. */
export interface SpanIds {
  readonly traceId: string
  readonly spanId: string
  readonly traceFlags: number
}

/** Options of traces: the spans, and the clients to believe. */
export interface TracesOptions {
  /** Milliseconds from which on a step of a request has a span. One that asks statements always has. @default 0.1 */
  readonly steps?: number
  /**
   * Is this client one that may name the trace of its request, and decide whether it is sampled? The trace of any other is
   * linked to that of the request. @default all are, as in a network of services
   */
  readonly trusts?: (request: ApiRequest) => boolean
}

/**
 * Spans of OpenTelemetry, for the setting `observe`: one for each request, which continues the trace of the client, and within
 * it one for each step and statement. It is active while the request is worked on, so that spans of the application, and requests
 * that it sends elsewhere, are its children. Names and attributes are those of the stable semantic conventions of HTTP and
 * databases; values of statements are not among them. Without a registered SDK nothing is recorded.
 *
 * @example
 * import * as api from '@opentelemetry/api'
 * defineApi({ urls, observe: together(traces(api), requestLog()) })
 */
export function traces(api: OpenTelemetry, options: TracesOptions = {}): Observer {
  const tracing = new Tracing(api, options)
  const observe: Observer = (answer, request) => tracing.answered(answer, request)
  return Object.assign(observe, { follow: (request: ApiRequest) => tracing.follow(request) })
}

/**
 * The header `traceparent` of requests that this one sends elsewhere (W3C Trace Context), for clients that know nothing of
 * OpenTelemetry. `null`: `traces` does not observe the request.
 *
 * @example fetch(url, { headers: { traceparent: traceparentOf(request) ?? '' } })
 */
export function traceparentOf(request: ApiRequest): string | null {
  return request['~trace'] ?? null
}

/** Values of `SpanKind` and `SpanStatusCode`. */
const [INTERNAL, SERVER, CLIENT] = [0, 1, 2]
const FAILED = { code: 2 }
const UNTRACED: Follower = { ended: () => undefined }
/** Characters of a statement that are kept. */
const LONGEST = 4_000

/** The trace of spans that no SDK has made. */
const NOWHERE = '0'.repeat(32)

class Tracing {
  readonly api: OpenTelemetry
  readonly tracer: SpanMaker
  readonly shortest: number
  readonly #trusts: (request: ApiRequest) => boolean
  #isOn = false
  #asked: object | null = null

  constructor(api: OpenTelemetry, { steps = 0.1, trusts = () => true }: TracesOptions) {
    this.api = api
    this.tracer = api.trace.getTracer('colophon')
    this.shortest = steps
    this.#trusts = trusts
  }

  follow(request: ApiRequest): Follower {
    // Without an SDK, the trace of a client is still passed on.
    if (!this.#hasSdk() && this.#isOfNoTrace(request)) return UNTRACED
    const outer = this.#outerOf(request)
    const { began } = contextOf(request)
    const zero = zeroOfClock()
    const span = this.#begin(request, zero + began, outer)
    const context = this.api.trace.setSpan(outer.context, span)
    contextOf(request)['~trace'] = traceparent(span.spanContext())
    return span.isRecording()
      ? new Recorded(this, span, context, zero)
      : new Unrecorded(this, context)
  }

  #isOfNoTrace(request: ApiRequest): boolean {
    const { trace, context, propagation } = this.api
    const active = context.active()
    if (propagation.extract(active, request, HEADERS) === active) return true
    return trace.getSpanContext(this.#outerOf(request).context) === undefined
  }

  /** Makes the span of an answer that no endpoint gave. */
  answered(answer: SentAnswer, request: ApiRequest | null): void {
    if (!this.#hasSdk()) return
    const outer = request === null ? { context: this.api.context.active() } : this.#outerOf(request)
    const now = Date.now()
    this.end(this.#begin(request, now - answer.duration, outer), answer, now)
  }

  /** Is an SDK registered? Its spans have a trace of their own. */
  #hasSdk(): boolean {
    if (this.#isOn) return true
    const provider: { getDelegate?(): object } = this.api.trace.getTracerProvider()
    const delegate = provider.getDelegate?.() ?? provider
    if (delegate === this.#asked) return false
    this.#asked = delegate
    return (this.#isOn = this.tracer.startSpan('probe').spanContext().traceId !== NOWHERE)
  }

  end(span: TraceSpan, { status, method, error }: SentAnswer, time: number): void {
    if (method !== null) span.setAttribute('http.response.status_code', status)
    if (status >= 500) {
      span.setAttribute('error.type', error === undefined ? String(status) : errorTypeOf(error))
      span.setStatus(FAILED)
    }
    span.end(time)
  }

  #begin(request: ApiRequest | null, startTime: number, { context, links }: Outer): TraceSpan {
    const [name, attributes] = request === null ? ['HTTP', {}] : describe(request)
    return this.tracer.startSpan(name, { kind: SERVER, startTime, attributes, links }, context)
  }

  /** The span or trace around a request. An active span, such as that of another server, goes before what the client says. */
  #outerOf(request: ApiRequest): Outer {
    const { trace, context, propagation } = this.api
    const active = context.active()
    const around = trace.getSpan(active)
    if (around?.isRecording()) return { context: active }
    const none = around === undefined ? active : trace.deleteSpan(active)
    const named = propagation.extract(none, request, HEADERS)
    const client = trace.getSpanContext(named)
    if (client === undefined || this.#trusts(request)) return { context: named }
    return { context: none, links: [{ context: client }] }
  }
}

interface Outer {
  readonly context: object
  readonly links?: readonly { readonly context: SpanIds }[]
}

/** Headers for propagators, by which answers do not vary. */
const HEADERS = {
  keys: (): string[] => [],
  get(request: ApiRequest, name: string): string | undefined {
    const { consulted } = contextOf(request)
    const before = consulted.length
    const value = request.header(name.toLowerCase())
    consulted.length = before
    return value ?? undefined
  },
}

/** Methods of HTTP; clients make up others. */
const METHODS: ReadonlySet<string> = new Set(
  'CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT TRACE'.split(' '),
)

type Attributes = Record<string, string | number>

function describe(request: ApiRequest): readonly [name: string, Attributes] {
  const { method, path, id, route, origin } = contextOf(request)
  const isKnown = METHODS.has(method)
  const attributes: Attributes = {
    'http.request.method': isKnown ? method : '_OTHER',
    'url.path': path,
    'url.scheme': origin.slice(0, origin.indexOf(':')),
    'colophon.request.id': id,
  }
  if (!isKnown) attributes['http.request.method_original'] = method
  if (route === null) return [isKnown ? method : 'HTTP', attributes]
  attributes['http.route'] = route.path
  return [`${isKnown ? method : 'HTTP'} ${route.path}`, attributes]
}

/** Makes spans for a request that is not recorded, too, so that others know that it is not. */
class Unrecorded implements Follower {
  protected readonly tracing: Tracing
  protected readonly context: object

  constructor(tracing: Tracing, context: object) {
    this.tracing = tracing
    this.context = context
  }

  within(work: () => void): void {
    this.tracing.api.context.with(this.context, work)
  }

  ended(answer: SentAnswer): void
  ended(): void {}
}

class Recorded extends Unrecorded {
  readonly #span: TraceSpan
  readonly #zero: number
  #step: RequestStep | null = null
  #began = 0
  /** The span of the current step, once the step is known to have one, and a context of that span. */
  #open: { readonly span: TraceSpan; readonly context: object } | null = null

  constructor(tracing: Tracing, span: TraceSpan, context: object, zero: number) {
    super(tracing, context)
    this.#span = span
    this.#zero = zero
  }

  step(step: RequestStep | null): void {
    const now = this.#zero + performance.now()
    const isLong = now - this.#began >= this.tracing.shortest
    if (this.#step !== null && (this.#open !== null || isLong))
      this.#opened(this.#step).span.end(now)
    this.#step = step
    this.#began = now
    this.#open = null
  }

  statement({ system, sql, began, duration, error }: AskedStatement): void {
    const { tracer } = this.tracing
    const context = this.#step === null ? this.context : this.#opened(this.#step).context
    const operation = /^\W*(\w+)/.exec(sql.slice(0, 100))?.[1]?.toUpperCase() ?? system
    const attributes: Attributes = {
      'db.system.name': system,
      'db.operation.name': operation,
      'db.query.text': sql.length > LONGEST ? `${sql.slice(0, LONGEST)}…` : sql,
    }
    if (error !== undefined) attributes['error.type'] = errorTypeOf(error)
    const startTime = this.#zero + began
    const span = tracer.startSpan(operation, { kind: CLIENT, startTime, attributes }, context)
    if (error !== undefined) span.setStatus(FAILED)
    span.end(startTime + duration)
  }

  override ended(answer: SentAnswer): void {
    this.step(null)
    this.tracing.end(this.#span, answer, this.#zero + performance.now())
  }

  #opened(name: RequestStep): { readonly span: TraceSpan; readonly context: object } {
    if (this.#open !== null) return this.#open
    const { tracer, api } = this.tracing
    const span = tracer.startSpan(name, { kind: INTERNAL, startTime: this.#began }, this.context)
    return (this.#open = { span, context: api.trace.setSpan(this.context, span) })
  }
}

function traceparent({ traceId, spanId, traceFlags }: SpanIds): string {
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`
}

/** The code that a database or Node gave it, or its cause; else the class. */
export function errorTypeOf(error: unknown): string {
  const { code, name, cause } = (error ?? {}) as Partial<Record<'code' | 'name' | 'cause', unknown>>
  const { code: inner } = (cause ?? {}) as { readonly code?: unknown }
  const known = [code, inner, name].filter((each) => typeof each === 'string')
  return known.find((each) => each !== '') ?? '_OTHER'
}
