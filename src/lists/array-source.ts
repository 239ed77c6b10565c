import type { Window } from '../contract/pagination.ts'
import type { QuerySource, SeekRequest, Stretch } from '../contract/source.ts'
import { type RowField, checkField } from './fields.ts'
import { KeyedRows } from './keyed-rows.ts'
import { Rows } from './rows.ts'

/** What a list in memory can do: be counted, cut, filtered and ordered, all without a promise. */
export interface ArraySource<out Row, in Field extends string = RowField<Row>> extends QuerySource<
  Row,
  Field
> {
  count(cap?: number): number
  slice(offset: number, limit: number): readonly Row[]
  page(at: (count: number) => Window): { readonly count: number; readonly rows: readonly Row[] }
}

/** The same, with a key that no two rows share: cursors can find their place in it. */
export interface KeyedArraySource<
  out Row,
  in Field extends string = RowField<Row>,
> extends ArraySource<Row, Field> {
  readonly seek: (request: SeekRequest<Field>) => Stretch<Row>
}

/** What a list in memory cannot tell by itself. */
export interface ArraySourceOptions<Field extends string> {
  /** Field, or fields, that no two rows share. */
  readonly key: Field | readonly Field[]
}

/**
 * A list in memory. It is not copied: what happens to the array shows in the pages. Rows are sorted
 * when they are read, each time, so this is for lists that are short.
 *
 * It filters and orders as SQL does: `null`, `undefined` and `NaN` are no values and fulfil nothing but
 * `isNull`; texts are ordered by code point, and compared without case as far as ASCII goes; dates are
 * ordered by time. It knows no regular expressions (`iregex`) and no full text (`search`).
 *
 * @example
 * list({ source: arraySource(['red', 'green', 'blue']) })
 * list({ source: arraySource(cities, { key: 'id' }), pagination: new CursorPagination({ ordering: 'name' }) })
 */
export function arraySource<Row>(
  rows: readonly Row[],
  options: ArraySourceOptions<RowField<Row>>,
): KeyedArraySource<Row>
export function arraySource<Row>(rows: readonly Row[]): ArraySource<Row>
export function arraySource<Row>(
  rows: readonly Row[],
  options?: ArraySourceOptions<string>,
): ArraySource<Row> {
  const query = { rows, groups: [], keys: null }
  if (options === undefined) return new Rows({ ...query, unique: [] })
  const unique = typeof options.key === 'string' ? [options.key] : options.key
  for (const field of unique) checkField(rows, field)
  return new KeyedRows({ ...query, unique })
}
