// Every page is one range of an index, wherever it begins: neither sorted nor read from the start.
import { describe, expect, test } from 'vitest'
import type { Position, SortKey, Rows } from '../../../../src/core/ports/list-source.ts'
import type { Statement } from '../../../../src/core/ports/database.ts'
import { type SqlSource, sqlSource } from '../../../../src/sql.ts'
import type { ListDatabase, SqlDatabase } from '../../../../src/storage/sql/sql-database.ts'
import { DATABASES, type Dialect, freshDatabase, run } from '../query/query-fixture.ts'
import { costOf } from '../../../setup/linear.ts'

interface Line {
  id: number
  a: number
  b: number
  n: number | null
}

type Field = keyof Line

/** The first two thirds have the same value; of each three rows one has no `n`. */
const ROWS = 300_000
const TIES = 200_000

const NUMBERS: Readonly<Record<Dialect, string>> = {
  sqlite: `(with recursive s (i) as (select 1 union all select i + 1 from s where i < ${ROWS}) select i from s) as s`,
  postgres: `generate_series(1, ${ROWS}) as s (i)`,
  mysql: `(select seq as i from seq_1_to_${ROWS}) as s`,
}

/** In SQLite it is another name of the rowid, which row values make no range of. */
const KEYS: Readonly<Record<Dialect, string>> = {
  sqlite: 'integer',
  postgres: 'bigint',
  mysql: 'bigint',
}

const ANALYZE: Readonly<Record<Dialect, string>> = {
  sqlite: 'analyze line',
  postgres: 'vacuum analyze line',
  mysql: 'analyze table line',
}

async function withLines(dialect: Dialect): Promise<SqlDatabase> {
  const database = await freshDatabase(dialect)
  const value = `case when i <= ${TIES} then 5 else i end`
  await run(
    database,
    `create table line (id ${KEYS[dialect]} not null primary key, a integer not null, b integer not null, n integer)`,
    `insert into line select i, ${value}, i % 2, case when i % 3 = 0 then null else ${value} end from ${NUMBERS[dialect]}`,
    'create index line_a on line (a, id)',
    'create index line_n on line (n, id)',
    'create index line_mixed on line (a desc, id)',
    'create index line_three on line (a desc, b, id desc)',
    'create index line_nulls on line (a, n, id)',
    'create index line_mixed_nulls on line (a desc, n, id)',
    ANALYZE[dialect],
  )
  return database
}

/** A page and the row behind it, and as many parts as are read apart, are 70 at most. */
const READ = 70
/** Pages of an index and of the table that they lie on, of the thousands that 200,000 ties lie on. */
const PAGES_READ = 100

/** A step of a plan of PostgreSQL as it was run, and those that it took its rows from. */
interface Step {
  readonly 'Node Type': string
  readonly 'Index Cond'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly Step[]
}

/** What is wrong with how a statement was run; empty: it was one range of an index, or several one after the other. */
const FLAWS: Readonly<Record<Dialect, (plan: Rows, isBehind: boolean) => readonly string[]>> = {
  sqlite: ({ values }, isBehind) => {
    const steps = values.map((step) => String(step[3]))
    const wanted = isBehind ? /^SEARCH line USING I/ : /^(?:SEARCH|SCAN) line USING I/
    return steps.filter((step) => !wanted.test(step))
  },
  postgres: ({ values }, isBehind) => {
    const [{ Plan: plan }] = values[0]![0] as readonly [{ readonly Plan: Step }]
    const ranges = stepsOf(plan).filter(({ Plans }) => Plans === undefined)
    const isRange = (step: Step): boolean =>
      step['Node Type'] === 'Index Scan' && (!isBehind || step['Index Cond'] !== undefined)
    // Those that a filter or a sort leaves out were read as well. Entries of an index that a condition passes over are
    // in no count of rows, but on pages.
    const rows = sum(ranges.map(rowsReadIn))
    const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
    const isFine = ranges.every(isRange) && rows <= READ && pages <= PAGES_READ
    return isFine ? [] : [JSON.stringify({ rows, pages, plan })]
  },
  mysql: ({ columns, values }, isBehind) => {
    const step = Object.fromEntries(columns.map((name, place) => [name, values[0]![place]]))
    const types = isBehind ? ['range', 'ref'] : ['range', 'ref', 'index']
    const isRange =
      types.includes(String(step['type'])) && !String(step['Extra']).includes('filesort')
    const isFine = values.length === 1 && isRange && Number(step['r_rows']) <= READ
    return isFine ? [] : [JSON.stringify(step)]
  },
}

const EXPLAIN: Readonly<Record<Dialect, string>> = {
  sqlite: 'explain query plan',
  postgres: 'explain (analyze, buffers, format json)',
  // Else rows of an index that are left out before their row of the table is read would be in no count.
  mysql: "set statement optimizer_switch = 'index_condition_pushdown=off' for analyze",
}

const by = (
  field: Field,
  way: 'asc' | 'desc',
  nulls: 'first' | 'last',
): readonly SortKey<Field>[] => [{ field, descending: way === 'desc', nulls }]

const CASES: readonly (readonly [string, readonly SortKey<Field>[], Position | null])[] = [
  ['by what is never NULL, from the start', by('a', 'asc', 'first'), null],
  ['by what is never NULL, descending, from the start', by('a', 'desc', 'last'), null],
  ['by what is never NULL, behind a row', by('a', 'asc', 'first'), [250_000, 250_000]],
  ['by what is never NULL, within 200,000 ties', by('a', 'asc', 'first'), [5, 100_000]],
  ['by what is never NULL, descending within ties', by('a', 'desc', 'last'), [5, 100_000]],
  ['by the key alone', by('id', 'desc', 'last'), [150_000]],
  ['NULLs first, from the start', by('n', 'asc', 'first'), null],
  ['NULLs first, behind a NULL', by('n', 'asc', 'first'), [null, 150_000]],
  ['NULLs first, from the last NULL to the first values', by('n', 'asc', 'first'), [null, 299_997]],
  ['NULLs first, behind a value', by('n', 'asc', 'first'), [5, 100_000]],
  ['descending, NULLs last, from the start', by('n', 'desc', 'last'), null],
  ['descending, NULLs last, from the last values to NULLs', by('n', 'desc', 'last'), [5, 20]],
  ['descending, NULLs last, behind a NULL', by('n', 'desc', 'last'), [null, 150_000]],
  ['NULLs last, from the start', by('n', 'asc', 'last'), null],
  ['NULLs last, from the last value to NULLs', by('n', 'asc', 'last'), [299_999, 299_999]],
  ['descending, NULLs first, from the start', by('n', 'desc', 'first'), null],
]

/** Where an index has the NULLs of an ascending column. */
const NULLS: Readonly<Record<Dialect, 'first' | 'last'>> = {
  sqlite: 'first',
  postgres: 'last',
  mysql: 'first',
}

/** Several directions, and a key behind the first that may be NULL: each with an index that has the order. */
function mixedCases(dialect: Dialect): typeof CASES {
  const mixed = [...by('a', 'desc', 'last'), ...by('id', 'asc', 'first')]
  const three = [
    ...by('a', 'desc', 'last'),
    ...by('b', 'asc', 'first'),
    ...by('id', 'desc', 'last'),
  ]
  const nulls = [...by('n', 'asc', NULLS[dialect]), ...by('id', 'asc', 'first')]
  const up = [...by('a', 'asc', 'first'), ...nulls]
  const down = [...by('a', 'desc', 'last'), ...nulls]
  return [
    ['mixed, from the start', mixed, null],
    ['mixed, at the first of 200,000 ties', mixed, [5, 10]],
    ['mixed, within ties', mixed, [5, 100_000]],
    ['mixed, from the last tie on', mixed, [5, TIES - 10]],
    ['mixed, where nothing ties', mixed, [250_000, 250_000]],
    ['three directions, from the start', three, null],
    ['three directions, at the first ties', three, [5, 0, TIES - 10]],
    ['three directions, within ties', three, [5, 0, 100_000]],
    ['three directions, from the last of some ties to others', three, [5, 0, 10]],
    ['three directions, from the last tie on', three, [5, 1, 11]],
    ...[up, down].flatMap((keys): typeof CASES => [
      ['NULLs behind ties, from the start', keys, null],
      ['NULLs behind ties, behind a value', keys, [5, 5, 100_000]],
      ['NULLs behind ties, from the last value on', keys, [5, 5, TIES - 10]],
      ['NULLs behind ties, behind a NULL', keys, [5, null, 99_999]],
      ['NULLs behind ties, from the last NULL on', keys, [5, null, TIES - 2]],
      ['NULLs behind ties, where nothing ties', keys, [250_000, 250_000, 250_000]],
    ]),
  ]
}

describe.each(DATABASES)('a stretch on %s', (_, dialect) => {
  test('I1 is a range of an index, and costs as much within 200,000 ties as at their edge', async () => {
    const database = await withLines(dialect)
    const statements: Statement[] = []
    const query = database.kysely<{ line: Line }>().selectFrom('line').select(['id', 'a', 'b', 'n'])
    const source = sqlSource({ database: heard(database, statements), query, key: 'id' })

    for (const [title, keys, position] of [...CASES, ...mixedCases(dialect)]) {
      for (const reverse of [false, true]) {
        statements.length = 0
        await source.seek({ keys, position, reverse, limit: 50 })
        for (const statement of statements) {
          const flaws = await flawsOf(dialect, database, statement, position !== null)
          expect.soft(flaws, `${title}: ${statement.sql}`).toEqual([])
        }
      }
    }

    // The plans of SQLite count no rows.
    if (dialect === 'sqlite') await expectNoWalk(source)
  })
})

/** Statements that read too much for a page; the first two SQLite tells, too, which counts nothing in its plans. */
const WRONG: readonly (readonly [string, string])[] = [
  ['all rows', 'select * from line order by a + 0, id limit 51'],
  [
    'all rows behind a row, to be sorted',
    'select * from line where id > 10 order by b, id limit 51',
  ],
  ['an index from its start', 'select * from line order by a, id limit 51 offset 100000'],
  [
    'ties that a filter leaves out',
    'select * from line where a >= 5 and (a + 0 > 5 or id > 100000) order by a, id limit 51',
  ],
  [
    'entries of an index that its condition passes over',
    'select * from line where a >= 5 and n > 200000 order by a, n, id limit 51',
  ],
]

describe.each(DATABASES)('on %s is seen', (_, dialect) => {
  test('that a statement reads more than its page', async () => {
    const database = await withLines(dialect)
    for (const [title, sql] of dialect === 'sqlite' ? WRONG.slice(0, 2) : WRONG) {
      const flaws = await flawsOf(dialect, database, { sql, parameters: [] }, true)
      expect.soft(flaws, title).not.toEqual([])
    }
  })
})

function heard(database: SqlDatabase, statements: Statement[]): ListDatabase {
  return {
    dialect: database.dialect,
    describe: (statement) => database.describe!(statement),
    rows: (statement) => {
      statements.push(statement)
      return database.rows(statement)
    },
  }
}

/** Where a page of 50 begins among the ties does not matter: reading over them would take a hundred times as long. */
async function expectNoWalk(source: SqlSource<Line, Field>): Promise<void> {
  const keys = by('a', 'asc', 'first')
  for (const reverse of [false, true]) {
    const page = (at: number) => source.seek({ keys, position: [5, at], reverse, limit: 50 })
    const [near, far] = reverse ? [1000, TIES - 1000] : [TIES - 1000, 1000]
    await page(near)
    expect(await costOf(() => page(near))).toBeLessThan(20 * (await costOf(() => page(far))))
  }
}

async function flawsOf(
  dialect: Dialect,
  database: SqlDatabase,
  { sql, parameters }: Statement,
  isBehind: boolean,
): Promise<readonly string[]> {
  const plan = await database.rows({ sql: `${EXPLAIN[dialect]} ${sql}`, parameters })
  return FLAWS[dialect](plan, isBehind)
}

const stepsOf = (step: Step): readonly Step[] => [step, ...(step.Plans ?? []).flatMap(stepsOf)]

const rowsReadIn = (step: Step): number =>
  step['Actual Loops'] *
  (step['Actual Rows'] +
    (step['Rows Removed by Filter'] ?? 0) +
    (step['Rows Removed by Index Recheck'] ?? 0))

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
