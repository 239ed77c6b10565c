import type { ListSource, QuerySource, SeekableSource, SortKey } from '../contract/source.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'

/** Can it begin at a row? What types cannot see, such as a style in a configuration file, is seen here. */
export function canSeek(source: ListSource<unknown>): boolean {
  return typeof (source as Partial<SeekableSource<unknown>>).seek === 'function'
}

export const CANNOT_SEEK =
  'needs a source with seek(): take sqlSource, or arraySource with a key, or another style.'

/** What a source misses for an order, as the rest of a sentence; nothing is read. `null`: nothing. */
export function sourceProblem(
  source: ListSource<unknown>,
  keys: readonly SortKey[],
): string | null {
  if (!canSeek(source)) return CANNOT_SEEK
  try {
    ;(source as Partial<QuerySource<unknown, string>>).orderBy?.(keys)
    return null
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return `orders by ${keys.map(({ field }) => `"${field}"`).join(', ')}: ${error.message}`
  }
}
