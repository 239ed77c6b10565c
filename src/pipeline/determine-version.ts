import type { Settings } from '../contract/settings.ts'
import { type Slot, nothing } from './slot.ts'

/** Asks the scheme which version the request wants; without a scheme there is none (V1). */
export function compileDetermineVersion({ versioning }: Settings): Slot {
  if (versioning === null) return nothing
  return (request) => {
    const version = versioning.determineVersion(request)
    if (!(version instanceof Promise)) {
      request.version = version
      return
    }
    return version.then((found) => {
      request.version = found
    })
  }
}
