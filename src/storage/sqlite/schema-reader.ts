import type { Reader } from '../sql/dialect.ts'
import { JSON_TEXT, MOMENT } from './value-kinds.ts'
import {
  type SchemaCatalogue,
  BIT,
  FOREIGN,
  type ColumnFilling,
  type FoundColumn,
  type FoundTable,
  type FoundValue,
  type ForeignKey,
  type TriggerRow,
  type UniqueRow,
  byName,
  byTable,
  isNow,
  isWhole,
  notTaken,
  plainly,
  rulesAndNotes,
  sizesIn,
} from '../sql/schema-reader.ts'
import { type Rule, checksIn } from '../sql/checks.ts'

const RELATIONS = `
  select l.name, l.type, s.sql from pragma_table_list as l
  join sqlite_schema as s on s.name = l.name and s.type in ('table', 'view')
  where l.schema = 'main' and l.type <> 'shadow' and l.name not like 'sqlite~_%' escape '~'
  order by l.name`

const OF_TABLES = `from sqlite_schema as t`
const COLUMNS = `select t.name, c.name, c.type, c."notnull", c.dflt_value, c.pk, c.hidden,
  exists (select 1 from pragma_index_list(t.name) where origin = 'pk')
  ${OF_TABLES}, pragma_table_xinfo(t.name) as c where t.type = 'table' order by t.name, c.cid`

const UNIQUE = `select t.name, i.name, c.name, i.partial
  ${OF_TABLES}, pragma_index_list(t.name) as i, pragma_index_xinfo(i.name) as c
  where t.type = 'table' and i."unique" and i.origin <> 'pk' and c.key order by t.name, i.seq, c.seqno`

const FOREIGN_KEYS = `select t.name, k.id, k."from", k."table", k."to"
  ${OF_TABLES}, pragma_foreign_key_list(t.name) as k where t.type = 'table' order by t.name, k.id, k.seq`

const TRIGGERS = `select tbl_name, name from sqlite_schema where type = 'trigger' order by name`

export async function readCatalogue(reader: Reader): Promise<SchemaCatalogue> {
  const ask = async (question: string) =>
    (await reader.rows({ sql: question, parameters: [] })).values
  const relations = await ask(RELATIONS)
  const columns = byTable<ColumnRow>(await ask(COLUMNS))
  const unique = byTable<UniqueRow>(await ask(UNIQUE))
  const keys = byTable<KeyRow>(await ask(FOREIGN_KEYS))
  const triggers = byTable<TriggerRow>(await ask(TRIGGERS))
  const tables = relations.filter(([, type]) => type === 'table')
  return {
    tables: tables.map(([name, , statement]): FoundTable => {
      const rows = columns(name)
      const { rules, notes } = rulesAndNotes(checksIn(statement as string), rows)
      const foreignKeys = keysIn(keys(name), (table) => primaryKeyOf(columns(table)))
      return {
        name: name as string,
        isElsewhere: false,
        comment: null,
        columns: columnsIn(rows, rules).map((column) => asItsKey(column, foreignKeys, columns)),
        primaryKey: primaryKeyOf(rows),
        unique: uniqueIn(unique(name)),
        foreignKeys,
        rules,
        notes: [...notes, ...notTaken(unique(name), triggers(name), 'expressions or some rows')],
      }
    }),
    others: relations
      .filter(([, type]) => type !== 'table')
      .map(([name, type]) => ({
        name: name as string,
        what: type === 'view' ? 'a view' : 'a virtual table',
      })),
  }
}

type ColumnRow = readonly [
  table: string,
  name: string,
  type: string,
  notNull: number,
  standIn: string | null,
  key: number,
  hidden: number,
  /** Has the table an index for its key? */
  indexed: number,
]
type KeyRow = readonly [table: string, id: number, from: string, to: string, column: string | null]

function columnsIn(rows: readonly ColumnRow[], rules: readonly Rule[]): readonly FoundColumn[] {
  // A single INTEGER key is the row's number, which counts up by itself, unless the key has its own index.
  const isAlone = primaryKeyOf(rows).length === 1
  const isCounted = ([, , type, , , key, , indexed]: ColumnRow): boolean =>
    key > 0 && isAlone && type.toUpperCase() === 'INTEGER' && indexed === 0
  return rows.map((row): FoundColumn => {
    const [, name, type, notNull, standIn, key, hidden] = row
    const isTruth = rules.some(({ column, values }) => column === name && isBits(values))
    return {
      name,
      declared: type.toLowerCase(),
      value: isTruth ? BIT : valueOf(type.toLowerCase()),
      nullable: notNull === 0 && key === 0,
      filled: isCounted(row) ? 'counted' : filledBy(standIn, hidden > 0),
      comment: null,
    }
  })
}

function isBits(values: Rule['values'] = []): boolean {
  return values.length === 2 && values.includes(0) && values.includes(1)
}

function filledBy(standIn: string | null, isGenerated: boolean): ColumnFilling {
  if (isGenerated) return 'always'
  if (standIn === null || standIn.toLowerCase() === 'null') return 'no'
  if (isNow(standIn)) return 'now'
  return standIn === "''" || standIn === '""' ? 'empty' : 'constant'
}

function primaryKeyOf(rows: readonly ColumnRow[]): readonly string[] {
  const keys = rows.filter(([, , , , , key]) => key > 0)
  return keys.toSorted((one, other) => one[5] - other[5]).map(([, column]) => column)
}

function uniqueIn(rows: readonly UniqueRow[]): FoundTable['unique'] {
  const whole = byName(rows).filter(isWhole)
  return whole.map((parts) => parts.map(([, , column]) => column!))
}

function keysIn(
  rows: readonly KeyRow[],
  primaryKeyOfTable: (table: string) => readonly string[],
): readonly ForeignKey[] {
  return byName(rows).map((parts) => {
    const [[, , , table, column]] = parts
    return {
      columns: parts.map(([, , from]) => from),
      table,
      referenced: column === null ? primaryKeyOfTable(table) : parts.map(([, , , , to]) => to!),
    }
  })
}

/** Django declares references `bigint` to keys that are `integer`: they hold the same numbers. */
function asItsKey(
  column: FoundColumn,
  foreignKeys: readonly ForeignKey[],
  columnsOf: (table: string) => readonly ColumnRow[],
): FoundColumn {
  const own = foreignKeys.find(({ columns: [one, more] }) => one === column.name && !more)
  const key = own && columnsOf(own.table).find(([, name]) => name === own.referenced[0])
  const value = valueOf(key?.[2].toLowerCase() ?? '')
  const isNarrower = column.value.kind === 'bigInteger' && value.kind === 'integer'
  return isNarrower ? { ...column, value } : column
}

/** The kind by the affinity, and by the usual meaning of the type's name. https://sqlite.org/datatype3.html */
function valueOf(declared: string): FoundValue {
  const [first, second] = sizesIn(declared)
  const named = NAMED.find(([pattern]) => pattern.test(declared))?.[1]
  if (named !== undefined) return named
  if (declared.includes('int')) return plainly({ kind: 'integer' }, 'number')
  if (/char|clob|text/.test(declared)) return plainly({ kind: 'text', maxLength: first }, 'string')
  if (/real|floa|doub/.test(declared)) return plainly({ kind: 'float' }, 'number')
  if (!/^(?:decimal|numeric|money)/.test(declared)) return FOREIGN
  const digits = {
    kind: 'decimal',
    digits: first,
    places: first === null ? null : (second ?? 0),
  } as const
  // The file stores a number, whatever the form of the input.
  return { ...digits, read: 'number', written: 'number | string' }
}

const NAMED: readonly (readonly [RegExp, FoundValue])[] = [
  [/^bool/, BIT],
  [new RegExp(`^(?:json|${JSON_TEXT})$`), plainly({ kind: 'json' }, 'unknown')],
  [
    new RegExp(`^${MOMENT}$`),
    { kind: 'dateTime', hasZone: true, read: 'number', written: 'Date | number | string' },
  ],
  [/^(?:uuid|guid)/, plainly({ kind: 'uuid' }, 'string')],
  [/bigint|big int|int8|int64/, plainly({ kind: 'bigInteger' }, 'number | bigint')],
  [/^(?:datetime|timestamp)/, plainly({ kind: 'dateTime', hasZone: false }, 'string')],
  [/^date$/, plainly({ kind: 'date' }, 'string')],
  [/^time$/, plainly({ kind: 'time' }, 'string')],
]
