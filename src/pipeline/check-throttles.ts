import type { Settings, Throttle } from '../contract/request.ts'
import { Throttled } from '../errors/api-errors.ts'
import type { Context, Slot } from './context.ts'

/** Asks all throttles, even after one refused (T2); the longest known wait is the answer (T3). */
export function compileCheckThrottles({ throttles }: Settings): Slot | null {
  return throttles.length === 0 ? null : (request) => ask(throttles, request)
}

async function ask(throttles: readonly Throttle[], request: Context): Promise<void> {
  const waits: (number | null)[] = []
  for (const throttle of throttles) {
    const verdict = await throttle.admit(request)
    if (verdict?.allowed === false) waits.push(verdict.wait)
  }
  if (waits.length === 0) return
  const known = waits.filter((wait) => wait !== null)
  throw new Throttled(known.length === 0 ? null : Math.max(...known))
}
