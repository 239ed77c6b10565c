// All small tables at once: each of them is a `world` of one table.
import type { SortKey } from '../../src/contract/source.ts'
import type { SqlDatabase } from '../../src/stores/sql/sql-database.ts'
import { orderBy, places, scattered } from './proof-table.ts'

/** What a column of a small table may hold. */
const VALUES = [null, 0, 1] as const
const MOST_ROWS = 4
/** Every page size that a table of 4 rows can tell apart. */
export const SIZES = [1, 2, 3, 4] as const

export interface ScopeTables {
  scope: {
    world: number
    label: number
    id: number | string | bigint
    a: number | null
    b: number | null
  }
}

type Pair = readonly [a: number | null, b: number | null]

const PAIRS: readonly Pair[] = VALUES.flatMap((a) => VALUES.map((b): Pair => [a, b]))

/**
 * Every table of up to 4 rows over {NULL, 0, 1}². Rows with the same values can be told apart only by
 * their keys, and exchanging those gives the same table with other labels: one order of the rows will do.
 */
export const WORLDS: readonly (readonly Pair[])[] = Array.from(
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

/** Creates the table with all worlds in it. */
export async function createWorlds(database: SqlDatabase): Promise<void> {
  const { dialect } = database
  const integer = dialect === 'sqlite' ? 'integer' : 'bigint'
  await database.write({
    sql: `create table scope (world integer not null, label integer not null, id ${integer} not null unique, a integer, b integer)`,
    parameters: [],
  })
  await database.write({ sql: 'create index scope_world on scope (world)', parameters: [] })
  const rows = WORLDS.flatMap((pairs, world) => pairs.map((pair, label) => [world, label, ...pair]))
  const values = rows.map(([world, label, a, b], place) => [
    world,
    label,
    String(scattered(place)),
    a,
    b,
  ])
  await database.write({
    sql: `insert into scope (world, label, id, a, b) values ${places(values, dialect)}`,
    parameters: values.flat(),
  })
}

/** What the pages of each world must add up to, world by world. */
export async function scopeOracle(
  database: SqlDatabase,
  keys: readonly SortKey[],
): Promise<readonly (readonly number[])[]> {
  const { values } = await database.rows({
    sql: `select world, label from scope order by ${orderBy(database.dialect, keys)}`,
    parameters: [],
  })
  const lists: number[][] = WORLDS.map(() => [])
  for (const [world, label] of values) lists[Number(world)]!.push(Number(label))
  return lists
}
