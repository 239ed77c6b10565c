import type {
  Window,
  Condition,
  Position,
  QuerySource,
  SeekRequest,
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
  const unique = options === undefined ? [] : [options.key].flat()
  for (const field of unique) checkField(rows, field)
  return new Rows({ rows, unique, groups: [], keys: null })
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
  /** With a unique key, reading can start behind one of the rows. */
  readonly seek: ((request: SeekRequest) => Stretch<Row>) | undefined

  constructor(query: ArrayQuery<Row>) {
    this.#query = query
    this.seek = query.unique.length === 0 ? undefined : (request) => this.#seek(request)
  }

  count(cap: number = Number.POSITIVE_INFINITY): number {
    return Math.min(this.#found().length, cap + 1)
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
    anyOf.forEach(checkOperator)
    this.#checkFields(anyOf)
    return this.#asking({ groups: [...this.#query.groups, anyOf] })
  }

  orderBy(keys: readonly SortKey[]): this {
    this.#checkFields(keys)
    return this.#asking({ keys })
  }

  #seek({ keys, position, reverse, limit }: SeekRequest): Stretch<Row> {
    const total = totalKeys(keys, this.#query.unique)
    if (position !== null && position.length !== total.length) throw new InvalidPosition()
    this.#checkFields(total)
    const all = placed(this.#found(), total)
    const border = borderOf(all, position, reverse, comparing(total))
    const from = reverse ? Math.max(border - limit, 0) : border
    const found = all.slice(from, reverse ? border : border + limit)
    return {
      rows: found.map(({ row }) => row),
      more: reverse ? from > 0 : border + limit < all.length,
      first: found[0]?.position ?? null,
      last: found.at(-1)?.position ?? null,
    }
  }

  #checkFields(named: readonly { readonly field: string }[]): void {
    for (const { field } of named) checkField(this.#query.rows, field)
  }

  /** The same array, asked for something else. */
  #asking(more: Partial<ArrayQuery<Row>>): this {
    return new Rows({ ...this.#query, ...more }) as this
  }

  #ordered(): readonly Row[] {
    const { keys, unique } = this.#query
    if (keys === null || keys.length === 0) return this.#found()
    return placed(this.#found(), totalKeys(keys, unique)).map(({ row }) => row)
  }

  #found(): readonly Row[] {
    const { rows, groups } = this.#query
    return groups.length === 0 ? rows : rowsWhere(rows, groups)
  }
}

/** How many rows stand before the position; the row at it belongs to neither direction. */
function borderOf(
  rows: readonly Placed<unknown>[],
  position: Position | null,
  reverse: boolean,
  order: (a: Position, b: Position) => number,
): number {
  if (position === null) return reverse ? rows.length : 0
  const isBehind = (difference: number): boolean => (reverse ? difference >= 0 : difference > 0)
  const first = rows.findIndex((row) => isBehind(order(row.position, position)))
  return first === -1 ? rows.length : first
}
