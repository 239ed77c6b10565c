import type { Window } from '../contract/pagination.ts'
import type { Condition, QuerySource, SortKey } from '../contract/source.ts'
import { checkOperator, rowsWhere } from './conditions.ts'
import { checkField } from './fields.ts'
import { type Placed, placed, totalKeys } from './order.ts'

/** What is asked of the rows of an array. */
export interface ArrayQuery<Row> {
  readonly rows: readonly Row[]
  /** Fields that no two rows share, all together; may be none. */
  readonly unique: readonly string[]
  /** One condition of each group must hold. */
  readonly groups: readonly (readonly Condition[])[]
  /** `null`: as they lie. */
  readonly keys: readonly SortKey[] | null
}

/** An array as a list that can be filtered and ordered. */
export class Rows<Row> implements QuerySource<Row, string> {
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
