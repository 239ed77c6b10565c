import {
  type Compilable,
  type OperationNode,
  type OperationNodeSource,
  OrderByNode,
  SelectQueryNode,
} from 'kysely'
import { type MaybePromise, after } from '../../../core/std/after.ts'
import type {
  Condition,
  ListSource,
  QuerySource,
  SeekRequest,
  SeekableSource,
  SortKey,
  Stretch,
} from '../../../core/ports/list-source.ts'
import { ConfigurationError } from '../../../core/errors/configuration-error.ts'
import { BoundedMap } from '../../../core/std/bounded-map.ts'
import { reference } from '../nodes.ts'
import { type Items, orderItems } from '../order.ts'
import { Seek } from '../seek.ts'
import type { ListDatabase } from '../sql-database.ts'
import { blamed, checkOperator, refusing } from './conditions.ts'
import {
  type AlternativeConditions,
  type RelatedScope,
  type FieldQuery,
  ListQuery,
  keyNode,
} from './list-query.ts'
import { type KnownRelation, Relation, type RelationNames, type SqlRelations } from './relations.ts'
import { ownLimitOf } from './row-by-row.ts'
import type { KnownTables } from './spared-joins.ts'
import { SqlList } from './sql-list.ts'

/** The rows of an SQL query: a list that can be narrowed and ordered by its fields, and read from any place. */
export interface SqlSource<out Row, in Field extends string = never>
  extends QuerySource<Row, Field>, SeekableSource<Row, Field> {
  readonly page: NonNullable<ListSource<Row>['page']>
  readonly cut: NonNullable<ListSource<Row>['cut']>
  readonly estimate: NonNullable<ListSource<Row>['estimate']>
  /**
   * Conditions and orders see those rows of relations alone that have these values of a scope, by column of the list.
   * Resources with a scope do this by themselves.
   */
  readonly relating: (values: Readonly<Record<string, unknown>>) => this
}

/** What a list is read with. */
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
      typeof field === 'string' ? reference(field) : field.toOperationNode(),
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

/** Orders that stay prepared. */
const ORDERS = 64

class SqlQuery<Row, Field extends string> implements SqlSource<Row, Field> {
  readonly takesCut = true
  readonly #query: ListQuery
  readonly #conditions: readonly AlternativeConditions[]
  /** `null`: the order of the query itself. */
  readonly #keys: readonly SortKey[] | null
  readonly #around: RelatedScope
  readonly #seeks = new BoundedMap<string, Seek<Row>>(ORDERS)
  readonly #ordered = new BoundedMap<string, this>(ORDERS)
  #list: SqlList<Row> | null = null
  #latest: { readonly keys: readonly SortKey[]; readonly seek: Seek<Row> } | null = null

  constructor(
    query: ListQuery,
    conditions: readonly AlternativeConditions[] = [],
    keys: readonly SortKey[] | null = null,
    around: RelatedScope = {},
  ) {
    this.#around = around
    this.#query = query
    this.#conditions = conditions
    this.#keys = keys
  }

  count(cap?: number): MaybePromise<number> {
    return this.#reading((list) => list.count(cap))
  }

  slice(offset: number, limit: number): MaybePromise<readonly Row[]> {
    return this.#reading((list) => list.slice(offset, limit))
  }

  get unique(): readonly string[] {
    return this.#query.named.key
  }

  readonly page: SqlSource<Row>['page'] = (at) => this.#reading((list) => list.page(at))

  readonly cut: SqlSource<Row>['cut'] = (offset, limit) =>
    this.#reading((list) => list.cut(offset, limit))

  readonly estimate: SqlSource<Row>['estimate'] = () => this.#reading((list) => list.estimate())

  readonly where = (anyOf: readonly Condition<Field>[]): this => {
    this.#query.checkWhole('narrowed')
    for (const condition of anyOf) {
      checkOperator(this.#query.database.dialect, condition)
      this.#query.checkCondition(condition.field)
    }
    return this.#refined([...this.#conditions, anyOf], this.#keys)
  }

  readonly orderBy = (keys: readonly SortKey<Field>[]): this => {
    this.#query.checkWhole('ordered')
    const name = nameOf(keys)
    const known = this.#ordered.get(name)
    if (known !== undefined) return known
    for (const { field } of keys) this.#query.checkOrder(field)
    const ordered = this.#refined(this.#conditions, keys)
    this.#ordered.set(name, ordered)
    return ordered
  }

  readonly relating = (values: RelatedScope): this => {
    if (this.#query.named.relations.length === 0 || Object.keys(values).length === 0) return this
    return this.#refined(this.#conditions, this.#keys, { ...this.#around, ...values })
  }

  readonly seek = ({ keys, ...request }: SeekRequest<Field>): MaybePromise<Stretch<Row>> =>
    this.#blaming(() => after(this.#seekIn(keys), (seek) => seek.stretch(request)))

  /** What is made of this class is of this class. */
  #refined(
    conditions: readonly AlternativeConditions[],
    keys: readonly SortKey[] | null,
    around: RelatedScope = this.#around,
  ): this {
    return new SqlQuery<Row, Field>(this.#query, conditions, keys, around) as this
  }

  #reading<T>(read: (list: SqlList<Row>) => MaybePromise<T>): MaybePromise<T> {
    return this.#blaming(() => after(this.#listed(), read))
  }

  /** A value that only the database could judge came with a condition. */
  #blaming<T>(read: () => MaybePromise<T>): MaybePromise<T> {
    if (this.#conditions.length === 0) return read()
    return refusing(this.#query.database.dialect, read, () => blamed(this.#conditions.flat()))
  }

  #listed(): MaybePromise<SqlList<Row>> {
    if (this.#list !== null) return this.#list
    const { database, named } = this.#query
    const isRefined = this.#conditions.length > 0 || this.#keys !== null
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
    return after(this.#query.fields(this.#keys === null), (fields) =>
      after(this.#query.narrowed(fields, this.#conditions, this.#around), (counted) =>
        after(this.#query.ordered(fields, this.#keys ?? [], this.#around), (ordered) =>
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
    if (this.#keys === null) return this.#query.totalOwnOrder(fields)
    const { nulls } = this.#query.database.dialect
    return after(this.#query.terms(fields, this.#keys), (terms) => orderItems(nulls, terms))
  }

  #seekIn(keys: readonly SortKey[]): MaybePromise<Seek<Row>> {
    if (this.#latest?.keys === keys) return this.#latest.seek
    const name = nameOf(keys)
    return after(this.#seeks.get(name) ?? this.#makeSeek(keys), (seek) => {
      this.#seeks.set(name, seek)
      this.#latest = { keys, seek }
      return seek
    })
  }

  async #makeSeek(keys: readonly SortKey[]): Promise<Seek<Row>> {
    this.#query.checkWhole('read from a place in it')
    for (const { field } of keys) this.#query.checkOrder(field)
    const { database, compile } = this.#query
    const fields = await this.#query.ordered(await this.#query.fields(false), keys, this.#around)
    const query = await this.#query.narrowed(fields, this.#conditions, this.#around)
    const terms = await this.#query.terms(fields, keys)
    return new Seek<Row>({ database, query, terms, compile })
  }
}

/** What is read, and what is counted: an order may need more tables. */
interface Listed {
  readonly query: SelectQueryNode
  readonly counted: SelectQueryNode
}

function alone(query: SelectQueryNode): Listed {
  return { query, counted: query }
}

function nameOf(keys: readonly SortKey[]): string {
  let name = ''
  for (const { field, descending, nulls } of keys) {
    name += `${descending ? '-' : '+'}${nulls === 'first' ? '<' : '>'}${field}\0`
  }
  return name
}
