import { RawNode } from 'kysely'
import type { TextOperators } from '../../sql/dialect.ts'
import { enclosed } from '../../sql/nodes.ts'

/** LIKE of SQLite ignores case, as far as ASCII goes. */
export const text: TextOperators = {
  like: (node, pattern) => RawNode.create(['', ' like ', " escape '!'"], [enclosed(node), pattern]),
  iregex: null,
  search: null,
}
