import type { ServedEndpoint } from '../contract/kernel.ts'
import type { Throttle } from '../contract/request.ts'
import type { Admission, Counted, Limit } from '../contract/throttling.ts'
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

/** Asks all throttles, even after one has refused (T2), and decides about all of their limits in one step (I7). */
export function compileCheckThrottles({ settings }: ServedEndpoint): Slot | null {
  const { throttles } = settings
  if (throttles.length === 0) return null
  return (request) => {
    const asked = ask(throttles, request, { waits: [], limits: [] })
    return isPromise(asked) ? asked.then((all) => decide(all, request)) : decide(asked, request)
  }
}

/** Asks the throttles from this one on, and without waiting until one returns a promise. */
function ask(
  throttles: readonly Throttle[],
  request: Context,
  asked: Asked,
  from = 0,
): MaybePromise<Asked> {
  for (let at = from; at < throttles.length; at++) {
    const throttle = throttles[at]!
    const waiting = askAdmission(throttle, request, asked) ?? askLimits(throttle, request, asked)
    if (waiting) return waiting.then(() => ask(throttles, request, asked, at + 1))
  }
  return asked
}

/** A promise where the admission has to be waited for; the limits are asked behind it then. */
function askAdmission(throttle: Throttle, request: Context, asked: Asked): Promise<void> | null {
  const admission = throttle.admit?.(request) ?? null
  if (isPromise(admission))
    return Promise.resolve(admission).then((later) => {
      noteAdmission(later, asked)
      return askLimits(throttle, request, asked) ?? undefined
    })
  noteAdmission(admission, asked)
  return null
}

function noteAdmission(admission: Admission | null, { waits }: Asked): void {
  if (admission?.allowed === false) waits.push(admission.wait)
}

function askLimits(throttle: Throttle, request: Context, asked: Asked): Promise<void> | null {
  const limits = throttle.limits?.(request) ?? null
  if (isPromise(limits))
    return Promise.resolve(limits).then((later) => void asked.limits.push(...(later ?? [])))
  if (limits !== null) for (const limit of limits) asked.limits.push(limit)
  return null
}

/** Nothing is counted that will be refused: then there is nothing to take back afterwards, either. */
function decide({ waits, limits: all }: Asked, request: Context): MaybePromise<void> {
  const counting = waits.length === 0
  const limits = counting ? all : all.filter(({ held }) => !held)
  if (limits.length === 0) return refuse(waits)
  const distinct = limits.length === 1 ? limits : withoutTwins(limits)
  const options = { counting, onStoreError: request.settings.onStoreError }
  const counted = request.service.counters.hit(distinct, options)
  if (isPromise(counted)) return counted.then((later) => heed(later, distinct, waits, request))
  return heed(counted, distinct, waits, request)
}

function heed(
  counted: Counted | null,
  limits: readonly Limit[],
  waits: (number | null)[],
  request: Context,
): MaybePromise<void> {
  if (counted === null) return refuse(waits)
  request.counted = { limits, ...counted }
  addWaits(request.counted, waits)
  refuse(waits)
  if (!request.settings.rateLimitHeaders) return
  return after(withNextWaits(request.counted, request), (later) => {
    request.counted = later
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
  for (let i = 0; i < limits.length; i++) {
    const { allowed, wait } = standings[i]!
    if (!allowed) waits.push(limits[i]!.held ? HELD_WAIT : wait && wait / 1000)
  }
}

/** The longest known wait is the answer (T3). */
function refuse(waits: readonly (number | null)[]): void {
  if (waits.length === 0) return
  const known = waits.filter((wait) => wait !== null)
  throw new Throttled(known.length === 0 ? null : Math.max(...known))
}

/** What counts only while the request is being answered is taken back. The answer does not wait for it. */
export function release({ counted, service }: Context): void {
  if (!counted?.limits.some(isHeld) || !counted.standings.every(({ allowed }) => allowed)) return
  void service.counters.withdraw(counted.limits.filter(isHeld), counted)
}

function isHeld({ held }: Limit): boolean {
  return held === true
}
