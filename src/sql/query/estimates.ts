import type { SelectQueryNode } from 'kysely'
import type { MaybePromise } from '../../contract/request.ts'
import type { Database, Rows, Statement } from '../../contract/storage.ts'
import { after } from '../../std/after.ts'
import type { Compile } from './compiler.ts'
import { isOneToOne, unorderedOf } from './counting.ts'
import { type PlainTable, plainTableOf } from './plain-table.ts'
import type { Dialect } from '../dialect.ts'

type Reader = Pick<Database, 'rows'>

/** About how many rows a query has, as its database reckons; `null`: it does not know. */
export type Estimate = (reader: Reader) => MaybePromise<number | null>

/** Nothing is read but what the database keeps for its own planning. */
export function estimateOf(dialect: Dialect, query: SelectQueryNode, compile: Compile): Estimate {
  const unordered = unorderedOf(query)
  switch (dialect.id) {
    case 'postgres':
      return byPostgres(compile(unordered))
    case 'mysql':
      return isOneToOne(unordered) ? byMysql(compile(unordered)) : unknown
    case 'sqlite': {
      const table = plainTableOf(unordered)
      return table === null ? unknown : bySqlite(table)
    }
  }
}

const unknown: Estimate = () => null

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
function byPostgres({ sql, parameters }: Statement): Estimate {
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

/** MariaDB says for how many of the rows a condition holds only where it is asked; MySQL reads a comment. */
function byMysql({ sql, parameters }: Statement): Estimate {
  const explain = { sql: `explain /*M! extended */ ${sql}`, parameters }
  return async (reader) => {
    const steps = toSteps(await reader.rows(explain))
    return steps.reduce<number | null>((rows, step) => product(rows, rowsOf(step)), 1)
  }
}

/** What the plan says of one table. */
type Step = ReadonlyMap<string, string | number | null>

function toSteps({ columns, values }: Rows): readonly Step[] {
  const names = columns.map((name) => name.toLowerCase())
  const steps = values as readonly (readonly (string | number | null)[])[]
  return steps.map((row) => new Map(names.map((name, place) => [name, row[place] ?? null])))
}

function product(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.round(a * b)
}

/** Rows of a table that go with one of the tables before it. */
function rowsOf(step: Step): number | null {
  const extra = String(step.get('extra') ?? '')
  if (/^(?:impossible|no matching)/i.test(extra)) return 0
  const [rows, filtered] = [step.get('rows'), Number(step.get('filtered') ?? 100)]
  if (step.get('select_type') !== 'SIMPLE' || rows == null) return null
  return isUnknownShare(step, extra, filtered) ? null : (Number(rows) * filtered) / 100
}

/** All rows are to be looked at, and nothing is known of how many will do. */
function isUnknownShare(step: Step, extra: string, filtered: number): boolean {
  const looksAtAll = ['ALL', 'index'].includes(String(step.get('type')))
  return looksAtAll && filtered >= 100 && extra.includes('Using where')
}

/** What ANALYZE has written down: rows, before those of each value of an index. One of a part has fewer. */
function bySqlite({ schema, name }: PlainTable): Estimate {
  const file = `"${schema.replaceAll('"', '""')}"`
  const kept = `select 1 from ${file}.sqlite_schema where name = 'sqlite_stat1'`
  const rows = `select max(cast(stat as integer)) from ${file}.sqlite_stat1 where tbl = ? collate nocase`
  return (reader) =>
    after(reader.rows({ sql: kept, parameters: [] }), ({ values }) =>
      values.length === 0
        ? null
        : after(reader.rows({ sql: rows, parameters: [name] }), firstNumber),
    )
}

function firstNumber({ values }: Rows): number | null {
  const found = values[0]?.[0] ?? null
  return found === null ? null : Number(found)
}
