import { Query } from './query.ts'

/**
 * A URL in which each of these query parameters has that one value (P8). Nothing else of it changes,
 * but a query that it has is form-encoded anew and sorted.
 */
export function withQuery(url: string, changes: Readonly<Record<string, string>>): string {
  const cut = url.indexOf('?')
  const query = Query.parse(cut < 0 ? '' : url.slice(cut + 1)).with(changes)
  return `${cut < 0 ? url : url.slice(0, cut)}?${query.toString()}`
}
