import {
  ColumnNode,
  LimitNode,
  OrderByNode,
  ReferenceNode,
  type SelectQueryNode,
  SelectionNode,
  ValueNode,
} from 'kysely'
import type { MaybePromise } from '../../contract/request.ts'
import type { Condition, SortKey } from '../../contract/list-source.ts'
import type { ColumnFacts, Statement } from '../../contract/database.ts'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { tieBreakers } from '../../lists/total-order.ts'
import { after } from '../../std/after.ts'
import { compilerOf } from '../prepared.ts'
import type { Compile, ValueKind } from '../dialect.ts'
import { type Truth, aliased, and, narrowed, nodeText, or } from '../nodes.ts'
import { type Items, areNullsPlaced, totalOrder, withNullsPlaced } from '../order.ts'
import type { SeekTerm } from '../seek.ts'
import { type Subject, conditionNode } from './conditions.ts'
import {
  type Field,
  type FieldQuery,
  type NamedQuery,
  checkSpelled,
  fieldQuery,
  isStar,
  ownNames,
  refuseField,
} from './fields.ts'
import type { Relation } from './relations.ts'
import { combinesRows, isAlwaysThere } from './row-by-row.ts'
import { type KnownTables, knownTables } from './spared-joins.ts'
import { type ListDatabase, ownLimitOf } from './sql-list.ts'

/** A row fulfils one of them. */
export type Alternatives = readonly Condition[]

interface FieldFacts {
  readonly kind: ValueKind
  readonly nullable: boolean
}

/** Each request with a filter asks it, so it awaits nothing that is there. */
export class ListQuery {
  readonly database: ListDatabase
  readonly named: NamedQuery
  readonly compile: Compile
  readonly #names: readonly string[] | null
  /** `null`: its joins stay. */
  #tables: KnownTables | null | undefined
  readonly #fields = new Map<boolean, FieldQuery>()

  constructor(database: ListDatabase, named: NamedQuery) {
    this.database = database
    this.named = named
    this.compile = compilerOf(database.dialect)
    this.#names = ownNames(named)
  }

  /** What is known of the tables that its rows come from, for queries with the same joins. */
  tables(): MaybePromise<KnownTables | null> {
    if (this.#tables !== undefined) return this.#tables
    const known = knownTables(this.database, this.named.query, this.compile)
    return after(known, (tables) => (this.#tables = tables))
  }

  /**
   * Nothing is asked; what only the database knows is seen when the list is read.
   *
   * @throws ConfigurationError the query itself has all its names, and this is none of them, or cannot give it
   */
  checkName(name: string): void {
    if (this.#names?.includes(name) === false) refuseField(name, this.#names)
    if (combinesRows(this.named.query)) this.#known()
  }

  /** The same for a condition, which may be one on a relation. */
  checkCondition(name: string): void {
    const relation = this.#relationOf(name)
    if (relation === null) return this.#checkPlain(name)
    if (relation.column(name) === null) refuseField(name, relation.names)
    const fields = this.#known()
    if (fields !== null) relation.exists(fields.ours(relation), true)
  }

  /** A column that `*` stands for has no point in its name: that is a relation which is not there. */
  #checkPlain(name: string): void {
    const { fields, relations } = this.named
    if (this.#names === null && name.includes('.') && !fields.has(name))
      refuseField(
        name,
        relations.flatMap(({ names }) => names),
      )
    this.checkName(name)
  }

  /** @throws ConfigurationError an order cannot go by it: a row of the list may have many of its values */
  checkOrder(name: string): void {
    if (this.#relationOf(name) === null) return this.checkName(name)
    throw new ConfigurationError(
      `The list cannot be ordered by "${name}": a row may have many of them. Order by a column, or by an expression in "fields".`,
    )
  }

  /**
   * What can be named, where the query itself says it; `null`: it has a `*`.
   *
   * @throws ConfigurationError a column that is needed is not among its own, and cannot be added
   */
  #known(): FieldQuery | null {
    if (this.#names !== null) return this.fields(false) as FieldQuery
    checkSpelled(this.named)
    return null
  }

  #relationOf(name: string): Relation | null {
    const relations = this.named.relations
    return relations.find((each) => name.startsWith(`${each.name}.`)) ?? null
  }

  /** @throws ConfigurationError the query is a part of a list, and what `done` is no part any more */
  checkWhole(done: string): void {
    const { skip, size } = ownLimitOf(this.named.query)
    if (skip === 0 && size === Infinity) return
    throw new ConfigurationError(
      `A list that its query cuts with limit and offset cannot be ${done}. Leave them out.`,
    )
  }

  /** With the order of the query itself where `ordered`. */
  fields(ordered: boolean): MaybePromise<FieldQuery> {
    const known = this.#fields.get(ordered)
    if (known !== undefined) return known
    const { selections = [] } = this.named.query
    const spelled = this.#names === null ? this.#selections() : selections
    return after(spelled, (all) => {
      const fields = fieldQuery(this.named, all, ordered)
      this.#fields.set(ordered, fields)
      return fields
    })
  }

  /** What the query selects, with each `*` spelled out. */
  async #selections(): Promise<readonly SelectionNode[]> {
    const spelled: SelectionNode[] = []
    for (const node of this.named.query.selections ?? [])
      spelled.push(...(isStar(node) ? await this.#columnsOf(node) : [node]))
    return spelled
  }

  async #columnsOf(star: SelectionNode): Promise<readonly SelectionNode[]> {
    const statement = this.#noRows({ ...this.named.query, selections: [star] })
    const { columns } = await this.database.rows(statement)
    const table = ReferenceNode.is(star.selection) ? star.selection.table : undefined
    return columns.map((name) =>
      SelectionNode.create(ReferenceNode.create(ColumnNode.create(name), table)),
    )
  }

  #noRows(query: SelectQueryNode): Statement {
    return this.compile({ ...query, limit: LimitNode.create(ValueNode.createImmediate(0)) })
  }

  /** What the database knows of fields, asked in one go. */
  #facts(
    { query, tables }: Pick<FieldQuery, 'query' | 'tables'>,
    fields: readonly Field[],
  ): MaybePromise<FieldFacts[]> {
    if (fields.length === 0) return []
    const selections = fields.map(({ node }, place) => aliased(node, `c${place}`))
    const described = this.database.describe?.(this.#noRows({ ...query, selections }))
    return after(described, (columns) =>
      fields.map(({ origin }, place) => {
        const { type, scale = 0, table, nullable, sortable } = columns?.[place] ?? UNKNOWN
        const kind = this.database.dialect.kindOf(type, scale, sortable)
        return { kind, nullable: nullable || !isAlwaysThere(tables, origin, table) }
      }),
    )
  }

  terms(fields: FieldQuery, keys: readonly SortKey[]): MaybePromise<readonly SeekTerm[]> {
    const total = totalKeys(fields, keys)
    const asked = total.map(({ field }) => field)
    const unique = new Set(fields.key.map(identity))
    return after(this.#facts(fields, asked), (facts) =>
      total.flatMap((key, place) => toTerms(key, facts[place]!, unique.has(identity(key.field)))),
    )
  }

  /** With NULLs in one place on all databases (I1). Nothing is asked where they stand right. */
  inOwnOrder(): MaybePromise<SelectQueryNode> {
    const { query } = this.named
    const items = query.orderBy?.items ?? []
    const { nulls } = this.database.dialect
    return items.every((item) => areNullsPlaced(nulls, item)) ? query : this.#placed(query, items)
  }

  async #placed(query: SelectQueryNode, items: Items): Promise<SelectQueryNode> {
    const { distinctOn, frontModifiers, setOperations, groupBy } = query
    // Columns that cannot be looked at one by one may be NULL.
    const isMixed = (distinctOn ?? frontModifiers ?? setOperations ?? groupBy) !== undefined
    const nullable = isMixed ? [] : await this.#nullability(await this.fields(true))
    const placed = items.flatMap((item, at) =>
      withNullsPlaced(this.database.dialect.nulls, item, nullable[at] ?? true),
    )
    return { ...query, orderBy: OrderByNode.create(placed) }
  }

  totalOwnOrder(fields: FieldQuery): MaybePromise<Items> {
    const key = fields.key.map(({ node }) => node)
    return after(this.#nullability(fields), (nullable) => {
      const placed = fields.order.flatMap(({ item, field: { node } }, at) =>
        withNullsPlaced(this.database.dialect.nulls, { ...item, orderBy: node }, nullable[at]!),
      )
      return totalOrder(placed, key)
    })
  }

  #nullability(fields: FieldQuery): MaybePromise<readonly boolean[]> {
    const asked = fields.order.map(({ field }) => field)
    return after(this.#facts(fields, asked), (facts) => facts.map(({ nullable }) => nullable))
  }

  narrowed(fields: FieldQuery, conditions: readonly Alternatives[]): MaybePromise<SelectQueryNode> {
    const names = [...new Set(conditions.flat().map(({ field }) => field))]
    return after(this.#subjects(fields, names), (subjects) => {
      const toTruth = (anyOf: Alternatives): Truth => this.#truthOf(anyOf, fields, subjects)
      return narrowed(fields.query, conditions.map(toTruth).reduce(and, true))
    })
  }

  #subjects(fields: FieldQuery, names: readonly string[]): MaybePromise<Subjects> {
    const own = names.filter((name) => this.#relationOf(name) === null)
    const asked = own.map((name) => fields.field(name))
    const found = after(
      this.#facts(fields, asked),
      (facts): Subjects =>
        new Map(own.map((name, at) => [name, { node: asked[at]!.node, kind: facts[at]!.kind }])),
    )
    const related = names.filter((name) => this.#relationOf(name) !== null)
    return related.reduce(
      (made, name) => after(made, (subjects) => this.#withRelated(name, subjects)),
      found,
    )
  }

  #withRelated(name: string, subjects: Subjects): MaybePromise<Subjects> {
    const relation = this.#relationOf(name)!
    const node = relation.column(name)!
    const { table: stored, alias } = relation
    const asked = { query: relation.query(), tables: [{ name: alias, stored, optional: false }] }
    return after(this.#facts(asked, [{ node, origin: node, output: null }]), ([facts]) =>
      new Map(subjects).set(name, { node, kind: facts!.kind }),
    )
  }

  /** Conditions on one relation ask for one row of it that fulfils any of them. */
  #truthOf(anyOf: Alternatives, fields: FieldQuery, subjects: Subjects): Truth {
    const { dialect } = this.database
    const toTruth = (condition: Condition): Truth =>
      conditionNode(dialect, condition, subjects.get(condition.field)!)
    const groups = Map.groupBy(anyOf, ({ field }) => this.#relationOf(field))
    const truths = [...groups].map(([relation, conditions]) => {
      const truth = conditions.map(toTruth).reduce(or, false)
      return relation === null ? truth : relation.exists(fields.ours(relation), truth)
    })
    return truths.reduce(or, false)
  }
}

type Subjects = ReadonlyMap<string, Subject>

const UNKNOWN: Omit<ColumnFacts, 'name'> = { type: null, table: null, nullable: true }

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
  return nodeText(node)
}

/** Two where the order by a part of a unique key, such as the beginning of a text, leaves ties. */
function toTerms(key: FieldKey, facts: FieldFacts, isUnique: boolean): readonly SeekTerm[] {
  const { apart } = facts.kind
  const term = toTerm(key, facts)
  if (!isUnique || apart === undefined) return [term]
  return [term, toTerm(key, { ...facts, kind: { ...facts.kind, ordered: apart } })]
}

function toTerm({ field, ...direction }: FieldKey, { kind, nullable }: FieldFacts): SeekTerm {
  const node = kind.ordered?.(field.node) ?? field.node
  const isShown = kind.read === undefined && field.output !== null
  const hidden = isShown ? null : (kind.read?.(node) ?? node)
  const output = isShown || kind.readsAsWritten ? field.output : null
  return { ...direction, node, kind, nullable, hidden, output }
}
