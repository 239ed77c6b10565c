import {
  LimitNode,
  OffsetNode,
  OrderByNode,
  RawNode,
  type SelectQueryNode,
  SelectionNode,
  ValueNode,
} from 'kysely'
import type { Statement } from '../../contract/database.ts'
import { compilerOf } from '../prepared.ts'
import type { Compile, Dialect, Estimate } from '../dialect.ts'
import { aliased } from '../nodes.ts'
import { reversed, totalOrder } from '../order.ts'
import { isOneToOne } from './row-by-row.ts'
import { withoutOwnLimit } from './own-limit.ts'

/** At most `limit` rows, after leaving out `offset`. */
export type Slice = (offset: number, limit: number) => Statement

/** The texts that a list is read with; each is compiled when first needed, and once. */
export interface ListStatements {
  count(): Statement
  /** Counts so many rows at most. */
  cappedCount(): (rows: number) => Statement
  estimate(): Estimate
  forwards(): Slice
  /** The same rows counted from the other end; `null` where the order cannot be turned round. */
  backwards(): Slice | null
}

/** The statements of a list: `query` in a total order that `key` completes. */
export function listStatements(
  dialect: Dialect,
  query: SelectQueryNode,
  key: readonly string[],
): ListStatements {
  const compile = compilerOf(dialect)
  const order = totalOrder(query.orderBy?.items ?? [], key)
  const backwards = reversed(order)
  return {
    count: once(() => countOf(query, compile)),
    cappedCount: once(() => cappedCountOf(query, compile)),
    estimate: once(() => dialect.estimate(unorderedOf(query), compile)),
    forwards: once(() => sliceOf(query, order, compile)),
    backwards: once(() => backwards && sliceOf(query, backwards, compile)),
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => (made ??= { value: make() }).value
}

type Order = ReturnType<typeof totalOrder>

/** The places of values among the parameters that are given anew for each page or count. */
const LIMIT = Symbol('limit')
const OFFSET = Symbol('offset')

function sliceOf(query: SelectQueryNode, order: Order, compile: Compile): Slice {
  const { sql, parameters } = compile({
    ...withoutOwnLimit(query),
    orderBy: OrderByNode.create(order),
    limit: LimitNode.create(ValueNode.create(LIMIT)),
    offset: OffsetNode.create(ValueNode.create(OFFSET)),
  })
  const [limitAt, offsetAt] = [parameters.indexOf(LIMIT), parameters.indexOf(OFFSET)]
  return (offset, limit) => {
    const values = parameters.slice()
    values[limitAt] = databaseInteger(limit)
    values[offsetAt] = databaseInteger(offset)
    return { sql, parameters: values }
  }
}

/** What no database integer could hold lies behind every row there is (I15). */
function databaseInteger(value: number): number {
  return Math.min(value, Number.MAX_SAFE_INTEGER)
}

/** Counts the rows themselves where each of the table gives one, else the rows of the query as it stands. */
function countOf(query: SelectQueryNode, compile: Compile): Statement {
  const unordered = unorderedOf(query)
  if (isOneToOne(unordered))
    return compile({ ...unordered, selections: [selection('count(*)', 'count')] })
  const { sql, parameters } = compile(unordered)
  return { sql: `select count(*) from (${sql}) as counted`, parameters }
}

/** Counts no further than so many rows. */
function cappedCountOf(query: SelectQueryNode, compile: Compile): (rows: number) => Statement {
  const unordered = unorderedOf(query)
  const counted = isOneToOne(unordered)
    ? { ...unordered, selections: [selection('1', 'one')] }
    : unordered
  const limit = LimitNode.create(ValueNode.create(LIMIT))
  const { sql, parameters } = compile({ ...counted, limit })
  const text = `select count(*) from (${sql}) as capped`
  const limitAt = parameters.indexOf(LIMIT)
  return (rows) => ({ sql: text, parameters: parameters.with(limitAt, rows) })
}

/** All rows of the query, in any order. */
function unorderedOf(query: SelectQueryNode): SelectQueryNode {
  const { orderBy: _order, endModifiers: _locks, ...unordered } = withoutOwnLimit(query)
  return unordered
}

function selection(sql: string, name: string): SelectionNode {
  return aliased(RawNode.createWithSql(sql), name)
}
