import type { ServedEndpoint } from '../ports/kernel.ts'
import type { Admission, Counted, Limit, Standing, Throttle } from '../ports/policies/throttling.ts'
import { Throttled } from '../errors/api-errors.ts'
import { type MaybePromise, after, isPromise } from '../std/after.ts'
import type { Context, CountedLimits, Slot } from './context.ts'

/** The answers of a request's throttles. */
interface Asked {
  /** The seconds of throttles that refused by a decision of their own; `null`: such a throttle does not know. */
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

/** Returns a promise if the admission has to be waited for; the limits are asked after it then. */
function askAdmission(throttle: Throttle, request: Context, asked: Asked): Promise<void> | null {
  if (throttle.admit === undefined) return null
  const admission = throttle.admit(request)
  if (isPromise(admission))
    return Promise.resolve(admission).then((later) => {
      noteAdmission(later, throttle, asked)
      return askLimits(throttle, request, asked) ?? undefined
    })
  noteAdmission(admission, throttle, asked)
  return null
}

function noteAdmission(admission: Admission | null, by: Throttle, { waits }: Asked): void {
  if (admission === null) return
  // Programs without types may give something else, which must not let all requests pass.
  if (typeof admission?.allowed !== 'boolean')
    throw new TypeError(`admit() of ${by.constructor.name} must return { allowed, wait } or null.`)
  if (!admission.allowed) waits.push(admission.wait ?? null)
}

function askLimits(throttle: Throttle, request: Context, asked: Asked): Promise<void> | null {
  const limits = throttle.limits?.(request) ?? null
  if (isPromise(limits))
    return Promise.resolve(limits).then((later) => void asked.limits.push(...(later ?? [])))
  if (limits !== null) for (const limit of limits) asked.limits.push(limit)
  return null
}

/** Decides about the request. A request that will be refused is not counted, so nothing has to be taken back later. */
function decide({ waits, limits: all }: Asked, request: Context): MaybePromise<void> {
  const counting = waits.length === 0
  const limits = counting ? all : all.filter(({ held }) => !held)
  if (limits.length === 0) return refuse(waits)
  const distinct = limits.length === 1 ? limits : withoutTwins(limits)
  const options = { counting, onStoreError: request.settings.onStoreError }
  const counted = request.service.counters.hit(distinct, options)
  if (isPromise(counted))
    return counted.then((later) => enforceLimits(later, distinct, waits, request))
  return enforceLimits(counted, distinct, waits, request)
}

function enforceLimits(
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

/** A request that is being answered may end at any moment. */
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

/** Takes back the counts that only hold during the answer, which does not wait for this. */
export function withdrawHeld({ counted, service }: Pick<Context, 'counted' | 'service'>): void {
  if (!counted?.limits.some(isHeld) || !counted.standings.every(({ allowed }) => allowed)) return
  void service.counters.withdraw(counted.limits.filter(isHeld), counted)
}

function isHeld({ held }: Limit): boolean {
  return held === true
}

/**
 * The fields `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10), counted in requests that cost as
 * much as this one: `r` requests pass now, and one more passes after `t` seconds. `null`: no limit is shown.
 */
export function rateLimitFields({
  limits,
  standings,
}: CountedLimits): Readonly<Record<'policies' | 'left', string>> | null {
  let [policies, left] = ['', '']
  for (const [i, limit] of limits.entries()) {
    if (!isShown(limit)) continue
    const name = freeName(limit, policies)
    const comma = policies === '' ? '' : ', '
    policies += `${comma}${name};q=${Math.floor(limit.limit / limit.cost)};w=${limit.seconds}`
    left += `${comma}${name};${leftOf(limit, standings[i]!)}`
  }
  return policies === '' ? null : { policies, left }
}

/**
 * Is the limit shown? A cost of zero has no limit, and clients cannot plan by a limit that counts only while requests are
 * answered.
 */
function isShown({ name, held, cost }: Limit): boolean {
  return name !== undefined && !held && cost > 0
}

/** Gives the policy a free name: a second policy of the same name has its window in the name. */
function freeName({ name, seconds }: Limit, policies: string): string {
  let quoted = stringOf(name!)
  while (policies.includes(`${quoted};`)) quoted = `${quoted.slice(0, -1)}-${seconds}"`
  return quoted
}

/** A String of structured fields (RFC 9651), which is ASCII. */
function stringOf(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`
  const ascii = text.toWellFormed().replace(/[^\x20-\x7e]/gu, encodeURIComponent)
  return `"${ascii.replace(/[\\"]/g, '\\$&')}"`
}

const PLAIN = /^[\w .:-]+$/

function leftOf({ limit, cost }: Limit, { remaining, wait, reset }: Standing): string {
  const left = Math.floor(remaining / cost)
  // If a request costs more than one, `reset` is when more is left, which may still be too little for it.
  const until = left === 0 ? wait || reset : cost === 1 ? reset : 0
  return until === 0 || cost > limit ? `r=${left}` : `r=${left};t=${Math.ceil(until / 1000)}`
}

/**
 * Asks the store when enough is left for a request that costs more than one. The count says only when anything more is left.
 */
export function withNextWaits(
  counted: CountedLimits,
  { service }: Context,
): MaybePromise<CountedLimits> {
  const short = counted.limits.filter(isShortIn(counted))
  if (short.length === 0) return counted
  const look = service.counters.hit(short, { counting: false, onStoreError: 'allow' })
  return after(look, (looked) => {
    const standings = counted.standings.map((standing, i): Standing => {
      const limit = counted.limits[i]!
      const at = short.indexOf(limit)
      // If the store is away, a whole window is always long enough.
      const wait = looked?.standings[at]?.wait ?? limit.seconds * 1000
      return at < 0 ? standing : { ...standing, reset: Math.max(1, wait) }
    })
    return { ...counted, standings }
  })
}

function isShortIn({ limits, standings }: CountedLimits): (limit: Limit) => boolean {
  return (limit) => {
    const { allowed, remaining } = standings[limits.indexOf(limit)]!
    return allowed && limit.cost > 1 && remaining < limit.cost && isShown(limit)
  }
}
