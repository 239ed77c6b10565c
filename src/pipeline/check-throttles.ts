import type { Settings } from '../contract/settings.ts'
import type { Throttle, Verdict } from '../contract/throttle.ts'
import { Throttled } from '../errors/client-errors.ts'
import type { Context } from './context.ts'
import { type Slot, nothing } from './slot.ts'

/** Asks all throttles, even after one refused (T2); the longest known wait is the answer (T3). */
export function compileCheckThrottles({ throttles }: Settings): Slot {
  return throttles.length === 0 ? nothing : (request) => ask(throttles, request)
}

async function ask(throttles: readonly Throttle[], request: Context): Promise<void> {
  const refusals: Verdict[] = []
  for (const throttle of throttles) {
    const verdict = await throttle.admit(request)
    if (verdict?.allowed === false) refusals.push(verdict)
  }
  if (refusals.length > 0) throw new Throttled(longestWait(refusals))
}

function longestWait(refusals: readonly Verdict[]): number | null {
  const waits = refusals.flatMap((verdict) => (verdict.allowed ? [] : [verdict.wait]))
  const known = waits.filter((wait) => wait !== null)
  return known.length === 0 ? null : Math.max(...known)
}
