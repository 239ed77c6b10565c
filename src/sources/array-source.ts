import type { ListSource } from '../contract/source.ts'

type Range = { readonly offset: number; readonly limit: number }

/**
 * A list in memory. It is not copied: what happens to the array shows in the pages.
 *
 * @example
 * list({ source: arraySource(['red', 'green', 'blue']) })
 */
export function arraySource<Row>(rows: readonly Row[]): ListSource<Row> {
  const slice = (offset: number, limit: number): readonly Row[] =>
    rows.slice(offset, offset + limit)
  return {
    count: () => rows.length,
    slice,
    page(at: (count: number) => Range) {
      const { offset, limit } = at(rows.length)
      return { count: rows.length, rows: slice(offset, limit) }
    },
  }
}
