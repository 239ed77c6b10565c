// The query of a list by names: its columns and relations, and the way in which conditions and orders enter it.
import {
  AliasNode,
  ColumnNode,
  FromNode,
  IdentifierNode,
  type OperationNode,
  type OrderByItemNode,
  OperatorNode,
  OrderByNode,
  RawNode,
  ReferenceNode,
  SelectAllNode,
  type SelectQueryNode,
  SelectionNode,
  UnaryOperationNode,
} from 'kysely'
import { type MaybePromise, after } from '../../../core/std/after.ts'
import type { Condition, SortKey } from '../../../core/ports/list-source.ts'
import type { ColumnFacts } from '../../../core/ports/database.ts'
import { ConfigurationError } from '../../../core/errors/configuration-error.ts'
import { nearest } from '../../../core/std/text/nearest.ts'
import { tieBreakers } from '../../../resources/lists/order.ts'
import type { Compile, ValueKind } from '../dialect.ts'
import {
  type Truth,
  withAlias,
  and,
  columnName,
  columnOf,
  isNotNull,
  noRows,
  withWhere,
  nodeText,
  or,
  columnRef,
  toNode,
} from '../nodes.ts'
import { type Items, areNullsPlaced, totalOrder, withNullsPlaced } from '../order.ts'
import { compilerOf } from '../prepared.ts'
import type { SeekTerm } from '../seek.ts'
import type { ListDatabase } from '../sql-database.ts'
import {
  type AlternativeConditions,
  type ConditionSubject,
  type Shape,
  conditionNode,
  scopeNode,
  shapeOf,
} from './conditions.ts'
import type { Relation } from './relations.ts'
import {
  type Table,
  combinesRows,
  isAlwaysThere,
  isRowByRow,
  ownLimitOf,
  tablesOf,
} from './row-by-row.ts'
import { type KnownTables, knownTables } from './spared-joins.ts'

interface FieldFacts {
  readonly kind: ValueKind
  readonly nullable: boolean
}

/** The query of a list. Each request with a filter uses it, so known facts are not awaited. */
export class ListQuery {
  readonly database: ListDatabase
  readonly named: NamedQuery
  readonly compile: Compile
  readonly #names: readonly string[] | null
  /** The tables of its rows; `null`: all of its joins stay. */
  #tables: KnownTables | null | undefined
  readonly #fields = new Map<boolean, FieldQuery>()
  /** The kinds of its own columns. */
  readonly #kinds = new Map<string, ValueKind>()

  constructor(database: ListDatabase, named: NamedQuery) {
    this.database = database
    this.named = named
    this.compile = compilerOf(database.dialect)
    this.#names = ownNames(named)
  }

  /** Finds facts about the tables of its rows, for queries with the same joins. */
  tables(): MaybePromise<KnownTables | null> {
    if (this.#tables !== undefined) return this.#tables
    const known = knownTables(this.database, this.named.query, this.compile)
    return after(known, (tables) => (this.#tables = tables))
  }

  /**
   * Checks a name without asking the database, whose own names are checked when the list is read.
   *
   * @throws ConfigurationError the query has all of its names, but not this one, or cannot give it
   */
  checkName(name: string): void {
    if (this.#names?.includes(name) === false) refuseField(name, this.#names)
    if (combinesRows(this.named.query)) this.#known()
  }

  /** Checks the name of a condition, which may belong to a relation; the requests of a scope share the result. */
  checkCondition(name: string): void {
    if (this.#kinds.has(name)) return
    const relation = this.#relationOf(name)
    if (relation === null) return this.#checkPlain(name)
    if (!relation.names.includes(name)) refuseField(name, relation.names)
    const fields = this.#known()
    if (fields !== null) relation.exists(fields.ours(relation), true)
  }

  /** A column of `*` has no point in its name, so such a name means a missing relation. */
  #checkPlain(name: string): void {
    const { fields, relations } = this.named
    if (this.#names === null && name.includes('.') && !fields.has(name))
      refuseField(
        name,
        relations.flatMap(({ names }) => names),
      )
    this.checkName(name)
  }

  /** @throws ConfigurationError a row of the list may have many values of this name, so that an order cannot use it */
  checkOrder(name: string): void {
    const relation = this.#relationOf(name)
    if (relation === null) return this.checkName(name)
    if (relation.isOne) return this.checkCondition(name)
    throw new ConfigurationError(
      `The list cannot be ordered by "${name}": a row may have many of them. Order by a column, or by an expression in "fields".`,
    )
  }

  /**
   * The names that the query itself tells; `null`: it has a `*`.
   *
   * @throws ConfigurationError a needed column is not selected, and cannot be added
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

  /** @throws ConfigurationError the query gives a part of a list, and this part cannot be `done` again */
  checkWhole(done: string): void {
    const { skip, size } = ownLimitOf(this.named.query)
    if (skip === 0 && size === Infinity) return
    throw new ConfigurationError(
      `A list that its query cuts with limit and offset cannot be ${done}. Leave them out.`,
    )
  }

  /** The query of the fields; with `ordered`, it keeps its own order. */
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

  /** The selections of the query, with each `*` spelled out. */
  async #selections(): Promise<readonly SelectionNode[]> {
    const spelled: SelectionNode[] = []
    for (const node of this.named.query.selections ?? [])
      spelled.push(...(isStar(node) ? await this.#columnsOf(node) : [node]))
    return spelled
  }

  async #columnsOf(star: SelectionNode): Promise<readonly SelectionNode[]> {
    const asked = noRows({ ...this.named.query, selections: [star] })
    const { columns } = await this.database.rows(this.compile(asked))
    const table = ReferenceNode.is(star.selection) ? star.selection.table : undefined
    return columns.map((name) =>
      SelectionNode.create(ReferenceNode.create(ColumnNode.create(name), table)),
    )
  }

  /** The facts that the database knows about fields, from one statement. */
  #facts(
    { query, tables }: Pick<FieldQuery, 'query' | 'tables'>,
    fields: readonly Field[],
  ): MaybePromise<FieldFacts[]> {
    if (fields.length === 0) return []
    const selections = fields.map(({ node }, place) => withAlias(node, `c${place}`))
    const described = this.database.describe?.(this.compile(noRows({ ...query, selections })))
    return after(described, (columns) =>
      fields.map(({ origin }, place) => {
        const known = columns?.[place] ?? UNKNOWN
        const kind = this.database.dialect.kindOf(known)
        return { kind, nullable: known.nullable || !isAlwaysThere(tables, origin, known.table) }
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

  /** The query with NULLs in the same place on all databases (I1). If they already are, nothing is asked. */
  inOwnOrder(): MaybePromise<SelectQueryNode> {
    const { query } = this.named
    const items = query.orderBy?.items ?? []
    const { nulls } = this.database.dialect
    return items.every((item) => areNullsPlaced(nulls, item)) ? query : this.#placed(query, items)
  }

  async #placed(query: SelectQueryNode, items: Items): Promise<SelectQueryNode> {
    const { distinctOn, frontModifiers, setOperations, groupBy } = query
    // Columns of these queries cannot be described one by one, and may be NULL.
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

  /** Joins the related rows that an order uses, among those with these values. */
  ordered(
    fields: FieldQuery,
    keys: readonly SortKey[],
    around: RelatedScope,
  ): MaybePromise<FieldQuery> {
    const relations = new Set(keys.flatMap(({ field }) => this.#relationOf(field) ?? []))
    if (relations.size === 0) return fields
    return after(this.#scopesOf([...relations], around, new Map()), (subjects) => {
      const beside = [...relations].map((each) =>
        each.beside(fields.ours(each), this.#within(each, around, subjects)),
      )
      const joins = [...(fields.query.joins ?? []), ...beside]
      const field = (name: string): Field => {
        const relation = this.#relationOf(name)
        if (relation === null) return fields.field(name)
        const node = columnOf(relation.alias, name)
        return { node, origin: node, output: null }
      }
      return { ...fields, query: { ...fields.query, joins }, field }
    })
  }

  /** The shape of a query with these conditions; `null`: its text depends on values or on relations. */
  shapeOf(conditions: readonly AlternativeConditions[]): MaybePromise<Shape | null> {
    const unknown = conditions.flat().filter(({ field }) => !this.#kinds.has(field))
    if (unknown.length === 0)
      return shapeOf(this.database.dialect, conditions, (name) => this.#kinds.get(name)!)
    if (this.areRelated(unknown)) return null
    const names = [...new Set(unknown.map(({ field }) => field))]
    const found = after(this.fields(false), (fields) => this.#subjects(fields, names, {}))
    return after(found, (subjects) => {
      for (const [name, { kind }] of subjects) this.#kinds.set(name, kind)
      return this.shapeOf(conditions)
    })
  }

  /** Does one of them name a column of a relation? */
  areRelated(fields: readonly { readonly field: string }[]): boolean {
    return fields.some(({ field }) => this.#relationOf(field) !== null)
  }

  /** Adds conditions to the query. `around`: the values that rows of relations must have. */
  narrowed(
    fields: FieldQuery,
    conditions: readonly AlternativeConditions[],
    around: RelatedScope,
  ): MaybePromise<SelectQueryNode> {
    const names = [...new Set(conditions.flat().map(({ field }) => field))]
    return after(this.#subjects(fields, names, around), (subjects) => {
      const toTruth = (anyOf: AlternativeConditions): Truth =>
        this.#truthOf(anyOf, fields, subjects, around)
      return withWhere(fields.query, conditions.map(toTruth).reduce(and, true))
    })
  }

  #subjects(
    fields: FieldQuery,
    names: readonly string[],
    around: RelatedScope,
  ): MaybePromise<Subjects> {
    const own = names.filter((name) => this.#relationOf(name) === null)
    const asked = own.map((name) => fields.field(name))
    const found = after(
      this.#facts(fields, asked),
      (facts): Subjects =>
        new Map(own.map((name, at) => [name, { node: asked[at]!.node, kind: facts[at]!.kind }])),
    )
    const related = names.filter((name) => this.#relationOf(name) !== null)
    if (related.length === 0) return found
    const relations = new Set(related.map((name) => this.#relationOf(name)!))
    return after(found, (subjects) =>
      after(this.#related(related, subjects), (all) => this.#scopesOf([...relations], around, all)),
    )
  }

  #related(names: readonly string[], subjects: Subjects): MaybePromise<Subjects> {
    return names.reduce<MaybePromise<Subjects>>(
      (made, name) => after(made, (known) => this.#withRelated(name, known)),
      subjects,
    )
  }

  #withRelated(name: string, subjects: Subjects): MaybePromise<Subjects> {
    if (subjects.has(name)) return subjects
    const relation = this.#relationOf(name)!
    const node = relation.reference(name)
    const { table: stored, alias } = relation
    const asked = { query: relation.query(), tables: [{ name: alias, stored, optional: false }] }
    return after(this.#facts(asked, [{ node, origin: node, output: null }]), ([facts]) =>
      new Map(subjects).set(name, { node, kind: facts!.kind }),
    )
  }

  /** Adds the columns of relations that a scope compares. */
  #scopesOf(
    relations: readonly Relation[],
    around: RelatedScope,
    subjects: Subjects,
  ): MaybePromise<Subjects> {
    return relations.reduce<MaybePromise<Subjects>>((made, relation) => {
      const columns = relation.within(around).map(([column]) => column)
      if (columns.length === 0) return made
      return after(this.database.rows(this.compile(noRows(relation.query('all')))), (rows) => {
        relation.checkScope(columns, rows.columns)
        const names = columns.map((column) => relation.nameOf(column))
        return after(made, (known) => this.#related(names, known))
      })
    }, subjects)
  }

  #within(relation: Relation, around: RelatedScope, subjects: Subjects): Truth {
    const truths = relation.within(around).map(([column, value]) => {
      const field = relation.nameOf(column)
      return scopeNode(this.database.dialect, field, value, subjects.get(field)!)
    })
    return truths.reduce(and, true)
  }

  /** Joins alternatives. Those on the same relation need one row of it that fulfils one of them. */
  #truthOf(
    anyOf: AlternativeConditions,
    fields: FieldQuery,
    subjects: Subjects,
    around: RelatedScope,
  ): Truth {
    const { dialect } = this.database
    const toTruth = (condition: Condition): Truth =>
      conditionNode(dialect, condition, subjects.get(condition.field)!)
    const groups = Map.groupBy(anyOf, ({ field }) => this.#relationOf(field))
    const truths = [...groups].map(([relation, conditions]) => {
      if (relation === null) return conditions.map(toTruth).reduce(or, false)
      const within = this.#within(relation, around, subjects)
      const exists = (truth: Truth): Truth =>
        truth === false ? truth : relation.exists(fields.ours(relation), and(within, truth))
      // A missing row has no value, so it fulfils a condition for absence too.
      const [absent, present] = partition(conditions, (each) => relation.isOne && isAbsence(each))
      const lacks = absent.map((each) => {
        const { node } = subjects.get(each.field)!
        return UnaryOperationNode.create(
          OperatorNode.create('not'),
          toNode(exists(isNotNull(node))),
        )
      })
      return [exists(present.map(toTruth).reduce(or, false)), ...lacks].reduce(or)
    })
    return truths.reduce(or, false)
  }
}

/** The values that rows of relations must have, by column of the list. */
export type RelatedScope = Readonly<Record<string, unknown>>

function isAbsence({ operator, value }: Condition): boolean {
  return operator === 'isNull' && value === true
}

function partition<T>(items: readonly T[], is: (item: T) => boolean): readonly [T[], T[]] {
  return [items.filter(is), items.filter((item) => !is(item))]
}

type Subjects = ReadonlyMap<string, ConditionSubject>

const UNKNOWN: Omit<ColumnFacts, 'name'> = { type: null, table: null, nullable: true }

interface FieldKey {
  readonly field: Field
  readonly descending: boolean
  readonly nullsFirst: boolean
}

/** Takes each field once, up to the whole unique key: further keys would decide nothing. */
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

/** Two terms for a unique key that is ordered by a part of it, such as the beginning of a text, which leaves ties. */
function toTerms(key: FieldKey, facts: FieldFacts, isUnique: boolean): readonly SeekTerm[] {
  const { apart } = facts.kind
  const term = toTerm(key, facts, isUnique)
  if (!isUnique || apart === undefined) return [term]
  return [term, toTerm(key, { ...facts, kind: { ...facts.kind, ordered: apart } }, isUnique)]
}

function toTerm(
  { field, ...direction }: FieldKey,
  { kind, nullable }: FieldFacts,
  isKey: boolean,
): SeekTerm {
  const node = kind.ordered?.(field.node) ?? field.node
  const isShown = kind.read === undefined && field.output !== null
  const hidden = isShown ? null : (kind.read?.(node) ?? node)
  const output = isShown || kind.readsAsWritten ? field.output : null
  return { ...direction, node, kind, nullable, hidden, output, isKey }
}

interface NamedQuery {
  readonly query: SelectQueryNode
  /** Further names, beside those of the columns. */
  readonly fields: ReadonlyMap<string, OperationNode>
  readonly key: readonly string[]
  /** The key columns as the query's own order writes them. */
  readonly keyNodes: readonly OperationNode[]
  readonly relations: readonly Relation[]
}

interface Field {
  /** The expression in the query of the fields. */
  readonly node: OperationNode
  /** The expression in the original query. */
  readonly origin: OperationNode
  /** The column of the rows that shows the value; `null`: no column does. */
  readonly output: string | null
}

/** A query that takes conditions, orders and more columns. */
export interface FieldQuery {
  readonly query: SelectQueryNode
  readonly tables: readonly Table[]
  readonly key: readonly Field[]
  /** The query's own order, if it was asked for. */
  readonly order: readonly { readonly item: OrderByItemNode; readonly field: Field }[]
  /** @throws ConfigurationError no field has this name */
  field(name: string): Field
  /** The column of the list that a relation refers to. */
  ours(relation: Relation): OperationNode
}

/** Is the selection `*`, or `table.*`? */
function isStar({ selection }: SelectionNode): boolean {
  return SelectAllNode.is(ReferenceNode.is(selection) ? selection.column : selection)
}

/** Makes the query of the fields; with `ordered`, it keeps its order. `selections` has each `*` spelled out. */
function fieldQuery(
  named: NamedQuery,
  selections: readonly SelectionNode[],
  ordered: boolean,
): FieldQuery {
  const { orderBy, endModifiers: _locks, ...query } = named.query
  const tables = tablesOf(query)
  const columns = columnsOf(selections, tables)
  const extras = [...named.fields].map(
    ([name, node]) => [name, shownOrNot(qualified(node, tables), columns)] as const,
  )
  const key = named.key.map((name) => keyColumn(name, columns, tables))
  const ours = new Map(
    named.relations.map((each) => [each, keyColumn(each.ours, columns, tables)] as const),
  )
  const items = ordered ? (orderBy?.items ?? []) : []
  const order = items.map(({ orderBy: node }) => orderColumn(node, columns, tables))
  const names = new Map<string, Column>([...columns, ...extras])
  const { narrowable, toField } = isRowByRow(query, [...named.fields.values()])
    ? asItIs(query, columns)
    : fromOutside(query, columns, [...names.values(), ...key, ...ours.values(), ...order])
  return {
    query: narrowable,
    tables,
    key: key.map(toField),
    order: items.map((item, at) => ({ item, field: toField(order[at]!) })),
    field: (name) => toField(names.get(name) ?? refuseField(name, [...names.keys()])),
    ours: (relation) => toField(ours.get(relation)!).node,
  }
}

interface Column {
  readonly node: OperationNode
  readonly output: string | null
}

type Columns = ReadonlyMap<string, Column>

interface Narrowable {
  readonly narrowable: SelectQueryNode
  readonly toField: (column: Column) => Field
}

/** The columns of the rows. If two share a name, the last one is shown. */
function columnsOf(selections: readonly SelectionNode[], tables: readonly Table[]): Columns {
  const columns = new Map<string, Column>()
  for (const { selection } of selections) {
    const [name, node] = namedBy(selection)
    if (name !== null) columns.set(name, { node: qualified(node, tables), output: name })
  }
  return columns
}

function namedBy(selection: OperationNode): readonly [name: string | null, node: OperationNode] {
  if (!AliasNode.is(selection)) return [columnName(selection), selection]
  const { alias, node } = selection
  return [IdentifierNode.is(alias) ? alias.name : null, node]
}

/** `null`: not a column, or one with its table. */
function loneName(node: OperationNode): string | null {
  return ReferenceNode.is(node) && node.table === undefined ? columnName(node) : null
}

/** Adds the table to a column if only one is possible: a bare name in ORDER BY may mean a column of the rows instead. */
function qualified(node: OperationNode, [table, another]: readonly Table[]): OperationNode {
  const name = loneName(node)
  if (name === null || another !== undefined || !table?.name) return node
  return columnOf(table.name, name)
}

/** A key column: a column of the rows, or one that the query could name. */
function keyColumn(name: string, columns: Columns, tables: readonly Table[]): Column {
  const shown = columns.get(name)
  if (shown !== undefined) return shown
  return shownOrNot(qualified(columnRef(name), tables), columns)
}

/**
 * A key column in the query's own order, where a bare name may mean columns of several tables.
 *
 * @throws ConfigurationError the name is ambiguous, and the query does not select one of the columns
 */
export function keyNode(name: string, query: SelectQueryNode): OperationNode {
  const tables = tablesOf(query)
  if (name.includes('.') || tables.length < 2 || combinesRows(query)) return columnRef(name)
  const selected = (query.selections ?? [])
    .filter((one) => !isStar(one))
    .map(({ selection }) => selection)
  const named = selected.map(namedBy).findLast(([column]) => column === name)
  if (named !== undefined) return ReferenceNode.is(named[1]) ? named[1] : columnRef(name)
  const first = tables[0]!.name ?? 'table'
  throw new ConfigurationError(
    `sqlSource(): the key "${name}" may be a column of several tables that the query reads. Say of which: "${first}.${name}".`,
  )
}

/** The column of the rows that shows the expression, else the expression. */
function shownOrNot(node: OperationNode, columns: Columns): Column {
  const text = nodeText(node)
  const same = [...columns.values()].find((column) => nodeText(column.node) === text)
  return same ?? { node, output: null }
}

/** The meaning of an item in the query's own order: a bare name means a column of the rows, if there is one. */
function orderColumn(node: OperationNode, columns: Columns, tables: readonly Table[]): Column {
  return columns.get(loneName(node) ?? '') ?? { node: qualified(node, tables), output: null }
}

function asItIs(query: SelectQueryNode, columns: Columns): Narrowable {
  return {
    narrowable: query,
    toField: ({ node, output }) => ({ node: unambiguous(node, columns), origin: node, output }),
  }
}

/** Refuses a name that means different columns in ORDER BY and WHERE, which would give wrong pages. */
function unambiguous(node: OperationNode, columns: Columns): OperationNode {
  const name = loneName(node)
  const shown = columns.get(name ?? '')
  if (shown === undefined || columnName(shown.node) === name) return node
  throw new ConfigurationError(
    `"${name}" is a column of a table and another one of the rows. Say which table: "table.${name}".`,
  )
}

/** Wraps a query that cannot take a condition as the table `list` of another query. */
function fromOutside(
  query: SelectQueryNode,
  columns: Columns,
  needed: readonly Column[],
): Narrowable {
  const hidden = new Set(needed.filter(({ output }) => output === null))
  const names = new Map([...hidden].map((column, place) => [column, `~${place}`]))
  if (names.size > 0) checkAddable(query, hidden)
  const more = [...names].map(([{ node }, name]) => withAlias(node, name))
  const inner = { ...query, selections: [...(query.selections ?? []), ...more] }
  return {
    narrowable: {
      kind: 'SelectQueryNode',
      from: FromNode.create([AliasNode.create(inner, IdentifierNode.create(LIST))]),
      selections: [...columns.keys()].map((name) => SelectionNode.create(columnOf(LIST, name))),
    },
    toField: (column) => ({
      node: columnOf(LIST, column.output ?? names.get(column)!),
      origin: column.node,
      output: column.output,
    }),
  }
}

const LIST = 'list'

function checkAddable(query: SelectQueryNode, columns: Iterable<Column>): void {
  if (combinesRows(query)) throw unselected()
  for (const { node } of columns) {
    if (RawNode.is(node) && DIRECTED.test(node.sqlFragments.at(-1)!)) {
      throw new ConfigurationError(
        'A list that is filtered needs the direction apart from raw SQL: orderBy(sql`lower(name)`, "desc").',
      )
    }
  }
}

function unselected(): ConfigurationError {
  return new ConfigurationError(
    'In a DISTINCT or UNION the key and what the list is ordered or filtered by must be among the selected columns.',
  )
}

/** @throws ConfigurationError the query combines rows, so nothing can be added, but does not name its columns */
function checkSpelled({ query, fields, relations }: NamedQuery): void {
  if (combinesRows(query) && fields.size + relations.length > 0) throw unselected()
}

const DIRECTED = /\b(?:asc|desc|nulls\s+\w+)\s*$/i

/** @throws ConfigurationError always */
function refuseField(name: string, known: readonly string[]): never {
  const near = nearest(name, known)
  const all = known.length === 0 ? 'Its source has no "relations".' : `It has: ${known.join(', ')}.`
  const hint = near === null ? all : `Do you mean "${near}"?`
  throw new ConfigurationError(`The list has no field "${name}". ${hint}`)
}

/** The names in the query itself; `null`: it has a `*`, which only the database can spell out. */
function ownNames({ query, fields }: NamedQuery): readonly string[] | null {
  const { selections = [] } = query
  return selections.some(isStar) ? null : [...columnsOf(selections, []).keys(), ...fields.keys()]
}
