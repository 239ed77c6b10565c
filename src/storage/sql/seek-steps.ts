// Parts of the dialects' seek: conditions for rows behind a position, and lists read in halves.
import { type OperationNode, type Operator, TupleNode } from 'kysely'
import type { NullOrder, SeekKey, SeekStep, Term } from './dialect.ts'
import { type Truth, and, isNotNull, isNull, operation, or } from './nodes.ts'
import { isNative } from './order.ts'

export function sameIn({ node, value }: SeekKey): OperationNode {
  return value == null ? isNull(node) : operation(node, '=', value)
}

interface Cuttable extends SeekKey {
  readonly isKey: boolean
  /** Is the value of the position only the beginning of a value? */
  readonly isCut: boolean
}

/**
 * The rows that have all values of a position, but for those that are cut, where only a unique key says more. Other columns
 * that are cut are not looked at: `-12` does not stand before `-123`, and the beginning of a value of JSON is none.
 */
export function sameBut(keys: readonly Cuttable[]): SeekStep {
  const ordered = keys.map((key) => ({ ...key, descending: false, nullable: false }))
  const conditions = [
    ...keys.filter(({ isCut }) => !isCut).map(sameIn),
    ...ordered.filter(({ isCut, isKey }) => isCut && isKey).map((key) => behindIn([key], true)),
  ]
  const terms = ordered.filter(({ isKey }) => isKey)
  return { condition: conditions.reduce<Truth>(and, true), terms }
}

/** In one key, or in several of one direction that are never NULL, as one row value: `(a, b) > (x, y)`. */
export function behindIn(run: readonly SeekKey[], orEqual = false): Truth {
  const [{ node, value, nullable, nullsFirst, descending }] = run as readonly [SeekKey]
  if (value == null) return orEqual ? nullsFirst || isNull(node) : nullsFirst && isNotNull(node)
  const operator: Operator = descending ? (orEqual ? '<=' : '<') : orEqual ? '>=' : '>'
  const [nodes, values] = [run.map((key) => key.node), run.map((key) => key.value!)]
  const further = operation(asTuple(nodes), operator, asTuple(values))
  return nullable && !nullsFirst ? or(further, isNull(node)) : further
}

function asTuple(nodes: readonly OperationNode[]): OperationNode {
  return nodes.length === 1 ? nodes[0]! : TupleNode.create(nodes)
}

interface Spelling {
  /** Rows in which these keys are as in the position. */
  readonly tiesOf: (keys: readonly SeekKey[]) => readonly Truth[]
  /** The order of rows in which so many keys are equal. */
  readonly termsOf: (equal: number) => readonly Term[]
}

/**
 * The ties of all keys but the last first, then those of all but the last two …: each is a range of an index.
 * `(a, b) > (x, y)` in place of two steps is for neighbours of one direction, which are never NULL.
 */
export function rangesBehind(
  runs: readonly (readonly SeekKey[])[],
  { tiesOf, termsOf }: Spelling,
): readonly SeekStep[] {
  return runs
    .map((run, place) => {
      const equal = runs.slice(0, place).flat()
      return furtherIn(run).map((range) => ({
        condition: [...tiesOf(equal), range].reduce<Truth>(and, true),
        terms: termsOf(equal.length),
      }))
    })
    .toReversed()
    .flat()
}

/** Conditions for rows behind the first key, whose values and NULLs are two ranges. */
function furtherIn(run: readonly SeekKey[]): readonly Truth[] {
  const [key, ...others] = run as readonly [SeekKey, ...SeekKey[]]
  const { node, value, nullable, nullsFirst } = key
  if (value === null) return nullsFirst ? [isNotNull(node)] : []
  const values = behindIn([{ ...key, nullable: false }, ...others])
  return nullable && !nullsFirst ? [values, isNull(node)] : [values]
}

interface Halves {
  /** Rows behind the position in all of these keys. */
  readonly behind: (keys: readonly SeekKey[]) => Truth
  /** Does the first key stay in ORDER BY where it is NULL in all rows? */
  readonly ordersNulls: boolean
  /** Rows without a value, where only rows behind a position are read; the first key stays in ORDER BY then. */
  readonly nullsBehind?: (node: OperationNode) => Truth
}

/** The list from its start: in halves where the database has the NULLs of the first key elsewhere. */
export function fromStart(
  nulls: NullOrder,
  keys: readonly SeekKey[],
  halves: Halves,
): readonly SeekStep[] {
  return isNative(nulls, keys[0]!) ? [{ condition: true, terms: keys }] : inHalves(keys, halves)
}

/**
 * If the first key may be NULL, its NULLs and its values are read one after the other: as one condition they would be no range
 * of an index. A position is in one of the halves; the one before it is left out.
 */
export function inHalves(keys: readonly SeekKey[], halves: Halves): readonly SeekStep[] {
  const { behind, ordersNulls, nullsBehind = isNull } = halves
  const [{ node, nullsFirst, value }, ...rest] = keys as readonly [SeekKey, ...SeekKey[]]
  // Within a half ORDER BY needs no word about NULLs, so that an index has its order.
  const terms = [{ ...keys[0]!, nullable: false }, ...rest]
  const isStart = value === undefined
  const nulls = (from: boolean): SeekStep => ({
    condition: from ? and(nullsBehind(node), rest.length > 0 && behind(rest)) : isNull(node),
    terms: ordersNulls || (from && nullsBehind !== isNull) || rest.length === 0 ? terms : rest,
  })
  const values = (from: boolean): SeekStep => ({
    condition: from ? behind(terms) : isNotNull(node),
    terms,
  })
  const inOrder = nullsFirst ? [nulls, values] : [values, nulls]
  const here = isStart || (value === null) === nullsFirst ? 0 : 1
  return inOrder.slice(here).map((half, place) => half(!isStart && place === 0))
}
