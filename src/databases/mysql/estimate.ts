import type { SelectQueryNode } from 'kysely'
import type { Rows } from '../../contract/storage.ts'
import type { Compile, Estimate } from '../../sql/dialect.ts'
import { isOneToOne } from '../../sql/query/row-by-row.ts'

/** MariaDB shows for how many of the rows a condition holds only where it is asked; MySQL reads a comment. */
export function estimate(query: SelectQueryNode, compile: Compile): Estimate {
  if (!isOneToOne(query)) return () => null
  const { sql, parameters } = compile(query)
  const explain = { sql: `explain /*M! extended */ ${sql}`, parameters }
  return async (reader) => {
    const steps = toSteps(await reader.rows(explain))
    return steps.reduce<number | null>((rows, step) => product(rows, rowsOf(step)), 1)
  }
}

/** What the plan has about one table. */
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

/** All rows are looked at, and nothing is known of how many fulfil the condition. */
function isUnknownShare(step: Step, extra: string, filtered: number): boolean {
  const looksAtAll = ['ALL', 'index'].includes(String(step.get('type')))
  return looksAtAll && filtered >= 100 && extra.includes('Using where')
}
