import { type OperationNode, type SelectQueryNode, ValueNode } from 'kysely'
import { ConfigurationError } from '../../errors/configuration-error.ts'

/** The part of its rows that a query keeps by a LIMIT and OFFSET of its own. */
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

/** The query with all its rows. */
export function withoutOwnLimit(query: SelectQueryNode): SelectQueryNode {
  const { limit: _limit, offset: _offset, ...whole } = query
  return whole
}
