import { sha256 } from '../../core/secrets/digest.ts'
import { BoundedMap } from '../../core/std/bounded-map.ts'
import { type LogFailure, answerOf, awayFor, failedBecause } from './keys.ts'
import { isSomeText, refuse, refuseNumbers, safeAddress } from './option-checks.ts'
import type { ProviderOptions } from './options.ts'
import {
  EXPIRED,
  type Reason,
  type TokenJudge,
  type TokenRules,
  isSignedToken,
  problemOfClaims,
} from './token.ts'
import type { Claims } from './users.ts'

/** Options of the scheme for opaque tokens. */
export interface IntrospectionAuthenticationOptions<
  U extends object,
  C extends object,
> extends ProviderOptions<U, C> {
  /** The address of introspection (RFC 7662): `introspection_endpoint` of the provider's metadata. */
  readonly endpoint: string | URL
  /** This service, as the provider knows it. Sent as Basic. */
  readonly client: { readonly id: string; readonly secret: string }
  /** Milliseconds for which an answer holds. @default 60,000 */
  readonly rememberFor?: number
  /** Milliseconds for the whole answer of the provider. @default 5,000 */
  readonly timeout?: number
  /** Milliseconds after a failure in which the provider is not asked. @default 5,000 */
  readonly cooldown?: number
}

type Options = Omit<
  IntrospectionAuthenticationOptions<object, object>,
  'claims' | 'user' | 'scopes'
>

const NAME = 'IntrospectionAuthentication'

interface Parts extends Required<Pick<Options, 'client' | 'rememberFor' | 'timeout' | 'cooldown'>> {
  readonly endpoint: URL
  readonly network: typeof fetch
  readonly rules: TokenRules
}

/** RFC 6750, 2.1. */
const BEARER = /^[\w\-.~+/]+=*$/
/** Questions under way, beyond which requests are sent away. */
const AT_ONCE = 100
/** Tokens that the provider does not know: asked once in `rememberFor`, so that one that is repeated costs it nothing. */
const WRONG = 4096

/** Tokens that the provider is asked about. */
export class Introspection implements TokenJudge {
  readonly isCostly = true
  readonly #parts: Parts
  readonly #asking = new Map<string, Promise<Claims | Reason>>()
  readonly #wrong = new BoundedMap<string, { readonly until: number; readonly reason: Reason }>(
    WRONG,
  )
  #failed = -Infinity

  /** @throws ConfigurationError the address or the client is missing or unsafe */
  constructor(options: Options, rules: TokenRules) {
    const { client, rememberFor = 60_000, timeout = 5000, cooldown = 5000 } = options
    const endpoint = safeAddress('endpoint', options.endpoint, options, NAME)
    refuse(
      !isSomeText(client?.id) || !isSomeText(client?.secret),
      '"client" must have an id and a secret, with which the provider knows this service.',
      NAME,
    )
    refuseNumbers(NAME, { rememberFor, timeout, cooldown })
    const network = options.fetch ?? fetch
    this.#parts = { endpoint, client, rememberFor, timeout, cooldown, network, rules }
  }

  isOurs(token: string): boolean {
    return BEARER.test(token) && !isSignedToken(token)
  }

  until(now: number): number {
    return now + this.#parts.rememberFor
  }

  async judge(token: string, log: LogFailure): Promise<Claims | Reason> {
    if (!BEARER.test(token)) return 'no bearer token'
    const name = sha256(token)
    const wrong = this.#wrong.get(name)
    const left = (wrong?.until ?? -Infinity) - this.#now()
    if (left > 0 && left <= this.#parts.rememberFor) return wrong!.reason
    const asking = this.#asking.get(name)
    if (asking !== undefined) return asking
    if (this.#wait > 0 || this.#asking.size >= AT_ONCE) throw awayFor(this.#wait)
    const asked = this.#judged(token, name, log).finally(() => this.#asking.delete(name))
    this.#asking.set(name, asked)
    return asked
  }

  async #judged(token: string, name: string, log: LogFailure): Promise<Claims | Reason> {
    const answer = await this.#ask(token, log)
    const found = typeof answer === 'string' ? answer : this.#read(answer)
    if (typeof found === 'string')
      this.#wrong.set(name, { until: this.until(this.#now()), reason: found })
    return found
  }

  /** A text: the provider refuses to say anything of this token, and has nothing against others. */
  async #ask(token: string, log: LogFailure): Promise<object | Reason> {
    const { endpoint, client, timeout, network } = this.#parts
    // RFC 6749, 2.3.1.
    const pair = [client.id, client.secret].map(encodeURIComponent).join(':')
    try {
      const response = await network(endpoint, {
        method: 'POST',
        headers: { accept: 'application/json', authorization: `Basic ${btoa(pair)}` },
        body: new URLSearchParams({ token, token_type_hint: 'access_token' }),
        redirect: 'error',
        signal: AbortSignal.timeout(timeout),
      })
      const { status } = response
      if (status >= 400 && status < 500 && !OF_US.includes(status)) {
        await response.body?.cancel()
        return `not active: status ${status}`
      }
      const answer = await answerOf(response)
      if (typeof (answer as { active?: unknown } | null)?.active === 'boolean')
        return answer as object
      throw new Error('no answer about a token')
    } catch (error) {
      this.#failed = this.#now()
      log('jwt.introspection_unavailable', { address: endpoint.href, reason: failedBecause(error) })
      throw awayFor(this.#wait)
    }
  }

  /** Times, issuer and scope are optional (RFC 7662, 2.2): without an expiry, the answer is valid while it is remembered. */
  #read(answer: object): Claims | Reason {
    const { issuer, required, clockTolerance, maxTokenAge } = this.#parts.rules
    const { active, ...facts } = answer as Record<string, unknown>
    if (active !== true) return 'not active'
    const now = this.#now() / 1000
    const claims: Record<string, unknown> = {
      iss: issuer,
      exp: this.until(this.#now()) / 1000,
      ...subjectOf(facts),
      ...facts,
    }
    if (claims['iss'] !== issuer) return 'claim iss'
    if (isOfClient(facts['sub'])) return 'claim sub'
    const { nbf, token_type: type = 'bearer' } = claims
    if (!this.#isOfType(type, claims['cnf'])) return 'claim token_type'
    if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= now + clockTolerance))
      return 'claim nbf'
    const missing = required.find((each) => claims[each] === undefined)
    if (missing !== undefined) return `claim ${missing}`
    const problem = problemOfClaims(claims, this.#parts.rules)
    if (problem !== null) return problem
    const { exp, iat = 0 } = claims as unknown as Claims
    const end = Math.min(exp, iat + maxTokenAge)
    return end <= now - clockTolerance ? EXPIRED : (claims as unknown as Claims)
  }

  /** A token of type DPoP names its key (RFC 9449, 6.2). */
  #isOfType(type: unknown, cnf: unknown): boolean {
    if (typeof type !== 'string') return false
    const isBound = this.#parts.rules.bindings.includes('jkt') && cnf !== undefined
    return type.toLowerCase() === 'bearer' || (isBound && type.toLowerCase() === 'dpop')
  }

  #now(): number {
    return this.#parts.rules.now()
  }

  /** Milliseconds until the provider is asked again. More than `cooldown`: the clock was set back. */
  get #wait(): number {
    const { cooldown } = this.#parts
    const left = this.#failed + cooldown - this.#now()
    return left > cooldown ? 0 : left
  }
}

/** Refused is our own client, or what a proxy knows of it; the provider was too slow, or was asked too much. */
const OF_US = [401, 403, 407, 408, 429]

const OF_CLIENT = 'client:'

function isOfClient(sub: unknown): boolean {
  return typeof sub === 'string' && sub.startsWith(OF_CLIENT)
}

/** A token of a client itself has no user. Its name must not be that of one. */
function subjectOf({ client_id: id }: Record<string, unknown>): object {
  return typeof id === 'string' && id !== '' ? { sub: `${OF_CLIENT}${id}` } : {}
}
