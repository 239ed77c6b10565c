import type { Position, SortKey } from '../contract/source.ts'
import { comparable, compare } from './comparable.ts'
import { fieldOf } from './fields.ts'

/** A row and where it stands. */
export interface Placed<Row> {
  readonly row: Row
  readonly position: Position
}

/** Rows in the order of the keys; equal ones stay as they are. */
export function placed<Row>(rows: readonly Row[], keys: readonly SortKey[]): Placed<Row>[] {
  const order = comparing(keys)
  return rows
    .map((row) => ({ row, position: keys.map(({ field }) => comparable(fieldOf(row, field))) }))
    .toSorted((a, b) => order(a.position, b.position))
}

/** Keys that no two rows share, by a unique key: in the direction of the last one. */
export function totalKeys(keys: readonly SortKey[], unique: readonly string[]): readonly SortKey[] {
  const descending = keys.at(-1)?.descending ?? false
  const missing = unique.filter((field) => !keys.some((key) => key.field === field))
  const nulls = descending ? 'last' : 'first'
  return [...keys, ...missing.map((field): SortKey => ({ field, descending, nulls }))]
}

/** Compares whole positions, key by key. */
export function comparing(keys: readonly SortKey[]): (a: Position, b: Position) => number {
  return (a, b) => {
    for (const [at, key] of keys.entries()) {
      const difference = compareValues(a[at] ?? null, b[at] ?? null, key)
      if (difference !== 0) return difference
    }
    return 0
  }
}

function compareValues(
  a: Position[number],
  b: Position[number],
  { descending, nulls }: SortKey,
): number {
  if (a === null || b === null) {
    const difference = Number(a !== null) - Number(b !== null)
    return nulls === 'first' ? difference : -difference
  }
  return descending ? compare(b, a) : compare(a, b)
}
