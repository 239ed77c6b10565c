import type {
  Condition,
  FilterOperator,
  Position,
  PositionValue,
  QuerySource,
  SeekRequest,
  SortKey,
  Stretch,
  Window,
} from '../../core/ports/list-source.ts'
import { InvalidPosition } from '../../core/errors/api-errors.ts'
import { ConfigurationError, unfitValue } from '../../core/errors/configuration-error.ts'
import {
  type RowField,
  checkField,
  valueIn,
  sortValue,
  comparePresent,
  positionOrder,
  hasWhole,
  sortedWithPositions,
  totalKeys,
} from './order.ts'
import { integerValue, momentValue, realValue, booleanValue } from './filter-values.ts'

/** A list in memory, which can be counted, cut, filtered and ordered, all without a promise. */
export interface ArraySource<out Row, in Field extends string = RowField<Row>> extends QuerySource<
  Row,
  Field
> {
  count(cap?: number): number
  slice(offset: number, limit: number): readonly Row[]
  page(at: (count: number) => Window): { readonly count: number; readonly rows: readonly Row[] }
}

/** A list with a unique key, in which cursors can find their place. */
export interface KeyedArraySource<
  out Row,
  in Field extends string = RowField<Row>,
> extends ArraySource<Row, Field> {
  readonly seek: (request: SeekRequest<Field>) => Stretch<Row>
}

/** The facts that a list in memory cannot tell by itself. */
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
  readonly takesCut = true
  readonly unique: readonly string[]

  constructor(query: ArrayQuery<Row>) {
    this.#query = query
    this.unique = query.unique
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

  #seek({ keys, position: given, cut = {}, reverse, limit }: SeekRequest): Stretch<Row> {
    const total = totalKeys(keys, this.#query.unique)
    if (given !== null && given.length !== total.length) throw new InvalidPosition()
    this.#checkFields(total)
    const order = positionOrder(total)
    const all = sortedWithPositions(this.#found(), total)
    const isCutFrom = (at: Position): boolean =>
      order(
        at,
        given!.map((value, place) => (place in cut ? at[place]! : value)),
      ) === 0 && hasWhole(at, cut)
    const whole = given === null ? null : all.find(({ position: at }) => isCutFrom(at))
    const position = whole?.position ?? given
    // The row at the position itself belongs to neither direction.
    const further = all.filter(
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
    return sortedWithPositions(this.#found(), totalKeys(keys, unique)).map(({ row }) => row)
  }

  /** Rows that fulfil one condition of each group. @throws `unfitValue` a text is of another type */
  #found(): readonly Row[] {
    const { rows, groups } = this.#query
    if (groups.length === 0) return rows
    const tests = groups.map((group) =>
      group.map((condition) => ({ ...condition, isFulfilled: testOf(condition, rows) })),
    )
    return rows.filter((row) =>
      tests.every((group) =>
        group.some(({ field, isFulfilled }) => isFulfilled(valueIn(row, field))),
      ),
    )
  }
}

/** Operators that compare with one value, or with each of several. */
const COMPARISONS: Partial<Record<FilterOperator, (difference: number) => boolean>> = {
  equals: (difference) => difference === 0,
  in: (difference) => difference === 0,
  lt: (difference) => difference < 0,
  lte: (difference) => difference <= 0,
  gt: (difference) => difference > 0,
  gte: (difference) => difference >= 0,
}

/** Operators that look at texts, once both are in lower case. */
const TEXT_TESTS: Partial<Record<FilterOperator, (text: string, wanted: string) => boolean>> = {
  iequals: (text, wanted) => text === wanted,
  icontains: (text, wanted) => text.includes(wanted),
  istartsWith: (text, wanted) => text.startsWith(wanted),
}

/** @throws ConfigurationError arrays have no such operator: a regular expression of a client could run for ever */
function checkOperator({ operator }: Condition): void {
  if (operator === 'isNull' || operator in COMPARISONS || operator in TEXT_TESTS) return
  throw new ConfigurationError(`A list in memory cannot compare with "${operator}".`)
}

/** Does a value of the field fulfil the condition? A missing value fulfils `isNull` only. */
function testOf(condition: Condition, rows: readonly unknown[]): (value: unknown) => boolean {
  const { operator, value: wanted } = condition
  if (operator === 'isNull') return (value) => (sortValue(value) === null) === wanted
  const matches = TEXT_TESTS[operator]
  if (matches !== undefined) {
    const wantedText = textOf(wanted)
    return (value) => {
      const text = textOf(value)
      return text !== null && wantedText !== null && matches(text, wantedText)
    }
  }
  const isWanted = COMPARISONS[operator]!
  const each = (operator === 'in' ? (wanted as readonly unknown[]) : [wanted])
    .map((one) => typed(one, condition, rows))
    .filter((one) => one !== null)
  return (value) => {
    const found = sortValue(value)
    return found !== null && each.some((one) => isWanted(comparePresent(found, one)))
  }
}

/** Reads a text as the type that the field has in the rows. */
function typed(value: unknown, condition: Condition, rows: readonly unknown[]): PositionValue {
  if (typeof value !== 'string') return sortValue(value)
  const values = rows.map((row) => valueIn(row, condition.field))
  const sample = values.find((each) => sortValue(each) !== null)
  const made = typedText(value, sample)
  if (made === undefined) throw unfitValue(condition)
  return made
}

/** In lower case as far as ASCII goes, as databases have it; `null`: there is no value. */
function textOf(value: unknown): string | null {
  const found = value instanceof Date && sortValue(value) !== null ? value.toISOString() : value
  const text = sortValue(found)
  return text === null ? null : String(text).replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** The value of a text; `undefined`: the text writes no value of this type. */
function typedText(text: string, sample: unknown): PositionValue | undefined {
  if (typeof sample === 'number' || typeof sample === 'bigint')
    return integerValue(text) ?? realValue(text)
  if (typeof sample === 'boolean') return booleanValue(text)
  if (!(sample instanceof Date)) return text
  // As in databases, a time without a zone is in UTC.
  const utc = momentValue(text)
  return utc === undefined ? undefined : Date.parse(`${utc.replace(' ', 'T')}Z`)
}
