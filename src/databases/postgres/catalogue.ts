import { kindOf } from './kinds.ts'
import { type NamedColumn, constraintsOf } from '../../sql/table/constraints.ts'
import type { Reader, TableFacts, TableName } from '../../sql/dialect.ts'

/** Of a domain, the type below it. */
const COLUMNS = `
  select a.attname::text, b.typname::text, a.atttypmod
  from pg_catalog.pg_attribute a
  join pg_catalog.pg_type t on t.oid = a.atttypid
  join pg_catalog.pg_type b on b.oid = coalesce(nullif(t.typbasetype, 0), t.oid)
  where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped`

/** Of an index over expressions, the columns that they read. */
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

/** PostgreSQL names the constraint in its errors; what it says in words may be in any language. */
export async function facts(reader: Reader, table: TableName): Promise<TableFacts> {
  const parameters = [quoted(table)]
  const columns = await reader.rows({ sql: COLUMNS, parameters })
  const constraints = await reader.rows({ sql: CONSTRAINTS, parameters })
  return {
    columns: new Map((columns.values as [string, string, number][]).map(toColumn)),
    constraints: constraintsOf(constraints.values as NamedColumn[]),
    references: [],
    lastNumber: null,
  }
}

function quoted({ schema, name }: TableName): string {
  return [schema ?? [], name]
    .flat()
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.')
}

/** The modifier of a text is its length and four more. */
function toColumn([name, type, modifier]: readonly [string, string, number]) {
  const isLimited = (type === 'varchar' || type === 'bpchar') && modifier > 4
  const maxLength = isLimited ? modifier - 4 : null
  return [name, { name, type, kind: kindOf(type), maxLength }] as const
}
