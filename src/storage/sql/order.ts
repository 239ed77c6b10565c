import { type OperationNode, OrderByItemNode, RawNode } from 'kysely'
import type { SortKey } from '../../core/ports/list-source.ts'
import { tieBreakers } from '../../resources/lists/order.ts'
import type { NullOrder, Term } from './dialect.ts'
import { isNull, nodeText } from './nodes.ts'

export type Items = readonly OrderByItemNode[]

/** Equal for the same order. */
export function orderName(keys: readonly SortKey[]): string {
  let name = '\0'
  for (const { field, descending, nulls } of keys)
    name += `${descending ? '-' : '+'}${nulls === 'first' ? '<' : '>'}${field}\0`
  return name
}

const DESC = RawNode.createWithSql('desc')

/** NULLs are mentioned only where they would stand elsewhere. */
export function orderItems(nulls: NullOrder, terms: readonly Term[]): Items {
  return terms.flatMap((term) => {
    const item = byNode(term.node, term.descending)
    if (isNative(nulls, term)) return [item]
    if (!nulls.placeable) return [byNode(isNull(term.node), term.nullsFirst), item]
    return [{ ...item, nulls: term.nullsFirst ? 'first' : 'last' }]
  })
}

function byNode(node: OperationNode, descending: boolean): OrderByItemNode {
  return OrderByItemNode.create(node, descending ? DESC : undefined)
}

/** Do NULLs stand in their place without a word about it? Only then an index gives the order. */
export function isNative({ smallest }: NullOrder, term: Term): boolean {
  return !term.nullable || term.nullsFirst === (term.descending !== smallest)
}

export function reversedTerms<T extends Term>(terms: readonly T[]): readonly T[] {
  return terms.map((term) => ({
    ...term,
    descending: !term.descending,
    nullsFirst: !term.nullsFirst,
  }))
}

/** The order, made total by columns that the query may name. */
export function totalOrder(items: Items, key: readonly OperationNode[]): Items {
  const ordered = new Set(items.map(({ orderBy }) => nodeText(orderBy)))
  const isDown = items.length > 0 && directionOf(items.at(-1)!) === 'desc'
  const missing = tieBreakers(key, (column) => ordered.has(nodeText(column)), isDown)
  return [...items, ...missing.map(({ column, descending }) => byNode(column, descending))]
}

/** The order read from its end; `null`: an item is raw SQL, which cannot be turned round. */
export function reversedOrder(items: Items): Items | null {
  const isRaw = (item: OrderByItemNode): boolean =>
    RawNode.is(item.orderBy) || directionOf(item) === null
  return items.some(isRaw) ? null : items.map(reverse)
}

function reverse(item: OrderByItemNode): OrderByItemNode {
  const direction = RawNode.createWithSql(directionOf(item) === 'desc' ? 'asc' : 'desc')
  if (item.nulls === undefined) return { ...item, direction }
  return { ...item, direction, nulls: item.nulls === 'first' ? 'last' : 'first' }
}

/** The direction of an item; `null`: it is raw SQL, which may hold more than a direction. */
function directionOf({ direction }: OrderByItemNode): 'asc' | 'desc' | null {
  if (direction === undefined) return 'asc'
  if (!RawNode.is(direction) || direction.parameters.length > 0) return null
  const text = direction.sqlFragments.join('').toLowerCase()
  return text === 'asc' || text === 'desc' ? text : null
}

/** Do NULLs stand where the item puts them, or else as if they were smaller than every value? Raw SQL stays as it is. */
export function areNullsPlaced(nulls: NullOrder, item: OrderByItemNode): boolean {
  if (RawNode.is(item.orderBy)) return true
  if (item.nulls !== undefined) return nulls.placeable
  return directionOf(item) === null || isNative(nulls, termOf(item, true))
}

/** Items that put NULLs in their place. */
export function withNullsPlaced(nulls: NullOrder, item: OrderByItemNode, nullable: boolean): Items {
  if (areNullsPlaced(nulls, item)) return [item]
  const { nulls: _nulls, ...rest } = item
  return orderItems(nulls, [termOf(item, nullable)]).map((each) =>
    each.orderBy === item.orderBy ? { ...each, ...rest } : each,
  )
}

function termOf(item: OrderByItemNode, nullable: boolean): Term {
  const descending = directionOf(item) === 'desc'
  const nullsFirst = item.nulls === undefined ? !descending : item.nulls === 'first'
  return { node: item.orderBy, descending, nullsFirst, nullable }
}
