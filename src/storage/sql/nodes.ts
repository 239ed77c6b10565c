import {
  AliasNode,
  AndNode,
  BinaryOperationNode,
  CastNode,
  ColumnNode,
  FunctionNode,
  IdentifierNode,
  LimitNode,
  type OperationNode,
  type OperationNodeSource,
  type Operator,
  OperatorNode,
  OrNode,
  ParensNode,
  RawNode,
  ReferenceNode,
  type SelectQueryNode,
  SelectionNode,
  TableNode,
  ValueNode,
  WhereNode,
  sql,
} from 'kysely'

/** A condition, or its result for every row. */
export type Truth = OperationNode | boolean

/** An operation, whose operands are put in parentheses if they have several words. */
export function operation(
  left: OperationNode,
  operator: Operator,
  right: OperationNode,
): OperationNode {
  return BinaryOperationNode.create(inParens(left), OperatorNode.create(operator), right)
}

export function isNull(node: OperationNode): OperationNode {
  return operation(node, 'is', NULL_NODE)
}

export function isNotNull(node: OperationNode): OperationNode {
  return operation(node, 'is not', NULL_NODE)
}

export const NULL_NODE: ValueNode = ValueNode.createImmediate(null)

export function and(left: Truth, right: Truth): Truth {
  if (typeof left === 'boolean') return left && right
  if (typeof right === 'boolean') return right && left
  return AndNode.create(left, right)
}

export function or(left: Truth, right: Truth): Truth {
  if (typeof left === 'boolean') return left || right
  if (typeof right === 'boolean') return right || left
  return ParensNode.create(OrNode.create(left, right))
}

export function toNode(truth: Truth): OperationNode {
  return typeof truth === 'boolean' ? RawNode.createWithSql(truth ? '1 = 1' : '1 = 0') : truth
}

export function cast(node: OperationNode, type: string): OperationNode {
  return CastNode.create(node, RawNode.createWithSql(type))
}

export function call(name: string, ...operands: readonly OperationNode[]): OperationNode {
  return FunctionNode.create(name, operands)
}

const WHOLE: ReadonlySet<string> = new Set([
  'AggregateFunctionNode',
  'CaseNode',
  'CastNode',
  'FunctionNode',
  'ParensNode',
  'ReferenceNode',
  'SelectQueryNode',
  'TupleNode',
  'ValueNode',
])

/** The node in parentheses, if an operator behind it could take a part of it. */
export function inParens(node: OperationNode): OperationNode {
  return WHOLE.has(node.kind) ? node : ParensNode.create(node)
}

/** The name of a column; `null`: the node is no plain reference to one column. */
export function columnName(node: OperationNode): string | null {
  if (!ReferenceNode.is(node) || !('column' in node.column)) return null
  return node.column.column.name
}

/** A text that is equal for nodes that say the same; JSON knows no bigints. */
export function nodeText(node: OperationNode): string {
  return JSON.stringify(node, (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  )
}

/** A column as a query may name it: `id`, `article.id`. */
export function columnRef(column: string): OperationNode {
  const [node] = sql.ref(column).toOperationNode().parameters
  return node!
}

/** The column of a table by the name that the query has for the table. */
export function columnOf(table: string, column: string): ReferenceNode {
  return ReferenceNode.create(ColumnNode.create(column), TableNode.create(table))
}

export function withAlias(node: OperationNode, name: string): SelectionNode {
  return SelectionNode.create(AliasNode.create(node, IdentifierNode.create(name)))
}

export function withWhere(query: SelectQueryNode, condition: Truth): SelectQueryNode {
  if (condition === true) return query
  const node = toNode(condition)
  if (query.where === undefined) return { ...query, where: WhereNode.create(node) }
  const where = WhereNode.create(ParensNode.create(query.where.where))
  return { ...query, where: WhereNode.cloneWithOperation(where, 'And', node) }
}

/** The query without rows, which tells its columns. */
export function noRows(query: SelectQueryNode): SelectQueryNode {
  return { ...query, limit: LimitNode.create(ValueNode.createImmediate(0)) }
}

/** From here on, powers of two would waste too many of a database's parameters. */
const STEP = 1024

/**
 * Fills a list up to the next power of two, or the next 1,024 values, with its last value. Each length is another text of SQL,
 * which the database plans and keeps, and clients decide how long a list is.
 */
export function filledUp<T>(values: readonly T[]): readonly T[] {
  const { length } = values
  const size = length > STEP ? Math.ceil(length / STEP) * STEP : 2 ** Math.ceil(Math.log2(length))
  return [...values, ...Array<T>(size - length).fill(values.at(-1)!)]
}

/** Is it of Kysely, and becomes a part of the text? No value that a client sends has a function. */
export function isExpression(value: unknown): value is OperationNodeSource {
  return (
    typeof value === 'object' &&
    value !== null &&
    'toOperationNode' in value &&
    typeof value.toOperationNode === 'function'
  )
}
