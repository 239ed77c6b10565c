import type { Endpoint, Group } from '../api/types.ts'
import type { Scope } from '../types/scope.ts'
import { type LoginAccounts, SessionLogin } from '../authentication/session-login.ts'
import type { ApiRequest, Incoming, Reply } from '../contract/request.ts'
import { defineUrls } from '../links/address-table.ts'
import { Message } from '../messages/message.ts'
import { wordsFor } from '../messages/words.ts'
import { uncached } from '../replies/reply.ts'
import { Form } from '../std/http/form.ts'
import type { EndpointName } from '../types/routes.ts'
import { loginForm, loginPolicy } from './login-form.ts'
import { PAGE_SETTINGS } from './page-policy.ts'

/**
 * Addresses of the login and logout pages. Take them into your own with `...loginUrls`, or under a
 * prefix with `auth: include('/accounts', loginUrls)`, and set `LOGIN_URL` then.
 */
export const loginUrls: { readonly login: '/login/'; readonly logout: '/logout/' } = defineUrls({
  login: '/login/',
  logout: '/logout/',
})

/** What the pages log people in with. */
export interface LoginPagesOptions {
  readonly accounts: LoginAccounts
}

/** Names of the addresses that the pages need: `loginUrls` has them. */
export type LoginRoute = keyof typeof loginUrls

/**
 * The login page and the logout address (S30–S32), as endpoints for `serve`. Logging in takes a form and
 * a CSRF token, from anonymous clients too; afterwards the browser goes to `next`, where that is an address of this
 * service, or to `LOGIN_REDIRECT_URL`. Logging out is a POST with a CSRF token.
 *
 * @example
 * const api = defineApi({ urls: defineUrls({ ...loginUrls, home: '/' }), accounts })
 * export default api.serve([...loginPages(api, { accounts }), home])
 */
export function loginPages<S extends Scope, R>(
  api: Group<S, R> & WithRoutes<R>,
  { accounts }: LoginPagesOptions,
): readonly Endpoint<never>[] {
  const login = new SessionLogin(accounts)
  const { settings } = accounts.sessions
  const pages = (api as unknown as Group<Scope, Record<string, string>>).group({
    ...PAGE_SETTINGS,
    authentication: [],
    permissions: [],
  })
  const showForm = (request: Incoming, next: string, refused: string | null = null): Reply => {
    const { token, cookies } = login.csrf.issue(request)
    const { path: action, origin } = request
    const words = wordsFor(request)
    const form = { action, token, next, username: refused ?? '', refused: refused !== null }
    const policy = loginPolicy(settings.loginRedirectUrl, origin)
    const headers = { 'Content-Security-Policy': policy, ...words.headers, 'Set-Cookie': cookies }
    return uncached(loginForm(form, words), { headers })
  }
  const submit = async (request: ApiRequest): Promise<Reply> => {
    await login.csrf.check(request)
    const body = await request.body()
    const textOf = (name: string): string => {
      const value = body instanceof Form ? body.get(name) : undefined
      return typeof value === 'string' ? value : ''
    }
    const [username, next] = [textOf('username'), wantedBy(request, textOf('next'))]
    const loggedIn = await login.logIn(request, username.trim(), textOf('password'))
    if (loggedIn === null) return showForm(request, next ?? '', username)
    return redirect(next ?? settings.loginRedirectUrl, loggedIn.cookies)
  }
  const leave = async (request: ApiRequest): Promise<Reply> => {
    await login.csrf.check(request)
    return redirect(settings.loginUrl, await login.logOut(request))
  }
  return [
    pages
      .endpoint('login', { title: String(Message.of('page.log_in')) })
      .get((request) => showForm(request, wantedBy(request) ?? ''))
      .post(submit),
    pages.endpoint('logout', { title: String(Message.of('page.log_out')) }).post(leave),
  ]
}

/** A condition, because a table with fewer names is assignable to one with more. */
type WithRoutes<R> =
  LoginRoute extends EndpointName<R> ? unknown : { readonly '~needs': LoginRoute }

/** Where the visitor wants to go, by the form or else the address of the page. */
function wantedBy({ query, origin }: Incoming, field = ''): string | null {
  return nextAddress(field || (query.get('next') ?? ''), origin)
}

/** Characters of an address that browsers, proxies and logs all accept. */
const LONGEST = 2000

/** Browsers read a backslash as a slash and skip control characters: no address of a service has either. */
const ODD = /[\p{Cc}\\]/u

/**
 * Where to go after logging in: `next` as a path of this service, or `null` where it leads anywhere
 * else. A page that sends visitors wherever a link points lends its good name to strangers.
 */
export function nextAddress(next: string, origin: string): string | null {
  if (next.length > LONGEST || ODD.test(next) || !/^(?:\/|https?:\/\/)/i.test(next)) return null
  const url = URL.parse(next, origin)
  if (url === null || url.origin !== new URL(origin).origin) return null
  const path = url.pathname + url.search + url.hash
  // Two slashes name a host, also where they only appear once `.` and `..` are resolved.
  return path.startsWith('//') ? null : path
}

function redirect(Location: string, cookies: readonly string[]): Reply {
  return uncached(null, { status: 302, headers: { Location, 'Set-Cookie': cookies } })
}
