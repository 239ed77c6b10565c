import { LimitNode, OffsetNode, OrderByNode, type SelectQueryNode, ValueNode } from 'kysely'
import type { Statement } from '../../contract/storage.ts'
import { type Compile, compilerOf } from './compiler.ts'
import { cappedCountOf, countOf } from './counting.ts'
import { type Estimate, estimateOf } from './estimates.ts'
import { reversed, totalOrder } from '../seek/ordering.ts'
import { withoutWindow } from './window.ts'
import type { Dialect } from '../dialect.ts'

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
  const order = totalOrder(query, key)
  const backwards = reversed(order)
  return {
    count: once(() => countOf(query, compile)),
    cappedCount: once(() => cappedCountOf(query, compile)),
    estimate: once(() => estimateOf(dialect, query, compile)),
    forwards: once(() => sliceOf(query, order, compile)),
    backwards: once(() => backwards && sliceOf(query, backwards, compile)),
  }
}

type Order = NonNullable<ReturnType<typeof reversed>>

/** The places of limit and offset among the parameters, which are given anew for each page. */
const LIMIT = Symbol('limit')
const OFFSET = Symbol('offset')

function sliceOf(query: SelectQueryNode, order: Order, compile: Compile): Slice {
  const { sql, parameters } = compile({
    ...withoutWindow(query),
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

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => (made ??= { value: make() }).value
}
