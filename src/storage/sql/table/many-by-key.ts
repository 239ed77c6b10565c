// Rows that are looked up for many others at once: each value at most so many of them.
import {
  LimitNode,
  type OperationNode,
  OrderByNode,
  RawNode,
  type SelectQueryNode,
  ValueNode,
} from 'kysely'
import { type MaybePromise, after } from '../../../core/std/after.ts'
import type { Statement } from '../../../core/ports/database.ts'
import type { Rows } from '../../../core/ports/list-source.ts'
import type { Compile, Reader } from '../dialect.ts'
import { aliased } from '../nodes.ts'
import { totalOrder } from '../order.ts'
import { listing } from '../query/sql-list.ts'

/** All rows that have one of so many values; `null`: there cannot be any. */
export type RowsOfValues = { readonly query: SelectQueryNode; readonly values: number } | null

/** What is looked for. */
interface Wanted extends NonNullable<RowsOfValues> {
  readonly column: OperationNode
  readonly key: OperationNode
  readonly limit: number
}

/**
 * The rows, in the order of the query. Mostly there are no more than all values together may have, and no database has to
 * number them; where there are, they are asked for again, each with its place among those of its value.
 */
export function readMany(reader: Reader, wanted: Wanted, compile: Compile): MaybePromise<Rows> {
  const { query, key, values, limit } = wanted
  const most = values * limit
  const order = OrderByNode.create(totalOrder(query.orderBy?.items ?? [], [key]))
  const first = { ...query, orderBy: order, limit: LimitNode.create(ValueNode.create(most + 1)) }
  return after(reader.rows(listing(compile(first))), (rows) =>
    rows.values.length <= most
      ? rows
      : after(reader.rows(listing(numbered(wanted, order, compile))), withoutPlace),
  )
}

const PLACE = 'colophon_place'

function numbered(
  { query, column, limit }: Wanted,
  order: OrderByNode,
  compile: Compile,
): Statement {
  const place = RawNode.create(['row_number() over (partition by ', ' ', ')'], [column, order])
  const { orderBy: _, ...rest } = query
  const selections = [...(query.selections ?? []), aliased(place, PLACE)]
  const { sql, parameters } = compile({ ...rest, selections })
  return {
    sql: `select * from (${sql}) as found where ${PLACE} <= ${limit} order by ${PLACE}`,
    parameters,
  }
}

/** A row may have more values than there are columns. */
function withoutPlace({ values, columns, written }: Rows): Rows {
  const named = columns.slice(0, -1)
  return written === undefined
    ? { values, columns: named }
    : { values, columns: named, written: written.slice(0, -1) }
}
