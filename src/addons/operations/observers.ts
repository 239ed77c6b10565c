import type {
  Follower,
  Observer,
  SentAnswer,
  Wrapper,
} from '../../core/ports/policies/observing.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import { withHeaders } from '../../core/replies/reply.ts'
import { tellingOfStatements } from '../../core/std/statements.ts'

/**
 * Several observers as one, for the setting `observe`. One that fails keeps nothing from the others.
 *
 * @example defineApi({ urls, observe: together(requestLog(), metrics.observe) })
 */
export function together(...observers: readonly Observer[]): Observer {
  if (observers.length === 1) return observers[0]!
  const observe: Observer = (answer, request) => eachOf(observers, (one) => one(answer, request))
  if (observers.every(({ follow }) => follow === undefined)) return observe
  // Observers that follow no request are asked at its end.
  const asked = observers.map((one): Follower => ({ ended: one }))
  const follow = (request: ApiRequest): Follower =>
    new Followers(observers.map((one, at) => followerOf(one, request) ?? asked[at]!))
  return Object.assign(observe, { follow })
}

/** One that fails does so at the end, as if it had failed then: the others follow. */
function followerOf(observer: Observer, request: ApiRequest): Follower | null | undefined {
  try {
    return observer.follow?.(request)
  } catch (error) {
    return {
      ended() {
        throw error
      },
    }
  }
}

class Followers implements Follower {
  readonly #all: readonly Follower[]
  readonly step?: NonNullable<Follower['step']>
  readonly statement?: NonNullable<Follower['statement']>
  readonly within?: NonNullable<Follower['within']>

  constructor(all: readonly Follower[]) {
    this.#all = all
    // The core says nothing where no one listens.
    if (all.some(({ step }) => step !== undefined))
      this.step = (step) => eachOf(all, (one) => one.step?.(step))
    if (all.some(({ statement }) => statement !== undefined))
      this.statement = (statement) => eachOf(all, (one) => one.statement?.(statement))
    if (all.some(({ within }) => within !== undefined)) this.within = (work) => allWithin(all, work)
  }

  ended(answer: SentAnswer, request: ApiRequest): unknown {
    return eachOf(this.#all, (one) => one.ended(answer, request))
  }
}

/** Each around those behind it. */
function allWithin(all: readonly Follower[], work: () => void): void {
  const inner = all.reduceRight<() => void>(
    (next, one) => (one.within === undefined ? next : () => one.within!(next)),
    work,
  )
  inner()
}

/** @throws the first failure, after all were called */
function eachOf<T>(all: readonly T[], call: (one: T) => unknown): unknown {
  const failures: unknown[] = []
  const waiting: unknown[] = []
  for (const one of all)
    try {
      const returned = call(one)
      if (returned !== undefined) waiting.push(returned)
    } catch (failure) {
      failures.push(failure)
    }
  const later = waiting.length === 0 ? undefined : Promise.all(waiting)
  if (failures.length === 0) return later
  later?.catch(() => undefined)
  throw failures[0]
}

/** Who sees how long handlers take. */
export interface ServerTimingOptions {
  /** Durations say much about what a service does. @default staff alone */
  readonly shows?: (request: ApiRequest) => boolean
}

/**
 * Answers say in `Server-Timing` how long their handler took, and its statements, in milliseconds: browsers show it beside the
 * request. For the setting `around`.
 *
 * @example defineApi({ urls, around: serverTiming() })
 */
export function serverTiming({ shows = isStaff }: ServerTimingOptions = {}): Wrapper {
  return async (request, next) => {
    if (!shows(request)) return next()
    const began = performance.now()
    let [count, database] = [0, 0]
    const answer = await tellingOfStatements(({ duration }) => {
      count++
      database += duration
    }, next)
    const handler = (performance.now() - began).toFixed(1)
    const timing = `handler;dur=${handler}, db;dur=${database.toFixed(1)};desc="statements: ${count}"`
    return withHeaders(answer, { 'Server-Timing': timing })
  }
}

/** Is it a user who is staff, of whatever scheme? */
export function isStaff({ user }: Pick<ApiRequest, 'user'>): boolean {
  return (user as { readonly isStaff?: unknown } | null)?.isStaff === true
}
