import {
  AliasNode,
  ColumnNode,
  FromNode,
  IdentifierNode,
  type OperationNode,
  type OrderByItemNode,
  RawNode,
  ReferenceNode,
  SelectAllNode,
  type SelectQueryNode,
  SelectionNode,
  TableNode,
} from 'kysely'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { nearest } from '../../std/text/nearest.ts'
import { aliased, columnName, nodeText, reference } from '../nodes.ts'
import type { Relation } from './relations.ts'
import { type Table, combinesRows, isRowByRow, tablesOf } from './row-by-row.ts'

export interface NamedQuery {
  readonly query: SelectQueryNode
  /** Names beside those of the columns. */
  readonly fields: ReadonlyMap<string, OperationNode>
  readonly key: readonly string[]
  readonly relations: readonly Relation[]
}

export interface Field {
  /** How the query of the fields says it. */
  readonly node: OperationNode
  /** What it is in the query that the list was made of. */
  readonly origin: OperationNode
  /** The column of the rows that shows it; `null`: none does. */
  readonly output: string | null
}

/** A query that takes conditions, orders and more columns. */
export interface FieldQuery {
  readonly query: SelectQueryNode
  readonly tables: readonly Table[]
  readonly key: readonly Field[]
  /** The order that the query itself has, where it was asked for. */
  readonly order: readonly { readonly item: OrderByItemNode; readonly field: Field }[]
  /** @throws ConfigurationError there is no field of this name */
  field(name: string): Field
  /** The column of the list that a relation refers to. */
  ours(relation: Relation): OperationNode
}

/** Is it `*`, or `table.*`? */
export function isStar({ selection }: SelectionNode): boolean {
  return SelectAllNode.is(ReferenceNode.is(selection) ? selection.column : selection)
}

/** With its own order where `ordered`; `selections` are its own, with each `*` spelled out. */
export function fieldQuery(
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

/** The columns of the rows. Of two with one name the last one shows. */
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

/** `null`: no column, or one with its table. */
function loneName(node: OperationNode): string | null {
  return ReferenceNode.is(node) && node.table === undefined ? columnName(node) : null
}

/** With its table, where that is clear: in ORDER BY a name alone may mean a column of the rows instead. */
function qualified(node: OperationNode, [table, another]: readonly Table[]): OperationNode {
  const name = loneName(node)
  if (name === null || another !== undefined || !table?.name) return node
  return ReferenceNode.create(ColumnNode.create(name), TableNode.create(table.name))
}

/** A column of the key: a column of the rows, or one that the query could name. */
function keyColumn(name: string, columns: Columns, tables: readonly Table[]): Column {
  const shown = columns.get(name)
  if (shown !== undefined) return shown
  return shownOrNot(qualified(reference(name), tables), columns)
}

/** The column of the rows that shows it, else itself. */
function shownOrNot(node: OperationNode, columns: Columns): Column {
  const text = nodeText(node)
  const same = [...columns.values()].find((column) => nodeText(column.node) === text)
  return same ?? { node, output: null }
}

/** What an item of the query's own order means: a name alone is a column of the rows, if there is one. */
function orderColumn(node: OperationNode, columns: Columns, tables: readonly Table[]): Column {
  return columns.get(loneName(node) ?? '') ?? { node: qualified(node, tables), output: null }
}

function asItIs(query: SelectQueryNode, columns: Columns): Narrowable {
  return {
    narrowable: query,
    toField: ({ node, output }) => ({ node: unambiguous(node, columns), origin: node, output }),
  }
}

/** A name that is one thing in ORDER BY and another one in WHERE would give wrong pages. */
function unambiguous(node: OperationNode, columns: Columns): OperationNode {
  const name = loneName(node)
  const shown = columns.get(name ?? '')
  if (shown === undefined || columnName(shown.node) === name) return node
  throw new ConfigurationError(
    `"${name}" is a column of a table and another one of the rows. Say which table: "table.${name}".`,
  )
}

/** The rows of a query that a condition cannot go into, as the table `list` of another query. */
function fromOutside(
  query: SelectQueryNode,
  columns: Columns,
  needed: readonly Column[],
): Narrowable {
  const hidden = new Set(needed.filter(({ output }) => output === null))
  const names = new Map([...hidden].map((column, place) => [column, `~${place}`]))
  if (names.size > 0) checkAddable(query, hidden)
  const more = [...names].map(([{ node }, name]) => aliased(node, name))
  const inner = { ...query, selections: [...(query.selections ?? []), ...more] }
  return {
    narrowable: {
      kind: 'SelectQueryNode',
      from: FromNode.create([AliasNode.create(inner, IdentifierNode.create('list'))]),
      selections: [...columns.keys()].map((name) => SelectionNode.create(columnOfList(name))),
    },
    toField: (column) => ({
      node: columnOfList(column.output ?? names.get(column)!),
      origin: column.node,
      output: column.output,
    }),
  }
}

function columnOfList(name: string): ReferenceNode {
  return ReferenceNode.create(ColumnNode.create(name), TableNode.create('list'))
}

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

/** @throws ConfigurationError nothing can be added to the query, and it does not say which columns it has */
export function checkSpelled({ query, fields, relations }: NamedQuery): void {
  if (combinesRows(query) && fields.size + relations.length > 0) throw unselected()
}

const DIRECTED = /\b(?:asc|desc|nulls\s+\w+)\s*$/i

/** @throws ConfigurationError always */
export function refuseField(name: string, known: readonly string[]): never {
  const near = nearest(name, known)
  const all = known.length === 0 ? 'Its source has no "relations".' : `It has: ${known.join(', ')}.`
  const hint = near === null ? all : `Do you mean "${near}"?`
  throw new ConfigurationError(`The list has no field "${name}". ${hint}`)
}

/** The names that stand in the query itself; `null` where it has a `*`, which only the database can spell out. */
export function ownNames({ query, fields }: NamedQuery): readonly string[] | null {
  const { selections = [] } = query
  return selections.some(isStar) ? null : [...columnsOf(selections, []).keys(), ...fields.keys()]
}
