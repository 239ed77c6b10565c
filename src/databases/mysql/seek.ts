import type { NullOrder, SeekKey, SeekStep } from '../../sql/dialect.ts'
import { type Truth, and, or } from '../../sql/nodes.ts'
import { isNative } from '../../sql/order.ts'
import { behindIn, fromStart, inHalves, sameIn } from '../../sql/seek-steps.ts'

export const NULLS: NullOrder = { smallest: true, placeable: false }

// MySQL sorts by a key in ORDER BY even where it is NULL in all rows.
const HALVES = { behind: alternatives, ordersNulls: false }

/** In one statement, where its index has the NULLs of the first key where they should stand; else in two. */
export function seek(keys: readonly SeekKey[]): readonly SeekStep[] {
  const [first] = keys as readonly [SeekKey]
  if (first.value === undefined) return fromStart(NULLS, keys, HALVES)
  return isOneRange(first)
    ? [{ condition: alternatives(keys), terms: keys }]
    : inHalves(keys, HALVES)
}

/** NULLs that are behind NULLs would be sorted, where nothing else is in the condition. */
function isOneRange(first: SeekKey): boolean {
  return isNative(NULLS, first) && (!first.nullable || first.nullsFirst || first.value !== null)
}

/** `a < x OR (a = x AND (b < y OR …))`: MariaDB and MySQL make ranges of it, and none of row values. */
function alternatives([first, ...rest]: readonly SeekKey[]): Truth {
  if (rest.length === 0) return behindIn([first!])
  return or(behindIn([first!]), and(sameIn(first!), alternatives(rest)))
}
