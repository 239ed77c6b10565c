import type { Prepared } from '../contract/page.ts'
import type { Renderer, Reply } from '../contract/request.ts'
import { wordsFor } from '../messages/words.ts'
import { contentPolicy } from '../std/http/content-security-policy.ts'
import type { Context, CountedLimits } from './context.ts'
import { rateLimitFields } from './rate-limit-fields.ts'

class SentHeaders {
  /** Name and value in turn, as doors take them. */
  readonly flat: string[] = []

  add(name: string, value: string): void {
    this.flat.push(name, value)
  }

  /** What a page needs beside its answer; of cookies there may be several. */
  addPrepared({ cookies = [], headers = {} }: Prepared): void {
    for (const cookie of cookies) this.add('Set-Cookie', cookie)
    this.addMissing(headers)
  }

  /** Leaves headers alone that are there already. `Link` is a list, which may stand on several lines. */
  addMissing(headers: Readonly<Record<string, string>>): void {
    for (const name in headers) {
      const wanted = name.toLowerCase()
      const isThere = this.flat.some((text, at) => at % 2 === 0 && text.toLowerCase() === wanted)
      if (!isThere || name === 'Link') this.add(name, headers[name]!)
    }
  }
}

/** What no handler can set: the headers below, and those of the body (R45). */
const STANDING: ReadonlySet<string> = new Set([
  'allow',
  'vary',
  'content-type',
  'content-length',
  'x-content-type-options',
  'x-request-id',
])

/** Two that grant may grant more together: where there is a policy, it alone does. */
const GRANTS = /^access-control-allow-/

/** All but those for browsers alone, in the order in which they are sent. */
export function headersOf(reply: Reply, type: string | null, request: Context): SentHeaders {
  const { headers: own } = reply
  const { endpoint, settings, consulted, service, counted } = request
  const { cors } = endpoint
  const sent = new SentHeaders()
  if (type !== null) sent.add('Content-Type', type)
  for (const name in own) {
    const lower = name.toLowerCase()
    if (STANDING.has(lower) || (cors !== null && GRANTS.test(lower))) continue
    const values = own[name]!
    for (const value of typeof values === 'string' ? [values] : values) sent.add(name, value)
  }
  if (endpoint.versionHeaders) sent.addMissing(endpoint.versionHeaders(request))
  // Before `Vary` is written: the answer varies by what the language and the origin depend on.
  if (request.accepted.renderer.hasWords?.(reply)) sent.addMissing(wordsFor(request).headers)
  if (cors !== null) sent.addMissing(cors.headersFor(request))
  if (counted !== null && settings.rateLimitHeaders) addLimits(sent, counted, own)
  // Every answer has it, so 405 has it too.
  if (endpoint.allow !== '') sent.add('Allow', endpoint.allow)
  const vary = varyOf(valueOf(own, 'vary'), settings.renderers.length > 1, consulted)
  if (vary !== '') sent.add('Vary', vary)
  // What a named user was shown is for no shared cache (R46, I11).
  if (request.authenticator !== null && valueOf(own, 'cache-control') === undefined) {
    sent.add('Cache-Control', 'private')
  }
  const { transportSecurity } = service
  if (transportSecurity !== null && valueOf(own, 'strict-transport-security') === undefined) {
    sent.add('Strict-Transport-Security', transportSecurity)
  }
  sent.add('X-Request-Id', request.id)
  return sent
}

/** Those of a service further in, which a handler passes on, go before ours. */
function addLimits(sent: SentHeaders, counted: CountedLimits, own: Reply['headers']): void {
  const fields = valueOf(own, 'ratelimit') === undefined ? rateLimitFields(counted) : null
  if (fields === null) return
  sent.add('RateLimit-Policy', fields.policies)
  sent.add('RateLimit', fields.left)
}

/** Of headers whose names may have any case. */
export function valueOf(headers: Reply['headers'], name: string): string | undefined {
  for (const key in headers) if (key.toLowerCase() === name) return String(headers[key])
  return undefined
}

/** `Accept` where there is a choice, every header that was read, and the handler's own (R43, I11). */
export function varyOf(
  own: string | undefined,
  chooses: boolean,
  consulted: readonly string[],
): string {
  if (own === undefined && consulted.length === 0) return chooses ? 'Accept' : ''
  if (own === undefined && consulted.length === 1) {
    if (chooses && consulted[0] === 'authorization') return 'Accept, Authorization'
    const name = toHeaderCase(consulted[0]!)
    return chooses && name !== 'Accept' ? `Accept, ${name}` : name
  }
  const names = own === undefined ? [] : own.split(',').map((name) => name.trim())
  if (names.includes('*')) return '*'
  if (chooses) names.unshift('Accept')
  names.push(...consulted.map(toHeaderCase))
  const unique = new Map(names.map((name) => [name.toLowerCase(), name]))
  return [...unique.values()].filter((name) => name !== '').join(', ')
}

function toHeaderCase(name: string): string {
  return name === 'authorization'
    ? 'Authorization'
    : name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())
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

/** What browsers show as a page, by the value of `Content-Type`. */
export const PAGE: RegExp = /^(?:text\/html|application\/xhtml\+xml)\b/i

/** No foreign content, no frame around it or hold on its window, no address for other sites. */
export function pageHeaders({ contentSecurityPolicy }: Renderer): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': contentSecurityPolicy ?? OWN_SOURCES,
    'X-Frame-Options': 'DENY',
    // Without any referrer, browsers would not send the origin of a form either (I17).
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
  }
}

const OWN_SOURCES = contentPolicy({ loads: 'self' })
