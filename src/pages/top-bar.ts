// What stands above every page: who is asking, and in which colours it is shown.
import type { NamedLink, PageFacts } from '../contract/page.ts'
import type { ApiRequest, Incoming } from '../contract/request.ts'
import { readCookie, writeCookie } from '../std/http/cookie.ts'
import { type Query, withQuery } from '../std/http/query.ts'

export type Theme = 'light' | 'dark' | 'auto'

/** Who is asking, and how that can change. */
export interface Identity {
  /** `null`: not known. */
  readonly name: string | null
  readonly loginUrl: string | null
  readonly logout: { readonly url: string; readonly field: string; readonly token: string } | null
}

export function identityOf(
  { request, login, browser }: PageFacts<ApiRequest>,
  here: string,
): { readonly identity: Identity; readonly cookies: readonly string[] } {
  const name = nameOf(request.user, request.authenticator !== null)
  const none = { name, loginUrl: null, logout: null }
  if (login === null) return { identity: none, cookies: [] }
  if (name === null) {
    const loginUrl = withQuery(login.loginUrl, 'next', here)
    return { identity: { ...none, loginUrl }, cookies: [] }
  }
  // Only a session ends by logging out: who sends credentials with each request sends them again.
  const isOfBrowser = request.authenticator?.browser !== undefined
  if (login.logoutUrl === null || browser === null || !isOfBrowser)
    return { identity: none, cookies: [] }
  const { token, cookies } = browser.issue(request)
  const logout = { url: login.logoutUrl, field: browser.field, token }
  return { identity: { ...none, logout }, cookies }
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
  /** Keeps a choice that was just made: a value of `Set-Cookie`. */
  readonly cookie: string | null
}

const COOKIE = 'colophon_theme'
const THEMES: readonly Theme[] = ['auto', 'light', 'dark']
const YEAR = 31_536_000

/** `kept`: what the links keep of the query. */
export function coloursOf({ query, path, origin, header }: Incoming, kept: Query = query): Colours {
  const asked = query.peek('_theme')
  const chosen = isTheme(asked) ? asked : readCookie(header('cookie'), COOKIE)
  const theme = isTheme(chosen) ? chosen : 'auto'
  const themes = THEMES.map((name) => ({
    name,
    url: `${path}?${kept.with({ _theme: name }).toString()}`,
    isCurrent: name === theme,
  }))
  return { theme, themes, cookie: isTheme(asked) ? cookieFor(asked, origin) : null }
}

function isTheme(text: string | null): text is Theme {
  return THEMES.includes(text as Theme)
}

function cookieFor(theme: Theme, origin: string): string {
  return writeCookie({
    name: COOKIE,
    value: theme,
    maxAge: YEAR,
    path: '/',
    domain: null,
    secure: origin.startsWith('https:'),
    httpOnly: true,
    sameSite: 'Lax',
  })
}
