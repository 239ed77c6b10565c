import type {
  Follower,
  Observer,
  RequestStep,
  SentAnswer,
  Wrapper,
} from '../../core/ports/policies/observing.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { AskedStatement } from '../../core/std/asked-statement.ts'
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
  const follow = (request: ApiRequest): Follower => {
    const all = asked.slice()
    for (let at = 0; at < all.length; at++)
      all[at] = followerOf(observers[at]!, request) ?? all[at]!
    return new Followers(all)
  }
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

/** The core says nothing where no one listens: these are there where one of them does. */
class Followers implements Follower {
  readonly all: readonly Follower[]
  readonly step?: NonNullable<Follower['step']>
  readonly statement?: NonNullable<Follower['statement']>
  readonly within?: NonNullable<Follower['within']>

  constructor(all: readonly Follower[]) {
    this.all = all
    for (const { step, statement, within } of all) {
      if (step !== undefined) this.step = stepOfAll
      if (statement !== undefined) this.statement = statementOfAll
      if (within !== undefined) this.within = withinAll
    }
  }

  ended(answer: SentAnswer, request: ApiRequest): unknown {
    return eachOf(this.all, (one) => one.ended(answer, request))
  }
}

function stepOfAll(this: Followers, step: RequestStep): void {
  eachOf(this.all, (one) => one.step?.(step))
}

function statementOfAll(this: Followers, statement: AskedStatement): void {
  eachOf(this.all, (one) => one.statement?.(statement))
}

/** Each around those behind it. */
function withinAll(this: Followers, work: () => void): void {
  const inner = this.all.reduceRight<() => void>(
    (next, one) => (one.within === undefined ? next : () => one.within!(next)),
    work,
  )
  inner()
}

/** @throws the first failure, after all were called */
function eachOf<T>(all: readonly T[], call: (one: T) => unknown): unknown {
  let failure: { readonly reason: unknown } | null = null
  let waiting: unknown[] | null = null
  for (const one of all)
    try {
      const returned = call(one)
      if (returned !== undefined) (waiting ??= []).push(returned)
    } catch (reason) {
      failure ??= { reason }
    }
  const later = waiting === null ? undefined : Promise.all(waiting)
  if (failure === null) return later
  later?.catch(() => undefined)
  throw failure.reason
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
