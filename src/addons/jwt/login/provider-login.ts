import type { Accounts } from '../../../accounts/create-accounts.ts'
import { SessionLogin } from '../../../accounts/login/session-login.ts'
import type { Endpoint, Group } from '../../../core/app/group.ts'
import {
  ApiError,
  NotFound,
  ParseError,
  SecondFactorRequired,
} from '../../../core/errors/api-errors.ts'
import { Message } from '../../../core/messages/message.ts'
import { FormParser } from '../../../core/parsing/form.ts'
import { contextOf } from '../../../core/pipeline/context.ts'
import type { User } from '../../../core/ports/credentials.ts'
import type { ServiceFacts } from '../../../core/ports/service-facts.ts'
import type { Reply } from '../../../core/ports/representations.ts'
import type { ApiRequest, Incoming } from '../../../core/ports/request.ts'
import { uncached } from '../../../core/replies/reply.ts'
import { StaticHTMLRenderer } from '../../../core/representations/static-html.ts'
import type { LoginFactors } from '../../../core/ports/sessions.ts'
import { withQuery } from '../../../core/std/http/query.ts'
import type { HasRoutes } from '../../../core/types/routes.ts'
import type { TypedSettings } from '../../../core/types/typed-settings.ts'
import { SessionAuthentication } from '../../../policies/authentication/session.ts'
import { IsRecentlyAuthenticated } from '../../../policies/permissions/builtin.ts'
import { type LogFailure, levelFor } from '../keys.ts'
import type { Claims } from '../users.ts'
import { type Flow, Flows, sentField, onwards, leadTo, wantedBy } from './flows.ts'
import { type Creation, LinkedUsers, subjectIn } from './linked-users.ts'
import type { LoginProvider } from './login-provider.ts'
import { LoginRefused, Provider } from './provider.ts'

/** Addresses of logging in with providers. Take them into your own with `...providerUrls`. */
export const providerUrls = {
  'provider-login': '/login/:provider/',
  'provider-callback': '/login/:provider/callback/',
  'provider-logout': '/login/:provider/logout/',
  'provider-logged-out': '/login/:provider/logged-out/',
} as const

/** Names of the addresses that logging in with providers needs: `providerUrls` has them. */
export type ProviderRoute = keyof typeof providerUrls

/** Options for logging in with providers. */
export interface ProviderLoginOptions<U extends User = User> {
  readonly accounts: Accounts<U>
  /** The providers by name, which is part of their addresses: `{ google: { issuer, client } }`. */
  readonly providers: Readonly<Record<string, LoginProvider>>
  /**
   * Makes an account, without a password, when someone comes first: `true`, or what it is made from. By default its user name
   * is made of issuer and subject, and never of an address. Nothing makes staff or superusers. @default false
   */
  readonly create?: Creation<U>
  /**
   * Those of `secondFactors` (`colophon/factors`): users with one are asked for a code here too, at `login-factor`, an address
   * beside those of the providers. `null`: the provider is enough for them, also as a new proof. @default such users are refused
   */
  readonly factors?: LoginFactors<U> | null
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

/**
 * Logging in with identity providers (OpenID Connect Core 1.0: code flow, PKCE, state and nonce), as endpoints for
 * `serve`. An account belongs to issuer and subject, and never to an address.
 *
 * @example
 * const providers = { google: { issuer: 'https://accounts.google.com', client: { id, secret } } }
 * const api = defineApi({ urls: defineUrls({ ...loginUrls, ...providerUrls, home: '/' }), accounts })
 * export default api.serve([
 *   ...loginPages(api, { accounts, providers }),
 *   ...providerLogin(api, { accounts, providers, create: true }),
 *   home,
 * ])
 *
 * @throws ConfigurationError an option of a provider is missing or unsafe
 */
export function providerLogin<
  S extends TypedSettings,
  R,
  U extends User,
  const F extends LoginFactors<U> | null | undefined = undefined,
>(
  api: Group<S, R> & HasRoutes<R, ProviderRoute | (F extends object ? 'login-factor' : never)>,
  options: ProviderLoginOptions<U> & { readonly factors?: F },
): readonly Endpoint<never>[] {
  const logins = new ProviderLogins(options)
  const { accounts, factors, now = Date.now } = options
  const pages = (api as unknown as Group<TypedSettings, Record<string, string>>).group({
    renderers: [new StaticHTMLRenderer()],
    parsers: [new FormParser()],
    versioning: null,
    pagination: null,
    metadata: null,
    urlFormatOverride: null,
    authentication: [],
    permissions: [],
  })
  const shown = (handle: (request: ApiRequest) => Promise<Reply>) => ({
    // Programs log in elsewhere: it stands in no document.
    operation: () => null,
    handle,
  })
  // A linked identity lets its user in from then on, so an old session is not enough.
  const permissions = [new IsRecentlyAuthenticated({ within: '10 minutes', now })]
  const authentication = [new SessionAuthentication(accounts)]
  return [
    pages
      .endpoint('provider-login', { authentication })
      .get(shown((request) => logins.begin(request)))
      .post({ ...shown((request) => logins.beginLink(request)), permissions }),
    pages.endpoint('provider-callback').get({
      ...shown((request) => logins.finish(request)),
      check: (_, service) => (factors ? lackOfCodePage(service) : null),
    }),
    pages.endpoint('provider-logout').post(shown((request) => logins.logOut(request))),
    pages.endpoint('provider-logged-out').post(shown((request) => logins.endSessions(request))),
  ]
}

function lackOfCodePage({ routes, route }: ServiceFacts): string | null {
  const name = [...route!.namespace, 'login-factor'].join(':')
  if (routes.some((each) => each.name === name)) return null
  return `with "factors", people are asked for a code at the address "${name}", which is not there. Take it from factorUrls, and pass "factors" to loginPages.`
}

/** The provider is asked, and takes a code once. */
const CALLBACK = { isCostly: true, isSingleUse: true }

class ProviderLogins<U extends User> {
  readonly #accounts: Accounts<U>
  readonly #users: LinkedUsers<U>
  readonly #login: SessionLogin<U>
  /** For users with a second factor: `undefined`: they are refused; `null`: the provider is enough for them. */
  readonly #factors: LoginFactors<U> | null | undefined
  readonly #flows: Flows
  readonly #providers: ReadonlyMap<string, Provider>

  constructor(options: ProviderLoginOptions<U>) {
    const { accounts, providers, create = false, factors, now = Date.now } = options
    this.#accounts = accounts
    this.#users = new LinkedUsers(accounts, create)
    this.#login = new SessionLogin(accounts, factors ?? null)
    this.#factors = factors
    this.#flows = new Flows(accounts.seals, () => accounts.sessions.settings, now)
    this.#providers = new Map(
      Object.entries(providers).map(([name, each]) => [name, new Provider(name, each, now)]),
    )
    // Their table is made where an application uses them.
    void accounts.identities
  }

  /** The browser goes to the provider. */
  async begin(request: ApiRequest): Promise<Reply> {
    const { location, cookie } = await this.#begun(request, null)
    return leadTo(location, [cookie])
  }

  /** Begins to link another identity with the user of this session. */
  async beginLink(request: ApiRequest): Promise<Reply> {
    const { id } = request.user as User
    const { location, cookie, title } = await this.#begun(request, id)
    return onwards(request, location, title, [cookie])
  }

  async #begun(request: ApiRequest, link: number | null) {
    const provider = this.#providerOf(request)
    const next = await wantedBy(request)
    const { flow, cookie } = this.#flows.begin(request, { provider: provider.name, next, link })
    const location = await provider.address(flow, callbackOf(request), logOf(request, provider))
    return { location, cookie, title: provider.title }
  }

  /** The browser comes back. */
  async finish(request: ApiRequest): Promise<Reply> {
    const provider = this.#providerOf(request)
    const log = logOf(request, provider)
    const state = request.url.searchParams.get('state')
    const begun = this.#flows.end(request, provider.name, state)
    try {
      if (begun === null) throw new LoginRefused('this browser has begun no such log-in')
      const claims = await this.#claimed(request, provider, begun.flow)
      return await this.#known(request, begun.flow, claims, begun.cookie)
    } catch (error) {
      const refusal = refusalOf(error, log)
      // The flow is over, whatever its result.
      throw begun === null || !(refusal instanceof ApiError)
        ? refusal
        : refusal.answeredWith(refusal.status, { 'Set-Cookie': begun.cookie })
    }
  }

  /** Each that is wrong may have asked the provider, and is a guess of the client. */
  async #claimed(request: ApiRequest, provider: Provider, flow: Flow): Promise<Claims> {
    const { guesses, url } = request
    const address = new URL(callbackOf(request) + url.search)
    let refusal: unknown = null
    const look = () =>
      provider.claims(flow, address, logOf(request, provider)).catch((error: unknown) => {
        if (!(error instanceof LoginRefused)) throw error
        refusal = error
        return null
      })
    // A user who cancels at the provider guesses nothing, so the provider is not asked. An empty error is none.
    const isOver = Boolean(address.searchParams.get('error'))
    const found = await (guesses === null || isOver
      ? look()
      : guesses.key(url.search, look, CALLBACK))
    if (found === null) throw refusal
    return found
  }

  async #known(request: ApiRequest, flow: Flow, claims: Claims, cookie: string): Promise<Reply> {
    const next = flow.next ?? this.#accounts.sessions.settings.loginRedirectUrl
    if (flow.link !== null) {
      const user = await this.#login.current(request)
      if (user?.id !== flow.link) throw new LoginRefused('another user is logged in by now')
      await this.#users.link(request, user, claims)
      return leadTo(next, [cookie])
    }
    const user = await this.#users.userFor(request, flow.provider, claims)
    const { users } = this.#accounts
    try {
      if (this.#factors === undefined && (await users.needsMore(user)))
        throw new SecondFactorRequired({}, Message.of('second_factor_required.provider'))
      const enters = this.#factors === null ? 'begin' : 'enter'
      const { cookies } = await this.#login[enters](request, user)
      return leadTo(next, [cookie, ...cookies])
    } catch (error) {
      const waiting = error instanceof SecondFactorRequired ? error.headers['Set-Cookie'] : null
      if (!waiting) throw error
      const place = withQuery(near(request, 'login-factor'), 'next', next)
      return leadTo(place, [cookie, waiting])
    }
  }

  /** Ends our session, and the one at the provider if possible. */
  async logOut(request: ApiRequest): Promise<Reply> {
    await this.#login.csrf.check(request)
    const provider = this.#providerOf(request)
    const cookies = await this.#login.logOut(request)
    const { loginUrl } = this.#accounts.sessions.settings
    const back = new URL(loginUrl, request.origin).href
    const location = await provider.endOfSession(back, logOf(request, provider))
    if (location === null) return leadTo(loginUrl, cookies)
    return onwards(request, location, provider.title, cookies)
  }

  /** The provider itself says that a user has logged out there (OpenID Connect Back-Channel Logout 1.0). */
  async endSessions(request: ApiRequest): Promise<Reply> {
    const provider = this.#providerOf(request)
    const log = logOf(request, provider)
    const token = await sentField(request, 'logout_token')
    const problem = await provider.loggedOut(token, log, (claims) => this.#endAll(claims))
    if (problem === null) return uncached('')
    log('openid.refused', { reason: `logout token: ${problem}` })
    throw new ParseError(Message.of('parse_error.log_in'))
  }

  async #endAll(claims: Claims): Promise<void> {
    const { families, identities, sessions } = this.#accounts
    const found = await identities.find(subjectIn(claims))
    if (found === null) return
    await sessions.endAllOf(found.user)
    await families.endAll(found.user)
  }

  #providerOf(request: Incoming): Provider {
    const provider = this.#providers.get(String(request.params['provider']))
    if (provider === undefined) throw new NotFound()
    return provider
  }
}

function refusalOf(error: unknown, log: LogFailure): unknown {
  if (!(error instanceof LoginRefused)) return error
  log('openid.refused', { reason: error.message })
  return new ParseError(Message.of('parse_error.log_in'))
}

/** The same address that the browser took to the provider. */
function callbackOf(request: ApiRequest): string {
  return near(request, 'provider-callback', request.params)
}

function near({ endpointName: name, linker }: ApiRequest, route: string, params = {}): string {
  const space = name.slice(0, name.lastIndexOf(':') + 1)
  return linker(`${space}${route}`).url(params)
}

/** Logs one line a second for each reason, without any text of the provider or the browser. */
function logOf(request: ApiRequest, { name: provider }: Provider): LogFailure {
  const { id } = request
  return (event, record) => {
    const kind = `${event} ${provider} ${String(record['reason'])}`
    contextOf(request).logSeldom(kind, { event, id, provider, ...record }, levelFor(event, record))
  }
}
