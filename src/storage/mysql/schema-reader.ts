import type { Reader } from '../sql/dialect.ts'
import {
  type SchemaCatalogue,
  BIT,
  FOREIGN,
  type ColumnFilling,
  type FoundColumn,
  type FoundTable,
  type FoundValue,
  type TriggerRow,
  type UniqueRow,
  byName,
  byTable,
  decimalText,
  isNow,
  isWhole,
  notTaken,
  plainly,
  rulesAndNotes,
} from '../sql/schema-reader.ts'
import { tokensIn } from '../sql/checks.ts'
import { UNREADABLE } from './table-facts.ts'

const RELATIONS = `select table_name, table_type, table_comment, version() from information_schema.tables
  where table_schema = database() order by table_name`

const COLUMNS = `select table_name, column_name, data_type, column_type, is_nullable, column_default, extra,
    column_comment, numeric_precision, numeric_scale, character_maximum_length
  from information_schema.columns where table_schema = database() order by table_name, ordinal_position`

const UNIQUE = `select table_name, index_name, column_name, sub_part from information_schema.statistics
  where table_schema = database() and non_unique = 0 order by table_name, index_name, seq_in_index`

const FOREIGN_KEYS = `select table_name, constraint_name, column_name, referenced_table_name,
    referenced_column_name
  from information_schema.key_column_usage
  where table_schema = database() and referenced_table_schema = database()
  order by table_name, constraint_name, ordinal_position`

const TRIGGERS = `select event_object_table, trigger_name from information_schema.triggers
  where event_object_schema = database() order by trigger_name`

/** MariaDB names checks by table, MySQL by database. */
const CHECKS = {
  mariadb: `select table_name, constraint_name, check_clause from information_schema.check_constraints
    where constraint_schema = database() order by table_name, constraint_name`,
  mysql: `select t.table_name, c.constraint_name, replace(c.check_clause, '\\\\\\'', '\\'')
    from information_schema.check_constraints as c
    join information_schema.table_constraints as t using (constraint_schema, constraint_name)
    where c.constraint_schema = database() order by t.table_name, c.constraint_name`,
}

export async function readCatalogue(reader: Reader): Promise<SchemaCatalogue> {
  const ask = async (sql: string) => (await reader.rows({ sql, parameters: [] })).values
  const relations = await ask(RELATIONS)
  const isMariadb = String(relations[0]?.[3]).includes('MariaDB')
  const columns = byTable<ColumnRow>(await ask(COLUMNS))
  const unique = byTable<UniqueRow>(await ask(UNIQUE))
  const keys = byTable<KeyRow>(await ask(FOREIGN_KEYS))
  const checks = byTable<CheckRow>(await ask(isMariadb ? CHECKS.mariadb : CHECKS.mysql))
  const triggers = byTable<TriggerRow>(await ask(TRIGGERS))
  const isTable = (type: unknown): boolean => type === 'BASE TABLE' || type === 'SYSTEM VERSIONED'
  const isRead = (name: unknown): boolean => columns(name).every((row) => row[1] !== UNREADABLE)
  return {
    tables: relations
      .filter(([name, type]) => isTable(type) && isRead(name))
      .map(([name, , comment]): FoundTable => {
        const found = rulesAndNotes(checksOf(checks(name)), columns(name))
        return {
          name: name as string,
          isElsewhere: false,
          comment: (comment as string) || null,
          columns: columns(name).map((row) => toColumn(row, isMariadb, checks(name))),
          ...keysIn(unique(name)),
          foreignKeys: foreignKeysIn(keys(name)),
          rules: found.rules,
          notes: [
            ...found.notes,
            ...notTaken(unique(name), triggers(name), 'expressions or parts of texts'),
          ],
        }
      }),
    others: relations
      .filter(([name, type]) => !isTable(type) || !isRead(name))
      .map(([name, type]) => ({
        name: name as string,
        what: isTable(type)
          ? `it has a column "${UNREADABLE}", which mysql2 does not read`
          : `a ${String(type).toLowerCase()}`,
      })),
  }
}

type ColumnRow = readonly [
  table: string,
  name: string,
  type: string,
  whole: string,
  nullable: string,
  standIn: string | null,
  extra: string,
  comment: string,
  precision: number | null,
  scale: number | null,
  length: number | null,
]
type KeyRow = readonly [table: string, name: string, column: string, to: string, referenced: string]
type CheckRow = readonly [table: string, name: string, clause: string]

function toColumn(row: ColumnRow, isMariadb: boolean, checks: readonly CheckRow[]): FoundColumn {
  const [, name, type, whole, nullable, standIn, extra, comment] = row
  // MariaDB keeps JSON as a text that it checks.
  const isJson = checks.some(([, , clause]) => clause === `json_valid(\`${name}\`)`)
  return {
    name,
    declared: isJson ? 'json' : whole.toLowerCase(),
    value: isJson ? JSON_VALUE : valueOf(type.toLowerCase(), row),
    nullable: nullable === 'YES',
    filled: filledBy(standIn, extra.toLowerCase(), isMariadb),
    comment: comment || null,
  }
}

/** MySQL shows a text that is the default without quotes. */
function filledBy(standIn: string | null, extra: string, isMariadb: boolean): ColumnFilling {
  if (extra.includes('auto_increment')) return 'counted'
  if (/\bgenerated\b/.test(extra) && !extra.includes('default_generated')) return 'always'
  if (standIn === null || (isMariadb && standIn === 'NULL')) return 'no'
  if (isNow(standIn)) return 'now'
  return standIn === (isMariadb ? "''" : '') ? 'empty' : 'constant'
}

function keysIn(rows: readonly UniqueRow[]): Pick<FoundTable, 'primaryKey' | 'unique'> {
  const whole = byName(rows).filter(isWhole)
  const columnsOf = (parts: readonly UniqueRow[]) => parts.map(([, , column]) => column!)
  const primary = whole.find(([[, name]]) => name === 'PRIMARY')
  return {
    primaryKey: primary === undefined ? [] : columnsOf(primary),
    unique: whole.filter((parts) => parts !== primary).map(columnsOf),
  }
}

function foreignKeysIn(rows: readonly KeyRow[]): FoundTable['foreignKeys'] {
  return byName(rows).map((parts) => ({
    columns: parts.map(([, , column]) => column),
    table: parts[0][3],
    referenced: parts.map(([, , , , column]) => column),
  }))
}

function checksOf(rows: readonly CheckRow[]) {
  return rows
    .filter(([, , clause]) => !/^json_valid\(`[^`]*`\)$/.test(clause))
    .map(([, , clause]) => tokensIn(clause))
}

const MOMENT = 'Date | string'
const DATED = { read: 'Date', written: MOMENT } as const

function valueOf(type: string, row: ColumnRow): FoundValue {
  const [, , , whole, , , , , precision, scale, length] = row
  const isUnsigned = whole.includes('unsigned')
  const least = isUnsigned ? { min: 0 } : {}
  if (whole.startsWith('tinyint(1)')) return BIT
  if (type === 'bigint') return plainly({ kind: 'bigInteger', ...least }, 'number | bigint')
  if (type in SMALL)
    return plainly({ kind: 'integer', ...rangeOf(SMALL[type]!, isUnsigned) }, 'number')
  if (type === 'int') return plainly({ kind: 'integer', ...least }, 'number')
  if (type === 'decimal') return decimalText(precision, scale)
  if (type === 'enum') return choice(whole)
  // Lengths of `text` and its kin are in bytes.
  if (type.endsWith('char')) return plainly({ kind: 'text', maxLength: length }, 'string')
  return OTHERS.get(type) ?? FOREIGN
}

/** Bits of integers so short that people exceed them. */
const SMALL: Readonly<Record<string, number>> = { tinyint: 8, smallint: 16, mediumint: 24 }

function rangeOf(bits: number, isUnsigned: boolean): { min: number; max: number } {
  const half = 2 ** (bits - 1)
  return isUnsigned ? { min: 0, max: 2 * half - 1 } : { min: -half, max: half - 1 }
}

function choice(whole: string): FoundValue {
  const values = tokensIn(whole).flatMap(([kind, text]) => (kind === 'text' ? text : []))
  return plainly({ kind: 'choice', values }, '')
}

const JSON_VALUE = plainly({ kind: 'json' }, 'unknown')

const TEXT = plainly({ kind: 'text', maxLength: null }, 'string')

const OTHERS: ReadonlyMap<string, FoundValue> = new Map<string, FoundValue>([
  ['tinytext', TEXT],
  ['text', TEXT],
  ['mediumtext', TEXT],
  ['longtext', TEXT],
  ['float', plainly({ kind: 'float' }, 'number')],
  ['double', plainly({ kind: 'float' }, 'number')],
  ['year', plainly({ kind: 'integer', min: 1901, max: 2155 }, 'number')],
  ['date', { kind: 'date', ...DATED }],
  ['datetime', { kind: 'dateTime', hasZone: false, ...DATED }],
  ['timestamp', { kind: 'dateTime', hasZone: true, ...DATED }],
  ['json', JSON_VALUE],
  ['time', plainly({ kind: 'time' }, 'string')],
  ['uuid', plainly({ kind: 'uuid' }, 'string')],
  ['set', plainly({ kind: 'other', shown: true }, 'string')],
  ['inet4', plainly({ kind: 'ip' }, 'string')],
  ['inet6', plainly({ kind: 'ip' }, 'string')],
])
