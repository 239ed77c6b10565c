// The relation between the rows of a query and those of its tables, as far as the query shows it.
import {
  AliasNode,
  IdentifierNode,
  type JoinNode,
  type OperationNode,
  ReferenceNode,
  SelectAllNode,
  type SelectQueryNode,
  TableNode,
  ValueNode,
} from 'kysely'
import { ConfigurationError } from '../../../core/errors/configuration-error.ts'

/** Does each row of the tables give one row of the list, with nothing but their columns? */
export function isOneToOne(query: SelectQueryNode): boolean {
  return isUngrouped(query) && selected(query).every((node) => isColumn(bare(node)))
}

/**
 * Is each row of the list one row of the tables? Then a condition may go straight into the query. Grouping,
 * DISTINCT, UNION, aggregates, windows, and maybe raw SQL, look at many rows: they are narrowed from outside.
 */
export function isRowByRow(query: SelectQueryNode, others: readonly OperationNode[]): boolean {
  return isUngrouped(query) && [...selected(query), ...others].every(isScalar)
}

function isUngrouped(query: SelectQueryNode): boolean {
  const { groupBy, having, distinctOn, frontModifiers, setOperations } = query
  return (groupBy ?? having ?? distinctOn ?? frontModifiers ?? setOperations) === undefined
}

/** DISTINCT or UNION: another column would make other rows. */
export function combinesRows({
  distinctOn,
  frontModifiers,
  setOperations,
}: SelectQueryNode): boolean {
  return (distinctOn ?? frontModifiers ?? setOperations) !== undefined
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

function isScalar(part: unknown): boolean {
  if (Array.isArray(part)) return part.every(isScalar)
  if (typeof part !== 'object' || part === null || !('kind' in part)) return true
  const node = bare(part as OperationNode)
  return isColumn(node) || (isScalarKind(node) && Object.values(node).every(isScalar))
}

function isScalarKind(node: OperationNode): boolean {
  if ('func' in node) return FUNCTIONS.has(String(node.func).toLowerCase())
  return KINDS.has(node.kind)
}

const KINDS: ReadonlySet<string> = new Set(
  [
    ['AndNode', 'OrNode', 'ParensNode'],
    ['BinaryOperationNode', 'UnaryOperationNode', 'OperatorNode'],
    ['CaseNode', 'WhenNode', 'CastNode', 'DataTypeNode'],
    ['ValueNode', 'ValueListNode', 'PrimitiveValueListNode', 'TupleNode'],
  ].flat(),
)

/** Functions of one row in all databases. */
const FUNCTIONS: ReadonlySet<string> = new Set(
  [
    ['abs', 'ceil', 'floor', 'round'],
    ['coalesce', 'nullif'],
    ['concat', 'length', 'lower', 'ltrim', 'replace', 'rtrim', 'substr', 'trim', 'upper'],
  ].flat(),
)

export interface Table {
  /** The name of the table in the query; `null`: it has no name, or none that is known. */
  readonly name: string | null
  /** The table in the database; `null`: a subquery, or the result of a WITH. */
  readonly stored: string | null
  /** May its columns be NULL, also if the table forbids it: joined from outside, grouped, one of a UNION? */
  readonly optional: boolean
}

export function tablesOf({ with: expressions, ...query }: SelectQueryNode): readonly Table[] {
  const temporary = new Set(
    expressions?.expressions.map(({ name }) => name.table.table.identifier.name),
  )
  let tables = (query.from?.froms ?? []).map((node) => toTable(node, temporary))
  for (const { joinType, table } of query.joins ?? []) {
    const [left, right] = OUTER[joinType] ?? [false, false]
    if (left) tables = tables.map(asOptional)
    const added = toTable(table, temporary)
    tables.push(right ? asOptional(added) : added)
  }
  const isMixed = query.groupBy !== undefined || query.setOperations !== undefined
  return isMixed ? tables.map(asOptional) : tables
}

/** Do its parts cost no more than the rows in them? What a subquery computes, each of them would compute. */
export function isReadFromTables(query: SelectQueryNode): boolean {
  const isLocking = query.endModifiers !== undefined
  return !isLocking && tablesOf(query).every(({ stored }) => stored !== null)
}

function asOptional(table: Table): Table {
  return { ...table, optional: true }
}

/** The sides of each join that may be missing: the tables before it, and the table that it adds. */
const OUTER: { readonly [Type in JoinNode['joinType']]?: readonly [boolean, boolean] } = {
  LeftJoin: [false, true],
  LateralLeftJoin: [false, true],
  OuterApply: [false, true],
  RightJoin: [true, false],
  FullJoin: [true, true],
}

function toTable(node: OperationNode, temporary: ReadonlySet<string>): Table {
  if (AliasNode.is(node)) {
    const name = IdentifierNode.is(node.alias) ? node.alias.name : null
    return { ...toTable(node.node, temporary), name }
  }
  if (!TableNode.is(node)) return { name: null, stored: null, optional: false }
  const { schema, identifier } = node.table
  const isTemporary = schema === undefined && temporary.has(identifier.name)
  const stored = isTemporary ? null : identifier.name
  return { name: identifier.name, stored, optional: false }
}

/** In spite of joins. A subquery hides where its columns come from: no. */
export function isAlwaysThere(
  tables: readonly Table[],
  column: OperationNode,
  stored: string | null,
): boolean {
  if (stored === null || !ReferenceNode.is(column)) return false
  const { table } = column
  const candidates =
    table === undefined
      ? tables.filter((each) => each.stored === null || each.stored === stored)
      : tables.filter(({ name }) => name === table.table.identifier.name)
  return (
    candidates.length > 0 && candidates.every((each) => each.stored === stored && !each.optional)
  )
}

export interface OwnLimit {
  readonly skip: number
  readonly size: number
}

/** @throws ConfigurationError it is cut in another way, or by more than plain numbers */
export function ownLimitOf({ limit, offset, fetch, top }: SelectQueryNode): OwnLimit {
  if (fetch !== undefined || top !== undefined) {
    throw new ConfigurationError(
      'A query of a list is cut with limit and offset, not with fetch or top.',
    )
  }
  return { skip: numberOf(offset?.offset) ?? 0, size: numberOf(limit?.limit) ?? Infinity }
}

function numberOf(node: OperationNode | undefined): number | null {
  if (node === undefined) return null
  const value = ValueNode.is(node) ? node.value : undefined
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value)
  throw new ConfigurationError('Limit and offset in the query of a list must be plain numbers.')
}
