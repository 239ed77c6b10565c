import { ApiError, ConnectionError } from './api-error.ts'
import { type Auth, type Given, authorize, isRenewable, valueOf } from './auth.ts'
import { fromJson, toJson } from './json.ts'
import { type RetryOptions, askedWait, backoff, limitWait, sleep, timeLimit } from './waits.ts'

/** Options for the requests of a client. */
export interface ExchangeOptions {
  /** The credentials. @default none; a browser sends the cookies of its own origin nevertheless */
  readonly auth?: Auth
  /** What stands before a token, where `auth` does not say it. @default 'Token' */
  readonly keyword?: string
  /** Sent with every request. */
  readonly headers?: Given<Readonly<Record<string, string>>>
  /**
   * Attempts that follow after 429, 502, 503, 504, a broken connection and a body that broke off; `false`: none. Only
   * GET, HEAD and OPTIONS are sent again, and PUT and DELETE where a call says `idempotent`. `Retry-After` and
   * `RateLimit` are obeyed; a wait that ends after `deadline` is not begun.
   */
  readonly retry?: RetryOptions | false
  /** Milliseconds for one attempt, its body included; `Infinity`: no limit. @default 30_000 */
  readonly timeout?: number
  /** Milliseconds for a request with all of its attempts and waits; `Infinity`: no limit. @default 120_000 */
  readonly deadline?: number
  /** Called once for each operation whose version is deprecated or will end (RFC 9745, RFC 8594). */
  readonly onDeprecation?: (notice: DeprecationNotice) => void
  /**
   * Sends each attempt. A function of your own around that of the platform sees what is sent and what comes.
   *
   * @default the `fetch` of the platform
   */
  readonly fetch?: (url: URL, init: RequestInit) => Promise<Response>
  /** For tests: milliseconds since 1970, a number from 0 to 1, and how to wait. @default those of the platform */
  readonly clock?: Partial<Clock>
}

/** The sources of time and chance. */
export interface Clock {
  readonly now: () => number
  readonly random: () => number
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

/** A notice that the version of an operation should no longer be used, with facts about its end. */
export interface DeprecationNotice {
  /** `GET city-list`. */
  readonly operation: string
  /** `null`: not known. */
  readonly deprecatedAt: Date | null
  readonly sunsetAt: Date | null
  /** `Link`, in which the successor and what to read about it are. */
  readonly link: string | null
}

/** Options of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
  /** In place of those of the client. */
  readonly timeout?: number
  readonly deadline?: number
  /** Says that doing it twice is as good as once, so PUT and DELETE may be sent again. @default false */
  readonly idempotent?: boolean
}

/** A request that only lacks the headers of the credentials. */
export interface Outgoing extends CallOptions {
  readonly method: string
  readonly url: URL
  readonly accept: string
  readonly body?: unknown
  /** Is the answer returned as it came, and its body not read? */
  readonly isRaw?: boolean
  /** `GET city-list`. */
  readonly operation: string
}

/** An answer without an error. */
export interface Answer<Data = unknown> {
  readonly status: number
  readonly headers: Headers
  readonly data: Data
}

const SAFE = /^(?:GET|HEAD|OPTIONS)$/
const IDEMPOTENT = /^(?:PUT|DELETE)$/
const PASSING: readonly number[] = [429, 502, 503, 504]
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]
const MOST_REDIRECTS = 5

/** The header of a read that names the state that it must show; the answer to a write gives the value. */
const WRITTEN = 'read-after'

type Failure = ApiError | ConnectionError
type Init = RequestInit & { readonly headers: Headers }

/**
 * The later of two places in the log of PostgreSQL, such as `16/B374D848`: answers may come in another order than writes
 * were done.
 */
function laterOf(one: string, other: string): string {
  const [first, second] = [one, other].map((place) =>
    place
      .split('/')
      .map((part) => part.padStart(8, '0'))
      .join(''),
  )
  return first! < second! ? other : one
}

/** Sends requests, again where that is right, and reads answers. It remembers which notices were given, and when limits end. */
export class Exchange {
  readonly #options: ExchangeOptions
  readonly #clock: Clock
  readonly #noticed = new Set<string>()
  readonly #heldUntil = new Map<string, number>()
  /** The place of this client's last write, where the service reads from replicas. */
  #written: string | null = null

  constructor(options: ExchangeOptions) {
    this.#options = options
    this.#clock = { now: Date.now, random: Math.random, sleep, ...options.clock }
  }

  /** @throws ApiError, ConnectionError, and the reason of a signal that aborts */
  async send(out: Outgoing): Promise<Answer> {
    const total = out.deadline ?? this.#options.deadline ?? 120_000
    const limit = timeLimit('deadline', total, out.signal)
    try {
      return await this.#untilDone(out, this.#clock.now() + total, limit.signal)
    } finally {
      limit.stop()
    }
  }

  async #untilDone(out: Outgoing, end: number, signal: AbortSignal): Promise<Answer> {
    const { retry = {} } = this.#options
    const { now, random, sleep: wait } = this.#clock
    const isRepeatable = SAFE.test(out.method) || (out.idempotent && IDEMPOTENT.test(out.method))
    const mayRepeat = isRepeatable && isKept(out)
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

  /** Waits, if there is time, while a limit of which nothing is left would refuse the next request too. */
  async #hold({ operation }: Outgoing, end: number, signal: AbortSignal): Promise<void> {
    const until = this.#heldUntil.get(operation) ?? -Infinity
    const ms = until - this.#clock.now()
    if (ms > 0 && until < end) await this.#clock.sleep(ms, signal)
  }

  /**
   * Sends a request once more with another token after 401, whatever the request does: the service did nothing for the first
   * one.
   */
  async #attempt(out: Outgoing, signal: AbortSignal): Promise<Answer | Failure> {
    const init = await this.#init(out)
    const answer = await this.#sent(out, init, signal)
    const isRefused = answer instanceof ApiError && answer.status === 401
    if (!isRefused || !isRenewable(this.#options.auth) || !isKept(out)) return answer
    const refused = init.headers.get('authorization')
    const renewed = await this.#init(out, refused)
    const isSame = renewed.headers.get('authorization') === refused
    return isSame ? answer : this.#sent(out, renewed, signal)
  }

  async #sent(out: Outgoing, init: Init, signal: AbortSignal): Promise<Answer | Failure> {
    const limit = timeLimit('timeout', out.timeout ?? this.#options.timeout ?? 30_000, signal)
    const known = this.#written
    try {
      const response = await this.#followed(out.url, { ...init, signal: limit.signal })
      return await this.#read(out, response, known)
    } catch (error) {
      return new ConnectionError(out.operation, error)
    } finally {
      limit.stop()
    }
  }

  async #init(out: Outgoing, refused: string | null = null): Promise<Init> {
    const { auth, keyword = 'Token', headers: given = {} } = this.#options
    const isSafe = SAFE.test(out.method)
    const headers = new Headers({ accept: out.accept, ...(await valueOf(given)), ...out.headers })
    if (isSafe && this.#written !== null && !headers.has(WRITTEN))
      headers.set(WRITTEN, this.#written)
    const credentials = await authorize(auth && { keyword, ...auth }, headers, isSafe, refused)
    const body = encoded(out.body, headers)
    return {
      method: out.method,
      headers,
      credentials,
      // A redirect would turn POST into GET, and take the body to another place.
      redirect: isSafe ? 'manual' : 'error',
      ...(body !== undefined && { body }),
      // A stream is sent before the answer comes, which a program has to know.
      ...(body instanceof ReadableStream && { duplex: 'half' }),
    }
  }

  /**
   * Follows redirects within the origin, and returns the last answer. The client's headers and body are for this origin
   * alone, and rows of another origin are not those of the service. A browser does not tell where a redirect leads, but
   * follows it within the origin of its page.
   */
  async #followed(first: URL, init: RequestInit): Promise<Response> {
    const { fetch: ask = (url, sent) => fetch(url, sent) } = this.#options
    let url = first
    for (let redirects = 0; ; redirects++) {
      const response = await ask(url, init)
      const isHidden = response.type === 'opaqueredirect' && response.status === 0
      if (isHidden && url.origin === globalThis.location?.origin)
        return ask(url, { ...init, redirect: 'follow', mode: 'same-origin' }).catch((error) => {
          // A redirect to another origin fails like a broken connection, which is rare so soon behind an answer.
          if (init.signal?.aborted) throw error
          return refusal(response, null, url.origin)
        })
      const place = REDIRECTS.includes(response.status) ? response.headers.get('location') : null
      if (!isHidden && (place === null || init.redirect === 'error')) return response
      response.body?.cancel().catch(() => undefined)
      const target = place === null ? null : new URL(place, url)
      if (target?.origin !== url.origin || redirects === MOST_REDIRECTS)
        return refusal(response, target, url.origin)
      url = target
    }
  }

  /** `known`: the place of the last write when this request was sent. */
  async #read(
    { operation, isRaw }: Outgoing,
    response: Response,
    known: string | null,
  ): Promise<Answer | Failure> {
    const { status, headers, ok } = response
    const held = limitWait(headers)
    const written = headers.get(WRITTEN)
    // After a failover places are lower, so the larger place counts only among writes that overlapped.
    if (written !== null)
      this.#written = this.#written === known ? written : laterOf(this.#written!, written)
    if (held !== null) this.#heldUntil.set(operation, this.#clock.now() + held)
    this.#notice(operation, headers)
    if (ok && isRaw) return { status, headers, data: response }
    const data = await decoded(response)
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

/** Can the body be sent again? A stream cannot. */
function isKept({ body }: Outgoing): boolean {
  return !(body instanceof ReadableStream)
}

/** Milliseconds that the service asks the client to wait; `null`: the error will not pass. */
function passing({ status, retryAfter }: ApiError): number | null {
  return PASSING.includes(status) ? (retryAfter ?? 0) * 1000 : null
}

/** An answer that reports a redirect elsewhere, in place of that redirect. */
function refusal({ status }: Response, target: URL | null, origin: string): Response {
  const detail =
    target?.origin === origin
      ? `More than ${MOST_REDIRECTS} redirects follow one another.`
      : `It is redirected to ${target?.origin ?? 'a place that the browser hides'}, and what the client sends is for ${origin} alone.`
  const headers = target === null ? {} : { location: target.href }
  return Response.json({ detail }, { status: status || 302, headers })
}

/** The body as JSON, or as a form if it has files. A body that `fetch` sends by itself stays as it is. */
function encoded(body: unknown, headers: Headers): BodyInit | undefined {
  if (body === undefined || body === null) return undefined
  if (typeof body === 'string' || isNative(body)) return body as BodyInit
  const entries = Object.entries(body)
  if (entries.some(([, value]) => [value].flat().some(isNative))) return formOf(entries)
  headers.set('content-type', 'application/json')
  return toJson(body)
}

function isNative(value: unknown): boolean {
  const kinds = [Blob, FormData, URLSearchParams, ReadableStream, ArrayBuffer]
  return ArrayBuffer.isView(value) || kinds.some((kind) => value instanceof kind)
}

function formOf(entries: readonly [string, unknown][]): FormData {
  const form = new FormData()
  for (const [name, value] of entries)
    for (const one of [value].flat())
      if (one instanceof Blob) form.append(name, one)
      else if (one !== undefined) form.append(name, textOf(one))
  return form
}

/** A value as the text of a form: `null` is empty, and any value but a text is JSON. */
function textOf(value: unknown): string {
  if (value === null) return ''
  return typeof value === 'string' ? value : toJson(value)
}

/** Is what has this media type a text? An answer without a type counts as one. */
export function isText(type: string): boolean {
  return /^$|^text\/|[/+](?:json|xml|yaml)\b|urlencoded|javascript/i.test(type)
}

/**
 * The body of an answer: JSON, a text, or bytes. Invalid JSON broke off on its way, unless the answer is an error, which a
 * proxy may have written.
 */
async function decoded(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? ''
  if (response.ok && !isText(type)) return response.blob()
  const text = await response.text()
  if (text === '') return null
  if (!/[/+]json\b/i.test(type)) return text
  try {
    return fromJson(text)
  } catch (error) {
    if (response.ok) throw error
    return text
  }
}

/** `@1801353600`, or a date of HTTP. */
function dateIn(text: string | null): Date | null {
  if (text === null) return null
  const date = /^@-?\d+$/.test(text) ? new Date(Number(text.slice(1)) * 1000) : new Date(text)
  return Number.isNaN(date.getTime()) ? null : date
}
