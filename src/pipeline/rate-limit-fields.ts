import type { Limit, Standing } from '../contract/throttling.ts'
import { type MaybePromise, after } from '../std/after.ts'
import type { Context, CountedLimits } from './context.ts'

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10), in requests that cost as much as this
 * one: so many will pass, and one more after `t` seconds. `null`: no limit is shown.
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

/** What costs nothing has no limit; what counts only for as long as it is answered, none that a client could plan by. */
function isShown({ name, held, cost }: Limit): boolean {
  return name !== undefined && !held && cost > 0
}

/** A name tells a policy from the others: a second one of the same name has its window in it. */
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
  // Of a request that costs more than one, `reset` is when more is left, and that may not be enough for it.
  const until = left === 0 ? wait || reset : cost === 1 ? reset : 0
  return until === 0 || cost > limit ? `r=${left}` : `r=${left};t=${Math.ceil(until / 1000)}`
}

/**
 * Where too little is left for a request that costs more than one, the store is asked when there is enough: what
 * it answered with the count is when anything more is left.
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
      // Where the store is away, a window is always long enough.
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
