import type { Position, PositionValue } from '../../contract/source.ts'
import { type ComparedTerm, isNative } from './terms.ts'
import type { Dialect } from '../dialect.ts'

/** A part of the list that one range of an index can be: where a key is NULL, where it is not. */
export type Part = 'all' | 'nulls' | 'values'

/** One statement of a stretch: `from` is the position that its rows are behind. */
export interface Step {
  readonly part: Part
  readonly from: Position | null
  /** So many keys are as in the position, and the next one is further. `null`: the keys are compared as one. */
  readonly equal: number | null
}

type Terms = readonly ComparedTerm[]

/** What to read one after another, until there are rows enough. */
export function stepsOf(
  dialect: Dialect,
  terms: Terms,
  position: Position | null,
): readonly Step[] {
  if (dialect.id === 'sqlite' && position !== null) return rangesBehind(terms, position)
  return halves(dialect, terms[0]!, position)
}

/**
 * The ties of all keys but one first, then those of all but two: SQLite makes a range of each. Of
 * `(a, id) > (x, y)` it makes none beyond `a`, where `id` is its rowid, and would read over all ties.
 */
function rangesBehind(terms: Terms, position: Position): readonly Step[] {
  return terms
    .map((term, equal) =>
      partsBehind(term, position[equal]!).map((part): Step => ({ part, from: position, equal })),
    )
    .toReversed()
    .flat()
}

function partsBehind(
  { nullable, nullsFirst }: ComparedTerm,
  value: PositionValue,
): readonly Part[] {
  if (!nullable) return ['all']
  if (nullsFirst) return ['values']
  return value === null ? [] : ['values', 'nulls']
}

/**
 * Where the first key may be NULL, its NULLs and its values are read one after the other: as one
 * condition they would be no range of an index. MySQL makes one of them where its index has that order;
 * the others do without a position only.
 */
function halves(dialect: Dialect, first: ComparedTerm, position: Position | null): readonly Step[] {
  const whole: Step = { part: 'all', from: position, equal: null }
  if (!first.nullable) return [whole]
  if (isNative(dialect, first) && (position === null || isOneRange(dialect, first, position)))
    return [whole]
  const [here, next]: readonly Part[] = first.nullsFirst ? ['nulls', 'values'] : ['values', 'nulls']
  const last: Step = { part: next!, from: null, equal: null }
  if (position === null) return [{ ...last, part: here! }, last]
  const isInNext = (position[0] === null) === (next === 'nulls')
  return isInNext ? [{ ...whole, part: next! }] : [{ ...whole, part: here! }, last]
}

/** Only NULLs behind NULLs would be sorted by MySQL, where nothing else is in the condition. */
function isOneRange(dialect: Dialect, { nullsFirst }: ComparedTerm, position: Position): boolean {
  return dialect.id === 'mysql' && (nullsFirst || position[0] !== null)
}
