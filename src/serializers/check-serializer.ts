import type { Serializer } from '../contract/serializer.ts'
import type { Settings } from '../contract/settings.ts'

/**
 * What a serializer misses under these settings, as a sentence: `since` and `until` name versions that
 * nobody knows, for instance. `null`: nothing, or the serializer has no opinion. For `Behaviour.check`.
 */
export function checkSerializer(serializer: Serializer<never>, settings: Settings): string | null {
  return serializer.check?.(settings) ?? null
}
