import type { Reader } from '../sql/dialect.ts'
import {
  type SchemaCatalogue,
  FOREIGN,
  type ColumnFilling,
  type FoundColumn,
  type FoundTable,
  type FoundValue,
  type TriggerRow,
  byTable,
  decimalText,
  isNow,
  plainly,
  rulesAndNotes,
  sizesIn,
} from '../sql/schema-reader.ts'
import { tokensIn } from '../sql/checks.ts'

/** Parts of a partitioned table are in the table; what an extension brought along is its own affair. */
const RELATIONS = `
  select c.oid::text, n.nspname::text, c.relname::text, c.relkind::text, pg_table_is_visible(c.oid),
    obj_description(c.oid, 'pg_class'), c.relrowsecurity
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
    and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'
    and not exists (select from pg_catalog.pg_depend d where d.objid = c.oid and d.deptype = 'e')
  order by 3, 2`

/** A domain counts as the type below it; domains over domains also have their own checks. */
const COLUMNS = `
  with recursive base as (
    select t.oid as of, t.oid as type, t.typbasetype as below, t.typtypmod as modifier, t.typnotnull as filled,
      pg_get_expr(t.typdefaultbin, 0) as filling
    from pg_catalog.pg_type t
    union all
    select b.of, t.oid, t.typbasetype, case when t.typtype = 'd' then t.typtypmod else b.modifier end,
      b.filled or t.typnotnull, b.filling
    from base b join pg_catalog.pg_type t on t.oid = b.below and b.below <> 0
  )
  select a.attrelid::text, a.attname::text, t.typname::text,
    format_type(a.atttypid, a.atttypmod), format_type(t.oid, coalesce(nullif(b.modifier, -1), a.atttypmod)),
    a.attnotnull or b.filled, coalesce(pg_get_expr(d.adbin, d.adrelid), b.filling),
    a.attidentity::text || a.attgenerated::text, col_description(a.attrelid, a.attnum),
    e.typname::text, format_type(e.oid, a.atttypmod),
    (select array_agg(l.enumlabel::text order by l.enumsortorder)
      from pg_catalog.pg_enum l where l.enumtypid = coalesce(e.oid, t.oid)),
    (select array_agg(pg_get_constraintdef(k.oid))
      from pg_catalog.pg_constraint k
      join base o on o.of = a.atttypid and k.contypid = o.type where k.contype = 'c')
  from pg_catalog.pg_attribute a
  join pg_catalog.pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p')
  join base b on b.of = a.atttypid and b.below = 0
  join pg_catalog.pg_type t on t.oid = b.type
  left join pg_catalog.pg_type e on e.oid = t.typelem and t.typcategory = 'A'
  left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attnum > 0 and not a.attisdropped
  order by a.attrelid, a.attnum`

const INDEXES = `
  select x.indrelid::text, i.relname::text, x.indisprimary,
    x.indpred is not null or x.indexprs is not null,
    array(select a.attname::text
      from unnest((x.indkey::int2[])[0:x.indnkeyatts - 1]) with ordinality as k (number, place)
      join pg_catalog.pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.number
      order by k.place)
  from pg_catalog.pg_index x
  join pg_catalog.pg_class i on i.oid = x.indexrelid
  where x.indisunique order by 1, 2`

const NAMES = (relation: string, numbers: string): string => `
  array(select a.attname::text from unnest(${numbers}) with ordinality as k (number, place)
    join pg_catalog.pg_attribute a on a.attrelid = ${relation} and a.attnum = k.number order by k.place)`

const CONSTRAINTS = `
  select c.conrelid::text, c.conname::text, c.contype::text, pg_get_constraintdef(c.oid), c.confrelid::text,
    ${NAMES('c.conrelid', 'c.conkey')}, ${NAMES('c.confrelid', 'c.confkey')}
  from pg_catalog.pg_constraint c where c.contype in ('f', 'c', 'x') and c.conrelid <> 0 order by 1, 2`

const TRIGGERS = `select tgrelid::text, tgname::text from pg_catalog.pg_trigger
  where not tgisinternal order by 1, 2`

export async function readCatalogue(reader: Reader): Promise<SchemaCatalogue> {
  const ask = async (sql: string) => (await reader.rows({ sql, parameters: [] })).values
  const relations = (await ask(RELATIONS)) as unknown as RelationRow[]
  const names = new Map(relations.map((row) => [row[0], nameOf(row)]))
  const columns = byTable<ColumnRow>(await ask(COLUMNS))
  const indexes = byTable<IndexRow>(await ask(INDEXES))
  const constraints = byTable<ConstraintRow>(await ask(CONSTRAINTS))
  const triggers = byTable<TriggerRow>(await ask(TRIGGERS))
  const isTable = ([, , , kind]: RelationRow): boolean => kind === 'r' || kind === 'p'
  return {
    tables: relations.filter(isTable).map((row): FoundTable => {
      const [id, , , , isVisible, comment, hasPolicies] = row
      const own = constraints(id)
      const found = rulesAndNotes(checksOf(columns(id), own), columns(id))
      return {
        name: nameOf(row),
        isElsewhere: !isVisible,
        comment,
        columns: columns(id).map((column) => toColumn(column, triggers(id).length > 0)),
        ...keysIn(indexes(id)),
        foreignKeys: foreignKeysIn(own, names),
        rules: found.rules,
        notes: [
          ...found.notes,
          ...notTaken(indexes(id), own, triggers(id)),
          ...(hasPolicies ? ['The policies of its rows hold in the database'] : []),
        ],
      }
    }),
    others: relations
      .filter((row) => !isTable(row) && row[4])
      .map((row) => ({ name: nameOf(row), what: OTHER_RELATIONS[row[3]] ?? 'no table' })),
  }
}

const OTHER_RELATIONS: Readonly<Record<string, string>> = {
  v: 'a view',
  m: 'a materialized view',
  f: 'a foreign table',
}

type RelationRow = readonly [
  id: string,
  schema: string,
  name: string,
  kind: string,
  isVisible: boolean,
  comment: string | null,
  hasPolicies: boolean,
]
type ColumnRow = readonly [
  table: string,
  name: string,
  type: string,
  declared: string,
  whole: string,
  notNull: boolean,
  standIn: string | null,
  made: string,
  comment: string | null,
  item: string | null,
  wholeItem: string | null,
  labels: readonly string[] | null,
  checks: readonly string[] | null,
]
type IndexRow = readonly [
  table: string,
  name: string,
  isPrimary: boolean,
  isPartial: boolean,
  columns: readonly string[],
]
type ConstraintRow = readonly [
  table: string,
  name: string,
  kind: string,
  definition: string,
  to: string,
  columns: readonly string[],
  referenced: readonly string[],
]

function nameOf([, schema, name, , isVisible]: RelationRow): string {
  return isVisible ? name : `${schema}.${name}`
}

function toColumn(row: ColumnRow, hasTriggers: boolean): FoundColumn {
  const [, name, type, declared, whole, notNull, standIn, made, comment, item, wholeItem, labels] =
    row
  return {
    name,
    declared,
    value:
      item === null ? valueOf(type, whole, labels) : listOf(item, valueOf(item, wholeItem!, null)),
    nullable: !notNull,
    // The words of a text are noted down by a trigger.
    filled: hasTriggers && type === 'tsvector' ? 'constant' : filledBy(standIn, made),
    comment,
  }
}

/** `a` and `d`: an identity; `s` and `v`: generated. */
function filledBy(standIn: string | null, made: string): ColumnFilling {
  if (made !== '') return made === 'd' ? 'counted' : 'always'
  if (standIn === null || /^null\b/i.test(standIn)) return 'no'
  if (/^nextval\(|uuid/i.test(standIn)) return 'counted'
  if (isNow(standIn)) return 'now'
  return /^''(?:::|$)/.test(standIn) ? 'empty' : 'constant'
}

function keysIn(rows: readonly IndexRow[]): Pick<FoundTable, 'primaryKey' | 'unique'> {
  const whole = rows.filter(([, , , isPartial]) => !isPartial)
  return {
    primaryKey: whole.find(([, , isPrimary]) => isPrimary)?.[4] ?? [],
    unique: whole.filter(([, , isPrimary]) => !isPrimary).map(([, , , , columns]) => columns),
  }
}

/** References to hidden tables, such as those of another user, are left to the database. */
function foreignKeysIn(
  rows: readonly ConstraintRow[],
  names: ReadonlyMap<string, string>,
): FoundTable['foreignKeys'] {
  return rows
    .filter(([, , kind, , to]) => kind === 'f' && names.has(to))
    .map(([, , , , to, columns, referenced]) => ({ columns, table: names.get(to)!, referenced }))
}

/** Checks of domains call the column `VALUE`. */
function checksOf(columns: readonly ColumnRow[], constraints: readonly ConstraintRow[]) {
  const ofDomains = columns.flatMap(([, column, , , , , , , , , , , checks]) =>
    (checks ?? []).map((check) =>
      expressionIn(check).map((token) =>
        token[0] === 'word' && token[1] === 'value' ? (['name', column] as const) : token,
      ),
    ),
  )
  const ofTable = constraints.filter(([, , kind]) => kind === 'c')
  return [...ofTable.map(([, , , definition]) => expressionIn(definition)), ...ofDomains]
}

/** `CHECK ((price > 0)) NOT VALID` */
function expressionIn(definition: string) {
  const tokens = tokensIn(definition.replace(/^CHECK\b/i, ''))
  const last = tokens.findLastIndex(([kind, text]) => kind === 'sign' && text === ')')
  return tokens.slice(1, last)
}

function notTaken(
  indexes: readonly IndexRow[],
  constraints: readonly ConstraintRow[],
  triggers: readonly TriggerRow[],
): readonly string[] {
  const partial = indexes.filter(([, , , isPartial]) => isPartial)
  const exclusions = constraints.filter(([, , kind]) => kind === 'x')
  return [
    ...partial.map(([, name]) => `The unique index ${name} is about expressions or some rows`),
    ...exclusions.map(([, name]) => `Only the database knows the exclusion ${name}`),
    ...triggers.map(([, name]) => `The trigger ${name} runs in the database`),
  ]
}

/** Types of items that the driver reads exactly; it gives texts for others, or loses digits. */
const ITEMS: ReadonlySet<string> = new Set([
  'int2',
  'int4',
  'float4',
  'float8',
  'bool',
  'text',
  'varchar',
  'uuid',
])

function listOf(type: string, item: FoundValue): FoundValue {
  return ITEMS.has(type) ? plainly({ kind: 'list', of: item }, `${item.read}[]`) : FOREIGN
}

function valueOf(type: string, whole: string, labels: readonly string[] | null): FoundValue {
  if (labels !== null) return plainly({ kind: 'choice', values: labels }, '')
  const [first, second] = sizesIn(whole)
  if (type === 'varchar' || type === 'bpchar')
    return plainly({ kind: 'text', maxLength: first }, 'string')
  if (type !== 'numeric') return KINDS.get(type) ?? FOREIGN
  return decimalText(first, first === null ? null : (second ?? 0))
}

const TEXT = plainly({ kind: 'text', maxLength: null }, 'string')
const JSON_VALUE = plainly({ kind: 'json' }, 'unknown')
const FLOAT = plainly({ kind: 'float' }, 'number')
const INTEGER = plainly({ kind: 'integer' }, 'number')
const SHOWN = plainly({ kind: 'other', shown: true }, 'string')
const MOMENT = { read: 'Date', written: 'Date | string' } as const

const KINDS: ReadonlyMap<string, FoundValue> = new Map<string, FoundValue>([
  ['int2', plainly({ kind: 'integer', min: -32_768, max: 32_767 }, 'number')],
  ['int4', INTEGER],
  ['int8', plainly({ kind: 'bigInteger' }, 'number | bigint')],
  ['float4', FLOAT],
  ['float8', FLOAT],
  ['bool', plainly({ kind: 'boolean' }, 'boolean')],
  ['text', TEXT],
  ['citext', TEXT],
  ['json', JSON_VALUE],
  ['jsonb', JSON_VALUE],
  ['uuid', plainly({ kind: 'uuid' }, 'string')],
  ['date', { kind: 'date', ...MOMENT }],
  ['time', plainly({ kind: 'time' }, 'string')],
  ['timestamp', { kind: 'dateTime', hasZone: false, ...MOMENT }],
  ['timestamptz', { kind: 'dateTime', hasZone: true, ...MOMENT }],
  ['inet', plainly({ kind: 'ip' }, 'string')],
  ...['cidr', 'macaddr', 'macaddr8', 'xml', 'money', 'ltree', 'timetz', 'tsvector'].map(
    (type) => [type, SHOWN] as const,
  ),
])
