import { dialectOf } from '../setup/dialects.ts'
// All small tables.
import type { SortKey } from '../../src/core/ports/list-source.ts'
import type { SqlDatabase } from '../../src/storage/sql/sql-database.ts'
import { orderBy, places, scattered } from './proof-table.ts'

/** What a column of a small table may hold. */
const VALUES = [null, 0, 1] as const
const MOST_ROWS = 4
/** Every page size that a table of 4 rows can tell apart. */
export const SIZES = [1, 2, 3, 4] as const

export interface ScopeTables {
  scope: {
    label: number
    id: number | string | bigint
    a: number | null
    b: number | null
  }
}

export type Pair = readonly [a: number | null, b: number | null]

const PAIRS: readonly Pair[] = VALUES.flatMap((a) => VALUES.map((b): Pair => [a, b]))

/**
 * Every table of up to 4 rows over {NULL, 0, 1}². Rows with the same values can be told apart only by
 * their keys, and exchanging those gives the same table with other labels: one order of the rows will do.
 */
export const TABLES: readonly (readonly Pair[])[] = Array.from(
  { length: MOST_ROWS + 1 },
  (_, rows) => multisets(rows, 0),
).flat()

function multisets(rows: number, from: number): readonly (readonly Pair[])[] {
  if (rows === 0) return [[]]
  return PAIRS.slice(from).flatMap((pair, place) =>
    multisets(rows - 1, from + place).map((rest) => [pair, ...rest]),
  )
}

const DIRECTIONS = [false, true].flatMap((descending) =>
  (['first', 'last'] as const).map((nulls) => ({ descending, nulls })),
)

/** All orders by both columns, and those by one alone, where the unique key decides about more. */
export const ORDERS: readonly (readonly SortKey[])[] = [
  ...[
    ['a', 'b'],
    ['b', 'a'],
  ].flatMap(([major, minor]) =>
    DIRECTIONS.flatMap((one) =>
      DIRECTIONS.map((two) => [
        { field: major!, ...one },
        { field: minor!, ...two },
      ]),
    ),
  ),
  ...DIRECTIONS.map((one) => [{ field: 'a', ...one }]),
]

/**
 * The orders that tell something of a table. With its columns exchanged, each of the largest tables is another one of
 * them: what they are by `b` and then `a` is said of that one by `a` and then `b`.
 */
export function ordersOf(table: readonly Pair[]): readonly (readonly SortKey[])[] {
  return table.length < MOST_ROWS ? ORDERS : BY_A
}

const BY_A = ORDERS.filter(([major]) => major!.field === 'a')

/** Creates the table that each small one is put into, one after another. */
export async function createScope(database: SqlDatabase): Promise<void> {
  const integer = dialectOf(database) === 'sqlite' ? 'integer' : 'bigint'
  await database.write({
    sql: `create table scope (label integer not null, id ${integer} not null unique, a integer, b integer)`,
    parameters: [],
  })
}

/** Puts these rows, and no others, into the table. Their keys have another order than they. */
export async function fillScope(database: SqlDatabase, pairs: readonly Pair[]): Promise<void> {
  await database.write({ sql: 'delete from scope', parameters: [] })
  if (pairs.length === 0) return
  const values = pairs.map((pair, label) => [label, String(scattered(label * 3)), ...pair])
  await database.write({
    sql: `insert into scope (label, id, a, b) values ${places(values, dialectOf(database))}`,
    parameters: values.flat(),
  })
}

/** What the pages must add up to. */
export async function scopeOracle(
  database: SqlDatabase,
  keys: readonly SortKey[],
): Promise<readonly number[]> {
  const { values } = await database.rows({
    sql: `select label from scope order by ${orderBy(dialectOf(database), keys)}`,
    parameters: [],
  })
  return values.map(([label]) => Number(label))
}
