import {
  type Compilable,
  type OperationNode,
  type OperationNodeSource,
  OrderByNode,
  SelectQueryNode,
} from 'kysely'
import { type MaybePromise, after } from '../../../core/std/after.ts'
import type { Condition, SeekRequest, SortKey, Stretch } from '../../../core/ports/list-source.ts'
import { ConfigurationError } from '../../../core/errors/configuration-error.ts'
import { BoundedMap } from '../../../core/std/bounded-map.ts'
import { keptIn } from '../../../core/std/once.ts'
import { columnRef } from '../nodes.ts'
import { type Items, orderItems, orderName } from '../order.ts'
import { Seek } from '../seek.ts'
import type { ListDatabase, SqlSource } from '../sql-database.ts'
import {
  type AlternativeConditions,
  type Shape,
  valueError,
  checkOperator,
  catchRefusal,
} from './conditions.ts'
import { type RelatedScope, type FieldQuery, ListQuery, keyNode } from './list-query.ts'
import { type KnownRelation, Relation, type RelationNames, type SqlRelations } from './relations.ts'
import { ownLimitOf } from './row-by-row.ts'
import type { KnownTables } from './spared-joins.ts'
import { SqlList } from './sql-list.ts'

/** Options of a list. */
export interface SqlSourceOptions<
  Row,
  Extra extends string = never,
  Relations extends SqlRelations = SqlRelations,
> {
  readonly database: ListDatabase
  /** A select of the Kysely query builder, without plugins; its output type is the row. */
  readonly query: Compilable<Row> & OperationNodeSource
  /** Column, or columns, that no two rows of the list share, as the query may name them: `'id'`, `'article.id'`. */
  readonly key: string | readonly string[]
  /**
   * Names for what the list may be ordered and filtered by beside its columns: an expression, or a
   * column of a table that the query reads from (`'author.name'`).
   */
  readonly fields?: Readonly<Record<Extra, string | OperationNodeSource>>
  /**
   * Rows of other tables that belong to a row of the list, any number of them. A condition on one of their columns
   * (`comments.body`) asks whether there is such a row, so that no row of the list comes twice.
   */
  readonly relations?: Relations
}

/**
 * The rows of an SQL query as a list.
 *
 * Without an order of its own the query is ordered by `key`; with one, `key` comes last, so that the
 * order is total and pages neither repeat nor skip rows. Pages in the second half are read from the end.
 * Make it once where the query is always the same: its statements are compiled once.
 * It is filtered, ordered and read from a place by its fields: the columns of its rows, and `fields`.
 *
 * @example
 * const db = database.kysely<{ article: { id: number; title: string } }>()
 * const articles = sqlSource({ database, query: db.selectFrom('article').select(['id', 'title']), key: 'id' })
 *
 * @throws ConfigurationError where `query` is no select, its `key` may be a column of several tables, or is cut by anything but plain numbers; where a
 * field is not known, or the list is cut by its query, and asked for more than its rows
 */
export function sqlSource<
  Row,
  Extra extends string = never,
  const Relations extends SqlRelations = never,
>({
  database,
  query,
  key,
  fields,
  relations,
}: SqlSourceOptions<Row, Extra, Relations>): SqlSource<
  Row,
  (keyof Row & string) | Extra | RelationNames<Relations>
> {
  const node = query.toOperationNode()
  if (!SelectQueryNode.is(node))
    throw new ConfigurationError('The query of a list must be a select.')
  ownLimitOf(node)
  const names = [key].flat()
  const extras = Object.entries<string | OperationNodeSource>(fields ?? {}).map(
    ([name, field]): [string, OperationNode] => [
      name,
      typeof field === 'string' ? columnRef(field) : field.toOperationNode(),
    ],
  )
  const named = {
    query: node,
    fields: new Map(extras),
    key: names,
    keyNodes: names.map((name) => keyNode(name, node)),
    relations: Object.entries<KnownRelation>(relations ?? {}).map(
      ([name, each]) => new Relation(name, each),
    ),
  }
  return new SqlQuery(new ListQuery(database, named))
}

/** Conditions with an order whose statements stay compiled, for each list; clients decide which, and how many each has. */
const KEPT = 128
const BOUND = { most: 65_536, of: (name: string): number => name.length }

/** Conditions, an order, and what rows of relations must have. */
interface Part {
  readonly conditions: readonly AlternativeConditions[]
  /** `null`: the order of the query itself. */
  readonly keys: readonly SortKey[] | null
  readonly around: RelatedScope
  /** The number of values that the conditions have places for. */
  readonly places: number
}

const WHOLE: Part = { conditions: [], keys: null, around: {}, places: 0 }

class SqlQuery<Row, Field extends string> implements SqlSource<Row, Field> {
  readonly takesCut = true
  readonly #query: ListQuery
  readonly #part: Part
  /** Queries with places for values: requests that differ only in values, such as those of two tenants, share one. */
  readonly #shared: BoundedMap<string, SqlQuery<Row, Field>>
  #list: SqlList<Row> | null = null
  #seek: { readonly order: string; readonly seek: Seek<Row> } | null = null

  constructor(
    query: ListQuery,
    part = WHOLE,
    shared: BoundedMap<string, SqlQuery<Row, Field>> = new BoundedMap(KEPT, BOUND),
  ) {
    this.#query = query
    this.#part = part
    this.#shared = shared
  }

  count(cap?: number): MaybePromise<number> {
    return this.#reading((list, given) => list.count(cap, given))
  }

  slice(offset: number, limit: number): MaybePromise<readonly Row[]> {
    return after(this.cut(offset, limit), ({ rows }) => rows)
  }

  get unique(): readonly string[] {
    return this.#query.named.key
  }

  readonly page: SqlSource<Row>['page'] = (at) =>
    this.#reading((list, given) => list.page(at, given))

  readonly cut: SqlSource<Row>['cut'] = (offset, limit) =>
    this.#reading((list, given) => list.cut(offset, limit, given))

  /** An estimate depends on the values. */
  readonly estimate: SqlSource<Row>['estimate'] = () =>
    this.#sharing(this.#part.keys, () => after(this.#listed(), (list) => list.estimate()))

  readonly where = (anyOf: readonly Condition<Field>[]): this => {
    this.#query.checkWhole('narrowed')
    for (const condition of anyOf) {
      checkOperator(this.#query.database.dialect, condition)
      this.#query.checkCondition(condition.field)
    }
    return this.#refined({ conditions: [...this.#part.conditions, anyOf] })
  }

  readonly orderBy = (keys: readonly SortKey<Field>[]): this => {
    this.#query.checkWhole('ordered')
    for (const { field } of keys) this.#query.checkOrder(field)
    return this.#refined({ keys })
  }

  readonly relating = (values: RelatedScope): this => {
    if (this.#query.named.relations.length === 0 || Object.keys(values).length === 0) return this
    return this.#refined({ around: { ...this.#part.around, ...values } })
  }

  readonly seek = ({ keys, ...request }: SeekRequest<Field>): MaybePromise<Stretch<Row>> =>
    this.#sharing(keys, (query, given) =>
      after(query.#seekIn(keys), (seek) => seek.stretch(request, given)),
    )

  /** Further conditions make another list of this class. */
  #refined(part: Partial<Part>): this {
    return new SqlQuery<Row, Field>(this.#query, { ...this.#part, ...part }, this.#shared) as this
  }

  #reading<T>(
    read: (list: SqlList<Row>, given: readonly unknown[]) => MaybePromise<T>,
  ): MaybePromise<T> {
    return this.#sharing(this.#part.keys, (query, given) =>
      after(query.#listed(), (list) => read(list, given)),
    )
  }

  /**
   * Reads by statements that all lists of the same conditions share, with the values of this one. A value that only the
   * database could judge came with a condition.
   */
  #sharing<T>(
    keys: readonly SortKey[] | null,
    read: (query: SqlQuery<Row, Field>, given: readonly unknown[]) => MaybePromise<T>,
  ): MaybePromise<T> {
    const { conditions, around } = this.#part
    if (conditions.length === 0 && keys === null) return read(this, [])
    const isBeside = Object.keys(around).length > 0 && this.#query.areRelated(keys ?? [])
    const found = (): MaybePromise<T> =>
      after(this.#query.shapeOf(conditions), (shape) =>
        shape === null || isBeside ? read(this, []) : read(this.#alike(shape, keys), shape.values),
      )
    if (conditions.length === 0) return found()
    return catchRefusal(this.#query.database.dialect, found, () => valueError(conditions.flat()))
  }

  #alike({ name, conditions, values }: Shape, keys: Part['keys']): SqlQuery<Row, Field> {
    // Neither an order by nothing nor none at all ends as conditions do.
    const order = keys === null ? '' : `order${orderName(keys)}`
    const part = { conditions, keys, around: {}, places: values.length }
    return keptIn(this.#shared, name + order, () => new SqlQuery(this.#query, part, this.#shared))
  }

  #listed(): MaybePromise<SqlList<Row>> {
    if (this.#list !== null) return this.#list
    const { database, named } = this.#query
    const isRefined = this.#part.conditions.length > 0 || this.#part.keys !== null
    const read = isRefined ? this.#refinedQuery() : after(this.#query.inOwnOrder(), alone)
    return after(read, ({ query, counted }) => {
      const key = isRefined ? [] : named.keyNodes
      return after(this.#tablesOf(query), (tables) => {
        const { compile } = this.#query
        return (this.#list ??= new SqlList(database, query, key, tables, compile, counted))
      })
    })
  }

  /** A query that is narrowed from outside has other tables. */
  #tablesOf({ joins }: SelectQueryNode): MaybePromise<KnownTables | null> {
    const isSame = joins !== undefined && joins === this.#query.named.query.joins
    return isSame ? this.#query.tables() : null
  }

  #refinedQuery(): MaybePromise<Listed> {
    const { conditions, keys, around } = this.#part
    return after(this.#query.fields(keys === null), (fields) =>
      after(this.#query.narrowed(fields, conditions, around), (counted) =>
        after(this.#query.ordered(fields, keys ?? [], around), (ordered) =>
          after(this.#orderOf(ordered), (items) => {
            const { joins } = ordered.query
            const query = joins === undefined ? counted : { ...counted, joins }
            return { query: { ...query, orderBy: OrderByNode.create(items) }, counted }
          }),
        ),
      ),
    )
  }

  #orderOf(fields: FieldQuery): MaybePromise<Items> {
    const { keys } = this.#part
    if (keys === null) return this.#query.totalOwnOrder(fields)
    const { nulls } = this.#query.database.dialect
    return after(this.#query.terms(fields, keys), (terms) => orderItems(nulls, terms))
  }

  #seekIn(keys: readonly SortKey[]): MaybePromise<Seek<Row>> {
    const order = orderName(keys)
    if (this.#seek?.order === order) return this.#seek.seek
    return after(this.#makeSeek(keys), (seek) => {
      this.#seek = { order, seek }
      return seek
    })
  }

  async #makeSeek(keys: readonly SortKey[]): Promise<Seek<Row>> {
    this.#query.checkWhole('read from a place in it')
    for (const { field } of keys) this.#query.checkOrder(field)
    const { database, compile } = this.#query
    const { conditions, around, places } = this.#part
    const fields = await this.#query.ordered(await this.#query.fields(false), keys, around)
    const query = await this.#query.narrowed(fields, conditions, around)
    const terms = await this.#query.terms(fields, keys)
    return new Seek<Row>({ database, query, terms, compile, places })
  }
}

/** The query to read, and the query to count: an order may need more tables. */
interface Listed {
  readonly query: SelectQueryNode
  readonly counted: SelectQueryNode
}

function alone(query: SelectQueryNode): Listed {
  return { query, counted: query }
}
