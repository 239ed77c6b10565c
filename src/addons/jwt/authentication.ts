import { type JWTVerifyOptions, errors, jwtVerify } from 'jose'
import type { Authenticator, Identity } from '../../core/ports/policies/authentication.ts'
import type { Incoming } from '../../core/ports/request.ts'
import {
  AuthenticationFailed,
  ServiceUnavailable,
  stackless,
} from '../../core/errors/api-errors.ts'
import { Message } from '../../core/messages/message.ts'
import { contextOf } from '../../core/pipeline/context.ts'
import { sha256 } from '../../core/secrets/digest.ts'
import { type MaybePromise, after } from '../../core/std/after.ts'
import { BoundedMap } from '../../core/std/bounded-map.ts'
import { credentialWords } from '../../core/std/http/authorization.ts'
import { toQuotedString } from '../../core/std/http/header-value.ts'
import { checkNames } from '../../core/settings/options.ts'
import type { SecurityFacts } from '../../core/types/documents.ts'
import {
  type CheckedOptions,
  type JWTAuthenticationOptions,
  OPTIONS,
  checkedOptions,
} from './options.ts'
import type { KeySource } from './keys.ts'
import {
  LONGEST_TOKEN,
  type ReadToken,
  type Reason,
  isMeant,
  problemOfClaims,
  problemOfHeader,
  readToken,
} from './token.ts'
import type { Claims, ClaimsUser } from './users.ts'

/** What a token proved: `request.auth`. It does not hold the token itself. */
export interface JWTAuth<C extends object = Claims> {
  readonly claims: Claims & C
  readonly scopes: readonly string[]
  readonly expires: Date
}

/** Tokens that were right are remembered, and what they weigh: entries, bytes. */
const REMEMBERED = 10_000
const MOST_BYTES = 16 * 1024 * 1024
/** What an entry needs beside its claims. */
const ENTRY = 600
/** Claims as objects, for each character of the token. */
const PER_CHARACTER = 6

interface Remembered<C extends object> {
  readonly auth: JWTAuth<C>
  readonly until: number
  readonly length: number
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
> implements Authenticator<U, JWTAuth<C>> {
  static readonly options: readonly string[] = OPTIONS

  readonly sends = 'token'
  readonly #options: CheckedOptions<U, C>
  readonly #keys: KeySource
  readonly #known = new BoundedMap<string, Remembered<C>>(REMEMBERED, {
    most: MOST_BYTES,
    of: (_, { length }) => ENTRY + PER_CHARACTER * length,
  })

  constructor(options: JWTAuthenticationOptions<U, C>) {
    checkNames(new.target, options)
    this.#options = checkedOptions(options)
    this.#keys = this.#options.keySource
  }

  /** @throws ServiceUnavailable (503) the keys of the provider cannot be had */
  authenticate(request: Incoming): MaybePromise<Identity<U, JWTAuth<C>> | null> {
    const [keyword, token, ...others] = credentialWords(request.header('authorization'))
    if (keyword?.toLowerCase() !== 'bearer') return null
    if (token === undefined) throw refused('authentication_failed.no_token')
    if (others.length > 0) throw refused('authentication_failed.spaces')
    const name = token.length > LONGEST_TOKEN ? '' : sha256(token)
    const known = this.#known.get(name)
    if (known !== undefined && this.#options.now() < known.until)
      return this.#identify(known.auth, request)
    const read = readToken(token)
    if (this.#options.passOthers && !this.#isOurs(read)) return null
    return this.#guessed(token, name, read, request)
  }

  security(): SecurityFacts {
    const scheme = { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }
    return { name: 'JWT', scheme, isScoped: true }
  }

  authenticateHeader(request?: Incoming, isRefused = false): string {
    const [keyword] = isRefused ? credentialWords(request!.header('authorization')) : []
    return this.#challenge(keyword?.toLowerCase() === 'bearer' ? { error: 'invalid_token' } : {})
  }

  scopeChallenge(scopes: readonly string[]): string {
    const scope = scopes.length === 0 ? {} : { scope: scopes.join(' ') }
    return this.#challenge({ error: 'insufficient_scope', ...scope })
  }

  /** RFC 6750, 3; RFC 9728, 5.1. */
  #challenge(parameters: Readonly<Record<string, string>>): string {
    const { realm, resourceMetadata } = this.#options
    const metadata = resourceMetadata === null ? {} : { resource_metadata: resourceMetadata }
    const all = Object.entries({ realm, ...parameters, ...metadata })
    return `Bearer ${all.map(([name, value]) => `${name}=${toQuotedString(value) ?? '""'}`).join(', ')}`
  }

  #isOurs(read: ReadToken | Reason): boolean {
    return typeof read !== 'string' && read.claims['iss'] === this.#options.verify.issuer
  }

  async #guessed(
    token: string,
    name: string,
    read: ReadToken | Reason,
    request: Incoming,
  ): Promise<Identity<U, JWTAuth<C>>> {
    const look = () => this.#verify(token, name, read, request)
    const auth = await (request.guesses === null ? look() : request.guesses.key(token, look))
    if (auth === null) throw refused()
    return this.#identify(auth, request)
  }

  #identify(auth: JWTAuth<C>, request: Incoming): MaybePromise<Identity<U, JWTAuth<C>>> {
    return after(this.#options.user(auth.claims, request), (user) => {
      const isActive = user != null && (user as { readonly isActive?: unknown }).isActive !== false
      if (isActive) return { user, auth }
      this.#log(request, 'jwt.refused', { reason: user == null ? 'no user' : 'inactive user' })
      throw refused()
    })
  }

  /** `null`: it is refused. What has expired was right once, and is no guess. */
  async #verify(
    token: string,
    name: string,
    read: ReadToken | Reason,
    request: Incoming,
  ): Promise<JWTAuth<C> | null> {
    const outcome = typeof read === 'string' ? read : await this.#judge(token, read, request)
    if (typeof outcome === 'string') {
      if (outcome === EXPIRED) throw refused('authentication_failed.expired')
      this.#log(request, 'jwt.refused', { reason: outcome })
      return null
    }
    const until = Math.min(outcome.expires.getTime(), this.#keys.until(this.#options.now()))
    this.#known.set(name, { auth: outcome, until, length: token.length })
    return outcome
  }

  async #judge(
    token: string,
    { header }: ReadToken,
    request: Incoming,
  ): Promise<JWTAuth<C> | Reason> {
    const { verify, typ, clockTolerance, audience, audienceClaim, now } = this.#options
    const problem = problemOfHeader(header, { algorithms: verify.algorithms, typ })
    if (problem !== null) return problem
    try {
      const current: JWTVerifyOptions = { ...verify, currentDate: new Date(now()) }
      const log = (event: string, record: object) => this.#log(request, event, record)
      const find = (head: Parameters<KeySource['find']>[0]) => this.#keys.find(head, log)
      const { payload } = await jwtVerify(token, find, current)
      if (!isMeant(payload[audienceClaim], audience)) return `claim ${audienceClaim}`
      const wrong = problemOfClaims(payload, now() / 1000 + clockTolerance)
      return wrong ?? (await this.#authOf(payload as unknown as Claims))
    } catch (error) {
      if (error instanceof ServiceUnavailable) throw error
      return reasonOf(error)
    }
  }

  async #authOf(given: Claims): Promise<JWTAuth<C> | Reason> {
    const { claims: schema, scopes } = this.#options
    const result = await schema?.['~standard'].validate(given)
    if (result?.issues !== undefined) return 'claims do not fit the schema'
    const claims = frozen({ ...given, ...result?.value }) as Claims & C
    const { maxTokenAge: age = Infinity } = this.#options.verify
    const expires = new Date(Math.min(given.exp, (given.iat ?? 0) + age) * 1000)
    if (Number.isNaN(expires.getTime())) return 'claim exp'
    return Object.freeze({ claims, scopes: Object.freeze([...scopes(claims)]), expires })
  }

  /** One line a second for each reason. No part of the token is in it. */
  #log(request: Incoming, event: string, record: object): void {
    const { id, endpointName: endpoint } = request
    const { issuer } = this.#options.verify
    const { reason = '' } = record as { readonly reason?: string }
    contextOf(request).logSeldom(`${event} ${issuer} ${reason}`, {
      event,
      id,
      endpoint,
      issuer,
      ...record,
    })
  }
}

const EXPIRED = 'expired'

function refused(
  sentence:
    | 'authentication_failed'
    | 'authentication_failed.no_token'
    | 'authentication_failed.spaces'
    | 'authentication_failed.expired' = 'authentication_failed',
): AuthenticationFailed {
  return stackless(() => new AuthenticationFailed(Message.of(sentence)))
}

/** Errors of jose hold the claims: nothing but their kind goes on. */
function reasonOf(error: unknown): Reason {
  if (error instanceof errors.JWTExpired) return EXPIRED
  if (error instanceof errors.JWTClaimValidationFailed) return `claim ${error.claim}`
  if (error instanceof errors.JWKSNoMatchingKey) return 'no key of the provider has this kid'
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'several keys, and no kid'
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature'
  return error instanceof errors.JOSEError ? error.code : 'the key does not fit'
}

/** Requests share it. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const each of Object.values(value)) frozen(each)
  return Object.freeze(value)
}
