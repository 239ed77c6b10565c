import { ApiError, ConnectionError } from './api-error.ts'
import { type Auth, type Given, authorize, valueOf } from './auth.ts'
import { type RetryOptions, askedWait, backoff, limitWait, sleep } from './waits.ts'

/** How requests travel. */
export interface ExchangeOptions {
  /** Who asks. @default no one; a browser sends the cookies of its own origin all the same */
  readonly auth?: Auth
  /** Sent with every request. */
  readonly headers?: Given<Readonly<Record<string, string>>>
  /**
   * Attempts that follow after 429, 502, 503, 504, a broken connection and a body that broke off; `false`: none. Only
   * GET, HEAD and OPTIONS are sent again, and PUT and DELETE where a call says `idempotent`. `Retry-After` and
   * `RateLimit` are obeyed; a wait that ends after `deadline` is not begun.
   */
  readonly retry?: RetryOptions | false
  /** Milliseconds for one attempt, its body included. @default 30_000 */
  readonly timeout?: number
  /** Milliseconds for a request with all of its attempts and waits. @default 120_000 */
  readonly deadline?: number
  /** Called once for each operation whose version is deprecated or will end (RFC 9745, RFC 8594). */
  readonly onDeprecation?: (notice: DeprecationNotice) => void
  /** @default the `fetch` of the platform */
  readonly fetch?: (url: URL, init: RequestInit) => Promise<Response>
  /** For tests: milliseconds since 1970, a number from 0 to 1, and how to wait. @default those of the platform */
  readonly clock?: Partial<Clock>
}

/** What time and chance are. */
export interface Clock {
  readonly now: () => number
  readonly random: () => number
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

/** That the version of an operation should no longer be used, and what is known about its end. */
export interface DeprecationNotice {
  /** `GET city-list`. */
  readonly operation: string
  /** `null`: not known. */
  readonly deprecatedAt: Date | null
  readonly sunsetAt: Date | null
  /** `Link`, in which the successor and what to read about it are. */
  readonly link: string | null
}

/** What one call adds. */
export interface CallOptions {
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
  /** In place of those of the client. */
  readonly timeout?: number
  readonly deadline?: number
  /** Says that doing it twice is as good as once, so PUT and DELETE may be sent again. @default false */
  readonly idempotent?: boolean
}

/** A request, ready but for what shows who asks. */
export interface Outgoing extends CallOptions {
  readonly method: string
  readonly url: URL
  readonly accept: string
  readonly body?: unknown
  /** `GET city-list`. */
  readonly operation: string
}

/** An answer that is none of an error. */
export interface Answer<Data = unknown> {
  readonly status: number
  readonly headers: Headers
  readonly data: Data
}

const SAFE = /^(?:GET|HEAD|OPTIONS)$/
const IDEMPOTENT = /^(?:PUT|DELETE)$/
const PASSING: readonly number[] = [429, 502, 503, 504]

/** Sends requests, again where that is right, and reads answers. It remembers which notices were given, and when limits end. */
export class Exchange {
  readonly #options: ExchangeOptions
  readonly #clock: Clock
  readonly #noticed = new Set<string>()
  readonly #heldUntil = new Map<string, number>()

  constructor(options: ExchangeOptions) {
    this.#options = options
    this.#clock = { now: Date.now, random: Math.random, sleep, ...options.clock }
  }

  /** @throws ApiError, ConnectionError, and the reason of a signal that aborts */
  async send(out: Outgoing): Promise<Answer> {
    const { retry = {}, deadline = 120_000 } = this.#options
    const total = out.deadline ?? deadline
    const { now, random, sleep: wait } = this.#clock
    const end = now() + total
    const signal = anyOf(AbortSignal.timeout(total), out.signal)
    const mayRepeat = SAFE.test(out.method) || (out.idempotent && IDEMPOTENT.test(out.method))
    const attempts = mayRepeat && retry ? 1 + (retry.retries ?? 4) : 1
    for (let attempt = 1; ; attempt++) {
      if (mayRepeat) await this.#hold(out, end, signal)
      const failure = await this.#attempt(out, signal)
      if (!(failure instanceof Error)) return failure
      if (signal.aborted) throw out.signal?.aborted ? (out.signal.reason as Error) : failure
      const ms = failure instanceof ApiError ? passing(failure) : 0
      if (attempt === attempts || ms === null) throw failure
      const pause = ms + backoff(attempt - 1, retry || {}, random)
      if (now() + pause >= end) throw failure
      await wait(pause, signal)
    }
  }

  /** A limit of which nothing is left refuses the next request too: that one waits, if there is the time. */
  async #hold({ operation }: Outgoing, end: number, signal: AbortSignal): Promise<void> {
    const until = this.#heldUntil.get(operation) ?? 0
    const ms = until - this.#clock.now()
    if (ms > 0 && until < end) await this.#clock.sleep(ms, signal)
  }

  async #attempt(out: Outgoing, signal: AbortSignal): Promise<Answer | ApiError | ConnectionError> {
    const { fetch: ask = (url, init) => fetch(url, init), timeout = 30_000 } = this.#options
    const init = await this.#init(out)
    try {
      const limit = AbortSignal.timeout(out.timeout ?? timeout)
      const response = await ask(out.url, { ...init, signal: anyOf(signal, limit) })
      const text = await response.text()
      return this.#read(out, response, text)
    } catch (error) {
      return new ConnectionError(out.operation, error)
    }
  }

  async #init(out: Outgoing): Promise<RequestInit> {
    const { auth, headers: given = {} } = this.#options
    const isSafe = SAFE.test(out.method)
    const headers = new Headers({ accept: out.accept, ...(await valueOf(given)), ...out.headers })
    const credentials = await authorize(auth, headers, isSafe)
    const body = encoded(out.body, headers)
    // A redirect would make GET of POST, and take what was sent elsewhere.
    const redirect = isSafe ? 'follow' : 'error'
    return {
      method: out.method,
      headers,
      credentials,
      redirect,
      ...(body !== undefined && { body }),
    }
  }

  #read({ operation }: Outgoing, response: Response, text: string): Answer | ApiError {
    const { status, headers, ok } = response
    const held = limitWait(headers)
    if (held !== null) this.#heldUntil.set(operation, this.#clock.now() + held)
    this.#notice(operation, headers)
    const data = decoded(text, headers, ok)
    if (ok) return { status, headers, data }
    const ms = askedWait(headers, this.#clock.now())
    return new ApiError(operation, { status, headers }, data, ms === null ? null : ms / 1000)
  }

  #notice(operation: string, headers: Headers): void {
    const { onDeprecation } = this.#options
    const [deprecation, sunset] = [headers.get('deprecation'), headers.get('sunset')]
    if (!onDeprecation || !(deprecation ?? sunset) || this.#noticed.has(operation)) return
    this.#noticed.add(operation)
    const [deprecatedAt, sunsetAt] = [dateIn(deprecation), dateIn(sunset)]
    onDeprecation({ operation, deprecatedAt, sunsetAt, link: headers.get('link') })
  }
}

/** Milliseconds that the service asks for; `null`: the error will not pass. */
function passing({ status, retryAfter }: ApiError): number | null {
  return PASSING.includes(status) ? (retryAfter ?? 0) * 1000 : null
}

function anyOf(one: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other === undefined ? one : AbortSignal.any([one, other])
}

/** JSON, or a form where there are files; what `fetch` sends by itself stays as it is. */
function encoded(body: unknown, headers: Headers): BodyInit | undefined {
  if (body === undefined || body === null) return undefined
  if (typeof body === 'string' || isNative(body)) return body as BodyInit
  const entries = Object.entries(body)
  if (entries.some(([, value]) => [value].flat().some(isNative))) return formOf(entries)
  headers.set('content-type', 'application/json')
  return JSON.stringify(body)
}

function isNative(value: unknown): boolean {
  return (
    value instanceof Blob ||
    value instanceof FormData ||
    value instanceof URLSearchParams ||
    value instanceof ReadableStream ||
    value instanceof ArrayBuffer ||
    ArrayBuffer.isView(value)
  )
}

function formOf(entries: readonly [string, unknown][]): FormData {
  const form = new FormData()
  for (const [name, value] of entries)
    for (const one of [value].flat())
      if (one instanceof Blob) form.append(name, one)
      else if (one !== undefined) form.append(name, textOf(one))
  return form
}

/** As a form has it: `null` is empty, and what is more than a text is JSON. */
function textOf(value: unknown): string {
  if (value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** JSON that is none broke off on its way, unless it is of an error, which a proxy may have written. */
function decoded(text: string, headers: Headers, ok: boolean): unknown {
  if (text === '') return null
  if (!/[/+]json\b/.test(headers.get('content-type') ?? '')) return text
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    if (ok) throw error
    return text
  }
}

/** `@1801353600`, or a date of HTTP. */
function dateIn(text: string | null): Date | null {
  if (text === null) return null
  const date = /^@-?\d+$/.test(text) ? new Date(Number(text.slice(1)) * 1000) : new Date(text)
  return Number.isNaN(date.getTime()) ? null : date
}
