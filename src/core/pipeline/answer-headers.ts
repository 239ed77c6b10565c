// Headers of an answer: which are sent, and which a handler cannot set.
import type { Prepared } from '../ports/page.ts'
import type { Reply } from '../ports/representations.ts'
import { wordsFor } from '../messages/words.ts'
import { pageHeaders } from '../representations/html-headers.ts'
import { joinedNames } from '../std/http/header-value.ts'
import { rateLimitFields } from './check-throttles.ts'
import type { Context, CountedLimits } from './context.ts'

export class SentHeaders {
  /** Name and value in turn, as adapters take them. */
  readonly flat: string[] = []

  add(name: string, value: string): void {
    this.flat.push(name, value)
  }

  /** Adds the headers and cookies that a page needs beside its answer. */
  addPrepared({ cookies = [], headers = {} }: Prepared): void {
    for (const cookie of cookies) this.add('Set-Cookie', cookie)
    this.addMissing(headers)
    if (cookies.length > 0) this.#keepFromCaches()
  }

  /**
   * Keeps a page from shared caches, whatever the handler's `Cache-Control` says: the page holds the token of its cookie.
   */
  #keepFromCaches(): void {
    const { flat } = this
    const at = flat.findIndex((text, each) => each % 2 === 0 && /^cache-control$/i.test(text))
    if (at < 0) this.add('Cache-Control', 'private')
    else if (!/\b(?:private|no-store)\b/i.test(flat[at + 1]!)) flat[at + 1] = 'private'
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

interface Shown {
  readonly reply: Reply
  readonly prepared: Prepared | null
  /** The value of `Content-Type`. */
  readonly type: string
}

/** Headers that no handler can set: those below, and those of the body (R45). */
const STANDING: ReadonlySet<string> = new Set([
  'allow',
  'vary',
  'content-type',
  'content-length',
  'x-content-type-options',
  'x-request-id',
])

/** If the endpoint has a policy, only the policy grants access: two headers together may grant more than either alone. */
const GRANTS = /^access-control-allow-/

/** All headers except those for browsers, in the order in which they are sent. */
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
  // This comes before `Vary` is written, because the answer varies by the headers that the language and the origin depend
  // on.
  if (request.accepted.renderer.hasWords?.(reply)) sent.addMissing(wordsFor(request).headers)
  if (cors !== null) sent.addMissing(cors.headersFor(request))
  const { authenticator } = request
  if (authenticator?.answerHeaders) sent.addMissing(fromScheme(request))
  if (counted !== null && settings.rateLimitHeaders) addLimits(sent, counted, own)
  // Every answer has `Allow`, so a 405 has it too.
  if (endpoint.allow !== '') sent.add('Allow', endpoint.allow)
  const vary = varyOf(headerValueOf(own, 'vary'), settings.renderers.length > 1, consulted)
  if (vary !== '') sent.add('Vary', vary)
  // No shared cache may keep an answer to a named user, or an answer with a cookie (R46, I11, RFC 9111 §7.3).
  const isForOne = authenticator !== null || headerValueOf(own, 'set-cookie') !== undefined
  if (isForOne && headerValueOf(own, 'cache-control') === undefined) {
    sent.add('Cache-Control', 'private')
  }
  const { transportSecurity } = service
  if (transportSecurity !== null && headerValueOf(own, 'strict-transport-security') === undefined) {
    sent.add('Strict-Transport-Security', transportSecurity)
  }
  if (request.original.written !== null) sent.add('Read-After', request.original.written)
  sent.add('X-Request-Id', request.id)
  return sent
}

/**
 * The headers that the scheme adds to the answer. The handler has already done its work, so a scheme that fails is logged
 * and changes nothing in the answer.
 */
function fromScheme(request: Context): Readonly<Record<string, string>> {
  try {
    return request.authenticator?.answerHeaders?.(request) ?? {}
  } catch (error) {
    const { id, endpointName: endpoint } = request
    const record = { event: 'answer_headers.failed', id, endpoint, error: String(error) }
    request.logSeldom(`answer headers ${endpoint}`, record)
    return {}
  }
}

/** Adds the headers for browsers. They come once the body is made, because a page does not list them. */
export function addForBrowsers(
  sent: SentHeaders,
  { endpoint, accepted }: Context,
  { reply, prepared, type }: Shown,
): void {
  sent.add('X-Content-Type-Options', 'nosniff')
  if (headerValueOf(reply.headers, 'cross-origin-resource-policy') === undefined)
    sent.add('Cross-Origin-Resource-Policy', endpoint.resourcePolicy)
  if (prepared !== null) sent.addPrepared(prepared)
  if (PAGE_TYPE.test(type)) sent.addMissing(pageHeaders(accepted.renderer))
}

/** The media types that browsers show as a page. */
const PAGE_TYPE: RegExp = /^(?:text\/html|application\/xhtml\+xml)\b/i

/** Adds the fields of the rate limits, unless the handler passes on those of another service. */
function addLimits(sent: SentHeaders, counted: CountedLimits, own: Reply['headers']): void {
  const fields = headerValueOf(own, 'ratelimit') === undefined ? rateLimitFields(counted) : null
  if (fields === null) return
  sent.add('RateLimit-Policy', fields.policies)
  sent.add('RateLimit', fields.left)
}

/** The value of a header, whatever the case of its name. */
function headerValueOf(headers: Reply['headers'], name: string): string | undefined {
  for (const key in headers) if (key.toLowerCase() === name) return String(headers[key])
  return undefined
}

/** `Accept` where there is a choice, every header that was read, and the handler's own (R43, I11). */
export function varyOf(
  own: string | undefined,
  chooses: boolean,
  consulted: readonly string[],
): string {
  const usual = own === undefined ? usualVary(chooses, consulted) : null
  if (usual !== null) return usual
  return joinedNames(`${chooses ? 'Accept' : ''},${own ?? ''}`, consulted.map(toHeaderCase).join())
}

/** Headers that nearly every answer varies by. */
const USUAL: ReadonlyMap<string, string> = new Map([
  ['accept', 'Accept'],
  ['accept-language', 'Accept-Language'],
  ['authorization', 'Authorization'],
  ['cookie', 'Cookie'],
  ['origin', 'Origin'],
])

/** Makes the usual `Vary`; `null`: one of the headers is not in the table. No header is in `consulted` twice. */
function usualVary(chooses: boolean, consulted: readonly string[]): string | null {
  let vary = chooses ? 'Accept' : ''
  for (const name of consulted) {
    const shown = USUAL.get(name)
    if (shown === undefined) return null
    if (!chooses || shown !== 'Accept') vary += vary === '' ? shown : `, ${shown}`
  }
  return vary
}

function toHeaderCase(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())
}
