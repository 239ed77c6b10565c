/** The number and the times of retries, in milliseconds. */
export interface RetryOptions {
  /** Attempts after the first one. @default 4 */
  readonly retries?: number
  /** The longest wait before the first retry; each further one may wait up to twice as long. @default 250 */
  readonly firstWait?: number
  /** The most that it waits unless the service says how long. @default 10_000 */
  readonly longestWait?: number
}

/** A wait of any length up to twice the last one, so that clients that failed together do not come back together. */
export function backoff(attempt: number, options: RetryOptions, random: () => number): number {
  const { firstWait = 250, longestWait = 10_000 } = options
  return random() * Math.min(longestWait, firstWait * 2 ** attempt)
}

/** `Retry-After`, in seconds or as a date by the clock of the service (RFC 9110, 10.2.3); else what `RateLimit` says. In milliseconds from now. */
export function askedWait(headers: Headers, now: number): number | null {
  const text = headers.get('retry-after')
  if (!text) return limitWait(headers)
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const there = Date.parse(String(headers.get('date'))) || now
  const until = Date.parse(text) - there
  return Number.isNaN(until) ? null : Math.max(0, until)
}

/**
 * The longest wait of the limits of which nothing is left: `"user";r=0;t=14` (draft-ietf-httpapi-ratelimit-headers-10).
 * What a cache kept says nothing about now.
 */
export function limitWait(headers: Headers): number | null {
  if (headers.has('age')) return null
  const waits = String(headers.get('ratelimit'))
    .split(',')
    .filter((limit) => /;\s*r=0(?!\d)/.test(limit))
    .map((limit) => Number(/;\s*t=(\d{1,9})/.exec(limit)?.[1] ?? 0) * 1000)
  const longest = Math.max(0, ...waits)
  return longest === 0 ? null : longest
}

const LONGEST = 2 ** 31 - 1

/** Waits, unless the signal aborts first. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(
      () => {
        signal.removeEventListener('abort', stop)
        resolve()
      },
      Math.min(ms, LONGEST),
    )
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop)
  })
}

export interface TimeLimit {
  readonly signal: AbortSignal
  readonly stop: () => void
}

/** Aborts after so many milliseconds, `Infinity`: never, or with another signal. `stop` ends the count. */
export function timeLimit(name: string, ms: number, other: AbortSignal | undefined): TimeLimit {
  if (ms !== Infinity && !(Number.isFinite(ms) && ms >= 1 && ms <= LONGEST))
    throw new RangeError(`"${name}" is a number of milliseconds from 1 to ${LONGEST}, or Infinity.`)
  const over = new AbortController()
  const end = () => over.abort(new DOMException('The time is over.', 'TimeoutError'))
  const timer = ms === Infinity ? undefined : setTimeout(end, ms)
  const signal = other === undefined ? over.signal : AbortSignal.any([over.signal, other])
  return { signal, stop: () => clearTimeout(timer) }
}
