import {
  AliasNode,
  IdentifierNode,
  LimitNode,
  RawNode,
  ReferenceNode,
  SelectAllNode,
  type SelectQueryNode,
  SelectionNode,
  ValueNode,
} from 'kysely'
import type { Statement } from '../../contract/storage.ts'
import type { Compile } from './compiler.ts'
import { withoutWindow } from './window.ts'

/** Counts the rows themselves where each of the table gives one, else the rows of the query as it stands. */
export function countOf(query: SelectQueryNode, compile: Compile): Statement {
  const unordered = unorderedOf(query)
  if (isOneToOne(unordered)) return compile({ ...unordered, selections: [COUNT] })
  const { sql, parameters } = compile(unordered)
  return { sql: `select count(*) from (${sql}) as counted`, parameters }
}

/** Counts no further than so many rows. */
export function cappedCountOf(
  query: SelectQueryNode,
  compile: Compile,
): (rows: number) => Statement {
  const unordered = unorderedOf(query)
  const counted = isOneToOne(unordered) ? { ...unordered, selections: [ONE] } : unordered
  const { sql, parameters } = compile({
    ...counted,
    limit: LimitNode.create(ValueNode.create(CAP)),
  })
  const text = `select count(*) from (${sql}) as capped`
  const capAt = parameters.indexOf(CAP)
  return (rows) => ({ sql: text, parameters: parameters.with(capAt, rows) })
}

/** All rows of the query, in any order. */
export function unorderedOf(query: SelectQueryNode): SelectQueryNode {
  const { orderBy: _order, endModifiers: _locks, ...unordered } = withoutWindow(query)
  return unordered
}

const COUNT = selection('count(*)', 'count')
const ONE = selection('1', 'one')

function selection(sql: string, name: string): SelectionNode {
  return SelectionNode.create(
    AliasNode.create(RawNode.createWithSql(sql), IdentifierNode.create(name)),
  )
}

/** The place of the cap among the parameters. */
const CAP = Symbol('cap')

/** Does each row of the tables give one row of the list? Grouping, DISTINCT, UNION and aggregates change that. */
export function isOneToOne(query: SelectQueryNode): boolean {
  const { groupBy, having, distinctOn, frontModifiers, setOperations, selections = [] } = query
  return (
    [groupBy, having, distinctOn, frontModifiers, setOperations].every(
      (part) => part === undefined,
    ) && selections.every(isPlainColumn)
  )
}

function isPlainColumn({ selection: selected }: SelectionNode): boolean {
  const node = AliasNode.is(selected) ? selected.node : selected
  return ReferenceNode.is(node) || SelectAllNode.is(node)
}
