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
import { aliased, columnName, reference } from '../nodes.ts'
import { isRowByRow } from './row-by-row.ts'
import { type Table, tablesOf } from './tables.ts'

/** A query, with what may be asked of it by name. */
export interface NamedQuery {
  readonly query: SelectQueryNode
  /** Names beside those of the columns. */
  readonly fields: ReadonlyMap<string, OperationNode>
  /** The unique key. */
  readonly key: readonly string[]
}

/** Something that rows are ordered or narrowed by. */
export interface Field {
  /** How the query of the fields says it. */
  readonly node: OperationNode
  /** What it is in the query that the list was made of. */
  readonly origin: OperationNode
  /** The column of the rows that shows it; `null`: none does. */
  readonly output: string | null
}

/** An item of an order, and what it orders by. */
export interface OrderedField {
  readonly item: OrderByItemNode
  readonly field: Field
}

/** A query that takes conditions, orders and more columns, and knows what its fields are called. */
export interface FieldQuery {
  readonly query: SelectQueryNode
  readonly tables: readonly Table[]
  readonly key: readonly Field[]
  /** The order that the query itself has, where it was asked for. */
  readonly order: readonly OrderedField[]
  /** @throws ConfigurationError there is no field of this name */
  field(name: string): Field
}

/** The names of the columns that each `*` of the query stands for. */
export type StarNames = ReadonlyMap<SelectionNode, readonly string[]>

/** Where the query says `*`. */
export function starsOf({ selections = [] }: SelectQueryNode): readonly SelectionNode[] {
  return selections.filter((node) => {
    const { selection } = node
    return (
      SelectAllNode.is(selection) ||
      (ReferenceNode.is(selection) && SelectAllNode.is(selection.column))
    )
  })
}

/** Fields of a query, and of its own order where that is kept (`ordered`). */
export function fieldQuery(named: NamedQuery, stars: StarNames, ordered: boolean): FieldQuery {
  const { orderBy, endModifiers: _locks, ...query } = named.query
  const tables = tablesOf(query)
  const columns = columnsOf(query, tables, stars)
  const toExtra = (node: OperationNode): Column => ({ node: qualified(node, tables), output: null })
  const extras = new Map([...named.fields].map(([name, node]) => [name, toExtra(node)]))
  const key = named.key.map((name) => keyColumn(name, columns, tables))
  const items = ordered ? (orderBy?.items ?? []) : []
  const order = items.map((item) => ({ item, column: orderColumn(item, columns, tables) }))
  const known: Known = { columns, extras, key, order, tables }
  return isRowByRow(query, [...named.fields.values()])
    ? asItIs(query, known)
    : fromOutside(query, known)
}

interface Column {
  readonly node: OperationNode
  readonly output: string | null
}

interface Known {
  readonly columns: ReadonlyMap<string, Column>
  readonly extras: ReadonlyMap<string, Column>
  readonly key: readonly Column[]
  readonly order: readonly { readonly item: OrderByItemNode; readonly column: Column }[]
  readonly tables: readonly Table[]
}

/** The columns of the rows. Of two with one name the last one shows. */
function columnsOf(
  { selections = [] }: SelectQueryNode,
  tables: readonly Table[],
  stars: StarNames,
): ReadonlyMap<string, Column> {
  const columns = new Map<string, Column>()
  for (const node of selections) {
    for (const [name, column] of namedBy(node, stars)) {
      columns.set(name, { node: qualified(column, tables), output: name })
    }
  }
  return columns
}

function namedBy(
  node: SelectionNode,
  stars: StarNames,
): readonly (readonly [string, OperationNode])[] {
  const { selection } = node
  if (AliasNode.is(selection)) {
    return IdentifierNode.is(selection.alias) ? [[selection.alias.name, selection.node]] : []
  }
  const table = ReferenceNode.is(selection) ? selection.table : undefined
  const names = stars.get(node)
  if (names !== undefined) {
    return names.map((name) => [name, ReferenceNode.create(ColumnNode.create(name), table)])
  }
  const name = columnName(selection)
  return name === null ? [] : [[name, selection]]
}

/** With its table, where that is clear: in ORDER BY a name alone may mean a column of the rows instead. */
function qualified(node: OperationNode, tables: readonly Table[]): OperationNode {
  const name = columnName(node)
  const [table, another] = tables
  if (name === null || !ReferenceNode.is(node) || node.table !== undefined) return node
  if (another !== undefined || table === undefined || table.name === null) return node
  return ReferenceNode.create(ColumnNode.create(name), TableNode.create(table.name))
}

/** A column of the key: a column of the rows, or one that the query could name. */
function keyColumn(
  name: string,
  columns: ReadonlyMap<string, Column>,
  tables: readonly Table[],
): Column {
  const shown = columns.get(name)
  if (shown !== undefined) return shown
  const node = qualified(reference(name), tables)
  const text = JSON.stringify(node)
  const same = [...columns.values()].find((column) => JSON.stringify(column.node) === text)
  return same ?? { node, output: null }
}

/** What an item of the query's own order means: a name alone is a column of the rows, if there is one. */
function orderColumn(
  { orderBy }: OrderByItemNode,
  columns: ReadonlyMap<string, Column>,
  tables: readonly Table[],
): Column {
  const name = ReferenceNode.is(orderBy) && orderBy.table === undefined ? columnName(orderBy) : null
  const shown = name === null ? undefined : columns.get(name)
  return shown ?? { node: qualified(orderBy, tables), output: null }
}

function asItIs(query: SelectQueryNode, known: Known): FieldQuery {
  const toField = ({ node, output }: Column): Field => ({
    node: unambiguous(node, known.columns),
    origin: node,
    output,
  })
  return withFields(query, known, toField)
}

function withFields(
  query: SelectQueryNode,
  { columns, extras, key, order, tables }: Known,
  toField: (column: Column) => Field,
): FieldQuery {
  return {
    query,
    tables,
    key: key.map(toField),
    order: order.map(({ item, column }) => ({ item, field: toField(column) })),
    field: (name) =>
      toField(extras.get(name) ?? columns.get(name) ?? unknown(name, columns, extras)),
  }
}

/** A name that is one thing in ORDER BY and another one in WHERE would give wrong pages. */
function unambiguous(node: OperationNode, columns: ReadonlyMap<string, Column>): OperationNode {
  const name = columnName(node)
  if (name === null || !ReferenceNode.is(node) || node.table !== undefined) return node
  const shown = columns.get(name)
  if (shown === undefined || columnName(shown.node) === name) return node
  throw new ConfigurationError(
    `"${name}" is a column of a table and another one of the rows. Say which table: "table.${name}".`,
  )
}

/** The name of a query as the table of another one. */
const LIST = TableNode.create('list')

/** The rows of a query that a condition cannot go into, as the table of another query. */
function fromOutside(query: SelectQueryNode, known: Known): FieldQuery {
  const { columns, extras, key, order } = known
  const needed = [...extras.values(), ...key, ...order.map(({ column }) => column)]
  const hidden = new Map<Column, string>()
  for (const column of needed) {
    if (column.output === null && !hidden.has(column)) hidden.set(column, `~${hidden.size}`)
  }
  if (hidden.size > 0) checkAddable(query, hidden.keys())
  const toField = (column: Column): Field => ({
    node: columnOfList(column.output ?? hidden.get(column)!),
    origin: column.node,
    output: column.output,
  })
  return withFields(around(query, columns, hidden), known, toField)
}

function around(
  query: SelectQueryNode,
  columns: ReadonlyMap<string, Column>,
  hidden: ReadonlyMap<Column, string>,
): SelectQueryNode {
  const more = [...hidden].map(([{ node }, name]) => aliased(node, name))
  const inner = { ...query, selections: [...(query.selections ?? []), ...more] }
  return {
    kind: 'SelectQueryNode',
    from: FromNode.create([AliasNode.create(inner, IdentifierNode.create('list'))]),
    selections: [...columns.keys()].map((name) => SelectionNode.create(columnOfList(name))),
  }
}

function columnOfList(name: string): ReferenceNode {
  return ReferenceNode.create(ColumnNode.create(name), LIST)
}

function checkAddable(query: SelectQueryNode, columns: Iterable<Column>): void {
  const { distinctOn, frontModifiers, setOperations } = query
  if (distinctOn ?? frontModifiers ?? setOperations) {
    throw new ConfigurationError(
      'In a DISTINCT or UNION the key and what the list is ordered or filtered by must be among the selected columns.',
    )
  }
  for (const { node } of columns) {
    if (RawNode.is(node) && DIRECTED.test(node.sqlFragments.at(-1)!)) {
      throw new ConfigurationError(
        'A list that is filtered needs the direction apart from raw SQL: orderBy(sql`lower(name)`, "desc").',
      )
    }
  }
}

const DIRECTED = /\b(?:asc|desc|nulls\s+\w+)\s*$/i

function unknown(
  name: string,
  columns: ReadonlyMap<string, Column>,
  extras: ReadonlyMap<string, Column>,
): never {
  throw new ConfigurationError(unknownField(name, [...extras.keys(), ...columns.keys()]))
}

export function unknownField(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  const hint = near === null ? `It has: ${known.join(', ')}.` : `Do you mean "${near}"?`
  return `The list has no field "${name}". ${hint}`
}

/** The names that stand in the query itself; `null` where it has a `*`, which only the database can spell out. */
export function ownNames({ query, fields }: NamedQuery): readonly string[] | null {
  if (starsOf(query).length > 0) return null
  return [...fields.keys(), ...columnsOf(query, [], new Map()).keys()]
}
