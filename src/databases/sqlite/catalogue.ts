import { kindOf } from './kinds.ts'
import type { Reader, Reference, TableFacts, TableName } from '../../sql/dialect.ts'

/** SQLite names the columns in its errors, but for references: those are looked through one by one. */
export async function facts(reader: Reader, table: TableName): Promise<TableFacts> {
  const columns = await reader.rows(pragma('table_info', 'name, type', table))
  const keys = await reader.rows(pragma('foreign_key_list', 'id, "table", "from", "to"', table))
  return {
    columns: new Map((columns.values as [string, string][]).map(toColumn)),
    constraints: [],
    references: referencesIn(keys.values as ReferenceRow[]),
    lastNumber: null,
  }
}

function pragma(name: string, columns: string, { name: table, schema }: TableName) {
  const parameters = schema === null ? [table] : [table, schema]
  const marks = parameters.map(() => '?').join(', ')
  return { sql: `select ${columns} from pragma_${name}(${marks})`, parameters }
}

function toColumn([name, declared]: readonly [string, string]) {
  const type = declared.toLowerCase()
  return [name, { name, type, kind: kindOf(type), maxLength: null }] as const
}

type ReferenceRow = readonly [id: number, table: string, from: string, to: string | null]

function referencesIn(rows: readonly ReferenceRow[]): readonly Reference[] {
  return [...Map.groupBy(rows, ([id]) => id).values()].map((parts) => ({
    table: parts[0]![1],
    columns: parts.map(([, , from]) => from),
    referenced: parts.flatMap(([, , , to]) => to ?? []),
  }))
}
