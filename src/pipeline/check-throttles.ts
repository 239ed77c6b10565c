import { Throttled } from '../errors/api-errors.ts'
import type { Context } from './context.ts'

/** Asks all throttles, even after one refused (T2); the longest known wait is the answer (T3). */
export async function checkThrottles(request: Context): Promise<void> {
  const waits: (number | null)[] = []
  for (const throttle of request.settings.throttles) {
    const verdict = await throttle.admit(request)
    if (verdict?.allowed === false) waits.push(verdict.wait)
  }
  if (waits.length === 0) return
  const known = waits.filter((wait) => wait !== null)
  throw new Throttled(known.length === 0 ? null : Math.max(...known))
}
