import type { Incoming } from '../contract/request.ts'

/**
 * The address of the current request with some query parameters set, or removed where they are
 * `null` (P7, P8): absolute, everything else kept, sorted by name.
 */
export function pageUrl(
  request: Incoming,
  changes: Readonly<Record<string, string | number | null>>,
): string {
  const query = request.query.with(changes).toString()
  return request.origin + request.path + (query === '' ? '' : `?${query}`)
}
