import {
  OrderByItemNode,
  type OperationNode,
  RawNode,
  ReferenceNode,
  type SelectQueryNode,
  sql,
} from 'kysely'

type Items = readonly OrderByItemNode[]

/**
 * The ORDER BY of a list, made total so that no two rows can change places from page to page: the key
 * alone where nothing is said (I15), else the key behind what is said, in the direction of the last
 * item, which is the order that an index gives away for free.
 */
export function totalOrder(query: SelectQueryNode, key: readonly string[]): Items {
  const said = query.orderBy?.items ?? []
  const direction = said.at(-1)?.direction
  const missing = key.filter((column) => !said.some((item) => isColumn(item.orderBy, column)))
  return [...said, ...missing.map((column) => byColumn(column, isDescending(direction)))]
}

function byColumn(column: string, descending: boolean): OrderByItemNode {
  const direction = descending ? RawNode.createWithSql('desc') : undefined
  return OrderByItemNode.create(reference(column), direction)
}

/** A column as the query may name it: `id`, `article.id`. */
export function reference(column: string): OperationNode {
  const [node] = sql.ref(column).toOperationNode().parameters
  return node!
}

function isColumn(node: OperationNode, column: string): boolean {
  return ReferenceNode.is(node) && JSON.stringify(node) === JSON.stringify(reference(column))
}

/** The same order read from its end; `null` where an item is raw SQL that nobody can turn round. */
export function reversed(items: Items): Items | null {
  return items.every(isReversible) ? items.map(reverse) : null
}

function isReversible({ orderBy, direction }: OrderByItemNode): boolean {
  const said = directionOf(direction)
  return !RawNode.is(orderBy) && (said === 'asc' || said === 'desc')
}

function reverse(item: OrderByItemNode): OrderByItemNode {
  const direction = RawNode.createWithSql(isDescending(item.direction) ? 'asc' : 'desc')
  if (item.nulls === undefined) return OrderByItemNode.cloneWith(item, { direction })
  return OrderByItemNode.cloneWith(item, {
    direction,
    nulls: item.nulls === 'first' ? 'last' : 'first',
  })
}

export function isDescending(direction: OperationNode | undefined): boolean {
  return directionOf(direction) === 'desc'
}

/** `null`: raw SQL, which may say more than a direction. */
export function directionOf(direction: OperationNode | undefined): string | null {
  if (direction === undefined) return 'asc'
  return RawNode.is(direction) && direction.parameters.length === 0
    ? direction.sqlFragments.join('').toLowerCase()
    : null
}
