import type { SelectQueryNode } from 'kysely'
import type { Compile, Estimate, Reader } from '../../sql/dialect.ts'

/** A node of a plan of PostgreSQL. */
interface Plan {
  readonly 'Plan Rows': number
  readonly 'Relation Name'?: string
  readonly Schema?: string
  readonly Plans?: readonly Plan[]
}

/**
 * What the planner expects: the rows at the last ANALYZE, scaled to the size that the table has now, and
 * the share of them that fulfils the conditions. About tables that were never analysed it only guesses.
 */
export function estimate(query: SelectQueryNode, compile: Compile): Estimate {
  const { sql, parameters } = compile(query)
  const explain = { sql: `explain (verbose, format json) ${sql}`, parameters }
  return async (reader) => {
    const { values } = await reader.rows(explain)
    const plan = planIn(values[0]![0])
    return (await areAnalysed(reader, tablesIn(plan))) ? plan['Plan Rows'] : null
  }
}

/** The driver gives JSON as it is set to. */
function planIn(found: unknown): Plan {
  const [{ Plan: plan }] = typeof found === 'string' ? JSON.parse(found) : found
  return plan
}

interface Table {
  readonly schema: string
  readonly name: string
}

function tablesIn({ Schema, 'Relation Name': name, Plans = [] }: Plan): readonly Table[] {
  const own = Schema === undefined || name === undefined ? [] : [{ schema: Schema, name }]
  return [...own, ...Plans.flatMap(tablesIn)]
}

async function areAnalysed(reader: Reader, tables: readonly Table[]): Promise<boolean> {
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
