import { AliasNode, type SelectQueryNode, TableNode } from 'kysely'
import type { DatabaseSync, StatementColumnMetadata } from 'node:sqlite'
import type { ColumnFacts, Statement } from '../../core/ports/database.ts'
import type { Rows } from '../../core/ports/list-source.ts'
import type { Estimate, Reader, TableFacts, TableName } from '../sql/dialect.ts'
import type { ForeignKey } from '../sql/schema-reader.ts'
import { isOneToOne } from '../sql/query/row-by-row.ts'
import { type MaybePromise, after } from '../../core/std/after.ts'
import { isPoint, kindOf } from './value-kinds.ts'

/** SQLite names the columns in its errors, except for references, which are checked one by one. */
export async function facts(reader: Reader, table: TableName): Promise<TableFacts> {
  const columns = await reader.rows(pragma('table_info', NAMED, table))
  const keys = await reader.rows(pragma('foreign_key_list', 'id, "table", "from", "to"', table))
  const schema = await reader.rows({ sql: schemaOf(table), parameters: [table.name] })
  const [hasTriggers, checksAtEnd, loose] = schema.values[0]!.map(Boolean) as [
    boolean,
    boolean,
    boolean,
  ]
  const samples = new Map<string, unknown>()
  for (const [name, declared] of columns.values as [string, string][]) {
    if (!isPoint(declared.toLowerCase())) continue
    const sql = sampleOf(name, table.name, table.schema)
    samples.set(name, (await reader.rows({ sql, parameters: [] })).values[0]?.[0])
  }
  return {
    columns: new Map(
      (columns.values as [string, string, number][]).map((column) =>
        toColumn(column, loose, hasTriggers, samples.get(column[0])),
      ),
    ),
    constraints: [],
    references: referencesIn(keys.values as ReferenceRow[]),
    lastNumber: null,
    checksAtEnd,
    givesBack: { insert: !hasTriggers, update: !hasTriggers },
  }
}

/** Selects the columns that need a value: the number of a row counts itself up. */
const NAMED = `name, type, "notnull" and dflt_value is null and not (pk > 0 and type like 'int%')`

/**
 * RETURNING runs before triggers, so tables with triggers do not give back final rows. A deferred reference counts for every
 * table, because other tables may refer to it.
 */
function schemaOf({ schema }: TableName): string {
  const file = quoted(schema)
  return `select exists (select 1 from ${file}.sqlite_schema where type = 'trigger' and tbl_name = ? collate nocase),
    exists (select 1 from ${file}.sqlite_schema where sql like '%initially%deferred%'),
    ${collates(file)}`
}

/** Does any column have its own collation? A view shows columns of other tables. */
function collates(file: string): string {
  return `exists (select 1 from ${file}.sqlite_schema where sql like '%collate%')`
}

function quoted(name: string | null): string {
  return `"${(name ?? 'main').replaceAll('"', '""')}"`
}

function pragma(name: string, columns: string, { name: table, schema }: TableName) {
  const parameters = schema === null ? [table] : [table, schema]
  const marks = parameters.map(() => '?').join(', ')
  return { sql: `select ${columns} from pragma_${name}(${marks})`, parameters }
}

function toColumn(
  [name, declared, needed]: readonly [string, string, number],
  loose: boolean,
  hasTriggers: boolean,
  sample: unknown,
) {
  const type = declared.toLowerCase()
  const isNeeded = needed === 1 && !hasTriggers
  const kind = kindOf({ type, loose, sample })
  return [name, { name, type, kind, maxLength: null, isNeeded }] as const
}

/** A value among the first rows, preferably one with zeros as its fraction, as some programs write none. */
function sampleOf(column: string, table: string, schema: string | null): string {
  const place = schema === null ? quoted(table) : `${quoted(schema)}.${quoted(table)}`
  const first = `select ${quoted(column)} as c from ${place} limit 100`
  return `select c from (${first}) where c is not null order by c like '%.000000%' desc limit 1`
}

/** Columns with several forms of texts: `12:00:00.5Z` is less than `12:00:00Z`. It reads up to a million rows of a table. */
export function mixedPoints(ask: (sql: string) => Rows['values']): readonly string[] {
  const columns = ask(
    "select t.name, c.name, c.type from sqlite_schema as t, pragma_table_info(t.name) as c where t.type = 'table'",
  ) as readonly [table: string, column: string, declared: string][]
  return columns.flatMap(([table, column, declared]) => {
    if (!isPoint(declared.toLowerCase())) return []
    const first = `select ${quoted(column)} as c from ${quoted(table)} limit 1000000`
    const form = "substr(c, 11, 1) || iif(c like '%Z', length(c), '')"
    const forms = `select min(${form}) < max(${form}) from (${first}) where c glob '????-??-??[T ]??:??:??*'`
    return ask(forms)[0]![0] === 1 ? [`${table}.${column}`] : []
  })
}

type ReferenceRow = readonly [id: number, table: string, from: string, to: string | null]

function referencesIn(rows: readonly ReferenceRow[]): readonly ForeignKey[] {
  return [...Map.groupBy(rows, ([id]) => id).values()].map((parts) => ({
    table: parts[0]![1],
    columns: parts.map(([, , from]) => from),
    referenced: parts.flatMap(([, , , to]) => to ?? []),
  }))
}

/**
 * May this column be NULL? Keys may for historical reasons, unless the table forbids it; a key that is the row's number may
 * not, and is the only key without an index.
 */
const NULLABLE = `
  select not ("notnull" or (pk and upper(type) = 'INTEGER' and not exists (
    select 1 from pragma_index_list(?1, ?2) where origin = 'pk')))
  from pragma_table_info(?1, ?2) where name = ?3`

export function columnFacts(database: DatabaseSync, text: string): readonly ColumnFacts[] {
  const nullable = database.prepare(NULLABLE)
  nullable.setReturnArrays(true)
  return database
    .prepare(text)
    .columns()
    .map((column) => ({
      name: column.name,
      type: column.type?.toLowerCase() ?? null,
      table: column.table,
      nullable: isNullable(column),
      loose: isLoose(column),
      sample: sampleIn(column),
    }))

  function sampleIn({ type, column, table, database: schema }: StatementColumnMetadata): unknown {
    if (table === null || column === null || !isPoint(type?.toLowerCase() ?? null)) return undefined
    return database.prepare(sampleOf(column, table, schema)).get()?.['c']
  }

  /** A column of a view or an expression has no table, so the whole file counts. */
  function isLoose({ database: schema }: StatementColumnMetadata): boolean {
    const found = database.prepare(`select ${collates(quoted(schema))} as found`).get()
    return found!['found'] === 1
  }

  function isNullable({ table, database: schema, column }: StatementColumnMetadata): boolean {
    const found = nullable.get(table, schema, column) as unknown as [number] | undefined
    return found?.[0] !== 0
  }
}

/** ANALYZE counts the rows of a table first in each entry, and counts no parts of a table. */
export function estimate(query: SelectQueryNode): Estimate {
  const table = wholeTable(query)
  if (table === null) return () => null
  const file = quoted(table.schema?.name ?? null)
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

/** Each loop of a plan begins with one of these words and the table's name. */
export function walked(reader: Reader, { sql: text, parameters }: Statement): MaybePromise<string> {
  const asked = { sql: `explain query plan ${text}`, parameters }
  return after(reader.rows(asked), ({ values }) =>
    values
      .map((row) => /^(?:SCAN|SEARCH) .*?(?= USING | LEFT-JOIN|$)/.exec(String(row[3]))?.[0])
      .filter((loop) => loop !== undefined)
      .join('\n'),
  )
}

/** The table whose rows a query gives all; `null`: it gives other rows, or a part. */
function wholeTable(query: SelectQueryNode): TableNode['table'] | null {
  const { from, joins = [], where, with: expressions } = query
  const [source, ...others] = from?.froms ?? []
  const isWhole = where === undefined && expressions === undefined && isOneToOne(query)
  if (source === undefined || others.length + joins.length > 0 || !isWhole) return null
  const node = AliasNode.is(source) ? source.node : source
  return TableNode.is(node) ? node.table : null
}
