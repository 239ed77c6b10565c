import type { SelectQueryNode } from 'kysely'
import type { ColumnFacts, Statement } from '../../core/ports/database.ts'
import type { Rows } from '../../core/ports/list-source.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import type { Compile, Estimate, Reader, TableFacts, TableName } from '../sql/dialect.ts'
import { isOneToOne } from '../sql/query/row-by-row.ts'
import { type ConstrainedColumn, constraintsOf } from '../sql/table/constraints.ts'
import { toRowObjects } from '../../core/std/row-objects.ts'
import { type MysqlColumn, kindOf } from './value-kinds.ts'

/** The driver refuses all rows that have such a column. */
export const UNREADABLE = '__proto__'

const HERE = 'table_schema = coalesce(?, database()) and table_name = ?'

/**
 * The version is needed because only MariaDB returns inserted rows. There, a JSON column is a text with a check, which MySQL
 * reads as a comment. A NOT NULL column needs no value if it is an enumeration, which takes its first word, or if the server is
 * not strict.
 */
const COLUMNS = `
  select column_name, data_type, /*M! if(exists (
      select 1 from information_schema.check_constraints as k
      where k.constraint_schema = c.table_schema and k.table_name = c.table_name
        and k.check_clause = concat('json_valid(\`', c.column_name, '\`)')
    ), 'json', */ column_type /*M! ) */, numeric_scale, character_maximum_length,
    is_nullable = 'NO' and column_default is null and extra = ''
      and data_type not in ('enum', 'timestamp') and @@sql_mode like '%STRICT%'
      and not exists (select 1 from information_schema.triggers as t
        where t.event_object_schema = c.table_schema and t.event_object_table = c.table_name),
    version()
  from information_schema.columns as c where ${HERE}`

const CONSTRAINTS = `
  select index_name, 'unique', column_name, seq_in_index from information_schema.statistics
  where ${HERE} and non_unique = 0 and column_name is not null
  union all
  select constraint_name, 'foreign', column_name, ordinal_position
  from information_schema.key_column_usage
  where ${HERE} and referenced_table_name is not null
  order by 1, 4`

/**
 * MySQL and MariaDB name the index in their errors, beside values that must not be repeated.
 *
 * @throws ConfigurationError the driver does not read the table
 */
export async function facts(reader: Reader, { schema, name }: TableName): Promise<TableFacts> {
  const place = [schema, name]
  const { values } = await reader.rows({ sql: COLUMNS, parameters: place })
  const constraints = await reader.rows({ sql: CONSTRAINTS, parameters: [...place, ...place] })
  const isMariadb = String(values[0]?.at(-1)).includes('MariaDB')
  if (values.some(([column]) => column === UNREADABLE))
    throw new ConfigurationError(
      `The table "${name}" has a column "${UNREADABLE}", which mysql2 does not read. Rename it, or serve a view without it.`,
    )
  return {
    columns: new Map((values as unknown as ColumnRow[]).map(toColumn)),
    constraints: constraintsOf(constraints.values as unknown as ConstrainedColumn[]),
    references: [],
    lastNumber: isMariadb ? null : { sql: 'select last_insert_id()', parameters: [] },
    givesBack: { insert: isMariadb, update: false },
  }
}

type ColumnRow = readonly [string, string, string, number | null, number | null, needed: unknown]

function toColumn([name, dataType, whole, scale, maxLength, needed]: ColumnRow) {
  const type = storeType(dataType.toLowerCase(), whole.toLowerCase())
  const length = type === 'text' ? maxLength : null
  return [
    name,
    {
      name,
      type,
      kind: kindOf({ type, scale: scale ?? 0 }),
      maxLength: length,
      isNeeded: Number(needed) === 1,
    },
  ] as const
}

/** The word of the store for a type; the rest it calls as the server does. */
function storeType(type: string, whole: string): string {
  if (whole === 'json') return 'json'
  if (whole.startsWith('tinyint(1)')) return 'boolean'
  if (INTEGERS.test(type)) return whole.includes('unsigned') ? 'integer unsigned' : 'integer'
  if (type.endsWith('text') || type.endsWith('char')) return 'text'
  return type.endsWith('blob') || type.endsWith('binary') ? 'bytes' : type
}

const INTEGERS = /^(?:(?:tiny|small|medium|big)?int|year)$/

/** Flags of a column (https://mariadb.com/kb/en/result-set-packets/#field-details-flag). */
const NOT_NULL = 1
const UNSIGNED = 32
const ENUM = 256
const SET = 2048

/** The character set of bytes. */
const BINARY = 63

/** Numbers of types (https://mariadb.com/kb/en/result-set-packets/#field-types). */
const NUMBERS: Readonly<Record<string, readonly number[]>> = {
  decimal: [0, 246],
  integer: [1, 2, 3, 8, 9, 13],
  float: [4],
  double: [5],
  timestamp: [7, 17],
  date: [10, 14],
  time: [11, 19],
  datetime: [12, 18],
  text: [15, 249, 250, 251, 252, 253, 254],
  bit: [16],
  json: [245],
  enum: [247],
  set: [248],
  geometry: [255],
}
const TYPES: ReadonlyMap<number, string> = new Map(
  Object.entries(NUMBERS).flatMap(([type, numbers]) => numbers.map((number) => [number, type])),
)

type Execute = (question: Statement) => Promise<Rows>

/** The tables among those behind the columns: nothing is guaranteed for views. */
async function tablesAmong(columns: readonly MysqlColumn[], execute: Execute) {
  const names = [...new Set(columns.map(placeOf))].filter((name) => name !== null)
  if (names.length === 0) return new Set()
  const marks = names.map(() => '?').join(', ')
  const sql = `select concat(table_schema, '.', table_name) from information_schema.tables
    where table_type = 'BASE TABLE' and concat(table_schema, '.', table_name) in (${marks})`
  return new Set((await execute({ sql, parameters: names })).values.flat())
}

function placeOf({ schema, orgTable }: MysqlColumn): string | null {
  return schema && orgTable ? `${schema}.${orgTable}` : null
}

export async function columnFacts(
  columns: readonly MysqlColumn[],
  execute: Execute,
): Promise<readonly ColumnFacts[]> {
  const tables = await tablesAmong(columns, execute)
  const sorting = columns.some(isText) ? await sortingOf(execute) : null
  return columns.map((column) => ({
    name: column.name,
    type: typeOf(column),
    table: column.orgTable || null,
    nullable: !has(column, NOT_NULL) || !tables.has(placeOf(column)),
    scale: column.decimals ?? 0,
    ...(sorting !== null && isText(column) && sortableIn(column, sorting)),
  }))
}

const TEXTS: ReadonlySet<string | null> = new Set(['text', 'bytes', 'json'])

function isText(column: MysqlColumn): boolean {
  return TEXTS.has(typeOf(column))
}

interface Sorting {
  /** Bytes of a text that a session sorts by. */
  readonly bytes: number
  /** Bytes that a character takes at most in the answers of the session: lengths of columns are counted in them. */
  readonly width: number
}

/** The character set of answers, with one byte for each character if the session names none. */
const SORTING = `select @@max_sort_length, coalesce((select maxlen from information_schema.character_sets
  where character_set_name = @@character_set_results), 1)`

async function sortingOf(execute: Execute): Promise<Sorting> {
  const { values } = await execute({ sql: SORTING, parameters: [] })
  const [bytes, width] = values[0] as readonly unknown[]
  return { bytes: Number(bytes), width: Number(width) }
}

/** The most bytes that a collation makes of usual characters, and of ligatures, which are sorted as several letters. */
const USUAL_WEIGHT = 4
const LARGEST_WEIGHT = 16

/** The number of bytes follows the bytes. */
const SUFFIX = 4

/**
 * Empty if the whole column is sorted by. This includes a column whose texts are only too long if they consist of ligatures:
 * its index would otherwise be useless.
 */
function sortableIn(column: MysqlColumn, { bytes, width }: Sorting): { sortable?: number } {
  const isBytes = typeOf(column) === 'bytes'
  const length = (column.columnLength ?? Infinity) / (isBytes ? 1 : width)
  const whole = isBytes ? bytes - SUFFIX : bytes / USUAL_WEIGHT
  return length <= whole ? {} : { sortable: Math.max(1, Math.floor(bytes / LARGEST_WEIGHT)) }
}

function has({ flags = 0 }: MysqlColumn, flag: number): boolean {
  return typeof flags === 'number' && (flags & flag) !== 0
}

function typeOf(column: MysqlColumn): string | null {
  const { columnType = 0, columnLength, characterSet, extendedTypeName, extendedFormat } = column
  const extended = extendedFormat ?? extendedTypeName
  if (extended !== undefined) return extended
  // A boolean is an integer of one digit.
  if (columnType === 1 && columnLength === 1) return 'boolean'
  if (has(column, ENUM)) return 'enum'
  if (has(column, SET)) return 'set'
  const type = TYPES.get(columnType) ?? null
  if (type === 'integer' && has(column, UNSIGNED)) return 'integer unsigned'
  return type === 'text' && characterSet === BINARY ? 'bytes' : type
}

/** MariaDB shows the share of rows that fulfil a condition only on demand; for MySQL, the demand is a comment. */
export function estimate(query: SelectQueryNode, compile: Compile): Estimate {
  if (!isOneToOne(query)) return () => null
  const { sql, parameters } = compile(query)
  const explain = { sql: `explain /*M! extended */ ${sql}`, parameters }
  return async (reader) => {
    const { columns, values } = await reader.rows(explain)
    const steps = toRowObjects<Step>({ columns: columns.map((name) => name.toLowerCase()), values })
    return steps.reduce<number | null>((rows, step) => product(rows, rowsOf(step)), 1)
  }
}

/** A plan without tables, such as for a table that has no rows now, says nothing. */
export async function walked(
  reader: Reader,
  { sql, parameters }: Statement,
): Promise<string | null> {
  const { columns, values } = await reader.rows({ sql: `explain ${sql}`, parameters })
  const place = columns.findIndex((name) => name.toLowerCase() === 'table')
  const tables = values.map((row) => (row[place] ?? null) as string | null)
  return tables.includes(null) ? null : tables.join('\n')
}

/** A table of a plan; MySQL and MariaDB write the names in different cases. */
interface Step {
  readonly select_type: string
  readonly type: string | null
  readonly rows: number | bigint | string | null
  readonly filtered?: number | string | null
  readonly extra: string | null
}

function product(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.round(a * b)
}

/** Rows of a table that go with one of the tables before it. */
function rowsOf({ select_type: select, type, rows, filtered, extra }: Step): number | null {
  if (/^(?:impossible|no matching)/i.test(extra ?? '')) return 0
  if (select !== 'SIMPLE' || rows === null) return null
  const share = Number(filtered ?? 100)
  // All rows are looked at, and nothing is known of how many fulfil the condition.
  const looksAtAll = type === 'ALL' || type === 'index'
  if (looksAtAll && share >= 100 && extra?.includes('Using where')) return null
  return (Number(rows) * share) / 100
}
