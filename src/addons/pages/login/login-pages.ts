import type { Endpoint, Group } from '../../../core/app/group.ts'
import { ACCOUNT_LIMITS } from '../../../accounts/account-input.ts'
import type { TypedSettings } from '../../../core/types/typed-settings.ts'
import { type LoginAccounts, SessionLogin } from '../../../accounts/login/session-login.ts'
import type { ApiRequest, Incoming } from '../../../core/ports/request.ts'
import type { Reply } from '../../../core/ports/representations.ts'
import { Throttled } from '../../../core/errors/api-errors.ts'
import { messagesOf } from '../../../core/errors/detail.ts'
import { Message } from '../../../core/messages/message.ts'
import { type Words, wordsFor } from '../../../core/messages/words.ts'
import { templatesFor } from '../templates.ts'
import { coloursOf } from '../top-bar.ts'
import { uncached } from '../../../core/replies/reply.ts'
import { Form } from '../../../core/std/http/form.ts'
import { CSRF_FIELD } from '../../../policies/authentication/csrf/csrf.ts'
import { nextAddress } from '../../../core/std/http/next-address.ts'
import { Query, withQuery } from '../../../core/std/http/query.ts'
import type { HasRoutes } from '../../../core/types/routes.ts'
import { PAGE_SETTINGS } from './page-settings.ts'

/**
 * Addresses of the login and logout pages. Take them into your own with `...loginUrls`, or under a
 * prefix with `auth: include('/accounts', loginUrls)`, and set `LOGIN_URL` then.
 */
export const loginUrls = { login: '/login/', logout: '/logout/' } as const

/** What the pages log people in with. */
export interface LoginPagesOptions {
  readonly accounts: LoginAccounts
  /** Those of `providerLogin` (`colophon/openid`): the page has a link for each. @default none */
  readonly providers?: Readonly<
    Record<string, { readonly issuer: string; readonly title?: string }>
  >
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
export function loginPages<S extends TypedSettings, R, const O extends LoginPagesOptions>(
  api: Group<S, R> & HasRoutes<R, LoginRoute | ProviderRouteOf<O>>,
  { accounts, providers = {} }: O,
): readonly Endpoint<never>[] {
  const login = new SessionLogin(accounts)
  const { settings } = accounts.sessions
  const pages = (api as unknown as Group<TypedSettings, Record<string, string>>).group({
    ...PAGE_SETTINGS,
    authentication: [],
    permissions: [],
  })
  const showForm = async (
    request: ApiRequest,
    next: string,
    refused: string | null = null,
    limited: Throttled | null = null,
  ): Promise<Reply> => {
    const { token, cookies } = login.csrf.issue(request)
    const templates = await templatesFor(request.settings.browsable)
    const words = wordsFor(request)
    const { path: action, origin } = request
    const colours = coloursOf(request, Query.parse('').with({ next: next || null }))
    const title = words.text(LOG_IN)
    const windowTitle = refused === null ? title : words.text(Message.of('page.error', { title }))
    const own = { action, field: CSRF_FIELD, longestName: ACCOUNT_LIMITS.username, token, next }
    const form = { ...own, username: refused ?? '', refused: refused !== null }
    // One message, whatever was wrong (I5).
    const sentence =
      limited === null ? words.text(Message.of('authorization')) : sentenceOf(limited, words)
    const ways = Object.entries(providers).map(([name, { title: shown = name }]) => ({
      title: words.text(Message.of('page.log_in_with', { name: shown })),
      url: providerAddress(request, name, next),
    }))
    const page = { ...colours, title, windowTitle, form, sentence, ways }
    const policy = templates.policyWith(placeOf(settings.loginRedirectUrl, origin))
    const kept = [...cookies, ...colours.cookies]
    const headers = { 'Content-Security-Policy': policy, ...words.headers, 'Set-Cookie': kept }
    return uncached(templates.render('login', words, page), {
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
      .endpoint('login', {
        title: String(Message.of('page.log_in')),
        queryParams: ['next', '_theme'],
      })
      .get({ ...PAGE, handle: (request) => showForm(request, wantedBy(request) ?? '') })
      .post({ ...PAGE, handle: submit, takesPasswords: true }),
    pages
      .endpoint('logout', { title: String(Message.of('page.log_out')) })
      .post({ ...PAGE, handle: leave }),
  ]
}

/** The address that links lead to, where there are any. */
type ProviderRouteOf<O> = O extends { readonly providers: object } ? 'provider-login' : never

function providerAddress(request: ApiRequest, provider: string, next: string): string {
  const { endpointName: own } = request
  const name = `${own.slice(0, own.lastIndexOf(':') + 1)}provider-login`
  const address = request.linker(name).url({ provider })
  return next === '' ? address : withQuery(address, 'next', next)
}

/** Programs log in elsewhere: it stands in no document. */
const PAGE = { operation: () => null }

/** Where the visitor wants to go, by the form or else the address of the page. */
function wantedBy({ query, origin }: Incoming, field = ''): string | null {
  return nextAddress(field || (query.get('next') ?? ''), origin)
}

function redirect(Location: string, cookies: readonly string[]): Reply {
  return uncached(null, { status: 302, headers: { Location, 'Set-Cookie': cookies } })
}

function sentenceOf(error: Throttled, words: Words): string {
  return String(messagesOf(error.inWords((message) => words.text(message)).detail))
}

/** Browsers hold the form to it also where its answer sends them on: `target` may be of another origin. */
function placeOf(target: string, own: string): string | null {
  const url = URL.parse(target, own)
  // An address such as `app:/home` has no origin of its own.
  const place = url && (url.origin === 'null' ? url.protocol : url.origin)
  return place === new URL(own).origin ? null : place
}

const LOG_IN = Message.of('page.log_in')
