import { kindOf } from './kinds.ts'
import { type NamedColumn, constraintsOf } from '../../sql/table/constraints.ts'
import type { Reader, TableFacts, TableName } from '../../sql/dialect.ts'

const HERE = 'table_schema = coalesce(?, database()) and table_name = ?'

/** The version comes along, for MariaDB alone gives back what it inserts. */
const COLUMNS = `
  select column_name, data_type, column_type, numeric_scale, character_maximum_length, version()
  from information_schema.columns where ${HERE}`

const CONSTRAINTS = `
  select index_name, 'unique', column_name, seq_in_index from information_schema.statistics
  where ${HERE} and non_unique = 0 and column_name is not null
  union all
  select constraint_name, 'foreign', column_name, ordinal_position
  from information_schema.key_column_usage
  where ${HERE} and referenced_table_name is not null
  order by 1, 4`

/** MySQL and MariaDB name the index in their errors, beside values that must not be repeated. */
export async function facts(reader: Reader, { schema, name }: TableName): Promise<TableFacts> {
  const parameters = [schema, name]
  const { values } = await reader.rows({ sql: COLUMNS, parameters })
  const constraints = await reader.rows({
    sql: CONSTRAINTS,
    parameters: [...parameters, ...parameters],
  })
  const isMariadb = String(values[0]?.[5]).includes('MariaDB')
  return {
    columns: new Map((values as unknown as ColumnRow[]).map(toColumn)),
    constraints: constraintsOf(constraints.values as unknown as NamedColumn[]),
    references: [],
    lastNumber: isMariadb ? null : { sql: 'select last_insert_id()', parameters: [] },
  }
}

type ColumnRow = readonly [
  name: string,
  type: string,
  whole: string,
  scale: number | null,
  maxLength: number | null,
]

function toColumn([name, dataType, whole, scale, maxLength]: ColumnRow) {
  const type = storeType(dataType.toLowerCase(), whole.toLowerCase())
  const length = type === 'text' ? maxLength : null
  return [name, { name, type, kind: kindOf(type, scale ?? 0), maxLength: length }] as const
}

/** The word of the store for a type; the rest it calls as the server does. */
function storeType(type: string, whole: string): string {
  if (whole.startsWith('tinyint(1)')) return 'boolean'
  if (INTEGERS.has(type)) return whole.includes('unsigned') ? 'integer unsigned' : 'integer'
  if (type.endsWith('text') || type.endsWith('char')) return 'text'
  return type.endsWith('blob') || type.endsWith('binary') ? 'bytes' : type
}

const INTEGERS: ReadonlySet<string> = new Set([
  'tinyint',
  'smallint',
  'mediumint',
  'int',
  'bigint',
  'year',
])
