import { type OrderByItemNode, OrderByNode, type SelectQueryNode } from 'kysely'
import type { MaybePromise } from '../../contract/request.ts'
import type {
  Condition,
  ListSource,
  QuerySource,
  SeekRequest,
  SeekableSource,
  SortKey,
  Stretch,
} from '../../contract/list-source.ts'
import { after } from '../../std/after.ts'
import { BoundedMap } from '../../std/bounded-map.ts'
import { orderItems } from '../order.ts'
import { blamed, refusing } from '../refused-values.ts'
import { Seek } from '../seek.ts'
import { checkOperator } from './conditions.ts'
import type { FieldQuery } from './fields.ts'
import type { Alternatives, ListQuery } from './list-query.ts'

/** The rows of an SQL query: a list that can be narrowed and ordered by its fields, and read from any place. */
export interface SqlSource<out Row, in Field extends string = never>
  extends QuerySource<Row, Field>, SeekableSource<Row, Field> {
  readonly page: NonNullable<ListSource<Row>['page']>
  readonly estimate: NonNullable<ListSource<Row>['estimate']>
}

/** Makes the list of a query with an order; `key` completes it where it is not total yet. */
export type MakeList<Row> = (query: SelectQueryNode, key: readonly string[]) => ListSource<Row>

/** What narrows and orders a query. */
interface Refinement {
  readonly conditions: readonly Alternatives[]
  /** `null`: the order of the query itself. */
  readonly keys: readonly SortKey[] | null
}

/** Orders of one source that stay prepared. */
const ORDERS = 64

const ALL_ROWS: Refinement = { conditions: [], keys: null }

/** The source behind `sqlSource`. */
export class SqlQuery<Row, Field extends string> implements SqlSource<Row, Field> {
  readonly #query: ListQuery
  readonly #makeList: MakeList<Row>
  readonly #refinement: Refinement
  readonly #seeks = new BoundedMap<string, Seek<Row>>(ORDERS)
  readonly #ordered = new BoundedMap<string, this>(ORDERS)
  #list: ListSource<Row> | null = null
  #latest: { readonly keys: readonly SortKey[]; readonly seek: Seek<Row> } | null = null

  constructor(query: ListQuery, makeList: MakeList<Row>, refinement: Refinement = ALL_ROWS) {
    this.#query = query
    this.#makeList = makeList
    this.#refinement = refinement
  }

  count(cap?: number): MaybePromise<number> {
    return this.#reading((list) => list.count(cap))
  }

  slice(offset: number, limit: number): MaybePromise<readonly Row[]> {
    return this.#reading((list) => list.slice(offset, limit))
  }

  readonly page: SqlSource<Row>['page'] = (at) => this.#reading((list) => list.page!(at))

  readonly estimate: SqlSource<Row>['estimate'] = () =>
    this.#reading((list) => list.estimate?.() ?? null)

  readonly where = (anyOf: readonly Condition<Field>[]): this => {
    this.#query.checkWhole('narrowed')
    for (const condition of anyOf) {
      checkOperator(this.#query.database.dialect, condition)
      this.#query.checkName(condition.field)
    }
    const { conditions, keys } = this.#refinement
    return this.#refined({ conditions: [...conditions, anyOf], keys })
  }

  readonly orderBy = (keys: readonly SortKey<Field>[]): this => {
    this.#query.checkWhole('ordered')
    const name = nameOf(keys)
    const known = this.#ordered.get(name)
    if (known !== undefined) return known
    for (const { field } of keys) this.#query.checkName(field)
    const ordered = this.#refined({ ...this.#refinement, keys })
    this.#ordered.set(name, ordered)
    return ordered
  }

  readonly seek = ({ keys, ...request }: SeekRequest<Field>): MaybePromise<Stretch<Row>> =>
    this.#blaming(() => after(this.#seekIn(keys), (seek) => seek.stretch(request)))

  /** What is made of this class is of this class. */
  #refined(refinement: Refinement): this {
    return new SqlQuery<Row, Field>(this.#query, this.#makeList, refinement) as this
  }

  #reading<T>(read: (list: ListSource<Row>) => MaybePromise<T>): MaybePromise<T> {
    return this.#blaming(() => after(this.#listed(), read))
  }

  /** A value that only the database could judge came with a condition. */
  #blaming<T>(read: () => MaybePromise<T>): MaybePromise<T> {
    const { conditions } = this.#refinement
    if (conditions.length === 0) return read()
    return refusing(this.#query.database.dialect, read, () => blamed(conditions.flat()))
  }

  #listed(): MaybePromise<ListSource<Row>> {
    if (this.#list !== null) return this.#list
    return after(this.#makeListed(), (list) => (this.#list = list))
  }

  #makeListed(): MaybePromise<ListSource<Row>> {
    const { conditions, keys } = this.#refinement
    if (conditions.length > 0 || keys !== null) return this.#makeRefined()
    const { key } = this.#query.named
    return after(this.#query.inOwnOrder(), (query) => this.#makeList(query, key))
  }

  #makeRefined(): MaybePromise<ListSource<Row>> {
    const { conditions, keys } = this.#refinement
    return after(this.#query.fields(keys === null), (fields) =>
      after(this.#query.narrowed(fields, conditions), (query) =>
        after(this.#orderOf(fields), (items) =>
          this.#makeList({ ...query, orderBy: OrderByNode.create(items) }, []),
        ),
      ),
    )
  }

  #orderOf(fields: FieldQuery): MaybePromise<readonly OrderByItemNode[]> {
    const { keys } = this.#refinement
    if (keys === null) return this.#query.totalOwnOrder(fields)
    const { nulls } = this.#query.database.dialect
    return after(this.#query.terms(fields, keys), (terms) => orderItems(nulls, terms))
  }

  #seekIn(keys: readonly SortKey[]): MaybePromise<Seek<Row>> {
    if (this.#latest?.keys === keys) return this.#latest.seek
    const name = nameOf(keys)
    const seek = this.#seeks.get(name) ?? this.#makeSeek(keys)
    return after(seek, (known) => {
      this.#seeks.set(name, known)
      this.#latest = { keys, seek: known }
      return known
    })
  }

  #makeSeek(keys: readonly SortKey[]): MaybePromise<Seek<Row>> {
    this.#query.checkWhole('read from a place in it')
    const { database, compile } = this.#query
    return after(this.#query.fields(false), (fields) =>
      after(this.#query.narrowed(fields, this.#refinement.conditions), (query) =>
        after(
          this.#query.terms(fields, keys),
          (terms) => new Seek<Row>({ database, query, terms, compile }),
        ),
      ),
    )
  }
}

function nameOf(keys: readonly SortKey[]): string {
  let name = ''
  for (const { field, descending, nulls } of keys) {
    name += `${descending ? '-' : '+'}${nulls === 'first' ? '<' : '>'}${field}\0`
  }
  return name
}
