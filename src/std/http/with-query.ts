import { Query, formEncode } from './query.ts'

/**
 * A URL in which this query parameter has that one value (P8). Nothing else of it changes, but a query
 * that it has is form-encoded anew and sorted.
 */
export function withQuery(url: string, name: string, value: string): string {
  const cut = url.indexOf('?')
  // Nearly every link comes without a query, and there are many on a page.
  if (cut < 0) return `${url}?${formEncode(name)}=${formEncode(value)}`
  const query = Query.parse(url.slice(cut + 1)).with({ [name]: value })
  return `${url.slice(0, cut)}?${query.toString()}`
}
