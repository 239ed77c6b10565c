import type { Settings } from '../contract/settings.ts'
import type { Context } from './context.ts'
import type { LifeCycle } from './life-cycle.ts'
import { type Slot, nothing } from './slot.ts'

/** Asks the scheme which version the request wants; without a scheme there is none (V1). */
export function compileDetermineVersion(
  { versioning }: Settings,
  lifeCycle: LifeCycle | null,
): Slot {
  if (versioning === null) return nothing
  return (request) => {
    const version = versioning.determineVersion(request)
    return version instanceof Promise
      ? version.then((found) => settle(request, found))
      : settle(request, version)
  }

  function settle(request: Context, version: string | null): void {
    request.version = version
    lifeCycle?.refuseGone(request)
  }
}
