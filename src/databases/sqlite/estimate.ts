import { AliasNode, type SelectQueryNode, TableNode } from 'kysely'
import type { Rows } from '../../contract/storage.ts'
import type { Estimate } from '../../sql/dialect.ts'
import { after } from '../../std/after.ts'
import { isOneToOne } from '../../sql/query/row-by-row.ts'

/**
 * What ANALYZE has written down of a whole table: its rows, before those of each value of an index. SQLite
 * keeps nothing else, so of a part of a table nothing is known.
 */
export function estimate(query: SelectQueryNode): Estimate {
  const table = wholeTable(query)
  if (table === null) return () => null
  const file = `"${(table.schema?.name ?? 'main').replaceAll('"', '""')}"`
  const kept = `select 1 from ${file}.sqlite_schema where name = 'sqlite_stat1'`
  const rows = `select max(cast(stat as integer)) from ${file}.sqlite_stat1 where tbl = ? collate nocase`
  const { name } = table.identifier
  return (reader) =>
    after(reader.rows({ sql: kept, parameters: [] }), ({ values }) =>
      values.length === 0 ? null : after(reader.rows({ sql: rows, parameters: [name] }), numberIn),
    )
}

function numberIn({ values }: Rows): number | null {
  const found = values[0]?.[0] ?? null
  return found === null ? null : Number(found)
}

/** The table of which a query gives all rows; `null`: it gives others, or not all. */
function wholeTable(query: SelectQueryNode): TableNode['table'] | null {
  const { from, joins = [], where, with: expressions } = query
  const [source, ...others] = from?.froms ?? []
  const isWhole = where === undefined && expressions === undefined && isOneToOne(query)
  if (source === undefined || others.length + joins.length > 0 || !isWhole) return null
  const node = AliasNode.is(source) ? source.node : source
  return TableNode.is(node) ? node.table : null
}
