import { type OperationNode, RawNode } from 'kysely'
import type { TextOperators } from '../../sql/dialect.ts'
import { call, operation } from '../../sql/nodes.ts'

export const text: TextOperators = {
  like: (node, pattern) => RawNode.create(['', ' ilike ', " escape '!'"], [asText(node), pattern]),
  iregex: (node, pattern) => operation(asText(node), '~*', pattern),
  search: (node, words) =>
    operation(call('to_tsvector', asText(node)), '@@', call('plainto_tsquery', words)),
}

/** In a collation that can match parts of a text: that of the column may be another one. */
function asText(node: OperationNode): OperationNode {
  return RawNode.create(['cast(', ' as text) collate "default"'], [node])
}
