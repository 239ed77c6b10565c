import type { DatabaseSync, StatementColumnMetadata } from 'node:sqlite'
import type { ColumnFacts } from '../../contract/storage.ts'

/**
 * May this column be NULL? Keys may, for historical reasons, unless the table says otherwise; the one
 * that is the number of the row may not, and is the only key of a table that has no index for it.
 */
const NULLABLE = `
  select not ("notnull" or (pk and upper(type) = 'INTEGER' and not exists (
    select 1 from pragma_index_list(?1, ?2) where origin = 'pk')))
  from pragma_table_info(?1, ?2) where name = ?3`

/** What SQLite knows about the columns of a select. */
export function columnFacts(database: DatabaseSync, sql: string): readonly ColumnFacts[] {
  const nullable = database.prepare(NULLABLE)
  nullable.setReturnArrays(true)
  return database
    .prepare(sql)
    .columns()
    .map((column) => ({
      name: column.name,
      type: column.type?.toLowerCase() ?? null,
      table: column.table,
      nullable: isNullable(column),
    }))

  function isNullable({ table, database: schema, column }: StatementColumnMetadata): boolean {
    const found = nullable.get(table, schema, column) as unknown as [number] | undefined
    return found?.[0] !== 0
  }
}
