import { type OperationNode, OrderByItemNode, RawNode } from 'kysely'
import type { ValueKind } from '../kinds/value-kind.ts'
import { isNull } from '../query/nodes.ts'
import type { Dialect } from '../dialect.ts'

/** What one sort key comes to: an expression, a direction, a place for NULLs. */
export interface Term {
  /** Rows are ordered and compared by it. */
  readonly node: OperationNode
  readonly descending: boolean
  readonly nullsFirst: boolean
  readonly nullable: boolean
}

/** A term whose values can leave the database and come back. */
export interface ComparedTerm extends Term {
  readonly kind: ValueKind
  /** A column that is selected for the position's sake; `null`: the rows show the value. */
  readonly hidden: OperationNode | null
  /** The column of the rows that shows the value. */
  readonly output: string | null
}

/** The same order from its end. */
export function turned<T extends Term>(terms: readonly T[]): readonly T[] {
  return terms.map((term) => ({
    ...term,
    descending: !term.descending,
    nullsFirst: !term.nullsFirst,
  }))
}

/** Does the database put NULLs there without being told? Only then an index gives the order. */
export function isNative(dialect: Dialect, { nullable, descending, nullsFirst }: Term): boolean {
  const first = dialect.id === 'postgres' ? descending : !descending
  return !nullable || nullsFirst === first
}

/** ORDER BY for these terms; what needs no word about NULLs gets none. */
export function orderItems(dialect: Dialect, terms: readonly Term[]): readonly OrderByItemNode[] {
  return terms.flatMap((term) => orderItem(dialect, term))
}

function orderItem(dialect: Dialect, term: Term): readonly OrderByItemNode[] {
  const item = OrderByItemNode.create(term.node, term.descending ? DESC : undefined)
  if (isNative(dialect, term)) return [item]
  const nulls = term.nullsFirst ? 'first' : 'last'
  if (dialect.id !== 'mysql')
    return [OrderByItemNode.cloneWith(item, { ...direction(term), nulls })]
  return [OrderByItemNode.create(isNull(term.node), term.nullsFirst ? DESC : undefined), item]
}

const DESC = RawNode.createWithSql('desc')

function direction({ descending }: Term): { readonly direction?: OperationNode } {
  return descending ? { direction: DESC } : {}
}
