// What stands above every page: who is asking, and in which colours it is shown.
import type { NamedLink } from './breadcrumbs.ts'
import type { PageFacts } from './page-facts.ts'
import type { Incoming } from '../../core/ports/request.ts'
import type { Reply } from '../../core/ports/representations.ts'
import { readCookie, writeCookie } from '../../core/std/http/cookie.ts'
import { type Query, withQuery } from '../../core/std/http/query.ts'

export type Theme = 'light' | 'dark' | 'auto'

/** Who is asking, and how that can change. */
export interface ShownIdentity {
  /** `null`: not known. */
  readonly name: string | null
  readonly loginUrl: string | null
  readonly logoutUrl: string | null
}

export function identityOf({ request, login }: PageFacts, here: string): ShownIdentity {
  const name = nameOf(request.user, request.authenticator !== null)
  const loginUrl = login && withQuery(login.loginUrl, 'next', here)
  if (name === null) return { name, loginUrl, logoutUrl: null }
  // Only a session ends by logging out: who sends credentials with each request sends them again.
  const isOfBrowser = request.authenticator?.browser !== undefined
  return { name, loginUrl: null, logoutUrl: (isOfBrowser && login?.logoutUrl) || null }
}

/** What forms and scripts of the page send along. */
export interface PageToken {
  readonly field: string
  readonly header: string
  readonly token: string
}

/** One for all forms of a page (W18): a second one would belong to a second cookie. */
export function tokenFor(
  { request, browser }: PageFacts,
  answer: Reply,
): { readonly token: PageToken | null; readonly cookies: readonly string[] } {
  // A token for the cookies of the request would undo those that the answer sets.
  const setsCookies = Object.keys(answer.headers).some((name) => /^set-cookie$/i.test(name))
  if (browser === null || setsCookies) return { token: null, cookies: [] }
  const { token, cookies } = browser.issue(request)
  return { token: { field: browser.field, header: browser.header, token }, cookies }
}

/** What a scheme calls the user; users of an application may be anything. */
function nameOf(user: unknown, isKnown: boolean): string | null {
  if (!isKnown) return null
  const { username, name, id } = Object(user) as Readonly<Record<string, unknown>>
  const named = [user, username, name, id].find((one) => typeof one === 'string' && one !== '')
  return typeof named === 'string' ? named : typeof id === 'number' ? String(id) : '?'
}

/** In which colours a page is shown, and where others are chosen: by a link, so that no script is needed. */
export interface Colours {
  readonly theme: Theme
  readonly themes: readonly NamedLink[]
  /** Keep a choice that was just made: values of `Set-Cookie`. */
  readonly cookies: readonly string[]
}

const COOKIE = 'colophon_theme'
const THEMES: readonly Theme[] = ['auto', 'light', 'dark']
const YEAR = 31_536_000

/** `kept`: what the links keep of the query. */
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

/** A value for `Set-Cookie`: what pages remember for a browser, for so many seconds. */
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
