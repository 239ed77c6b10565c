import type { ServedEndpoint } from '../contract/kernel.ts'
import type { Throttle } from '../contract/request.ts'
import type { Limit } from '../contract/throttling.ts'
import { Throttled } from '../errors/api-errors.ts'
import { type MaybePromise, after, isPromise } from '../std/after.ts'
import type { Context, CountedLimits, Slot } from './context.ts'
import { withNextWaits } from './rate-limit-fields.ts'

/** What the throttles of a request answer. */
interface Asked {
  /** Of those that refuse by a decision of their own: seconds, `null` where that is not known. */
  readonly waits: (number | null)[]
  readonly limits: Limit[]
}

type Question = (request: Context, asked: Asked) => MaybePromise<void>

/** Asks all throttles, even after one has refused (T2), and decides about all of their limits in one step (I7). */
export function compileCheckThrottles({ settings }: ServedEndpoint): Slot | null {
  const questions = settings.throttles.flatMap(questionsOf)
  if (questions.length === 0) return null
  return (request) =>
    after(ask(questions, request, { waits: [], limits: [] }), (asked) => decide(asked, request))
}

function questionsOf(throttle: Throttle): Question[] {
  const questions: Question[] = []
  if (throttle.admit !== undefined)
    questions.push((request, { waits }) =>
      after(throttle.admit!(request), (admission) => {
        if (admission?.allowed === false) waits.push(admission.wait)
      }),
    )
  if (throttle.limits !== undefined)
    questions.push((request, asked) =>
      after(throttle.limits!(request), (limits) => {
        if (limits !== null) asked.limits.push(...limits)
      }),
    )
  return questions
}

function ask(
  questions: readonly Question[],
  request: Context,
  asked: Asked,
  from = 0,
): MaybePromise<Asked> {
  for (let at = from; at < questions.length; at++) {
    const answered = questions[at]!(request, asked)
    if (isPromise(answered)) return answered.then(() => ask(questions, request, asked, at + 1))
  }
  return asked
}

/** Nothing is counted that will be refused: then there is nothing to take back afterwards, either. */
function decide({ waits, limits: all }: Asked, request: Context): MaybePromise<void> {
  const counting = waits.length === 0
  const limits = counting ? all : all.filter(({ held }) => !held)
  if (limits.length === 0) return refuse(waits)
  const distinct = limits.length === 1 ? limits : withoutTwins(limits)
  const options = { counting, onStoreError: request.settings.onStoreError }
  return after(request.service.counters.hit(distinct, options), (counted) => {
    if (counted === null) return refuse(waits)
    request.counted = { limits: distinct, ...counted }
    addWaits(request.counted, waits)
    refuse(waits)
    if (!request.settings.rateLimitHeaders) return
    return after(withNextWaits(request.counted, request), (later) => {
      request.counted = later
    })
  })
}

/** Throttles that count under one key are one throttle, and the strictest of them decides. */
function withoutTwins(limits: readonly Limit[]): readonly Limit[] {
  const byKey = new Map<string, Limit>()
  for (const limit of limits) {
    const twin = byKey.get(limit.key)
    const cost = Math.max(limit.cost, twin?.cost ?? 0)
    byKey.set(limit.key, { ...limit, cost, limit: Math.min(limit.limit, twin?.limit ?? Infinity) })
  }
  return byKey.size === limits.length ? limits : [...byKey.values()]
}

/** What is being answered may be done at any moment. */
const HELD_WAIT = 1

/** Adds the waits of the limits that refuse, in seconds. */
function addWaits({ limits, standings }: CountedLimits, waits: (number | null)[]): void {
  for (const [i, { allowed, wait }] of standings.entries())
    if (!allowed) waits.push(limits[i]!.held ? HELD_WAIT : wait && wait / 1000)
}

/** The longest known wait is the answer (T3). */
function refuse(waits: readonly (number | null)[]): void {
  if (waits.length === 0) return
  const known = waits.filter((wait) => wait !== null)
  throw new Throttled(known.length === 0 ? null : Math.max(...known))
}

/** What counts only while the request is being answered is taken back. The answer does not wait for it. */
export function release({ counted, service }: Context): void {
  const held = counted?.limits.filter((limit) => limit.held) ?? []
  if (held.length === 0 || !counted!.standings.every(({ allowed }) => allowed)) return
  void service.counters.withdraw(held, counted!)
}
