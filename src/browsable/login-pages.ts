import type { Endpoint, Group } from '../api/types.ts'
import type { Scope } from '../types/scope.ts'
import { type LoginAccounts, SessionLogin } from '../authentication/session-login.ts'
import type { ApiRequest, Incoming, Reply } from '../contract/request.ts'
import { defineUrls } from '../links/address-table.ts'
import { Throttled } from '../errors/api-errors.ts'
import { messagesOf } from '../errors/detail.ts'
import { Message } from '../messages/message.ts'
import { type Words, wordsFor } from '../messages/words.ts'
import { uncached } from '../replies/reply.ts'
import { contentPolicy, styleHash } from '../std/http/content-security-policy.ts'
import { Form } from '../std/http/form.ts'
import { escapeHtml } from '../std/text/escape-html.ts'
import { htmlPage } from '../std/text/html-page.ts'
import type { EndpointName } from '../types/routes.ts'
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
  const showForm = (
    request: Incoming,
    next: string,
    refused: string | null = null,
    limited: Throttled | null = null,
  ): Reply => {
    const { token, cookies } = login.csrf.issue(request)
    const { path: action, origin } = request
    const words = wordsFor(request)
    const known = { action, token, next, username: refused ?? '', refused: refused !== null }
    const form = limited === null ? known : { ...known, sentence: sentenceOf(limited, words) }
    const policy = loginPolicy(settings.loginRedirectUrl, origin)
    const headers = { 'Content-Security-Policy': policy, ...words.headers, 'Set-Cookie': cookies }
    return uncached(loginForm(form, words), {
      status: limited?.status ?? 200,
      headers: { ...headers, ...limited?.headers },
    })
  }
  const submit = async (request: ApiRequest): Promise<Reply> => {
    await login.csrf.check(request)
    const body = await request.body()
    const textOf = (name: string): string => {
      const value = body instanceof Form ? body.get(name) : null
      return typeof value === 'string' ? value : ''
    }
    const [username, next] = [textOf('username'), wantedBy(request, textOf('next'))]
    try {
      const loggedIn = await login.logIn(request, username.trim(), textOf('password'))
      if (loggedIn === null) return showForm(request, next ?? '', username)
      return redirect(next ?? settings.loginRedirectUrl, loggedIn.cookies)
    } catch (error) {
      if (error instanceof Throttled) return showForm(request, next ?? '', username, error)
      throw error
    }
  }
  const leave = async (request: ApiRequest): Promise<Reply> => {
    await login.csrf.check(request)
    return redirect(settings.loginUrl, await login.logOut(request))
  }
  return [
    pages
      .endpoint('login', { title: String(Message.of('page.log_in')), queryParams: ['next'] })
      .get((request) => showForm(request, wantedBy(request) ?? ''))
      .post({ handle: submit, takesPasswords: true }),
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

/** What the login page shows. */
export interface LoginForm {
  /** Address that the form is sent to. */
  readonly action: string
  readonly token: string
  /** Where to go afterwards; `''`: nowhere in particular. */
  readonly next: string
  /** What was typed, after it was refused. */
  readonly username: string
  readonly refused: boolean
  /** @default that the credentials are wrong */
  readonly sentence?: string
}

function sentenceOf(error: Throttled, words: Words): string {
  return String(messagesOf(error.inWords((message) => words.text(message)).detail))
}

/** The login page: a form for keyboards, screen readers and password managers alike, without script. */
export function loginForm(form: LoginForm, words: Words): string {
  const shown = (message: Message): string => escapeHtml(words.text(message))
  const heading = shown(LOG_IN)
  const title = words.text(form.refused ? Message.of('page.error', { title: LOG_IN }) : LOG_IN)
  // One message, whatever was wrong (I5).
  const { sentence = words.text(Message.of('authorization')) } = form
  const refusal = form.refused
    ? `<p id="refused" class="refused" role="alert">${escapeHtml(sentence)}</p>\n`
    : ''
  const main = `<h1>${heading}</h1>
${refusal}<form method="post" action="${escapeHtml(form.action)}">
<input type="hidden" name="csrfmiddlewaretoken" value="${escapeHtml(form.token)}">
<input type="hidden" name="next" value="${escapeHtml(form.next)}">
<p><label for="username">${shown(Message.of('page.username'))}</label>
<input id="username" type="text" name="username" value="${escapeHtml(form.username)}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="150" required${focus(!form.refused)}${invalid(form)}></p>
<p><label for="password">${shown(Message.of('page.password'))}</label>
<input id="password" type="password" name="password" autocomplete="current-password" required${focus(form.refused)}${invalid(form)}></p>
<p><button type="submit">${heading}</button></p>
</form>
`
  return htmlPage({ language: words.language, title, style: STYLE, main })
}

/** Browsers hold the form to it also where its answer sends them on: `target` may be of another origin. */
function loginPolicy(target: string, own: string): string {
  const url = URL.parse(target, own)
  // An address such as `app:/home` has no origin of its own.
  const place = url && (url.origin === 'null' ? url.protocol : url.origin)
  const formsTo = place === new URL(own).origin ? null : place
  return contentPolicy({ loads: 'none', style: STYLE_HASH, formsTo })
}

const LOG_IN = Message.of('page.log_in')

const focus = (here: boolean): string => (here ? ' autofocus' : '')
const invalid = ({ refused }: LoginForm): string =>
  refused ? ' aria-invalid="true" aria-describedby="refused"' : ''

const STYLE = `
:root { color-scheme: light dark }
body { margin: 0 auto; max-width: 24rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif }
label { display: block; font-weight: bold }
input, button { box-sizing: border-box; width: 100%; padding: .5rem; font: inherit; border: 1px solid #767676; border-radius: .25rem }
input:focus-visible, button:focus-visible { outline: 3px solid #1a73e8; outline-offset: 1px }
.refused { padding: .5rem 1rem; border: 2px solid #c62828; border-radius: .25rem }
`
const STYLE_HASH = styleHash(STYLE)
