import type { ColumnFacts, Statement } from '../../contract/storage.ts'
import type { MysqlColumn } from './driver.ts'

/** Flags of a column (https://mariadb.com/kb/en/result-set-packets/#field-details-flag). */
const NOT_NULL = 1
const UNSIGNED = 32
const ENUM = 256
const SET = 2048

/** The character set of bytes. */
const BINARY = 63

/** Types by their numbers (https://mariadb.com/kb/en/result-set-packets/#field-types). */
const TYPES: ReadonlyMap<number, string> = new Map([
  [0, 'decimal'],
  [1, 'integer'],
  [2, 'integer'],
  [3, 'integer'],
  [4, 'float'],
  [5, 'double'],
  [7, 'timestamp'],
  [8, 'integer'],
  [9, 'integer'],
  [10, 'date'],
  [11, 'time'],
  [12, 'datetime'],
  [13, 'integer'],
  [14, 'date'],
  [15, 'text'],
  [16, 'bit'],
  [17, 'timestamp'],
  [18, 'datetime'],
  [19, 'time'],
  [245, 'json'],
  [246, 'decimal'],
  [247, 'enum'],
  [248, 'set'],
  [249, 'text'],
  [250, 'text'],
  [251, 'text'],
  [252, 'text'],
  [253, 'text'],
  [254, 'text'],
  [255, 'geometry'],
])

/** Asks which of the tables are tables: of views nothing is promised. `null`: the columns come from no table. */
export function tablesAmong(columns: readonly MysqlColumn[]): Statement | null {
  const names = [...new Set(columns.map(placeOf))].filter((name) => name !== null)
  if (names.length === 0) return null
  const marks = names.map(() => '?').join(', ')
  return {
    sql: `select concat(table_schema, '.', table_name) from information_schema.tables
      where table_type = 'BASE TABLE' and concat(table_schema, '.', table_name) in (${marks})`,
    parameters: names,
  }
}

function placeOf({ schema, orgTable }: MysqlColumn): string | null {
  return schema && orgTable ? `${schema}.${orgTable}` : null
}

/** What the server says about columns of a result. `tables`: those that are tables. */
export function toColumnFacts(
  columns: readonly MysqlColumn[],
  tables: ReadonlySet<unknown>,
): readonly ColumnFacts[] {
  return columns.map((column) => ({
    name: column.name,
    type: typeOf(column),
    table: column.orgTable || null,
    nullable: !has(column, NOT_NULL) || !tables.has(placeOf(column)),
    scale: column.decimals ?? 0,
  }))
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
