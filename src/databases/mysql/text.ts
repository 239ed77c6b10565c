import { type OperationNode, RawNode, ValueNode } from 'kysely'
import type { TextOperators } from '../../sql/dialect.ts'
import { call, operation } from '../../sql/nodes.ts'

export const text: TextOperators = {
  like: (node, pattern) =>
    RawNode.create(
      ['', ' like ', " escape '!'"],
      [call('lower', asText(node)), call('lower', asText(pattern))],
    ),
  iregex: (node, pattern) =>
    operation(asText(node), 'regexp', ValueNode.create(`(?i)${String(pattern.value)}`)),
  search: (node, words) => RawNode.create(['match(', ') against (', ')'], [node, words]),
}

/** In a collation in which letters with and without accents differ: that of the column may be another one. */
function asText(node: OperationNode): OperationNode {
  return RawNode.create(['convert(', ' using utf8mb4) collate utf8mb4_bin'], [node])
}
