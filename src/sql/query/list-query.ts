import {
  LimitNode,
  type OrderByItemNode,
  OrderByNode,
  ReferenceNode,
  type SelectQueryNode,
  ValueNode,
} from 'kysely'
import type { MaybePromise } from '../../contract/request.ts'
import type { Condition, SortKey } from '../../contract/list-source.ts'
import type { ColumnFacts, Statement } from '../../contract/database.ts'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { tieBreakers } from '../../lists/total-order.ts'
import { after } from '../../std/after.ts'
import { compilerOf } from '../prepared.ts'
import type { Compile } from '../dialect.ts'
import { type Truth, aliased, and, narrowed, or } from '../nodes.ts'
import { areNullsPlaced, endsDescending, orderItems, withNullsPlaced } from '../order.ts'
import type { SeekTerm } from '../seek.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { type Subject, conditionNode } from './conditions.ts'
import {
  type Field,
  type FieldQuery,
  type NamedQuery,
  type StarNames,
  fieldQuery,
  ownNames,
  starsOf,
  unknownField,
} from './fields.ts'
import { type Table, isAlwaysThere } from './tables.ts'
import { ownLimitOf } from './own-limit.ts'

/** What a list asks of its database. */
export type ListDatabase = Pick<
  SqlDatabase,
  'dialect' | 'rows' | 'describe' | 'snapshot' | 'sharedSnapshot'
>

/** Alternatives of which a row fulfils one. */
export type Alternatives = readonly Condition[]

/** What has to be known of a field before it can be compared. */
interface FieldFacts {
  /** The type in the database's words; `null`: not known. */
  readonly type: string | null
  readonly scale: number
  readonly nullable: boolean
}

/** A query whose fields are known by name, with what the database knows of them. Shared by all that is made of it. */
export class ListQuery {
  readonly database: ListDatabase
  readonly named: NamedQuery
  readonly compile: Compile
  readonly #names: readonly string[] | null
  readonly #fields = new Map<boolean, FieldQuery>()

  constructor(database: ListDatabase, named: NamedQuery) {
    this.database = database
    this.named = named
    this.compile = compilerOf(database.dialect)
    this.#names = ownNames(named)
  }

  /** @throws ConfigurationError the query itself has all its names, and this is none of them */
  checkName(name: string): void {
    if (this.#names === null || this.#names.includes(name)) return
    throw new ConfigurationError(unknownField(name, this.#names))
  }

  /** @throws ConfigurationError the query is a part of a list, and what `done` is no part any more */
  checkWhole(done: string): void {
    const { skip, size } = ownLimitOf(this.named.query)
    if (skip === 0 && size === Infinity) return
    throw new ConfigurationError(
      `A list that its query cuts with limit and offset cannot be ${done}. Leave them out.`,
    )
  }

  /** The query with its fields, asked of the database where it has a `*`; with its own order where `ordered`. */
  fields(ordered: boolean): MaybePromise<FieldQuery> {
    const known = this.#fields.get(ordered)
    if (known !== undefined) return known
    return after(this.#starNames(), (stars) => {
      const fields = fieldQuery(this.named, stars, ordered)
      this.#fields.set(ordered, fields)
      return fields
    })
  }

  /** What each `*` stands for. */
  #starNames(): MaybePromise<StarNames> {
    const { query } = this.named
    return starsOf(query).reduce<MaybePromise<StarNames>>(
      (names, star) =>
        after(names, (known) =>
          after(
            this.database.rows(this.#noRows({ ...query, selections: [star] })),
            ({ columns }) => new Map([...known, [star, columns]]),
          ),
        ),
      new Map(),
    )
  }

  #noRows(query: SelectQueryNode): Statement {
    return this.compile({ ...query, limit: LimitNode.create(ValueNode.createImmediate(0)) })
  }

  /** What the database knows of fields, asked in one go. */
  #facts({ query, tables }: FieldQuery, fields: readonly Field[]) {
    if (this.database.describe === undefined || fields.length === 0)
      return fields.map((): FieldFacts => UNKNOWN)
    const selections = fields.map(({ node }, place) => aliased(node, `c${place}`))
    return after(this.database.describe(this.#noRows({ ...query, selections })), (columns) =>
      fields.map((field, place) => toFacts(field, columns[place]!, tables)),
    )
  }

  /** The total order of these keys. */
  terms(fields: FieldQuery, keys: readonly SortKey[]): MaybePromise<readonly SeekTerm[]> {
    const total = totalKeys(fields, keys)
    const asked = total.map(({ field }) => field)
    return after(this.#facts(fields, asked), (facts) =>
      total.map((key, place) => this.#toTerm(key, facts[place]!)),
    )
  }

  #toTerm({ field, ...direction }: FieldKey, { type, scale, nullable }: FieldFacts): SeekTerm {
    const kind = this.database.dialect.kindOf(type, scale)
    const node = kind.ordered?.(field.node) ?? field.node
    const isShown = kind.read === undefined && field.output !== null
    const hidden = isShown ? null : (kind.read?.(node) ?? node)
    return { ...direction, node, kind, nullable, hidden, output: isShown ? field.output : null }
  }

  /**
   * The query in its own order, with NULLs in the same place on all databases (I1). Nothing is asked where
   * they stand right anyway.
   */
  inOwnOrder(): MaybePromise<SelectQueryNode> {
    const { query } = this.named
    const { nulls } = this.database.dialect
    const items = query.orderBy?.items ?? []
    if (items.every((item) => areNullsPlaced(nulls, item))) return query
    return after(this.#ownNullability(), (nullable) => {
      const placed = items.flatMap((item, at) => withNullsPlaced(nulls, item, nullable[at] ?? true))
      return { ...query, orderBy: OrderByNode.create(placed) }
    })
  }

  /** Columns that cannot be looked at one by one may be NULL. */
  #ownNullability(): MaybePromise<readonly boolean[]> {
    const { distinctOn, frontModifiers, setOperations, groupBy } = this.named.query
    if (distinctOn ?? frontModifiers ?? setOperations ?? groupBy) return []
    return after(this.fields(true), (fields) => this.#nullability(fields))
  }

  #nullability(fields: FieldQuery): MaybePromise<readonly boolean[]> {
    const asked = fields.order.map(({ field }) => field)
    return after(this.#facts(fields, asked), (facts) => facts.map(({ nullable }) => nullable))
  }

  /** The same order for a query with fields that keep it, made total by the unique key. */
  totalOwnOrder(fields: FieldQuery): MaybePromise<readonly OrderByItemNode[]> {
    const { nulls } = this.database.dialect
    return after(this.#nullability(fields), (nullable) => {
      const placed = fields.order.flatMap(({ item, field }, at) =>
        withNullsPlaced(nulls, { ...item, orderBy: field.node }, nullable[at]!),
      )
      const ordered = new Set(fields.order.map(({ field }) => identity(field)))
      const missing = tieBreakers(
        fields.key,
        (key) => ordered.has(identity(key)),
        endsDescending(fields.order.map(({ item }) => item)),
      )
      const terms = missing.map(({ column, ...direction }) => ({
        ...direction,
        node: column.node,
        nullable: false,
      }))
      return [...placed, ...orderItems(nulls, terms)]
    })
  }

  /** The rows that fulfil one of each of these alternatives. */
  narrowed(fields: FieldQuery, conditions: readonly Alternatives[]): MaybePromise<SelectQueryNode> {
    if (conditions.length === 0) return fields.query
    const asked = [...new Set(conditions.flat().map(({ field }) => field))]
    const subjects = asked.map((name) => fields.field(name))
    return after(this.#facts(fields, subjects), (facts) => {
      const known = asked.map(
        (name, place) => [name, this.#toSubject(subjects[place]!, facts[place]!)] as const,
      )
      return narrowed(fields.query, this.#truthOf(conditions, new Map(known)))
    })
  }

  #toSubject({ node }: Field, { type, scale }: FieldFacts): Subject {
    return { node, kind: this.database.dialect.kindOf(type, scale) }
  }

  #truthOf(conditions: readonly Alternatives[], subjects: ReadonlyMap<string, Subject>): Truth {
    const { dialect } = this.database
    const toTruth = (condition: Condition): Truth =>
      conditionNode(dialect, condition, subjects.get(condition.field)!)
    return conditions.map((anyOf) => anyOf.map(toTruth).reduce(or, false)).reduce(and, true)
  }
}

const UNKNOWN: FieldFacts = { type: null, scale: 0, nullable: true }

function toFacts(
  { origin }: Field,
  { type, table, nullable, scale = 0 }: ColumnFacts,
  tables: readonly Table[],
): FieldFacts {
  const isThere =
    !nullable && table !== null && ReferenceNode.is(origin) && isAlwaysThere(tables, origin, table)
  return { type, scale, nullable: !isThere }
}

interface FieldKey {
  readonly field: Field
  readonly descending: boolean
  readonly nullsFirst: boolean
}

/** Each field once; what comes behind the whole unique key decides nothing. */
function totalKeys(fields: FieldQuery, keys: readonly SortKey[]): readonly FieldKey[] {
  const total = new Map<string, FieldKey>()
  const missing = new Set(fields.key.map(identity))
  for (const { field: name, descending, nulls } of keys) {
    const field = fields.field(name)
    if (missing.size > 0 && !total.has(identity(field)))
      total.set(identity(field), { field, descending, nullsFirst: nulls === 'first' })
    missing.delete(identity(field))
  }
  const isOrdered = (key: Field): boolean => !missing.has(identity(key))
  const ties = tieBreakers(fields.key, isOrdered, keys.at(-1)?.descending ?? false)
  return [...total.values(), ...ties.map(({ column, ...rest }) => ({ field: column, ...rest }))]
}

function identity({ node }: Field): string {
  return JSON.stringify(node)
}
