// Random tables, and the ways in which each of them is walked.
import fc from 'fast-check'
import type { SortKey } from '../../src/core/ports/list-source.ts'
import { type Dialect, type Kind, type Value, kindsOf } from './kinds.ts'

/** Columns of a table that are in use; the others are NULL throughout. */
const COLUMNS = 4
/** Distinct values of a column, NULL among them. */
const VALUES = 7
export const ROWS = 500

/** What stands in a table. */
export interface Content {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Value[])[]
  /** Keys are scattered above it: beyond 2^53 some of the time. */
  readonly firstId: bigint
}

/** One way through a table. */
export interface Route {
  readonly keys: readonly SortKey[]
  readonly size: number
}

/** A table with the routes through it: filling it costs more than walking. */
export interface Case {
  readonly content: Content
  readonly routes: readonly Route[]
}

/** Tables of up to 500 rows with at most 7 values in each column. */
export function proofCase(dialect: Dialect, routes: number): fc.Arbitrary<Case> {
  const kinds = kindsOf(dialect)
  return fc
    .record({
      chosen: fc.shuffledSubarray([...kinds], { minLength: COLUMNS, maxLength: COLUMNS }),
      pools: fc.tuple(...kinds.map((kind) => poolOf(kind, dialect))),
      codes: fc.array(fc.nat(VALUES ** COLUMNS - 1), { maxLength: ROWS, size: 'max' }),
      firstId: fc.constantFrom(1n, 2n ** 53n - 250n, 2n ** 62n),
      ways: fc.array(way, { minLength: routes, maxLength: routes }),
    })
    .map(({ chosen, pools, codes, firstId, ways }) => {
      const columns = chosen.map(({ name }) => name)
      const values = chosen.map((kind) => pools[kinds.indexOf(kind)]!)
      const rows = codes.map((code) => rowOf(code, values))
      return { content: { columns, rows, firstId }, routes: ways.map((each) => each(columns)) }
    })
}

function poolOf(kind: Kind, dialect: Dialect): fc.Arbitrary<readonly Value[]> {
  const value = fc.oneof(
    { weight: 5, arbitrary: kind.value(dialect) },
    { weight: kind.instead === undefined ? 1 : 0, arbitrary: fc.constant(null) },
  )
  return fc.array(value, { minLength: 1, maxLength: VALUES, size: 'max' })
}

/** A number says which value of its pool each column has. */
function rowOf(code: number, pools: readonly (readonly Value[])[]): readonly Value[] {
  return pools.map(
    (pool, place) => pool[(Math.trunc(code / VALUES ** place) % VALUES) % pool.length]!,
  )
}

const direction = fc.record({
  descending: fc.boolean(),
  nulls: fc.constantFrom('first' as const, 'last' as const),
})

/** One to three of the columns; now and then the unique key is one of them. */
const way: fc.Arbitrary<(columns: readonly string[]) => Route> = fc
  .record({
    places: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 1, maxLength: 3 }),
    directions: fc.tuple(direction, direction, direction),
    idAt: fc.oneof(
      { weight: 9, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.nat(2) },
    ),
    size: fc.integer({ min: 1, max: 50 }),
  })
  .map(({ places, directions, idAt, size }) => (columns) => ({
    size,
    keys: places.map((place, index) => ({
      field: index === idAt ? 'id' : columns[place]!,
      ...directions[index]!,
    })),
  }))
