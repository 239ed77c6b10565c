import type { MaybePromise } from '../../contract/request.ts'
import { after } from '../../std/after.ts'
import { sqliteKind } from './kinds.ts'
import type { Reader, Reference, TableFacts, TableName } from '../../sql/table/facts.ts'

/** SQLite names the columns in its errors, but for references: those are looked through one by one. */
export function sqliteFacts(reader: Reader, table: TableName): MaybePromise<TableFacts> {
  const columns = reader.rows(pragma('table_info', 'name, type', table))
  return after(columns, (found) => {
    const references = reader.rows(pragma('foreign_key_list', 'id, "table", "from", "to"', table))
    return after(references, (referring) => ({
      columns: new Map((found.values as [string, string][]).map(toColumn)),
      constraints: [],
      references: referencesIn(referring.values as ReferenceRow[]),
      returning: true,
    }))
  })
}

function pragma(name: string, columns: string, { name: table, schema }: TableName) {
  const parameters = schema === null ? [table] : [table, schema]
  const marks = parameters.map(() => '?').join(', ')
  return { sql: `select ${columns} from pragma_${name}(${marks})`, parameters }
}

function toColumn([name, declared]: readonly [string, string]) {
  const type = declared.toLowerCase()
  return [name, { name, type, kind: sqliteKind(type), maxLength: null }] as const
}

type ReferenceRow = readonly [id: number, table: string, from: string, to: string | null]

function referencesIn(rows: readonly ReferenceRow[]): readonly Reference[] {
  return [...Map.groupBy(rows, ([id]) => id).values()].map((parts) => ({
    table: parts[0]![1],
    columns: parts.map(([, , from]) => from),
    referenced: parts.flatMap(([, , , to]) => to ?? []),
  }))
}
