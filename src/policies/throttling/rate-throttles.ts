import type { ApiRequest } from '../../core/ports/request.ts'
import { type MaybePromise, isPromise } from '../../core/std/after.ts'
import type { Settings } from '../../core/ports/settings/settings.ts'
import type { Throttle, Limit, Rate } from '../../core/ports/policies/throttling.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import {
  checkNames,
  checkOptions,
  isFilledText,
  patternRule,
  oneOf,
} from '../../core/settings/options.ts'
import { type RateWindow, rateProblem, windowsOf } from '../../core/settings/rates.ts'
import { BoundedMap } from '../../core/std/bounded-map.ts'
import { keptIn } from '../../core/std/once.ts'
import { SCOPE, clientIdentity, counterKey, userIdentity } from './counter-keys.ts'

/** Options of a throttle by rate. */
export interface RateThrottleOptions<Rq extends ApiRequest = ApiRequest> {
  /**
   * The rate, or several that all hold; `null`: no limit. A function chooses it for each request, by user or token.
   *
   * @default the entry of `throttleRates` under the scope
   */
  readonly rate?: Rate | null | ((request: Rq) => MaybePromise<Rate | null>)
  /** Requests of one scope count together, at all endpoints. */
  readonly scope?: string
  /** The share of the rate that one request takes, a whole number. @default 1 */
  readonly cost?: number | ((request: Rq) => MaybePromise<number>)
  /**
   * `'log'` is exact, and keeps as many numbers as the rate allows; `'gcra'` keeps two, and drains evenly: after a
   * pause, twice the rate may pass within one period.
   *
   * @default 'log'
   */
  readonly algorithm?: Limit['algorithm']
}

/** The largest limit of a log, which keeps each moment. */
const LONGEST_LOG = 10_000

const RULES = {
  scope: patternRule('up to 60 letters, digits, ".", "_" and "-"', SCOPE),
  algorithm: oneOf('log', 'gcra'),
}

/**
 * Limits how often a client comes (T4–T10). A throttle of your own says who counts as one client:
 *
 * @example
 * class TenantThrottle extends RateThrottle {
 *   override identify({ params }: ApiRequest): string {
 *     return `tenant:${String(params['tenant'])}`
 *   }
 * }
 * const throttles = [new TenantThrottle({ scope: 'tenant', rate: ['20/s', '10000/day'] })]
 *
 * @throws ConfigurationError the rate or another option is wrong
 */
export abstract class RateThrottle<Rq extends ApiRequest = ApiRequest> implements Throttle<Rq> {
  static readonly options: readonly string[] = ['rate', 'scope', 'cost', 'algorithm']

  readonly scope: string
  readonly #rate: RateThrottleOptions<Rq>['rate']
  readonly #cost: NonNullable<RateThrottleOptions<Rq>['cost']>
  readonly #algorithm: Limit['algorithm']
  readonly #read = new BoundedMap<Rate, readonly RateWindow[]>(100)

  constructor(options: RateThrottleOptions<Rq> = {}) {
    checkNames(new.target, options)
    const { rate, scope = 'custom', cost = 1, algorithm = 'log' } = options
    const { name } = new.target
    checkOptions(name, { scope, algorithm }, RULES)
    if (typeof cost !== 'function' && !isCost(cost))
      throw new ConfigurationError(
        `${name}: "cost" must be a whole number, but is ${String(cost)}.`,
      )
    this.scope = scope
    this.#rate = rate
    this.#cost = cost
    this.#algorithm = algorithm
    if (rate === undefined || rate === null || typeof rate === 'function') return
    const problem = isRate(rate) ? this.#problemOf(rate) : 'must be a rate such as "5/min".'
    if (problem !== null) throw new ConfigurationError(`${name}: "rate" ${problem}`)
  }

  /** The name of one client: a kind, a colon and a name, such as `user:7`. `null`: the request is not limited. */
  abstract identify(request: Rq): string | null

  // `NoInfer`: a list of throttles must not decide the type of the request.
  limits(request: NoInfer<Rq>): MaybePromise<readonly Limit[] | null> {
    const scope = this.scopeOf(request.settings)
    const identity = scope === null ? null : this.identify(request)
    if (identity === null) return null
    const rate = this.#rateOf(scope!, request)
    const cost = typeof this.#cost === 'number' ? this.#cost : this.#cost(request)
    if (!isPromise(rate) && !isPromise(cost)) return this.#limitsOf(rate, scope!, identity, cost)
    const both = Promise.all([rate, cost])
    return both.then(([known, units]) => this.#limitsOf(known, scope!, identity, units))
  }

  check(settings: Settings): string | null {
    const scope = this.scopeOf(settings)
    if (scope === null || this.#rate !== undefined) return null
    if (!SCOPE.test(scope)) return `counts under "${scope}": a scope has ${RULES.scope.wants}.`
    const { throttleRates } = settings
    if (!Object.hasOwn(throttleRates, scope))
      return `has no rate: set the rate of "${scope}" in DEFAULT_THROTTLE_RATES, such as {"${scope}": "100/h"}, or null for no limit.`
    const rate = throttleRates[scope]!
    const problem = rate === null ? null : this.#problemOf(rate)
    return problem === null
      ? null
      : `has a wrong rate of "${scope}" in DEFAULT_THROTTLE_RATES: ${problem}`
  }

  isIdle(settings: Settings): boolean {
    const scope = this.scopeOf(settings)
    if (scope === null) return true
    return (this.#rate === undefined ? settings.throttleRates[scope] : this.#rate) === null
  }

  isScoped(settings: Settings): boolean {
    return this.scopeOf(settings) === settings.throttleScope
  }

  /** The scope that the request counts under; `null`: it is not limited. */
  protected scopeOf(_settings: Settings): string | null {
    return this.scope
  }

  #rateOf(scope: string, request: Rq): MaybePromise<Rate | null> {
    const rate = this.#rate
    if (typeof rate === 'function') return rate(request)
    return rate === undefined ? (request.settings.throttleRates[scope] ?? null) : rate
  }

  #limitsOf(
    rate: Rate | null,
    scope: string,
    identity: string,
    cost: number,
  ): readonly Limit[] | null {
    if (rate === null) return null
    if (!isCost(cost)) throw new TypeError(`${this.constructor.name}: the cost is ${String(cost)}.`)
    // Rates are few: their texts are read once.
    const windows = keptIn(this.#read, rate, windowsOf)
    const algorithm = this.#algorithm
    const limits: Limit[] = []
    for (const { limit, seconds } of windows) {
      const name = windows.length === 1 ? scope : `${scope}-${seconds}`
      const key = counterKey(scope, identity, seconds)
      limits.push({ key, limit, seconds, cost, algorithm, name })
    }
    return limits
  }

  #problemOf(rate: Rate): string | null {
    const problem = rateProblem(rate)
    if (problem !== null) return problem
    const limits = windowsOf(rate).map(({ limit }) => limit)
    if (this.#algorithm === 'log' && Math.max(...limits) > LONGEST_LOG)
      return `${JSON.stringify(rate)} keeps more than ${LONGEST_LOG} moments of each client: say algorithm "gcra", which keeps two numbers.`
    const tooDear =
      typeof this.#cost === 'number' &&
      limits.some((limit) => limit > 0 && limit < Number(this.#cost))
    return tooDear
      ? `${JSON.stringify(rate)} is less than one request costs: it would never pass.`
      : null
  }
}

function isCost(cost: unknown): cost is number {
  return Number.isSafeInteger(cost) && Number(cost) >= 0 && Number(cost) <= LONGEST_LOG
}

function isRate(rate: unknown): rate is Rate {
  return isFilledText(rate) || (Array.isArray(rate) && rate.every(isFilledText))
}

/**
 * Limits requests without a user, by client (T11).
 *
 * @example
 * api.endpoint('token', { throttles: [new AnonRateThrottle({ rate: '5/min' })] })
 */
export class AnonRateThrottle<Rq extends ApiRequest = ApiRequest> extends RateThrottle<Rq> {
  static override readonly options: readonly string[] = RateThrottle.options

  constructor(options: RateThrottleOptions<Rq> = {}) {
    super({ scope: 'anon', ...options })
  }

  override identify(request: Rq): string | null {
    return userIdentity(request) === null ? clientIdentity(request) : null
  }
}

/**
 * Limits every request: by user, and without one by client (T12).
 *
 * @example
 * // A burst, and what may be sustained.
 * const throttles = [new UserRateThrottle({ rate: ['60/min', '1000/day'] })]
 */
export class UserRateThrottle<Rq extends ApiRequest = ApiRequest> extends RateThrottle<Rq> {
  static override readonly options: readonly string[] = RateThrottle.options

  constructor(options: RateThrottleOptions<Rq> = {}) {
    super({ scope: 'user', ...options })
  }

  override identify(request: Rq): string | null {
    return userIdentity(request) ?? clientIdentity(request)
  }
}

/**
 * The same under the scope that an endpoint names in `throttleScope`, shared by all that name it; one without is not
 * limited (T13).
 *
 * @example
 * defineApi({ urls, throttles: [new ScopedRateThrottle()], throttleRates: { uploads: '20/day' } })
 * api.endpoint('picture-list', { throttleScope: 'uploads' })
 */
export class ScopedRateThrottle<Rq extends ApiRequest = ApiRequest> extends UserRateThrottle<Rq> {
  static override readonly options: readonly string[] = ['rate', 'cost', 'algorithm']

  protected override scopeOf({ throttleScope }: Settings): string | null {
    return throttleScope
  }
}

/**
 * Limits what comes with a token of the accounts: a quota for each key. Access tokens count together with their family, and a key
 * that took the place of another one goes on with its count. Requests without such a token are not limited.
 *
 * @example
 * // A quota by plan, a column of users: clients choose the scopes of tokens, and would choose their quota.
 * const rate = ({ user }: RequestWith<{ user: { readonly plan: string } }>) =>
 *   user.plan === 'team' ? '100000/30d' : '1000/day'
 * const throttles = [new TokenRateThrottle({ rate, algorithm: 'gcra' })]
 */
export class TokenRateThrottle<Rq extends ApiRequest = ApiRequest> extends RateThrottle<Rq> {
  static override readonly options: readonly string[] = RateThrottle.options

  constructor(options: RateThrottleOptions<Rq> = {}) {
    super({ scope: 'token', ...options })
  }

  override identify({ auth, user }: Rq): string | null {
    const { family, name } = (auth ?? {}) as Readonly<Record<string, unknown>>
    if (typeof family === 'number') return `family:${family}`
    const { id } = (user ?? {}) as { readonly id?: unknown }
    // JSON keeps numbers and texts apart.
    return typeof name === 'string' ? `token:${JSON.stringify([id, name])}` : null
  }
}
