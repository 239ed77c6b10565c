import { randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client'
import { Message } from '../../../core/messages/message.ts'
import { wordsFor } from '../../../core/messages/words.ts'
import type { Reply } from '../../../core/ports/representations.ts'
import type { ApiRequest, Incoming } from '../../../core/ports/request.ts'
import type { Seals } from '../../../core/ports/service-facts.ts'
import type { SessionSettings } from '../../../core/ports/sessions.ts'
import { Form } from '../../../core/std/http/form.ts'
import { nextAddress } from '../../../core/std/http/next-address.ts'
import { uncached } from '../../../core/replies/reply.ts'
import { loginCookie } from '../../../policies/authentication/cookies.ts'
import { escapeHtml } from '../../../core/std/text/escape-html.ts'

/** A log-in under way: what the browser was sent away with. */
export interface Flow {
  readonly provider: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** Milliseconds since 1970. */
  readonly end: number
  /** A path of this service; `null`: the usual one. */
  readonly next: string | null
  /** The user who gets another way to log in; `null`: someone logs in. */
  readonly link: number | null
}

/** Seconds that people have at the provider. */
const LIFE = 600
/** Log-ins of one browser at the same time, in several tabs. */
const MOST = 4
/** Characters of all flows: sealed, they fit into a cookie. */
const LONGEST = 2700
const LONGEST_NEXT = 2000
const LONGEST_COOKIE = 4096
const COOKIE = 'provider_login'
const CONTEXT = 'log-in with a provider'

/**
 * The log-ins of a browser that are under way, in a cookie that only this service can read and make. What comes back from
 * a provider counts in the browser that was sent there, and once: the cookie forgets it then.
 */
export class Flows {
  readonly #seals: Seals
  readonly #settings: () => SessionSettings
  readonly #now: () => number

  constructor(seals: Seals, settings: () => SessionSettings, now: () => number) {
    this.#seals = seals
    this.#settings = settings
    this.#now = now
  }

  /** Begins a flow, and makes the cookie that remembers it. */
  begin(
    request: Incoming,
    facts: Pick<Flow, 'provider' | 'next' | 'link'>,
  ): { readonly flow: Flow; readonly cookie: string } {
    const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()]
    // In JSON, the place may be longer than it was in the request: then the log-in leads to the usual place.
    const next = JSON.stringify(facts.next).length > LONGEST_NEXT ? null : facts.next
    const flow = { ...facts, next, state, nonce, verifier, end: this.#now() + LIFE * 1000 }
    return { flow, cookie: this.#write(request, [flow, ...this.#read(request)]) }
  }

  /** The flow of this state, and the cookie without it. `null`: this browser has no such flow, or it is too old. */
  end(
    request: Incoming,
    provider: string,
    state: string | null,
  ): { readonly flow: Flow; readonly cookie: string } | null {
    const all = this.#read(request)
    const flow = all.find((each) => each.state === state && each.provider === provider)
    if (flow === undefined) return null
    const others = all.filter((each) => each !== flow)
    return { flow, cookie: this.#write(request, others) }
  }

  #read(request: Incoming): readonly Flow[] {
    const { sent } = loginCookie(request, this.#settings(), COOKIE)
    if (sent === null || sent.length > LONGEST_COOKIE) return []
    const text = this.#seals.unseal(CONTEXT, sent)
    if (text === null) return []
    return (JSON.parse(text) as Flow[]).filter(({ end }) => this.#now() < end)
  }

  #write(request: Incoming, flows: readonly Flow[]): string {
    let kept = flows.slice(0, MOST)
    while (JSON.stringify(kept).length > LONGEST) kept = kept.slice(0, -1)
    const sealed = kept.length === 0 ? '' : this.#seals.seal(CONTEXT, JSON.stringify(kept))
    return loginCookie(request, this.#settings(), COOKIE).set(sealed, LIFE)
  }
}

/** A page that leads on: browsers hold the answers of forms to the `form-action` of the page that they are on. */
export function onwards(
  request: ApiRequest,
  location: string,
  title: string,
  cookies: readonly string[],
): Reply {
  const words = wordsFor(request)
  const sentence = escapeHtml(words.text(Message.of('page.go_to', { name: title })))
  const url = escapeHtml(location)
  const html = `<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<title>${sentence}</title>
<meta name="robots" content="noindex">
<meta http-equiv="refresh" content="0;url=${url}">
</head>
<body>
<main>
<h1><a href="${url}">${sentence}</a></h1>
</main>
</body>
</html>
`
  return uncached(html, { headers: { ...words.headers, 'Set-Cookie': cookies } })
}

export function leadTo(Location: string, cookies: readonly string[]): Reply {
  return uncached(null, { status: 302, headers: { Location, 'Set-Cookie': cookies } })
}

export async function sentField(request: ApiRequest, name: string): Promise<string> {
  const body = await request.body()
  const value = body instanceof Form ? body.get(name) : null
  return typeof value === 'string' ? value : ''
}

export async function wantedBy(request: ApiRequest): Promise<string | null> {
  const own = request.method === 'POST' ? await sentField(request, 'next') : ''
  return nextAddress(own || (request.query.get('next') ?? ''), request.origin)
}
