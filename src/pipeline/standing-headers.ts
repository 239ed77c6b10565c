import type { ReplyHeaders } from '../contract/reply.ts'
import type { Renderer, ApiRequest } from '../contract/request.ts'
import { contentPolicy } from '../std/http/content-security-policy.ts'

/** The headers of an answer, in the order in which they are sent. */
export class SentHeaders {
  /** Name and value in turn, as doors take them. */
  readonly flat: string[] = []

  add(name: string, value: string): void {
    this.flat.push(name, value)
  }

  /** Leaves a header alone that is there already. */
  addMissing(name: string, value: string): void {
    if (this.#placeOf(name) < 0) this.add(name, value)
  }

  /** Adds an item to a header that is a list. */
  addToList(name: string, item: string): void {
    const place = this.#placeOf(name)
    if (place < 0) return this.add(name, item)
    this.flat[place + 1] = `${this.flat[place + 1]}, ${item}`
  }

  #placeOf(name: string): number {
    const wanted = name.toLowerCase()
    return this.flat.findIndex((text, at) => at % 2 === 0 && text.toLowerCase() === wanted)
  }
}

/** Value of `Allow`: what the endpoint answers, in this order. Every answer has it, so 405 has it too (R40). */
export function allowOf(methods: { has(method: string): boolean }): string {
  return ALLOW_ORDER.filter((method) => methods.has(method)).join(', ')
}

const ALLOW_ORDER = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

/** What no handler can set: the headers below, and those of the body (R45). */
const STANDING: ReadonlySet<string> = new Set([
  'allow',
  'vary',
  'content-type',
  'content-length',
  'x-content-type-options',
  'x-request-id',
])

/** What the handler set, without the headers that the kernel has the last word on. */
export function addOwnHeaders(sent: SentHeaders, headers: ReplyHeaders): void {
  for (const name in headers) {
    if (STANDING.has(name.toLowerCase())) continue
    const value = headers[name]!
    if (typeof value === 'string') sent.add(name, value)
    else for (const one of value) sent.add(name, one)
  }
}

/** A request as it is when it has been answered. */
interface Answered extends Pick<ApiRequest, 'settings' | 'authenticator' | 'id'> {
  readonly endpoint: { readonly allow: string }
  /** Names of the headers that were read. */
  readonly consulted: readonly string[]
}

/** The headers of every answer (R40–R46); `own` are those of the handler. */
export function addStandingHeaders(
  sent: SentHeaders,
  own: ReplyHeaders,
  { endpoint, settings, consulted, authenticator, id }: Answered,
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

/** Whether browsers show it as a page, by the value of `Content-Type`. */
export function isPage(contentType: string): boolean {
  return PAGE.test(contentType)
}

const PAGE = /^(?:text\/html|application\/xhtml\+xml)\b/i

/**
 * What every page asks of the browser that shows it: load nothing but what the page is made of, let no
 * other page frame it or hold on to its window, and do not send its address to other sites. What the
 * handler has set itself stays.
 */
export function addPageHeaders(sent: SentHeaders, { contentSecurityPolicy }: Renderer): void {
  sent.addMissing('Content-Security-Policy', contentSecurityPolicy ?? OWN_SOURCES)
  sent.addMissing('X-Frame-Options', 'DENY')
  // Without any referrer, browsers would not send the origin of a form either (I17).
  sent.addMissing('Referrer-Policy', 'same-origin')
  sent.addMissing('Cross-Origin-Opener-Policy', 'same-origin')
}

const OWN_SOURCES = contentPolicy({ loads: 'self' })
