import type { CorsPolicy } from '../../contract/settings/cors.ts'
import type { DoorReply } from '../../contract/door.ts'
import { admitsAll } from '../../settings/cors.ts'
import { isPromise } from '../../std/after.ts'
import { isWithin, parseOrigin, parseOriginPattern, singleOrigin } from '../../std/http/origin.ts'
import { errorText } from '../../std/text/error-text.ts'
import type { Context, Cors } from '../context.ts'
import { METHODS } from '../methods.ts'
import { varyOf } from '../response-headers.ts'

/** What of an endpoint and its service a policy speaks about. */
export interface CorsFacts {
  /** That the endpoint has; none where there is no endpoint. */
  readonly methods: readonly string[]
  readonly versionHeader: string | null
  readonly csrfHeader: string
}

/** Who may embed an answer without reading it: pages of this site, and all where all may even read it. */
export function resourcePolicyOf(policy: CorsPolicy | null): string {
  return policy !== null && admitsAll(policy) ? 'cross-origin' : 'same-site'
}

/** The rule about other origins (I21), ready to be asked: what can be known before a request comes is made up here. */
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
      return toReply(granted, request)
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
/** In seconds: as long as a change of the policy may take to reach everyone. */
const MAX_AGE = 600

function exposed({ exposedHeaders }: CorsPolicy, { versionHeader }: CorsFacts): Headers {
  const ours = versionHeader === null ? EXPOSED : [...EXPOSED, versionHeader]
  const names = exposedHeaders ?? ours
  return names.length === 0 ? {} : { 'Access-Control-Expose-Headers': names.join(', ') }
}

type Headers = Readonly<Record<string, string>>

function permitted(policy: CorsPolicy, { methods, csrfHeader }: CorsFacts): Headers {
  const { allowedHeaders = [...ALLOWED, csrfHeader], maxAge = MAX_AGE } = policy
  // Where there is no endpoint every method is right, so that the page gets to see the 404.
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

/** A function that fails admits no one, and the request goes on: it is the page's browser that refuses. */
function asking(decide: Extract<CorsPolicy['origins'], Function>, credentials: boolean): Admits {
  return (origin, request) => {
    // Any site can make a page whose origin is `null`, so it is never one that sends credentials.
    if (origin === 'null' ? credentials : parseOrigin(origin) === null) return false
    try {
      const decided: unknown = decide(origin, request)
      if (isPromise(decided)) throw notAwaited(decided)
      // Only `true`: programs without types may give anything.
      return decided === true
    } catch (error) {
      const { id, endpointName: endpoint } = request
      const record = { event: 'cors.failed', id, endpoint, origin, error: errorText(error) }
      request.logSeldom('failed cors', record)
      return false
    }
  }
}

function notAwaited(decided: PromiseLike<unknown>): TypeError {
  Promise.resolve(decided).catch(() => {})
  return new TypeError(
    'The function of cors.origins returned a promise. It must return true or false.',
  )
}

function isPreflight(request: Context): boolean {
  return (
    request.method === 'OPTIONS' &&
    request.header('access-control-request-method') !== null &&
    request.header('origin') !== null
  )
}

/** Of a browser, not of a client: nothing is negotiated, and no one has to be known (I21). */
function toReply(granted: readonly string[], request: Context): DoorReply {
  const vary = varyOf(undefined, false, request.consulted)
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
