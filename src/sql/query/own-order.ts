import { OrderByItemNode, OrderByNode, RawNode, type SelectQueryNode } from 'kysely'
import type { MaybePromise } from '../../contract/request.ts'
import { after } from '../../std/after.ts'
import type { Field, FieldQuery } from './fields.ts'
import type { ListQuery } from './list-query.ts'
import { directionOf } from '../seek/ordering.ts'
import { type Term, isNative, orderItems } from '../seek/terms.ts'
import type { Dialect } from '../dialect.ts'

/*
 * The order that a query has itself: NULLs stand in the same place on all databases, where the order
 * says, else as if they were smaller than every value (I1). Raw SQL stays as it is.
 */

/** The query of a list as it is, but for the place of NULLs. Nothing is asked where they stand right anyway. */
export function inOwnOrder(list: ListQuery): MaybePromise<SelectQueryNode> {
  const { database, named } = list
  const items = named.query.orderBy?.items ?? []
  if (items.every((item) => isPlaced(database.dialect, item))) return named.query
  return after(nullability(list), (nullable) => {
    const placed = items.flatMap((item, at) =>
      placedItem(database.dialect, item, nullable[at] ?? true),
    )
    return { ...named.query, orderBy: OrderByNode.create(placed) }
  })
}

/** Columns that cannot be looked at one by one may be NULL. */
function nullability(list: ListQuery): MaybePromise<readonly boolean[]> {
  const { distinctOn, frontModifiers, setOperations, groupBy } = list.named.query
  if (distinctOn ?? frontModifiers ?? setOperations ?? groupBy) return []
  return after(list.fields(true), (fields) => nullableIn(list, fields))
}

function nullableIn(list: ListQuery, fields: FieldQuery): MaybePromise<readonly boolean[]> {
  const asked = fields.order.map(({ field }) => field)
  return after(list.facts(fields, asked), (facts) => facts.map(({ nullable }) => nullable))
}

/** The same order for a query with fields that keep it, completed by the unique key. */
export function totalOwnOrder(
  list: ListQuery,
  fields: FieldQuery,
): MaybePromise<readonly OrderByItemNode[]> {
  const { dialect } = list.database
  return after(nullableIn(list, fields), (nullable) => {
    const said = fields.order.flatMap(({ item, field }, at) =>
      placedItem(dialect, about(item, field), nullable[at]!),
    )
    const last = fields.order.at(-1)?.item.direction
    const descending = directionOf(last) === 'desc'
    const missing = fields.key.filter(
      (key) => !fields.order.some(({ field }) => isSame(field, key)),
    )
    return [
      ...said,
      ...orderItems(
        dialect,
        missing.map((key) => keyTerm(key, descending)),
      ),
    ]
  })
}

function about(item: OrderByItemNode, { node }: Field): OrderByItemNode {
  return { ...item, orderBy: node }
}

function isSame(left: Field, right: Field): boolean {
  return JSON.stringify(left.node) === JSON.stringify(right.node)
}

function keyTerm({ node }: Field, descending: boolean): Term {
  return { node, descending, nullsFirst: !descending, nullable: false }
}

/** Would NULLs stand where they should, even if there were some? */
function isPlaced(dialect: Dialect, item: OrderByItemNode): boolean {
  if (dialect.id === 'sqlite' || RawNode.is(item.orderBy)) return true
  if (dialect.id === 'postgres' && item.nulls !== undefined) return true
  if (dialect.id === 'mysql' && item.nulls !== undefined) return false
  return directionOf(item.direction) === null || isNative(dialect, toTerm(item, true))
}

function toTerm({ orderBy: node, direction, nulls }: OrderByItemNode, nullable: boolean): Term {
  const descending = directionOf(direction) === 'desc'
  const nullsFirst = nulls === undefined ? !descending : nulls === 'first'
  return { node, descending, nullsFirst, nullable }
}

function placedItem(
  dialect: Dialect,
  item: OrderByItemNode,
  nullable: boolean,
): readonly OrderByItemNode[] {
  if (isPlaced(dialect, item)) return [item]
  const { nulls: _nulls, ...rest } = item
  return orderItems(dialect, [toTerm(item, nullable)]).map((each) =>
    each.orderBy === item.orderBy ? { ...rest, ...nullsOf(each) } : each,
  )
}

function nullsOf({ nulls }: OrderByItemNode): Pick<OrderByItemNode, 'nulls'> {
  return nulls === undefined ? {} : { nulls }
}
