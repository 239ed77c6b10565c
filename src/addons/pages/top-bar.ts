// The bar above every page: the user, and the colours of the page.
import type { NamedLink } from './breadcrumbs.ts'
import type { PageFacts } from './page-facts.ts'
import type { Incoming } from '../../core/ports/request.ts'
import type { Reply } from '../../core/ports/representations.ts'
import { readCookie, writeCookie } from '../../core/std/http/cookie.ts'
import { type Query, withQuery } from '../../core/std/http/query.ts'

export type Theme = 'light' | 'dark' | 'auto'

/** The user, and the ways to log in or out. */
export interface ShownIdentity {
  /** `null`: the user is not known. */
  readonly name: string | null
  readonly loginUrl: string | null
  readonly logoutUrl: string | null
}

export function identityOf({ request, login }: PageFacts, here: string): ShownIdentity {
  const name = nameOf(request.user, request.authenticator !== null)
  const loginUrl = login && withQuery(login.loginUrl, 'next', here)
  if (name === null) return { name, loginUrl, logoutUrl: null }
  // Logging out ends only sessions: other clients send their credentials with each request.
  const isOfBrowser = request.authenticator?.browser !== undefined
  return { name, loginUrl: null, logoutUrl: (isOfBrowser && login?.logoutUrl) || null }
}

/** The CSRF token that forms and scripts of the page send. */
export interface PageToken {
  readonly field: string
  readonly header: string
  readonly token: string
}

/** All forms of a page share one token (W18), because a second one would belong to a second cookie. */
export function tokenFor(
  { request, browser }: PageFacts,
  answer: Reply,
): { readonly token: PageToken | null; readonly cookies: readonly string[] } {
  // The answer replaces the cookies of the request, so a token for those would be invalid.
  const setsCookies = Object.keys(answer.headers).some((name) => /^set-cookie$/i.test(name))
  if (browser === null || setsCookies) return { token: null, cookies: [] }
  const { token, cookies } = browser.issue(request)
  return { token: { field: browser.field, header: browser.header, token }, cookies }
}

/** The name of a user, who may be any value of an application. */
function nameOf(user: unknown, isKnown: boolean): string | null {
  if (!isKnown) return null
  const { username, name, id } = Object(user) as Readonly<Record<string, unknown>>
  const named = [user, username, name, id].find((one) => typeof one === 'string' && one !== '')
  return typeof named === 'string' ? named : typeof id === 'number' ? String(id) : '?'
}

/** The colours of a page, and links to other ones, which need no script. */
export interface Colours {
  readonly theme: Theme
  readonly themes: readonly NamedLink[]
  /** Values of `Set-Cookie` that keep a new choice. */
  readonly cookies: readonly string[]
}

const COOKIE = 'colophon_theme'
const THEMES: readonly Theme[] = ['auto', 'light', 'dark']
const YEAR = 31_536_000

/** `kept`: the part of the query that the links keep. */
export function coloursOf(request: Incoming, kept: Query = request.query): Colours {
  const { query, path } = request
  const asked = query.peek('_theme')
  const chosen = isTheme(asked) ? asked : readCookie(request.header('cookie'), COOKIE)
  const theme = isTheme(chosen) ? chosen : 'auto'
  const themes = THEMES.map((name) => ({
    name,
    url: `${path}?${kept.with({ _theme: name }).toString()}`,
    isCurrent: name === theme,
  }))
  return {
    theme,
    themes,
    cookies: isTheme(asked) ? [pageCookie(request, COOKIE, asked, YEAR)] : [],
  }
}

function isTheme(text: string | null): text is Theme {
  return THEMES.includes(text as Theme)
}

/** A value of `Set-Cookie` that remembers something about pages for so many seconds. */
export function pageCookie(
  { origin }: Incoming,
  name: string,
  value: string,
  maxAge: number,
): string {
  const secure = origin.startsWith('https:')
  const rest = { domain: null, secure, httpOnly: true, sameSite: 'Lax' } as const
  return writeCookie({ name, value, maxAge, path: '/', ...rest })
}
