import type { ReplyHeaders } from '../contract/reply.ts'
import type { Renderer } from '../contract/rendering.ts'
import { contentPolicy } from '../std/http/content-security-policy.ts'
import type { Context } from './context.ts'
import type { SentHeaders } from './sent-headers.ts'

/** Value of `Allow`: what the endpoint answers, in this order. Every answer has it, so 405 has it too (R40). */
export function allowOf(methods: { has(method: string): boolean }): string {
  return ALLOW_ORDER.filter((method) => methods.has(method)).join(', ')
}

const ALLOW_ORDER = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

/** What no handler can set: the headers below, and those of the body (R45). */
export const STANDING: ReadonlySet<string> = new Set([
  'allow',
  'vary',
  'content-type',
  'content-length',
  'x-content-type-options',
  'x-request-id',
])

/** The headers of every answer (R40–R46); `own` are those of the handler. */
export function addStandingHeaders(
  sent: SentHeaders,
  own: ReplyHeaders,
  { endpoint, settings, consulted, authenticator, id }: Context,
): void {
  if (endpoint.allow !== '') sent.add('Allow', endpoint.allow)
  const vary = varyOf(valueOf(own, 'vary'), settings.renderers.length > 1, consulted)
  if (vary !== '') sent.add('Vary', vary)
  // What a named user was shown is for no shared cache (I11).
  if (authenticator !== null && valueOf(own, 'cache-control') === undefined) {
    sent.add('Cache-Control', 'private')
  }
  sent.add('X-Request-Id', id)
}

function valueOf(headers: ReplyHeaders, name: string): string | undefined {
  for (const key in headers) if (key.toLowerCase() === name) return String(headers[key])
  return undefined
}

/** `Accept` where there is a choice, every header that was read, and the handler's own (R43, I11). */
function varyOf(own: string | undefined, chooses: boolean, consulted: readonly string[]): string {
  if (own === undefined && consulted.length === 0) return chooses ? 'Accept' : ''
  if (own === undefined && consulted.length === 1) {
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

/** `authorization` → `Authorization`, as headers are usually written. */
function toHeaderCase(name: string): string {
  return name === 'authorization'
    ? 'Authorization'
    : name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())
}

/** Headers for browsers, which a page that lists the headers of its answer leaves out. */
export function addBrowserHeaders(sent: SentHeaders, type: string, renderer: Renderer): void {
  sent.add('X-Content-Type-Options', 'nosniff')
  if (PAGE.test(type)) addPageHeaders(sent, renderer)
}

/** What browsers show as a page, by the value of `Content-Type`. */
const PAGE = /^(?:text\/html|application\/xhtml\+xml)\b/i

/**
 * What every page says to the browser that shows it: load nothing but what the page is made of, let no
 * other page frame it or hold on to its window, and do not send its address to other sites. What the
 * handler has set itself stays.
 */
function addPageHeaders(sent: SentHeaders, { contentSecurityPolicy }: Renderer): void {
  sent.addMissing('Content-Security-Policy', contentSecurityPolicy ?? OWN_SOURCES)
  sent.addMissing('X-Frame-Options', 'DENY')
  // Without any referrer, browsers would not send the origin of a form either (I17).
  sent.addMissing('Referrer-Policy', 'same-origin')
  sent.addMissing('Cross-Origin-Opener-Policy', 'same-origin')
}

const OWN_SOURCES = contentPolicy({ loads: 'self' })
