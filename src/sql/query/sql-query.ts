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
} from '../../contract/source.ts'
import { after } from '../../std/after.ts'
import { BoundedMap } from '../../std/bounded-map.ts'
import { blamed } from '../seek/blame.ts'
import { checkOperator } from './conditions.ts'
import type { FieldQuery } from './fields.ts'
import type { Alternatives, ListQuery } from './list-query.ts'
import { inOwnOrder, totalOwnOrder } from './own-order.ts'
import { refusing } from './refusals.ts'
import { SeekPlan } from '../seek/seek-plan.ts'
import { SeekStatements, withHidden } from '../seek/seek-statements.ts'
import { type ComparedTerm, orderItems } from '../seek/terms.ts'

/** The rows of an SQL query: a list that can be narrowed and ordered by its fields, and read from any place. */
export interface SqlSource<out Row, in Field extends string = never>
  extends QuerySource<Row, Field>, SeekableSource<Row, Field> {
  readonly page: NonNullable<ListSource<Row>['page']>
  readonly estimate: NonNullable<ListSource<Row>['estimate']>
}

/** Makes the list of a query with an order; `key` completes it where it is not total yet. */
export type MakeList<Row> = (query: SelectQueryNode, key: readonly string[]) => ListSource<Row>

/** What narrows and orders a query. */
interface Wishes {
  readonly conditions: readonly Alternatives[]
  /** `null`: the order of the query itself. */
  readonly keys: readonly SortKey[] | null
}

/** Orders of one source that stay prepared. */
const ORDERS = 64

const NO_WISHES: Wishes = { conditions: [], keys: null }

/** The source behind `sqlSource`. */
export class SqlQuery<Row, Field extends string> implements SqlSource<Row, Field> {
  readonly #query: ListQuery
  readonly #makeList: MakeList<Row>
  readonly #wishes: Wishes
  readonly #plans = new BoundedMap<string, SeekPlan<Row>>(ORDERS)
  readonly #ordered = new BoundedMap<string, this>(ORDERS)
  #list: ListSource<Row> | null = null
  #latest: { readonly keys: readonly SortKey[]; readonly plan: SeekPlan<Row> } | null = null

  constructor(query: ListQuery, makeList: MakeList<Row>, wishes: Wishes = NO_WISHES) {
    this.#query = query
    this.#makeList = makeList
    this.#wishes = wishes
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
    const { conditions, keys } = this.#wishes
    return this.#wishing({ conditions: [...conditions, anyOf], keys })
  }

  readonly orderBy = (keys: readonly SortKey<Field>[]): this => {
    this.#query.checkWhole('ordered')
    const name = nameOf(keys)
    const known = this.#ordered.get(name)
    if (known !== undefined) return known
    for (const { field } of keys) this.#query.checkName(field)
    const ordered = this.#wishing({ ...this.#wishes, keys })
    this.#ordered.set(name, ordered)
    return ordered
  }

  readonly seek = ({ keys, ...request }: SeekRequest<Field>): MaybePromise<Stretch<Row>> =>
    this.#blaming(() => after(this.#planOf(keys), (plan) => plan.stretch(request)))

  /** What is made of this class is of this class. */
  #wishing(wishes: Wishes): this {
    return new SqlQuery<Row, Field>(this.#query, this.#makeList, wishes) as this
  }

  #reading<T>(read: (list: ListSource<Row>) => MaybePromise<T>): MaybePromise<T> {
    return this.#blaming(() => after(this.#listed(), read))
  }

  /** A value that only the database could judge came with a condition. */
  #blaming<T>(read: () => MaybePromise<T>): MaybePromise<T> {
    const { conditions } = this.#wishes
    if (conditions.length === 0) return read()
    return refusing(this.#query.database.dialect, read, () => blamed(conditions))
  }

  #listed(): MaybePromise<ListSource<Row>> {
    if (this.#list !== null) return this.#list
    return after(this.#makeListed(), (list) => (this.#list = list))
  }

  #makeListed(): MaybePromise<ListSource<Row>> {
    const { conditions, keys } = this.#wishes
    if (conditions.length > 0 || keys !== null) return this.#makeWished()
    const { key } = this.#query.named
    return after(inOwnOrder(this.#query), (query) => this.#makeList(query, key))
  }

  #makeWished(): MaybePromise<ListSource<Row>> {
    const { conditions, keys } = this.#wishes
    return after(this.#query.fields(keys === null), (fields) =>
      after(this.#query.narrowed(fields, conditions), (query) =>
        after(this.#orderOf(fields), (items) =>
          this.#makeList({ ...query, orderBy: OrderByNode.create(items) }, []),
        ),
      ),
    )
  }

  #orderOf(fields: FieldQuery): MaybePromise<readonly OrderByItemNode[]> {
    const { keys } = this.#wishes
    if (keys === null) return totalOwnOrder(this.#query, fields)
    const { dialect } = this.#query.database
    return after(this.#query.terms(fields, keys), (terms) => orderItems(dialect, terms))
  }

  #planOf(keys: readonly SortKey[]): MaybePromise<SeekPlan<Row>> {
    if (this.#latest?.keys === keys) return this.#latest.plan
    const name = nameOf(keys)
    const plan = this.#plans.get(name) ?? this.#plan(keys)
    return after(plan, (known) => {
      this.#plans.set(name, known)
      this.#latest = { keys, plan: known }
      return known
    })
  }

  #plan(keys: readonly SortKey[]): MaybePromise<SeekPlan<Row>> {
    this.#query.checkWhole('read from a place in it')
    return after(this.#query.fields(), (fields) =>
      after(this.#query.narrowed(fields, this.#wishes.conditions), (query) =>
        after(this.#query.terms(fields, keys), (terms) => this.#toPlan(query, terms)),
      ),
    )
  }

  #toPlan(query: SelectQueryNode, terms: readonly ComparedTerm[]): SeekPlan<Row> {
    const { database, compile } = this.#query
    const { dialect } = database
    const options = { dialect, query: withHidden(query, terms), terms, compile }
    return new SeekPlan<Row>(database, terms, new SeekStatements(options))
  }
}

function nameOf(keys: readonly SortKey[]): string {
  let name = ''
  for (const { field, descending, nulls } of keys) {
    name += `${descending ? '-' : '+'}${nulls === 'first' ? '<' : '>'}${field}\0`
  }
  return name
}
