import type { ApiRequest } from '../../core/ports/request.ts'
import type { Throttle, Limit } from '../../core/ports/policies/throttling.ts'
import { COUNT, checkNames, checkOptions, patternRule } from '../../core/settings/options.ts'
import { SCOPE, clientIdentity, heldKey, userIdentity } from './counter-keys.ts'

/** Options for a limit of concurrent requests. */
export interface ConcurrencyThrottleOptions {
  /** Requests that may be answered at the same moment. */
  readonly limit: number
  /** Requests of one scope count together. @default 'concurrency' */
  readonly scope?: string
  /** Seconds after which a request no longer counts, if the process that answered it has died. @default 60 */
  readonly seconds?: number
}

const RULES = {
  limit: COUNT,
  seconds: COUNT,
  scope: patternRule('up to 60 letters, digits, ".", "_" and "-"', SCOPE),
}

/**
 * Limits how many requests of one user, or without one of one client, are being answered at the same moment, in
 * all processes that share a store. A request counts until its answer is made: the sending does not count.
 *
 * @example
 * api.endpoint('report', { throttles: [new ConcurrencyThrottle({ limit: 2 })] })
 *
 * @throws ConfigurationError an option is wrong
 */
export class ConcurrencyThrottle implements Throttle {
  static readonly options: readonly string[] = ['limit', 'scope', 'seconds']

  readonly isRate = false
  readonly #options: Required<ConcurrencyThrottleOptions>

  constructor(options: ConcurrencyThrottleOptions) {
    checkNames(new.target, options)
    const { limit, scope = 'concurrency', seconds = 60 } = options
    this.#options = { limit, scope, seconds }
    checkOptions('ConcurrencyThrottle', this.#options, RULES)
  }

  isScoped(): boolean {
    return false
  }

  /** The name of one client: a kind, a colon and a name. `null`: the request is not limited. */
  identify(request: ApiRequest): string | null {
    return userIdentity(request) ?? clientIdentity(request)
  }

  limits(request: ApiRequest): readonly Limit[] | null {
    const { limit, scope, seconds } = this.#options
    const identity = this.identify(request)
    if (identity === null) return null
    const key = heldKey(scope, identity, seconds)
    return [{ key, limit, seconds, cost: 1, algorithm: 'log', held: true }]
  }
}
