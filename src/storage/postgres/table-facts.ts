import type { SelectQueryNode } from 'kysely'
import type { ColumnFacts, Statement } from '../../core/ports/database.ts'
import type { Rows } from '../../core/ports/list-source.ts'
import type { Compile, Estimate, Reader, TableFacts, TableName } from '../sql/dialect.ts'
import { type ConstrainedColumn, constraintsOf } from '../sql/table/constraints.ts'
import type { PostgresField } from './query.ts'
import { kindOf } from './value-kinds.ts'

/** A type of rows is called `record`, as without a name: none has kinds of its own. */
const typeOf = (type: string): string =>
  `case ${type}.typtype when 'c' then 'record' else ${type}.typname::text end`

/** A domain counts as the type below it, and below all domains under it. */
const COLUMNS = `
  with recursive below (place, type) as (
    select attnum, atttypid from pg_catalog.pg_attribute where attrelid = to_regclass($1)
    union
    select place, typbasetype from below join pg_catalog.pg_type on oid = type where typbasetype <> 0)
  select a.attname::text, ${typeOf('b')}, a.atttypmod, coalesce(not l.collisdeterministic, false),
    a.attnotnull and not a.atthasdef and a.attidentity = '' and d.typdefault is null
  from pg_catalog.pg_attribute a
  join pg_catalog.pg_type d on d.oid = a.atttypid
  join below on place = a.attnum
  join pg_catalog.pg_type b on b.oid = below.type and b.typbasetype = 0
  left join pg_catalog.pg_collation l on l.oid = a.attcollation
  where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped
  order by a.attnum`

/** An index over expressions counts with the columns that they read. */
const CONSTRAINTS = `
  select c.conname::text, case c.contype when 'f' then 'foreign' else 'check' end, a.attname::text
  from pg_catalog.pg_constraint c
  join pg_catalog.pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey)
  where c.conrelid = to_regclass($1) and c.contype in ('f', 'c')
  union all
  select i.relname::text, 'unique', a.attname::text
  from pg_catalog.pg_index x
  join pg_catalog.pg_class i on i.oid = x.indexrelid
  join pg_catalog.pg_attribute a on a.attrelid = x.indrelid
  where x.indrelid = to_regclass($1) and (x.indisunique or x.indisexclusion) and (
    a.attnum = any((x.indkey::int2[])[0:x.indnkeyatts - 1])
    or 0 = any(x.indkey) and exists (
      select from pg_catalog.pg_depend d
      where d.objid = x.indexrelid and d.refobjid = x.indrelid and d.refobjsubid = a.attnum))`

/** RETURNING comes before triggers that run after the statement, and rules have no RETURNING. */
const AS_WRITTEN = `
  select not (c.relhasrules or exists (
    select from pg_catalog.pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal))
  from pg_catalog.pg_class c where c.oid = to_regclass($1)`

/** PostgreSQL names the constraint in its errors; their message may be in any language. */
export async function facts(reader: Reader, table: TableName): Promise<TableFacts> {
  const parameters = [quoted(table)]
  const columns = await reader.rows({ sql: COLUMNS, parameters })
  const constraints = await reader.rows({ sql: CONSTRAINTS, parameters })
  const isAsWritten = (await reader.rows({ sql: AS_WRITTEN, parameters })).values[0]?.[0] === true
  return {
    columns: new Map(
      (columns.values as ColumnRow[]).map((column) => toColumn(column, isAsWritten)),
    ),
    constraints: constraintsOf(constraints.values as ConstrainedColumn[]),
    references: [],
    lastNumber: null,
    givesBack: { insert: isAsWritten, update: isAsWritten },
  }
}

function quoted({ schema, name }: TableName): string {
  const parts = schema === null ? [name] : [schema, name]
  return parts.map((part) => `"${part.replaceAll('"', '""')}"`).join('.')
}

type ColumnRow = readonly [string, string, number, loose: boolean, needed: boolean]

/** The modifier of a text is its length and four more. */
function toColumn([name, type, modifier, loose, needed]: ColumnRow, isAsWritten: boolean) {
  const isLimited = (type === 'varchar' || type === 'bpchar') && modifier > 4
  const maxLength = isLimited ? modifier - 4 : null
  return [
    name,
    { name, type, kind: kindOf({ type, loose }), maxLength, isNeeded: needed && isAsWritten },
  ] as const
}

/** The catalogue's facts about columns of results; views and foreign tables guarantee nothing. */
const CATALOGUE = `
  select ${typeOf('t')}, c.relname, coalesce(a.attnotnull and c.relkind in ('r', 'p'), false),
    coalesce(not l.collisdeterministic, false)
  from unnest($1::oid[], $2::oid[], $3::int2[]) with ordinality as f(type, relation, number, place)
  join pg_catalog.pg_type t on t.oid = f.type
  left join pg_catalog.pg_class c on c.oid = f.relation
  left join pg_catalog.pg_attribute a on a.attrelid = f.relation and a.attnum = f.number
  left join pg_catalog.pg_collation l on l.oid = a.attcollation
  order by f.place`

export async function columnFacts(
  fields: readonly PostgresField[],
  execute: (question: Statement) => Promise<Rows>,
): Promise<readonly ColumnFacts[]> {
  const types = fields.map(({ dataTypeID }) => dataTypeID)
  const tables = fields.map(({ tableID }) => tableID)
  const numbers = fields.map(({ columnID }) => columnID)
  const { values } = await execute({ sql: CATALOGUE, parameters: [types, tables, numbers] })
  return fields.map(({ name }, place) => {
    const [type, table, isNotNull, loose] = values[place] as CatalogueRow
    return { name, type, table, nullable: !isNotNull, loose }
  })
}

type CatalogueRow = readonly [
  type: string,
  table: string | null,
  isNotNull: boolean,
  loose: boolean,
]

interface Plan {
  readonly 'Plan Rows': number
  readonly 'Relation Name'?: string
  readonly Schema?: string
  readonly Plans?: readonly Plan[]
}

/** The planner's estimate, which is only a guess for tables that were never analysed. */
export function estimate(query: SelectQueryNode, compile: Compile): Estimate {
  const { sql, parameters } = compile(query)
  const explain = { sql: `explain (verbose, format json) ${sql}`, parameters }
  return async (reader) => {
    const { values } = await reader.rows(explain)
    const plan = planIn(values[0]![0])
    return (await areAnalysed(reader, tablesIn(plan))) ? plan['Plan Rows'] : null
  }
}

/** The whole plan. */
export async function walked(reader: Reader, { sql, parameters }: Statement): Promise<string> {
  const { values } = await reader.rows({ sql: `explain (costs off) ${sql}`, parameters })
  return values.flat().join('\n')
}

/** The plan, which the driver gives as JSON or as text, by its settings. */
function planIn(found: unknown): Plan {
  const [{ Plan: plan }] = typeof found === 'string' ? JSON.parse(found) : found
  return plan
}

function tablesIn({ Schema, 'Relation Name': name, Plans = [] }: Plan): readonly TableName[] {
  const own = Schema === undefined || name === undefined ? [] : [{ schema: Schema, name }]
  return [...own, ...Plans.flatMap(tablesIn)]
}

async function areAnalysed(reader: Reader, tables: readonly TableName[]): Promise<boolean> {
  const { values } = await reader.rows({
    sql: NEVER_ANALYSED,
    parameters: [tables.map(({ schema }) => schema), tables.map(({ name }) => name)],
  })
  return values.length === 0
}

const NEVER_ANALYSED = `select 1 from pg_class as c
  inner join pg_namespace as n on n.oid = c.relnamespace
  inner join unnest($1::text[], $2::text[]) as t (nspname, relname)
    on t.nspname = n.nspname and t.relname = c.relname
  where c.reltuples < 0 limit 1`
