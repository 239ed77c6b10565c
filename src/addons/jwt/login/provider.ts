import { errors } from 'jose'
import {
  AuthorizationResponseError,
  type CustomFetch,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  None,
  ResponseBodyError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
} from 'openid-client'
import { ServiceUnavailable } from '../../../core/errors/api-errors.ts'
import { Message } from '../../../core/messages/message.ts'
import { BoundedMap } from '../../../core/std/bounded-map.ts'
import { type LogFailure, ProviderKeys, bodyBytes, failedBecause } from '../keys.ts'
import { isSafe } from '../option-checks.ts'
import { Published } from '../published.ts'
import { type Reason, SignedTokens, reasonOf, verified } from '../token.ts'
import type { Claims } from '../users.ts'
import type { Flow } from './flows.ts'
import { type LoginProvider, checkProvider } from './login-provider.ts'

/** A log-in is refused: why, for the log. The browser learns nothing of it. */
export class LoginRefused extends Error {}

/** The time after which metadata is fetched again. */
const MAX_AGE = 3_600_000
/** The time after which keys are. */
const KEYS_AGE = 300_000
/** Questions under way, beyond which requests are sent away. */
const AT_ONCE = 100
/** Logout tokens that were taken; each lives for minutes. */
const REMEMBERED = 10_000
/** Seconds. */
const OLDEST_LOGOUT = 300

interface Known {
  readonly configuration: Configuration
  readonly keys: ProviderKeys
  readonly logouts: SignedTokens
}

/** A provider: its metadata, fetched on first use, and the questions to it. */
export class Provider {
  readonly name: string
  readonly title: string
  readonly #options: LoginProvider
  /** Milliseconds. */
  readonly #times: { readonly timeout: number; readonly cooldown: number }
  readonly #now: () => number
  /** Has each logout token ended its sessions? Tokens that failed are forgotten. */
  readonly #seen = new BoundedMap<string, Promise<boolean>>(REMEMBERED)
  readonly #known: Published<Known, LogFailure>
  #asking = 0

  /** @throws ConfigurationError an option is missing or unsafe */
  constructor(name: string, options: LoginProvider, now: () => number) {
    checkProvider(name, options)
    this.name = name
    this.title = options.title ?? name
    this.#options = options
    const { timeout = 5000, cooldown = 10_000 } = options
    this.#times = { timeout, cooldown }
    this.#now = now
    this.#known = new Published(
      () => this.#discovered(),
      (error, log) => log('openid.unavailable', { reason: problemOf(error).reason }),
      { maxAge: MAX_AGE, cooldown, staleFor: Infinity },
      now,
    )
  }

  /** The address for the browser. @throws ServiceUnavailable (503) the provider cannot be reached */
  async address(flow: Flow, redirectUri: string, log: LogFailure): Promise<string> {
    const { configuration } = await this.#ready(log)
    const scope = [...new Set(['openid', ...(this.#options.scopes ?? [])])].join(' ')
    const url = buildAuthorizationUrl(configuration, {
      ...this.#options.parameters,
      scope,
      redirect_uri: redirectUri,
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: 'S256',
    })
    return url.href
  }

  /**
   * The provider's claims about the user who comes back at `address`.
   *
   * @throws LoginRefused it does not fit the flow, or what the provider signed is wrong
   * @throws ServiceUnavailable (503) the provider is away
   */
  async claims(flow: Flow, address: URL, log: LogFailure): Promise<Claims> {
    const { configuration, keys } = await this.#ready(log)
    if (this.#asking >= AT_ONCE) throw away(1)
    this.#asking += 1
    try {
      const tokens = await authorizationCodeGrant(configuration, address, {
        pkceCodeVerifier: flow.verifier,
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        idTokenExpected: true,
      })
      const { algorithm = 'RS256' } = this.#options
      const failed: LogFailure = (_, record) => log('openid.unavailable', record)
      // The client of OpenID compares claims alone: it would know of new keys a minute later.
      await verified(tokens.id_token!, (header) => keys.find(header, failed), {
        algorithms: [algorithm],
        clockTolerance: '1 minute',
      })
      return tokens.claims() as unknown as Claims
    } catch (error) {
      if (error instanceof ServiceUnavailable) throw away(Number(error.headers['Retry-After']))
      const { reason, isAway } = problemOf(error)
      if (!isAway) throw new LoginRefused(reason)
      log('openid.unavailable', { reason })
      throw away(1)
    } finally {
      this.#asking -= 1
    }
  }

  /** The address that ends the session at the provider; `null`: unknown, unreachable, or not wanted. */
  async endOfSession(back: string, log: LogFailure): Promise<string | null> {
    if (this.#options.endSession === false) return null
    try {
      const { configuration } = await this.#ready(log)
      if (configuration.serverMetadata().end_session_endpoint === undefined) return null
      return buildEndSessionUrl(configuration, { post_logout_redirect_uri: back }).href
    } catch (error) {
      if (error instanceof ServiceUnavailable) return null
      throw error
    }
  }

  /**
   * Ends what a token of the provider says (OpenID Connect Back-Channel Logout 1.0, 2.6), once: where `end` fails, the provider
   * may try again. Why it is refused; `null`: it is not.
   *
   * @throws ServiceUnavailable (503) it cannot be decided now
   */
  async loggedOut(
    token: string,
    log: LogFailure,
    end: (claims: Claims) => Promise<void>,
  ): Promise<Reason | null> {
    const claims = await (await this.#ready(log)).logouts.judge(token, log)
    if (typeof claims === 'string') return claims
    const { jti, events, nonce } = claims
    if (typeof jti !== 'string' || jti === '' || jti.length > LONGEST_ID) return 'claim jti'
    if (!isLogout(events)) return 'claim events'
    // A nonce means that this is an ID token.
    if (nonce !== undefined) return 'claim nonce'
    // A check under way may still fail, and then a waiting one goes on.
    for (let first; (first = this.#seen.get(jti)) !== undefined;)
      if (await first) return 'it was sent before'
    const ending = end(claims)
    const failed = (): boolean => {
      this.#seen.delete(jti)
      return false
    }
    this.#seen.set(
      jti,
      ending.then(() => true, failed),
    )
    await ending
    return null
  }

  async #ready(log: LogFailure): Promise<Known> {
    await this.#known.renew(log)
    const known = this.#known.value
    // Old ones go on while the provider is away: its keys decide, and they are fetched apart.
    if (known === null) throw away(this.#known.wait / 1000)
    return known
  }

  async #discovered(): Promise<Known> {
    const { issuer, client, algorithm = 'RS256' } = this.#options
    const isPlain = new URL(issuer).protocol === 'http:'
    const configuration = await discovery(
      new URL(issuer),
      client.id,
      { id_token_signed_response_alg: algorithm },
      this.#clientAuth(),
      {
        timeout: this.#times.timeout / 1000,
        [customFetch]: this.#fetch,
        execute: isPlain ? [allowInsecureRequests] : [],
      },
    )
    const { issuer: own, jwks_uri = '', ...others } = configuration.serverMetadata()
    const addresses = { authorization: others.authorization_endpoint, token: others.token_endpoint }
    const { end_session_endpoint: end = jwks_uri } = others
    for (const [name, address] of Object.entries({ ...addresses, keys: jwks_uri, end }))
      if (!isSafe(URL.parse(String(address)), this.#options))
        throw new Error(`no address of ${name}`)
    const now = this.#now
    const times = { ...this.#times, maxAge: KEYS_AGE }
    const keys = new ProviderKeys(new URL(jwks_uri), times, this.#network, now)
    const rules = { issuer: own, audience: [client.id], audienceClaim: 'aud', bindings: [], now }
    const logouts = new SignedTokens(
      { ...rules, required: ['iat'], clockTolerance: 30, maxTokenAge: OLDEST_LOGOUT },
      { keys, algorithms: [algorithm], typ: 'logout+jwt' },
    )
    return { configuration, keys, logouts }
  }

  /** OpenID Connect's default: Basic, unless the provider only takes forms. */
  #clientAuth(): ReturnType<typeof None> {
    const { secret } = this.#options.client
    if (secret === undefined) return None()
    const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)]
    return (server, ...others) => {
      const taken = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
      return (taken.includes('client_secret_basic') ? basic : post)(server, ...others)
    }
  }

  get #network(): typeof fetch {
    return this.#options.fetch ?? fetch
  }

  /** Answers are read here: none has more bytes than we take, and what is no JSON is no answer about a user. */
  readonly #fetch: CustomFetch = async (url, { body, ...options }) => {
    const response = await this.#network(url, { ...options, body: body as BodyInit | null })
    const bytes = await bodyBytes(response)
    const { status, headers } = response
    if (status < 400 && status !== 200) throw new Error(`status ${status}`)
    if (status === 200 && !isObject(JSON.parse(bytes.toString()))) throw new Error('no object')
    return new Response(bytes.length === 0 ? null : new Uint8Array(bytes), { status, headers })
  }
}

const LONGEST_ID = 255
const LOGOUT = 'http://schemas.openid.net/event/backchannel-logout'

function isLogout(events: unknown): boolean {
  const logout = (Object(events) as Readonly<Record<string, unknown>>)[LOGOUT]
  return isObject(logout)
}

function isObject(value: unknown): boolean {
  return Object(value) === value && !Array.isArray(value)
}

function away(seconds: number): ServiceUnavailable {
  return new ServiceUnavailable(Math.max(1, Math.ceil(seconds)), Message.of('unavailable.provider'))
}

/** Errors that a browser brings back (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6): other texts would flood the log. */
const ANSWERS =
  /^(?:access_denied|server_error|temporarily_unavailable|unauthorized_client|unsupported_response_type|invalid_(?:request|scope|request_(?:uri|object))|(?:interaction|login|account_selection|consent)_required|(?:request|request_uri|registration)_not_supported)$/
const REFUSED_US = /^(?:invalid|unauthorized)_client$/

const isOfProvider = (status: number): boolean => status >= 500 || status === 429 || status === 401

/** The reason without the provider's words, except codes of the proper form. */
function problemOf(error: unknown): { readonly reason: string; readonly isAway: boolean } {
  if (error instanceof AuthorizationResponseError)
    return {
      reason: `the provider answered ${ANSWERS.test(error.error) ? error.error : 'an error'}`,
      isAway: false,
    }
  if (error instanceof ResponseBodyError) {
    // A secret that the provider no longer knows is not a guess of a browser (RFC 6749, 5.2; Keycloak has its own code).
    const isAway = isOfProvider(error.status) || REFUSED_US.test(error.error)
    return { reason: `for the code it got ${codeOf(error.error)}`, isAway }
  }
  if (error instanceof ClientError) return problemOfClient(error)
  if (error instanceof errors.JOSEError) return { reason: reasonOf(error), isAway: false }
  return { reason: failedBecause(error), isAway: true }
}

function problemOfClient({ code, cause }: ClientError): ReturnType<typeof problemOf> {
  if (cause instanceof Response) {
    const { status } = cause
    return { reason: `status ${status}`, isAway: isOfProvider(status) }
  }
  // The network, or the limit of an answer, has failed.
  if (code === undefined) return { reason: failedBecause(cause), isAway: true }
  const { claim } = (Object((cause as Error | undefined)?.cause) ?? {}) as { claim?: unknown }
  const reason = typeof claim === 'string' ? `${code} ${claim}` : code
  return { reason, isAway: ['OAUTH_TIMEOUT', 'OAUTH_ABORT'].includes(code) }
}

function codeOf(text: string): string {
  return /^[a-z_]{1,50}$/.test(text) ? text : 'an error'
}
