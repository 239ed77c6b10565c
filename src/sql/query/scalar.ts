import {
  AliasNode,
  type OperationNode,
  ReferenceNode,
  SelectAllNode,
  type SelectQueryNode,
} from 'kysely'

/**
 * Is each row of the list one row of the tables, whatever else is there? Then a condition may go
 * straight into the query. Grouping, DISTINCT, UNION, aggregates and windows look at many rows, and
 * what raw SQL looks at nobody knows: their result has to be narrowed from outside.
 */
export function isRowByRow(query: SelectQueryNode, others: readonly OperationNode[]): boolean {
  const { groupBy, having, distinctOn, frontModifiers, setOperations, selections = [] } = query
  const whole = [groupBy, having, distinctOn, frontModifiers, setOperations]
  const selected = selections.map(({ selection }) => selection)
  return whole.every((part) => part === undefined) && [...selected, ...others].every(isScalar)
}

function isScalar(node: OperationNode): boolean {
  if (AliasNode.is(node)) return isScalar(node.node)
  if (ReferenceNode.is(node) || SelectAllNode.is(node)) return true
  return isScalarKind(node) && Object.values(node).every(isScalarPart)
}

function isScalarPart(part: unknown): boolean {
  if (Array.isArray(part)) return part.every(isScalarPart)
  return isNode(part) ? isScalar(part) : true
}

function isNode(value: unknown): value is OperationNode {
  return typeof value === 'object' && value !== null && 'kind' in value
}

function isScalarKind(node: OperationNode): boolean {
  if ('func' in node) return FUNCTIONS.has(String(node.func).toLowerCase())
  return KINDS.has(node.kind)
}

const KINDS: ReadonlySet<string> = new Set([
  'AndNode',
  'BinaryOperationNode',
  'CaseNode',
  'CastNode',
  'DataTypeNode',
  'OperatorNode',
  'OrNode',
  'ParensNode',
  'PrimitiveValueListNode',
  'TupleNode',
  'UnaryOperationNode',
  'ValueListNode',
  'ValueNode',
  'WhenNode',
])

/** Functions of one row in all three databases. */
const FUNCTIONS: ReadonlySet<string> = new Set([
  'abs',
  'ceil',
  'coalesce',
  'concat',
  'floor',
  'length',
  'lower',
  'ltrim',
  'nullif',
  'replace',
  'round',
  'rtrim',
  'substr',
  'trim',
  'upper',
])
