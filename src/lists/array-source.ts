import type {
  Condition,
  QuerySource,
  SeekRequest,
  SortKey,
  Stretch,
  Window,
} from '../contract/list-source.ts'
import { InvalidPosition } from '../errors/api-errors.ts'
import { checkOperator, rowsWhere } from './conditions.ts'
import { type RowField, checkField } from './fields.ts'
import { comparing, placed, totalKeys } from './order.ts'

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
  return new Rows({ rows, unique, groups: [], keys: [] })
}

interface ArrayQuery<Row> {
  readonly rows: readonly Row[]
  /** Fields that no two rows share, all together. */
  readonly unique: readonly string[]
  /** One condition of each group must hold. */
  readonly groups: readonly (readonly Condition[])[]
  readonly keys: readonly SortKey[]
}

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
    const order = comparing(total)
    // The row at the position itself belongs to neither direction.
    const further = placed(this.#found(), total).filter(
      ({ position: at }) =>
        position === null || (reverse ? order(at, position) < 0 : order(at, position) > 0),
    )
    const from = reverse ? Math.max(further.length - limit, 0) : 0
    const found = further.slice(from, from + limit)
    return {
      rows: found.map(({ row }) => row),
      more: further.length > limit,
      first: found[0]?.position ?? null,
      last: found.at(-1)?.position ?? null,
    }
  }

  #checkFields(named: readonly { readonly field: string }[]): void {
    for (const { field } of named) checkField(this.#query.rows, field)
  }

  #asking(more: Partial<ArrayQuery<Row>>): this {
    return new Rows({ ...this.#query, ...more }) as this
  }

  #ordered(): readonly Row[] {
    const { keys, unique } = this.#query
    if (keys.length === 0) return this.#found()
    return placed(this.#found(), totalKeys(keys, unique)).map(({ row }) => row)
  }

  #found(): readonly Row[] {
    const { rows, groups } = this.#query
    return groups.length === 0 ? rows : rowsWhere(rows, groups)
  }
}
