// What can be seen of a query about how its rows and those of its tables go together.
import {
  AliasNode,
  type OperationNode,
  ReferenceNode,
  SelectAllNode,
  type SelectQueryNode,
} from 'kysely'

/** Does each row of the tables give one row of the list, with nothing but their columns? */
export function isOneToOne(query: SelectQueryNode): boolean {
  return isUngrouped(query) && selected(query).every((node) => isColumn(bare(node)))
}

/**
 * Is each row of the list one row of the tables, whatever else is there? Then a condition may go
 * straight into the query. Grouping, DISTINCT, UNION, aggregates and windows look at many rows, and
 * what raw SQL looks at is not known: their result has to be narrowed from outside.
 */
export function isRowByRow(query: SelectQueryNode, others: readonly OperationNode[]): boolean {
  return isUngrouped(query) && [...selected(query), ...others].every(isScalar)
}

function isUngrouped(query: SelectQueryNode): boolean {
  const { groupBy, having, distinctOn, frontModifiers, setOperations } = query
  return (groupBy ?? having ?? distinctOn ?? frontModifiers ?? setOperations) === undefined
}

function selected({ selections = [] }: SelectQueryNode): readonly OperationNode[] {
  return selections.map(({ selection }) => selection)
}

function bare(node: OperationNode): OperationNode {
  return AliasNode.is(node) ? node.node : node
}

function isColumn(node: OperationNode): boolean {
  return ReferenceNode.is(node) || SelectAllNode.is(node)
}

function isScalar(aliased: OperationNode): boolean {
  const node = bare(aliased)
  return isColumn(node) || (isScalarKind(node) && Object.values(node).every(isScalarPart))
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

/** Functions of one row in all databases. */
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
