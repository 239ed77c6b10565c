import type { NullOrder, SeekKey, SeekStep } from '../../sql/dialect.ts'
import { type Truth, and, or } from '../../sql/nodes.ts'
import { behindIn, fromStart, inHalves } from '../../sql/seek-steps.ts'

export const NULLS: NullOrder = { smallest: false, placeable: true }

/** In one statement, or in one for the NULLs of the first key and one for its values. */
export function seek(keys: readonly SeekKey[]): readonly SeekStep[] {
  const [first] = keys as readonly [SeekKey]
  // PostgreSQL recognizes the order of an index only where the first key is named, NULL or not.
  const halves = { behind: nested, ordersNulls: true }
  if (first.value === undefined) return fromStart(NULLS, keys, halves)
  return first.nullable ? inHalves(keys, halves) : [{ condition: nested(keys), terms: keys }]
}

/**
 * `a <= x AND (a < x OR …)`. Neighbours of one direction that are never NULL are compared as one row
 * value, `(a, b) <= (x, y)`: then the range begins at the position, and not at the first of its ties.
 */
function nested(keys: readonly SeekKey[]): Truth {
  const size = runLength(keys)
  const [run, rest] = [keys.slice(0, size), keys.slice(size)]
  if (rest.length === 0) return behindIn(run)
  return and(behindIn(run, true), or(behindIn(run), nested(rest)))
}

/** So many keys from the first on can be one row value. */
function runLength(keys: readonly SeekKey[]): number {
  const end = keys.findIndex(
    ({ nullable, descending }) => nullable || descending !== keys[0]!.descending,
  )
  return end === -1 ? keys.length : Math.max(end, 1)
}
