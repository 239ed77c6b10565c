import {
  AliasNode,
  IdentifierNode,
  type JoinNode,
  type OperationNode,
  type ReferenceNode,
  type SelectQueryNode,
  TableNode,
} from 'kysely'

/** Something that a query reads from. */
export interface Table {
  /** What the query calls it; `null`: nothing, or not known. */
  readonly name: string | null
  /** The table in the database; `null`: a subquery, or the result of a WITH. */
  readonly stored: string | null
  /** May its columns be NULL whatever the table says: joined from outside, grouped, one of a UNION? */
  readonly optional: boolean
}

/** What a query reads from, in its order. */
export function tablesOf(query: SelectQueryNode): readonly Table[] {
  const temporary = namesOfWith(query)
  const tables = (query.from?.froms ?? []).map((node) => toTable(node, temporary, false))
  const all = (query.joins ?? []).reduce((found, join) => joined(found, join, temporary), tables)
  const isMixed = query.groupBy !== undefined || query.setOperations !== undefined
  return isMixed ? all.map((table) => ({ ...table, optional: true })) : all
}

function joined(
  before: readonly Table[],
  { joinType, table }: JoinNode,
  temporary: ReadonlySet<string>,
): Table[] {
  const [left, right] = OUTER[joinType] ?? NEITHER
  const kept = left ? before.map((each) => ({ ...each, optional: true })) : before
  return [...kept, toTable(table, temporary, right)]
}

/** Which side of a join may be missing: what came before it, what it adds. */
const OUTER: { readonly [Type in JoinNode['joinType']]?: readonly [boolean, boolean] } = {
  LeftJoin: [false, true],
  LateralLeftJoin: [false, true],
  OuterApply: [false, true],
  RightJoin: [true, false],
  FullJoin: [true, true],
}
const NEITHER = [false, false] as const

function toTable(node: OperationNode, temporary: ReadonlySet<string>, optional: boolean): Table {
  if (AliasNode.is(node)) {
    const name = IdentifierNode.is(node.alias) ? node.alias.name : null
    return { ...toTable(node.node, temporary, optional), name }
  }
  if (!TableNode.is(node)) return { name: null, stored: null, optional }
  const { identifier, schema } = node.table
  const isTemporary = schema === undefined && temporary.has(identifier.name)
  return { name: identifier.name, stored: isTemporary ? null : identifier.name, optional }
}

function namesOfWith({ with: expressions }: SelectQueryNode): ReadonlySet<string> {
  const names = expressions?.expressions.map(({ name }) => name.table.table.identifier.name)
  return new Set(names)
}

/**
 * Is this column never missing for the join's sake? `stored` is the table that the database says it
 * comes from. A subquery has hidden where its columns come from, so it counts as no.
 */
export function isAlwaysThere(
  tables: readonly Table[],
  { table }: ReferenceNode,
  stored: string,
): boolean {
  const candidates =
    table === undefined
      ? tables.filter((each) => each.stored === null || each.stored === stored)
      : tables.filter(({ name }) => name === table.table.identifier.name)
  return (
    candidates.length > 0 && candidates.every((each) => each.stored === stored && !each.optional)
  )
}
