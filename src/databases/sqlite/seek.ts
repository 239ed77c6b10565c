import type { OperationNode } from 'kysely'
import type { NullOrder, SeekKey, SeekStep } from '../../sql/dialect.ts'
import { type Truth, and, isNotNull, isNull } from '../../sql/nodes.ts'
import { behindIn, fromStart, sameIn } from '../../sql/seek-steps.ts'

export const NULLS: NullOrder = { smallest: true, placeable: true }

/**
 * The ties of all keys but one first, then those of all but two: SQLite makes a range of each. Of
 * `(a, id) > (x, y)` it makes none beyond `a`, where `id` is its rowid, and would read over all ties.
 */
export function seek(keys: readonly SeekKey[]): readonly SeekStep[] {
  if (keys[0]!.value === undefined)
    return fromStart(NULLS, keys, { behind: behindIn, ordersNulls: true })
  return keys
    .map((_, equal) => stepsBehind(keys, equal))
    .toReversed()
    .flat()
}

/** So many keys are as in the position, and the next one is further. */
function stepsBehind(keys: readonly SeekKey[], equal: number): readonly SeekStep[] {
  const [key, ...rest] = keys.slice(equal) as [SeekKey, ...SeekKey[]]
  const ties = keys.slice(0, equal).map(sameIn)
  return rangesBehind(key).map((range) => ({
    condition: [...ties, range].reduce<Truth>(and, true),
    terms: [{ ...key, nullable: false }, ...rest],
  }))
}

/** The values and the NULLs of a key are two ranges. */
function rangesBehind(key: SeekKey): readonly OperationNode[] {
  const { node, value, nullable, nullsFirst } = key
  if (value === null) return nullsFirst ? [isNotNull(node)] : []
  const values = behindIn([{ ...key, nullable: false }]) as OperationNode
  return nullable && !nullsFirst ? [values, isNull(node)] : [values]
}
