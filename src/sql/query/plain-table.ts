import { AliasNode, type SelectQueryNode, TableNode } from 'kysely'
import { isOneToOne } from './counting.ts'

/** A table of a database file. */
export interface PlainTable {
  readonly schema: string
  readonly name: string
}

/** The table of which a query gives all rows; `null`: it gives others, or not all. */
export function plainTableOf(query: SelectQueryNode): PlainTable | null {
  const { from, joins = [], where, with: expressions } = query
  const [source, ...others] = from?.froms ?? []
  const isWhole = where === undefined && expressions === undefined && isOneToOne(query)
  if (source === undefined || others.length + joins.length > 0 || !isWhole) return null
  const node = AliasNode.is(source) ? source.node : source
  return TableNode.is(node) ? toTable(node) : null
}

function toTable({ table: { schema, identifier } }: TableNode): PlainTable {
  return { schema: schema?.name ?? 'main', name: identifier.name }
}
