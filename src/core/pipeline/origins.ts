import type { PlainReply, PlainRequest } from '../ports/http-adapter.ts'
import { ParseError } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'
import { varyOf } from './answer-headers.ts'
import type { Context, Cors, Service } from './context.ts'
import type { CorsPolicy } from '../ports/settings/cors.ts'
import { admitsAll } from '../settings/cors.ts'
import { isPromise, notAwaited } from '../std/after.ts'
import {
  hostName,
  isWithin,
  parseOrigin,
  parseOriginPattern,
  singleOrigin,
} from '../std/http/origin-pattern.ts'
import { failureOf } from '../std/text/error-text.ts'
import { METHODS } from './methods.ts'

const REMEMBERED = 256

interface OriginsOptions {
  readonly allowedHosts: readonly string[]
  readonly publicUrl: string | null
  readonly logSeldom: Service['logSeldom']
  /** Is a request answered although its host is not admitted? */
  readonly excuses: (request: PlainRequest) => boolean
}

/** A malformed or foreign host is refused: no link points where an attacker wants it (I10). */
export class Origins {
  readonly #options: OriginsOptions
  /** Origins of the hosts that were admitted, by scheme; real clients send few different ones. */
  readonly #admitted = { http: new Map<string, string>(), https: new Map<string, string>() }

  constructor(options: OriginsOptions) {
    const { publicUrl } = options
    // A trailing slash does not change the origin.
    this.#options = { ...options, publicUrl: publicUrl === null ? null : new URL(publicUrl).origin }
  }

  /** @throws ParseError (400) for a host that is not admitted */
  of(request: PlainRequest): string {
    const host = request.header('host')
    if (host === null) return this.fallback(request)
    return this.#admitted[request.scheme].get(host) ?? this.#admit(host, request)
  }

  /** The origin for requests without a host to trust. */
  fallback({ scheme }: PlainRequest): string {
    return this.#options.publicUrl ?? `${scheme}://localhost`
  }

  #admit(host: string, request: PlainRequest): string {
    const { allowedHosts, publicUrl, excuses } = this.#options
    const { scheme } = request
    const name = nameOf(host)
    if (name === null || !allowedHosts.some((allowed) => matches(allowed.toLowerCase(), name))) {
      if (excuses(request)) return this.fallback(request)
      throw this.#refuse(host)
    }
    const origin = publicUrl ?? `${scheme}://${host}`
    const admitted = this.#admitted[scheme]
    if (admitted.size >= REMEMBERED) admitted.clear()
    admitted.set(host, origin)
    return origin
  }

  /** Refuses a host. Strangers may send any number of hosts, so the log names one a second at most. */
  #refuse(host: string): ParseError {
    const shown = { event: 'host.refused', key: 'ALLOWED_HOSTS', host: host.slice(0, 255) }
    this.#options.logSeldom('refused host', shown, 'info')
    return new ParseError(Message.of('parse_error.host'))
  }
}

function matches(allowed: string, name: string): boolean {
  if (allowed === '*' || allowed === name) return true
  return allowed.startsWith('.') && (name.endsWith(allowed) || name === allowed.slice(1))
}

const NAME_AND_PORT = /^(?:([A-Za-z0-9._-]+)|(\[[0-9A-Fa-f:.]+\]))(?::[1-9]\d{0,4})?$/

/** The host without its port, as it is compared; `null` when it is malformed (RFC 9110 §7.2). */
function nameOf(host: string): string | null {
  const found = host.length > 259 ? null : NAME_AND_PORT.exec(host)
  const name = found?.[1] ?? found?.[2]
  // Ports beyond 65535, addresses such as 1.2.3.999 and broken Punycode cannot be in links.
  if (name === undefined || !URL.canParse(`http://${host}`)) return null
  return hostName(name)
}

/** The facts of an endpoint and its service that a CORS policy needs. */
export interface CorsFacts {
  /** The methods of the endpoint; empty if there is no endpoint. */
  readonly methods: readonly string[]
  readonly versionHeader: string | null
  readonly csrfHeader: string
}

/**
 * The pages that may embed an answer without reading it: those of this site, or all pages if the policy lets every origin
 * read it.
 */
export function resourcePolicyOf(policy: CorsPolicy | null): string {
  return policy !== null && admitsAll(policy) ? 'cross-origin' : 'same-site'
}

/** Compiles the rule about other origins (I21). The headers that need no request are made here. */
export function compileCors(policy: CorsPolicy, facts: CorsFacts): Cors {
  const allowed = admitsAll(policy) ? () => '*' : allowedBy(policy)
  const credentials = policy.credentials ? { 'Access-Control-Allow-Credentials': 'true' } : {}
  const answered = { ...credentials, ...exposed(policy, facts) }
  const preflighted = Object.entries({ ...credentials, ...permitted(policy, facts) }).flat()
  return {
    headersFor(request) {
      const origin = allowed(request)
      return origin === null ? NONE : { 'Access-Control-Allow-Origin': origin, ...answered }
    },
    preflight(request) {
      if (!isPreflight(request)) return null
      const origin = allowed(request)
      const granted = origin === null ? [] : ['Access-Control-Allow-Origin', origin, ...preflighted]
      return toReply(granted, varyOf(undefined, false, request.consulted), request)
    },
  }
}

const NONE = Object.freeze({})

const EXPOSED = [
  'Deprecation',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'X-Request-Id',
]
const ALLOWED = ['Accept', 'Accept-Language', 'Authorization', 'Content-Type']
/** Seconds; a change of the policy may take as long to reach every browser. */
const MAX_AGE = 600

function exposed({ exposedHeaders }: CorsPolicy, { versionHeader }: CorsFacts): Headers {
  const ours = versionHeader === null ? EXPOSED : [...EXPOSED, versionHeader]
  const names = exposedHeaders ?? ours
  return names.length === 0 ? {} : { 'Access-Control-Expose-Headers': names.join(', ') }
}

type Headers = Readonly<Record<string, string>>

function permitted(policy: CorsPolicy, { methods, csrfHeader }: CorsFacts): Headers {
  const { allowedHeaders = [...ALLOWED, csrfHeader], maxAge = MAX_AGE } = policy
  // Without an endpoint every method is right, so that the page can see the 404.
  const there = methods.length === 0 ? METHODS : methods
  const usable = there.filter((method) => policy.methods?.includes(method) ?? true)
  return {
    ...(usable.length === 0 ? {} : { 'Access-Control-Allow-Methods': usable.join(', ') }),
    ...(allowedHeaders.length === 0
      ? {}
      : { 'Access-Control-Allow-Headers': allowedHeaders.join(', ') }),
    'Access-Control-Max-Age': String(maxAge),
  }
}

/** The origin of a request, which is the text that it sent, where the policy admits it. */
type Allowed = (request: Context) => string | null

function allowedBy(policy: CorsPolicy): Allowed {
  const { origins, credentials = false } = policy
  const admits = typeof origins === 'function' ? asking(origins, credentials) : among(origins)
  return (request) => {
    const origin = request.header('origin')
    return origin !== null && admits(origin, request) ? origin : null
  }
}

type Admits = (origin: string, request: Context) => boolean

function among(origins: readonly string[] | string): Admits {
  const texts = [origins].flat()
  const patterns = texts.map(parseOriginPattern).filter((pattern) => pattern !== null)
  const single = new Set([
    ...patterns.map(singleOrigin),
    ...texts.filter((text) => text === 'null'),
  ])
  const wide = patterns.filter((pattern) => singleOrigin(pattern) === null)
  return (origin) => {
    if (single.has(origin)) return true
    const read = wide.length === 0 ? null : parseOrigin(origin)
    return read !== null && wide.some((pattern) => isWithin(read, pattern))
  }
}

/**
 * Wraps a function of the application. If it fails, the origin is not admitted, and the request goes on: the browser of the
 * page refuses then.
 */
function asking(decide: Extract<CorsPolicy['origins'], Function>, credentials: boolean): Admits {
  return (origin, request) => {
    // Any site can make a page whose origin is `null`, so it is never one that sends credentials.
    if (origin === 'null' ? credentials : parseOrigin(origin) === null) return false
    try {
      const decided: unknown = decide(origin, request)
      if (isPromise(decided)) throw notAwaited(decided, NO_ANSWER)
      // Only `true`: programs without types may give anything.
      return decided === true
    } catch (error) {
      const { id, endpointName: endpoint } = request
      const record = { event: 'cors.failed', id, endpoint, origin, ...failureOf(error) }
      request.logSeldom('failed cors', record)
      return false
    }
  }
}

const NO_ANSWER = 'The function of cors.origins returned a promise. It must return true or false.'

function isPreflight(request: Context): boolean {
  return (
    request.method === 'OPTIONS' &&
    request.header('access-control-request-method') !== null &&
    request.header('origin') !== null
  )
}

/** The answer to a preflight. The browser asks, not its user, so nothing is negotiated and no user is needed (I21). */
function toReply(granted: readonly string[], vary: string, request: Context): PlainReply {
  const { transportSecurity } = request.service
  return {
    status: 204,
    headers: [
      ...granted,
      'Vary',
      vary,
      ...(transportSecurity === null ? [] : ['Strict-Transport-Security', transportSecurity]),
      'X-Request-Id',
      request.id,
    ],
    body: null,
  }
}

/**
 * Value of `Strict-Transport-Security`, for a year. `null`: the service is not known to be reached by https, or
 * runs on the machine of a developer, where one host has many services.
 */
export function transportSecurityOf(publicUrl: string | null): string | null {
  if (publicUrl === null) return null
  const { protocol, hostname } = new URL(publicUrl)
  const isLocal = /(?:^|\.)localhost$/.test(hostname)
  return protocol === 'https:' && !isLocal ? 'max-age=31536000' : null
}
