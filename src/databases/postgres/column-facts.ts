import type { ColumnFacts, Rows, Statement } from '../../contract/storage.ts'
import type { PostgresField } from './driver.ts'

/** What the catalogue knows of columns of results; views and foreign tables promise nothing. */
const CATALOGUE = `
  select t.typname, c.relname, coalesce(a.attnotnull and c.relkind in ('r', 'p'), false)
  from unnest($1::oid[], $2::oid[], $3::int2[]) with ordinality as f(type, relation, number, place)
  join pg_catalog.pg_type t on t.oid = f.type
  left join pg_catalog.pg_class c on c.oid = f.relation
  left join pg_catalog.pg_attribute a on a.attrelid = f.relation and a.attnum = f.number
  order by f.place`

/** Asks the catalogue about the columns of a result. */
export function catalogueOf(fields: readonly PostgresField[]): Statement {
  const types = fields.map(({ dataTypeID }) => dataTypeID)
  const tables = fields.map(({ tableID }) => tableID)
  const numbers = fields.map(({ columnID }) => columnID)
  return { sql: CATALOGUE, parameters: [types, tables, numbers] }
}

export function toColumnFacts(
  fields: readonly PostgresField[],
  { values }: Rows,
): readonly ColumnFacts[] {
  return fields.map(({ name }, place) => {
    const [type, table, isNotNull] = values[place] as [string, string | null, boolean]
    return { name, type, table, nullable: !isNotNull }
  })
}
