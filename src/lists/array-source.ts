import type {
  Window,
  Condition,
  QuerySource,
  SeekRequest,
  SeekableSource,
  SortKey,
  Stretch,
} from '../contract/list-source.ts'
import { InvalidPosition } from '../errors/api-errors.ts'
import { checkOperator, rowsWhere } from './conditions.ts'
import { type RowField, checkField } from './fields.ts'
import { type Placed, comparing, placed, totalKeys } from './order.ts'

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

/** What is asked of the rows of an array. */
interface ArrayQuery<Row> {
  readonly rows: readonly Row[]
  /** Fields that no two rows share, all together; may be none. */
  readonly unique: readonly string[]
  /** One condition of each group must hold. */
  readonly groups: readonly (readonly Condition[])[]
  /** `null`: as they lie. */
  readonly keys: readonly SortKey[] | null
}

/** An array as a list that can be filtered and ordered. */
class Rows<Row> implements QuerySource<Row, string> {
  readonly #query: ArrayQuery<Row>

  constructor(query: ArrayQuery<Row>) {
    this.#query = query
  }

  count(cap: number = Number.POSITIVE_INFINITY): number {
    const { rows, groups } = this.#query
    if (groups.length === 0) return Math.min(rows.length, cap + 1)
    const found = rowsWhere(rows, groups)
    let count = 0
    while (count <= cap && found.next().done !== true) count++
    return count
  }

  slice(offset: number, limit: number): readonly Row[] {
    return this.#ordered().slice(offset, offset + limit)
  }

  page(at: (count: number) => Window): { readonly count: number; readonly rows: readonly Row[] } {
    const rows = this.#ordered()
    const { offset, limit } = at(rows.length)
    return { count: rows.length, rows: rows.slice(offset, offset + limit) }
  }

  where(anyOf: readonly Condition[]): this {
    for (const condition of anyOf) {
      checkOperator(condition)
      checkField(this.#query.rows, condition.field)
    }
    return this.asking({ ...this.#query, groups: [...this.#query.groups, anyOf] })
  }

  orderBy(keys: readonly SortKey[]): this {
    for (const { field } of keys) checkField(this.#query.rows, field)
    return this.asking({ ...this.#query, keys })
  }

  /** The same array, asked for something else. */
  protected asking(query: ArrayQuery<Row>): this {
    return new Rows(query) as this
  }

  /** The rows that were asked for with their places, in the order of these keys. */
  protected placedBy(keys: readonly SortKey[]): Placed<Row>[] {
    for (const { field } of keys) checkField(this.#query.rows, field)
    return placed(this.#found(), keys)
  }

  #ordered(): readonly Row[] {
    const { keys, unique } = this.#query
    if (keys === null || keys.length === 0) return this.#found()
    return placed(this.#found(), totalKeys(keys, unique)).map(({ row }) => row)
  }

  #found(): readonly Row[] {
    const { rows, groups } = this.#query
    return groups.length === 0 ? rows : [...rowsWhere(rows, groups)]
  }
}

/** An array with a unique key, so that reading can start behind one of its rows. */
class KeyedRows<Row> extends Rows<Row> implements SeekableSource<Row, string> {
  readonly #unique: readonly string[]

  constructor(query: ArrayQuery<Row>) {
    super(query)
    this.#unique = query.unique
  }

  seek({ keys, position, reverse, limit }: SeekRequest): Stretch<Row> {
    const total = totalKeys(keys, this.#unique)
    if (position !== null && position.length !== total.length) throw new InvalidPosition()
    const order = comparing(total)
    const all = this.placedBy(total)
    // The row at the position itself belongs to neither direction.
    const isBefore = (row: Placed<Row>, than: NonNullable<typeof position>): boolean =>
      reverse ? order(row.position, than) < 0 : order(row.position, than) <= 0
    const end = reverse ? all.length : 0
    const border = position === null ? end : countWhile(all, (row) => isBefore(row, position))
    const from = reverse ? Math.max(border - limit, 0) : border
    const found = all.slice(from, reverse ? border : border + limit)
    return {
      rows: found.map(({ row }) => row),
      more: reverse ? from > 0 : border + limit < all.length,
      first: found[0]?.position ?? null,
      last: found.at(-1)?.position ?? null,
    }
  }

  protected override asking(query: ArrayQuery<Row>): this {
    return new KeyedRows(query) as this
  }
}

function countWhile<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  const first = items.findIndex((item) => !holds(item))
  return first === -1 ? items.length : first
}
