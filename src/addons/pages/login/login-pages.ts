import type { Endpoint, Group } from '../../../core/app/group.ts'
import { ACCOUNT_LIMITS } from '../../../accounts/account-input.ts'
import type { TypedSettings } from '../../../core/types/typed-settings.ts'
import { type LoginAccounts, SessionLogin } from '../../../accounts/login/session-login.ts'
import type { ApiRequest, Incoming } from '../../../core/ports/request.ts'
import type { Reply } from '../../../core/ports/representations.ts'
import type { LoginFactors, LoginPasskeys, SessionSettings } from '../../../core/ports/sessions.ts'
import { SecondFactorRequired, Throttled } from '../../../core/errors/api-errors.ts'
import { messagesOf } from '../../../core/errors/detail.ts'
import { Message } from '../../../core/messages/message.ts'
import { type Words, wordsFor } from '../../../core/messages/words.ts'
import { templatesFor } from '../templates.ts'
import { coloursOf } from '../top-bar.ts'
import { uncached } from '../../../core/replies/reply.ts'
import { CSRF_FIELD } from '../../../policies/authentication/csrf/csrf.ts'
import { nextAddress } from '../../../core/std/http/next-address.ts'
import { Query, withQuery } from '../../../core/std/http/query.ts'
import type { HasRoutes } from '../../../core/types/routes.ts'
import { PAGE_SETTINGS, linksOf, placeNear, redirect, textsIn } from './page-settings.ts'
import { passkeyForm } from './passkeys-page.ts'

/**
 * Addresses of the login and logout pages. Take them into your own with `...loginUrls`, or under a prefix with `auth:
 * include('/accounts', loginUrls)` and a matching `LOGIN_URL`.
 */
export const loginUrls = { login: '/login/', logout: '/logout/' } as const

/** The address of the page where users prove again who they are: `...reauthenticationUrls`. */
export const reauthenticationUrls = { reauthenticate: '/login/again/' } as const

/** The ways in which the pages log people in. */
export interface LoginPagesOptions {
  readonly accounts: LoginAccounts
  /** Providers of `providerLogin` (`colophon/openid`): the page has a link for each. @default none */
  readonly providers?: Readonly<
    Record<string, { readonly issuer: string; readonly title?: string }>
  >
  /**
   * `secondFactors` of `colophon/factors`: users with a factor are asked for a code, at an address called `login-factor`.
   * @default users with a second factor are refused
   */
  readonly factors?: LoginFactors
  /** `passkeys` of `colophon/passkeys`: the pages ask for one, at an address called `login-passkey`. @default none */
  readonly passkeys?: LoginPasskeys
}

/** Names of the addresses that the pages need: `loginUrls` has them. */
export type LoginRoute = keyof typeof loginUrls

/**
 * The login page and the logout address (S30–S32), as endpoints for `serve`. Logging in takes a form and a CSRF token, from
 * anonymous clients too; then the browser goes to `next`, if it is an address of this service, or to `LOGIN_REDIRECT_URL`.
 * Logging out is a POST with a CSRF token.
 *
 * @example
 * const api = defineApi({ urls: defineUrls({ ...loginUrls, home: '/' }), accounts })
 * export default api.serve([...loginPages(api, { accounts }), home])
 */
export function loginPages<S extends TypedSettings, R, const O extends LoginPagesOptions>(
  api: Group<S, R> & HasRoutes<R, LoginRoute | OtherRoutesOf<O>>,
  options: O,
): readonly Endpoint<never>[] {
  const pages = new Pages(options)
  const group = groupOf(api)
  return [
    group
      .endpoint('login', { title: String(LOG_IN), queryParams: ['next', '_theme'] })
      .get({ ...PAGE, handle: (request) => pages.show(request, { asks: 'login' }) })
      .post({ ...PAGE, handle: (request) => pages.logIn(request), takesPasswords: true }),
    group
      .endpoint('logout', { title: String(Message.of('page.log_out')) })
      .post({ ...PAGE, handle: (request) => pages.logOut(request) }),
    ...(options.factors === undefined ? [] : [factorPage(group, pages)]),
  ]
}

function factorPage(group: ReturnType<typeof groupOf>, pages: Pages): Endpoint<never> {
  return group
    .endpoint('login-factor', { title: String(LOG_IN), queryParams: ['next', '_theme'] })
    .get({ ...PAGE, handle: (request) => pages.showCode(request) })
    .post({ ...PAGE, handle: (request) => pages.finish(request), takesPasswords: true })
}

/**
 * The page where logged-in users prove again who they are, for `IsRecentlyAuthenticated`. It takes the password, or leads to a
 * provider, and then goes to `next`. Session and CSRF token are new afterwards.
 *
 * @example
 * const api = defineApi({ urls: defineUrls({ ...loginUrls, ...reauthenticationUrls }), accounts })
 * export default api.serve([...loginPages(api, { accounts }), reauthenticationPage(api, { accounts })])
 */
export function reauthenticationPage<S extends TypedSettings, R, const O extends LoginPagesOptions>(
  api: Group<S, R> & HasRoutes<R, ReauthenticationRoute | OtherRoutesOf<O>>,
  options: O,
): Endpoint<never> {
  const pages = new Pages(options)
  return groupOf(api)
    .endpoint('reauthenticate', { title: String(AGAIN), queryParams: ['next', '_theme'] })
    .get({ ...PAGE, handle: (request) => pages.showAgain(request) })
    .post({ ...PAGE, handle: (request) => pages.logInAgain(request), takesPasswords: true })
}

/** Further addresses that the options need: for links to providers, for codes, and for the script of passkeys. */
type OtherRoutesOf<O> =
  | (O extends { readonly providers: object } ? 'provider-login' : never)
  | (O extends { readonly factors: object } ? 'login-factor' : never)
  | (O extends { readonly passkeys: object } ? 'login-passkey' : never)
type ReauthenticationRoute = keyof typeof reauthenticationUrls

/** Documents leave these pages out, because programs log in elsewhere. */
const PAGE = { operation: () => null }
const LOG_IN = Message.of('page.log_in')
const AGAIN = Message.of('page.log_in_again')

function groupOf(api: object) {
  return (api as Group<TypedSettings, Record<string, string>>).group({
    ...PAGE_SETTINGS,
    authentication: [],
    permissions: [],
  })
}

/** The question of a form, and the error in its last answer. */
interface Asked {
  readonly asks: 'login' | 'password' | 'code'
  readonly next?: string
  /** @default the form was not refused */
  readonly refused?: boolean
  readonly username?: string
  /** The error after too many attempts. */
  readonly limited?: Throttled
  /** Was a passkey sent? */
  readonly byPasskey?: boolean
}

class Pages {
  readonly #login: SessionLogin
  readonly #options: LoginPagesOptions

  constructor(options: LoginPagesOptions) {
    const { accounts, factors, passkeys } = options
    this.#login = new SessionLogin(accounts, factors, passkeys)
    this.#options = options
  }

  get #settings(): SessionSettings {
    return this.#options.accounts.sessions.settings
  }

  async show(request: ApiRequest, asked: Asked): Promise<Reply> {
    const { asks, next = wantedBy(request) ?? '', refused = false, username = '' } = asked
    const { token, cookies } = this.#login.csrf.issue(request)
    const templates = await templatesFor(request.settings.browsable)
    const words = wordsFor(request)
    const { path: action, origin } = request
    const colours = coloursOf(request, Query.parse('').with({ next: next || null }))
    const title = words.text(asks === 'password' ? AGAIN : LOG_IN)
    const windowTitle = refused ? words.text(Message.of('page.error', { title })) : title
    const own = { action, field: CSRF_FIELD, longestName: ACCOUNT_LIMITS.username, token, next }
    const form = { ...own, asks, username, refused }
    const sentence = wrongIn(asked, words)
    const ways = asks === 'code' ? [] : this.#waysOf(request, next, words)
    const { loginRedirectUrl, csrfHeaderName: header } = this.#settings
    const isKnown = asks !== 'login'
    const asking = { url: 'login-passkey', kind: 'get', header, isKnown } as const
    const passkey = this.#options.passkeys ? passkeyForm(request, asking) : null
    const links = asks === 'login' ? linksOf(request, words) : []
    const page = { ...colours, title, windowTitle, form, sentence, ways, links, passkey }
    const policy = templates.policyWith(placeOf(loginRedirectUrl, origin), passkey !== null)
    const kept = [...cookies, ...colours.cookies]
    const headers = { 'Content-Security-Policy': policy, ...words.headers, 'Set-Cookie': kept }
    return uncached(templates.render('login', words, page), {
      status: asked.limited?.status ?? 200,
      headers: { ...headers, ...asked.limited?.headers },
    })
  }

  async logIn(request: ApiRequest): Promise<Reply> {
    await this.#login.csrf.check(request)
    const textOf = await textsIn(request)
    const username = textOf('username')
    return this.#after(request, textOf, { asks: 'login', username }, () =>
      this.#login.logIn(request, username.trim(), textOf('password')),
    )
  }

  /** Asks the user of the session; other visitors go to the login page. */
  async showAgain(request: ApiRequest): Promise<Reply> {
    const user = await this.#login.current(request)
    if (user !== null) return this.show(request, { asks: 'password', username: user.username })
    return this.#toLogin(wantedBy(request))
  }

  async logInAgain(request: ApiRequest): Promise<Reply> {
    await this.#login.csrf.check(request)
    const textOf = await textsIn(request)
    const username = (await this.#login.current(request))?.username ?? ''
    return this.#after(request, textOf, { asks: 'password', username }, () =>
      this.#login.renew(request, textOf('password')),
    )
  }

  /** Asks for the code of a waiting log-in; without one, the visitor goes to the login page. */
  async showCode(request: ApiRequest): Promise<Reply> {
    return this.#options.factors?.isWaiting(request)
      ? this.show(request, { asks: 'code' })
      : this.#toLogin(wantedBy(request))
  }

  async finish(request: ApiRequest): Promise<Reply> {
    await this.#login.csrf.check(request)
    const textOf = await textsIn(request)
    if (!this.#options.factors?.isWaiting(request))
      return this.#toLogin(wantedBy(request, textOf('next')))
    return this.#after(request, textOf, { asks: 'code' }, () =>
      this.#login.finish(request, textOf('code'), textOf('remember') !== ''),
    )
  }

  #toLogin(next: string | null): Reply {
    const { loginUrl } = this.#settings
    return redirect(next === null ? loginUrl : withQuery(loginUrl, 'next', next), [])
  }

  async logOut(request: ApiRequest): Promise<Reply> {
    await this.#login.csrf.check(request)
    const { loginUrl } = this.#settings
    return redirect(loginUrl, await this.#login.logOut(request))
  }

  /** Redirects to the address that the visitor wants, or shows the form again. */
  async #after(
    request: ApiRequest,
    textOf: (name: string) => string,
    asked: Asked,
    logIn: () => ReturnType<SessionLogin['logIn']>,
  ): Promise<Reply> {
    const next = wantedBy(request, textOf('next'))
    const passkey = this.#options.passkeys ? textOf('passkey') : ''
    const again = { ...asked, next: next ?? '', refused: true, byPasskey: passkey !== '' }
    try {
      const loggedIn = await (passkey === ''
        ? logIn()
        : this.#login.enterByPasskey(request, passkey))
      if (loggedIn === null) return await this.show(request, again)
      const { loginRedirectUrl } = this.#settings
      return redirect(next ?? loginRedirectUrl, loggedIn.cookies)
    } catch (error) {
      if (error instanceof Throttled) return this.show(request, { ...again, limited: error })
      const cookie = error instanceof SecondFactorRequired ? error.headers['Set-Cookie'] : null
      if (!cookie) throw error
      return redirect(placeNear(request, 'login-factor', {}, next ?? ''), [cookie])
    }
  }

  #waysOf(request: ApiRequest, next: string, words: Words): readonly object[] {
    return Object.entries(this.#options.providers ?? {}).map(([name, { title = name }]) => ({
      title: words.text(Message.of('page.log_in_with', { name: title })),
      url: placeNear(request, 'provider-login', { provider: name }, next),
    }))
  }
}

/** The address that the visitor wants: from the form, or else from the query. */
function wantedBy({ query, origin }: Incoming, field = ''): string | null {
  return nextAddress(field || (query.get('next') ?? ''), origin)
}

/** Each way has one message, which does not tell what was wrong (I5). */
function wrongIn({ asks, byPasskey, limited }: Asked, words: Words): string {
  if (limited) return String(messagesOf(limited.inWords((message) => words.text(message)).detail))
  const key = asks === 'code' ? 'page.wrong_code' : 'authorization'
  return words.text(byPasskey ? Message.of('invalid.passkey') : Message.of(key))
}

/** The place of `target` for `form-action` if it is another origin: browsers also apply it to the redirect after a form. */
function placeOf(target: string, own: string): string | null {
  const url = URL.parse(target, own)
  // An address such as `app:/home` has no origin; its scheme stands for it.
  const place = url && (url.origin === 'null' ? url.protocol : url.origin)
  return place === new URL(own).origin ? null : place
}
