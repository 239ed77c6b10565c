import type { Authenticator, Identity } from '../../core/ports/policies/authentication.ts'
import type { Incoming } from '../../core/ports/request.ts'
import { AuthenticationFailed, stackless } from '../../core/errors/api-errors.ts'
import { Message } from '../../core/messages/message.ts'
import type { ServiceFacts } from '../../core/ports/service-facts.ts'
import { contextOf } from '../../core/pipeline/context.ts'
import { sha256 } from '../../core/secrets/digest.ts'
import { type MaybePromise, after } from '../../core/std/after.ts'
import { BoundedMap } from '../../core/std/bounded-map.ts'
import { credentialWords } from '../../core/std/http/authorization.ts'
import { toQuotedString } from '../../core/std/http/header-value.ts'
import { checkNames } from '../../core/settings/options.ts'
import type { SecurityFacts } from '../../core/types/documents.ts'
import { type IntrospectionAuthenticationOptions, Introspection } from './introspection.ts'
import {
  type CheckedOptions,
  INTROSPECTION_OPTIONS,
  JWT_OPTIONS,
  type JWTAuthenticationOptions,
  type ProviderOptions,
  checkedOptions,
  possessionOf,
  signedTokens,
} from './options.ts'
import { type Possession, type Sent, type Unproved, nonceWanted } from './possession.ts'
import { levelFor } from './keys.ts'
import { EXPIRED, LONGEST_TOKEN, type TokenJudge, type TokenRules } from './token.ts'
import { type Claims, type ClaimsUser, type Found, deepFreeze, faultOf, takenOf } from './users.ts'

/** The proof of a token: `request.auth`. It does not contain the token itself. */
export interface JWTAuth<C extends object = Claims> {
  readonly claims: Claims & C
  readonly scopes: readonly string[]
  readonly expires: Date
}

/** Limits of remembered valid tokens: entries, bytes. */
const REMEMBERED = 10_000
const MOST_BYTES = 16 * 1024 * 1024
/** The bytes of an entry beside its claims. */
const ENTRY = 600
/** Claims as objects, for each character of their JSON. */
const PER_CHARACTER = 6

const BEARER: readonly string[] = ['Bearer']

interface Remembered<C extends object> {
  readonly auth: JWTAuth<C>
  /** A time that is to come means that the clock was set back. */
  readonly since: number
  readonly until: number
}

/** The same type without inference: the setting that contains a scheme must not decide the type of its users. */
type As<T> = [T] extends [infer Same] ? Same : never

/** Why requests were refused, where their challenge says so. */
const refusals = new WeakMap<Incoming, Unproved['error']>()

/** `Authorization: Bearer <token>`, with a token that an identity provider has given to its user (RFC 6750). */
export abstract class ProviderAuthentication<
  U extends object,
  C extends object,
> implements Authenticator<As<U>, JWTAuth<C>> {
  readonly sends = 'token'
  readonly #options: CheckedOptions<U, C>
  readonly #judge: TokenJudge
  readonly #kind: Pick<SecurityFacts, 'name' | 'scheme'>
  /** `null`: no token is bound to anything. */
  readonly #possession: Possession | null
  readonly #known = new BoundedMap<string, Remembered<C>>(REMEMBERED, {
    most: MOST_BYTES,
    of: (_, { auth }) => ENTRY + PER_CHARACTER * JSON.stringify(auth.claims).length,
  })

  constructor(
    own: string,
    options: ProviderOptions<U, C>,
    judgeBy: (rules: TokenRules) => TokenJudge,
    kind: Pick<SecurityFacts, 'name' | 'scheme'>,
  ) {
    checkNames(new.target, options)
    this.#options = checkedOptions(own, options)
    const { rules } = this.#options
    this.#possession = possessionOf(own, options, rules)
    this.#judge = judgeBy(rules)
    this.#kind = kind
  }

  security(): SecurityFacts {
    const { name, scheme } = this.#kind
    return { name, scheme: { ...scheme, ...this.#possession?.facts }, isScoped: true }
  }

  check({ hasSecret }: ServiceFacts): string | null {
    if (hasSecret || !this.#possession?.rules.dpop?.nonce) return null
    return 'needs SECRET_KEY, a long random text that the nonces of proofs are sealed with.'
  }

  /** @throws ServiceUnavailable (503) the provider is away, and nothing can be decided without */
  authenticate(request: Incoming): MaybePromise<Identity<As<U>, JWTAuth<C>> | null> {
    const [keyword, token, ...others] = credentialWords(request.header('authorization'))
    const scheme = keyword?.toLowerCase()
    const isDPoP = scheme === 'dpop' && this.#possession?.rules.dpop != null
    if (scheme !== 'bearer' && !isDPoP) return null
    if (token === undefined) throw refused('authentication_failed.no_token')
    if (others.length > 0) throw refused('authentication_failed.spaces')
    const name = token.length > LONGEST_TOKEN ? '' : sha256(token)
    const known = this.#remembered(name)
    if (known !== null) return this.#identify(known, { token, isDPoP }, request)
    if (this.#options.passOthers && !this.#judge.isOurs(token)) return null
    return this.#guessed({ token, isDPoP }, name, request)
  }

  authenticateHeader(request?: Incoming, isRefused = false): string {
    const why = request && refusals.get(request)
    const names = this.#possession?.schemes ?? BEARER
    const [keyword = ''] = isRefused || why ? credentialWords(request!.header('authorization')) : []
    const sent = ['Bearer', ...names].find((name) => name.toLowerCase() === keyword.toLowerCase())
    const error = sent === undefined ? {} : { error: why ?? 'invalid_token' }
    const own = names.find((name) => name === sent) ?? names[0]
    return names.map((name) => this.#challenge(name, name === own ? error : {})).join(', ')
  }

  answerHeaders(request: Incoming): Readonly<Record<string, string>> {
    return this.#possession?.headersFor(request) ?? {}
  }

  scopeChallenge(scopes: readonly string[]): string {
    const scope = scopes.length === 0 ? {} : { scope: scopes.join(' ') }
    const name = (this.#possession?.schemes ?? BEARER).at(-1)!
    return this.#challenge(name, { error: 'insufficient_scope', ...scope })
  }

  /** RFC 6750, 3; RFC 9449, 7.1; RFC 9728, 5.1. */
  #challenge(scheme: string, parameters: Readonly<Record<string, string>>): string {
    const { realm, resourceMetadata } = this.#options
    const metadata = resourceMetadata === null ? {} : { resource_metadata: resourceMetadata }
    const algorithms = this.#possession?.rules.dpop?.algorithms
    const proofs = scheme === 'DPoP' ? { algs: algorithms!.join(' ') } : {}
    const all = Object.entries({ realm, ...proofs, ...parameters, ...metadata })
    return `${scheme} ${all.map(([name, value]) => `${name}=${toQuotedString(value) ?? '""'}`).join(', ')}`
  }

  async #guessed(
    sent: Sent,
    name: string,
    request: Incoming,
  ): Promise<Identity<As<U>, JWTAuth<C>>> {
    const { guesses } = request
    const look = () => this.#remembered(name) ?? this.#look(sent.token, name, request)
    const { isCostly } = this.#judge
    const auth = await (guesses === null ? look() : guesses.key(sent.token, look, { isCostly }))
    if (auth === null) throw refused()
    if (auth === EXPIRED) throw refused('authentication_failed.expired')
    return this.#identify(auth, sent, request)
  }

  #remembered(name: string): JWTAuth<C> | null {
    const { auth, since, until } = this.#known.get(name) ?? { auth: null, since: 0, until: 0 }
    const now = this.#options.rules.now()
    return since <= now && now < until ? auth : null
  }

  #identify(
    auth: JWTAuth<C>,
    sent: Sent,
    request: Incoming,
  ): MaybePromise<Identity<As<U>, JWTAuth<C>>> {
    if (this.#possession === null) return this.#owned(auth, request)
    return after(this.#possession.unproved(auth.claims, sent, request), (problem) => {
      if (problem === null) return this.#owned(auth, request)
      refusals.set(request, problem.error)
      if (problem.error === 'use_dpop_nonce') throw nonceWanted(request, this.#options.rules.now())
      this.#log(request, 'jwt.refused', { reason: problem.reason })
      throw refused()
    })
  }

  #owned(auth: JWTAuth<C>, request: Incoming): MaybePromise<Identity<As<U>, JWTAuth<C>>> {
    const found = this.#options.user(auth.claims, request)
    const user = found instanceof Promise ? found.catch(takenOf) : found
    return after<Found, Identity<As<U>, JWTAuth<C>>>(user, (owner) => {
      const problem = faultOf(owner)
      if (problem === null) return { user: owner as As<U>, auth }
      this.#log(request, 'jwt.refused', problem)
      throw refused()
    })
  }

  /** `null`: the token is refused. An expired token was once valid, and is not a guess. */
  async #look(
    token: string,
    name: string,
    request: Incoming,
  ): Promise<JWTAuth<C> | typeof EXPIRED | null> {
    const log = (event: string, record: object) => this.#log(request, event, record)
    const verdict = token.length > LONGEST_TOKEN ? 'too long' : await this.#judge.judge(token, log)
    const outcome = typeof verdict === 'string' ? verdict : await this.#authOf(verdict)
    if (typeof outcome === 'string') {
      if (outcome === EXPIRED) return EXPIRED
      this.#log(request, 'jwt.refused', { reason: outcome })
      return null
    }
    const since = this.#options.rules.now()
    const until = Math.min(outcome.expires.getTime(), this.#judge.until(since))
    this.#known.set(name, { auth: outcome, since, until })
    return outcome
  }

  async #authOf(given: Claims): Promise<JWTAuth<C> | string> {
    const { claims: schema, scopes, rules } = this.#options
    const result = await schema?.['~standard'].validate(given)
    if (result?.issues !== undefined) return 'claims do not fit the schema'
    const claims = deepFreeze({ ...given, ...result?.value }) as Claims & C
    const end = Math.min(given.exp, (given.iat ?? 0) + rules.maxTokenAge)
    // Programs without types may find none.
    const own = (scopes(claims) as readonly string[] | undefined) ?? []
    const expires = new Date(end * 1000)
    return Object.freeze({ claims, scopes: Object.freeze([...own]), expires })
  }

  /** Logs one line a second for each reason, without any part of the token. */
  #log(request: Incoming, event: string, record: object): void {
    const [{ id, endpointName: endpoint }, { issuer }] = [request, this.#options.rules]
    const { reason = '' } = record as { readonly reason?: string }
    const line = { event, id, endpoint, issuer, ...record }
    contextOf(request).logSeldom(`${event} ${issuer} ${reason}`, line, levelFor(event, record))
  }
}

/**
 * `Authorization: Bearer <token>`, with a token (JWT) that an identity provider has signed: RFC 9068, RFC 6750, RFC 8725.
 * The user is what `user` makes of the claims, and `auth` has the claims and the scopes, which `TokenHasScope` reads.
 * Tokens that were right are remembered for minutes, so that they are not verified again; `user` is asked in each request.
 *
 * @example
 * const authentication = [
 *   new JWTAuthentication({
 *     issuer: 'https://id.example.com/',
 *     audience: 'https://api.example.com/',
 *     jwks: 'https://id.example.com/.well-known/jwks.json',
 *     user: accountUser(accounts, { create: true }),
 *   }),
 * ]
 *
 * @throws ConfigurationError an option is missing or unsafe
 */
export class JWTAuthentication<
  U extends object = ClaimsUser,
  C extends object = Claims,
> extends ProviderAuthentication<U, C> {
  static readonly options: readonly string[] = JWT_OPTIONS

  constructor(options: JWTAuthenticationOptions<U, C>) {
    const scheme = { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }
    const judgeBy = (rules: TokenRules) => signedTokens(options, rules)
    super('JWTAuthentication', options, judgeBy, { name: 'JWT', scheme })
  }
}

/**
 * `Authorization: Bearer <token>`, with an opaque token: the provider is asked what it says (RFC 7662). The answer is
 * remembered for a minute, so a token that the provider has taken back works that long. All else is as for
 * `JWTAuthentication`.
 *
 * @example
 * const authentication = [
 *   new IntrospectionAuthentication({
 *     issuer: 'https://id.example.com/',
 *     audience: 'https://api.example.com/',
 *     endpoint: 'https://id.example.com/introspect',
 *     client: { id: 'books-api', secret: process.env['INTROSPECTION_SECRET']! },
 *   }),
 * ]
 *
 * @throws ConfigurationError an option is missing or unsafe
 */
export class IntrospectionAuthentication<
  U extends object = ClaimsUser,
  C extends object = Claims,
> extends ProviderAuthentication<U, C> {
  static readonly options: readonly string[] = INTROSPECTION_OPTIONS

  constructor(options: IntrospectionAuthenticationOptions<U, C>) {
    const scheme = { type: 'http', scheme: 'bearer' }
    const judgeBy = (rules: TokenRules) => new Introspection(options, rules)
    super('IntrospectionAuthentication', options, judgeBy, { name: 'Bearer', scheme })
  }
}

function refused(
  sentence:
    | 'authentication_failed'
    | 'authentication_failed.no_token'
    | 'authentication_failed.spaces'
    | 'authentication_failed.expired' = 'authentication_failed',
): AuthenticationFailed {
  return stackless(() => new AuthenticationFailed(Message.of(sentence)))
}
