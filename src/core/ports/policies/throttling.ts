import type { ApiRequest } from '../request.ts'
import type { Settings } from '../settings/settings.ts'
// Limits, and the stores that count against them. A store knows no request.
import type { MaybePromise } from '../../std/after.ts'

/** The number of requests in a time: `5/min`, `20/5m`, `1000/day`; each rate of a list limits. */
export type Rate = string | readonly string[]

/** `wait`: seconds until it is worth asking again, `null` where that is not known. */
export type Admission =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly wait: number | null }

/** A limit against which requests count. */
export interface Limit {
  /**
   * The key under which requests count together, such as `throttle_anon_ip:203.0.113.7_60` (T14): 250 printable characters
   * at most.
   */
  readonly key: string
  /** The most that fits into the window; with 0, no request passes (T9). */
  readonly limit: number
  /** Length of the window. */
  readonly seconds: number
  /** The amount that the request takes of the limit, a whole number; 0 only looks. */
  readonly cost: number
  /**
   * `log`: the moments of all requests in the window are kept; no window ever holds more than the limit (T4).
   * `gcra`: two numbers are kept, and the limit drains evenly; after a pause a window may hold twice the limit.
   */
  readonly algorithm: 'log' | 'gcra'
  /**
   * Does the request count only while it is being answered? Then it is taken back afterwards, and forgotten after `seconds`.
   */
  readonly held?: boolean
  /** Name of the policy in `RateLimit` fields; without it the limit is not shown there. */
  readonly name?: string
}

/** The standing of a request with one limit. */
export interface Standing {
  readonly allowed: boolean
  /** The amount that is left for later requests, after this one if it was counted. */
  readonly remaining: number
  /** Milliseconds until the request would be allowed; 0 where it is, `null` where it never will be. */
  readonly wait: number | null
  /** Milliseconds until more than `remaining` is left; 0: nothing has been taken. */
  readonly reset: number
}

/** The result of counting a request. */
export interface Counted {
  /** The moment at which it was counted, in milliseconds since 1970 by the clock of the store. */
  readonly at: number
  /** In the order of the limits. */
  readonly standings: readonly Standing[]
  /** Counted by this process alone, because the store was away. */
  readonly local?: boolean
}

/** One question to a store. */
export interface Hit {
  /** Each with a key of its own. */
  readonly limits: readonly Limit[]
  /** Milliseconds since 1970, whole; `null`: by the clock of the store. */
  readonly at: number | null
  /** `false`: nothing is counted in any case. */
  readonly counting: boolean
}

/** Keeps counters. `test/contract/counter-store.ts` tests these promises. */
export interface CounterStore {
  /**
   * Decides about all limits in one atomic step: a request that all of them allow is counted by each, and one that
   * any of them refuses by none (I7). Exact whatever else counts at the same moment, in other processes too. Where
   * a clock is set back, no request waits longer than a window.
   *
   * @throws DatabaseUnavailable the store is away
   */
  hit(hit: Hit): MaybePromise<Counted>
  /** Takes back what a `hit` counted at this moment; what is forgotten already stays so. */
  withdraw(limits: readonly Limit[], at: number): MaybePromise<void>
  /** Forgets everything: for tests and for operators. */
  clear(): MaybePromise<void>
  /**
   * Loads what the first request would otherwise wait for. A server calls it before it listens, and does not start where
   * it throws. It need not connect. @default nothing is loaded
   */
  prepare?(): MaybePromise<void>
  close?(): MaybePromise<void>
}

/**
 * A service's treatment of requests while the store of counters is away: let them pass, refuse them with 503, or count them in
 * this process.
 */
export type StoreErrorPolicy = 'allow' | 'deny' | 'local'

/** The options of a request for its counters. */
export interface HitOptions {
  /** `false`: only looks. @default true */
  readonly counting?: boolean
  /** @default the setting `onStoreError` */
  readonly onStoreError?: StoreErrorPolicy
}

/** The store of counters as requests reach it: nothing hangs, and a store that is away is answered for. */
export interface Counters {
  /**
   * Counts against limits, each with a key of its own, in one atomic step. `null`: the store is away, and requests
   * go on meanwhile.
   *
   * @throws ServiceUnavailable (503) the store is away, and requests do not go on
   *
   * @example
   * const limit = { key: `exports_${tenant}`, limit: 3, seconds: 3600, cost: 1, algorithm: 'log' } as const
   * const counted = await request.counters.hit([limit])
   */
  hit(limits: readonly Limit[], options?: HitOptions): MaybePromise<Counted | null>
  /** Takes back what a `hit` counted: of all its limits, or of some. Where the store is away, when it is back. */
  withdraw(limits: readonly Limit[], counted: Counted): MaybePromise<void>
}

/** A secret that a client has brought for an account. */
export interface Guess<T> {
  /** The name of the account in one spelling, whether the account exists or not. Counters hold its digest. */
  readonly account: string
  /**
   * The sent credentials, with all that decides about them, such as the stored hash: a repeated wrong one is not checked again.
   * It is not kept.
   */
  readonly secret: string
  /** Awaits `begin` before its work. `null`: the secret is wrong. */
  check(begin: () => Promise<void>): Promise<T | null>
}

/**
 * Limits wrong credentials by the setting `credentialFailures`. A check takes a place before its work, and gives it
 * back where the credentials are right: only wrong ones count.
 *
 * @example
 * const check = async (begin: () => Promise<void>) => {
 *   await begin()
 *   return memberOf(card, pin)
 * }
 * const member = await request.guesses?.password({ account: card, secret: `${storedHash} ${pin}`, check })
 */
export interface Guesses {
  /**
   * For secrets that people think of. Counts by client and by account; where the account has lately been
   * entered from this client, by the two together alone.
   *
   * @throws Throttled (429) too many were wrong
   */
  password<T>(guess: Guess<T>): Promise<T | null>
  /**
   * For keys that name no account, counted by client. One that has been right in this process is looked up at once, and
   * so is one of 32 characters or more, which is taken for a random one: no neighbour keeps such a key out.
   *
   * `isCostly`: a look-up costs so much that wrong keys must not cause one, such as a question to another service. Each key
   * that has not been right takes its place before, whatever its length: neighbours keep it out while too many are wrong.
   * `isSingleUse`: a right key is good once, so that being right does not make it known; repeated it is wrong, and counts. @default false
   *
   * @throws Throttled (429) too many were wrong
   */
  key<T>(
    key: string,
    look: () => MaybePromise<T | null>,
    options?: { readonly isCostly?: boolean; readonly isSingleUse?: boolean },
  ): MaybePromise<T | null>
  /**
   * Counts by client what was refused without either of them, or beside a right password: once for each request.
   *
   * @throws Throttled (429) too many were wrong
   */
  wrong(): MaybePromise<void>
}

/**
 * Decides whether a request comes too soon. The limits of all throttles of a request are decided in one step: they
 * count it where every one of them, and every decision of its own, lets it on (I7).
 */
export interface Throttle<Rq = ApiRequest> {
  /** The limits against which the request counts; `null`: none. */
  limits?(request: Rq): MaybePromise<readonly Limit[] | null>
  /** A decision without counters, asked first (T15). `null`: no opinion. */
  admit?(request: Rq): MaybePromise<Admission | null>
  /** Checks the settings at the start: a problem as the rest of a sentence (`has no rate …`). `null`: none. */
  check?(settings: Settings): string | null
  /** Does it let everything pass under these settings, such as a rate of `null`? For `colophon doctor`. @default false */
  isIdle?(settings: Settings): boolean
  /** Does it count under `throttleScope`? Absent: that is not known. */
  isScoped?(settings: Settings): boolean
  /** Does it limit how many requests come in a time? `false`: only how many are answered at the same moment. @default true */
  readonly isRate?: boolean
}
