// Which branches of `anyOf` or `oneOf` of one schema are those of the other.
import { type Alternatives, apart, kindOf } from './choices.ts'
import type { Difference, Found } from './keywords.ts'
import { type View, atomsOf } from './parts.ts'

type Compare = (before: View, after: View) => readonly Difference[]

/** Pairs branches, compares the pairs, and reports those that have none. */
export function differencesOfAlternatives(
  before: Alternatives,
  after: Alternatives,
  compare: Compare,
  origin: string,
): readonly Difference[] {
  const here = (found: Found): Difference => ({
    ...found,
    path: '',
    origin: `${origin}|${found.code}`,
  })
  if (before.text !== null || after.text !== null)
    return before.text === after.text
      ? []
      : [here({ code: 'alternatives-overlap', effect: 'both' })]
  const { pairs, removed, added } = paired(before.views, after.views, compare)
  const inside = pairs.flatMap(([old, now]) => compare(old, now))
  const gone = removed.filter((old) => !after.views.some((now) => takes(compare(old, now))))
  const fresh = added.filter((now) => !before.views.some((old) => gives(compare(old, now))))
  const own = [
    ...reported(gone, 'alternative-removed', 'no-longer-nullable', 'narrower'),
    ...reported(fresh, 'alternative-added', 'became-nullable', 'wider'),
  ].map(here)
  return [
    ...inside,
    ...own,
    ...overlap([...inside, ...own], before, after, added, removed).map(here),
  ]
}

/** Whatever was valid is valid. */
const takes = (found: readonly Difference[]): boolean =>
  found.every(({ effect }) => effect !== 'narrower' && effect !== 'both')
/** Whatever is valid was valid. */
const gives = (found: readonly Difference[]): boolean =>
  found.every(({ effect }) => effect !== 'wider' && effect !== 'both')

function reported(
  views: readonly View[],
  code: string,
  ofNull: string,
  effect: 'narrower' | 'wider',
): readonly Found[] {
  const nulls = views.filter((view) => [...atomsOf(view)].join() === 'null')
  return [
    ...(nulls.length > 0 ? [{ code: ofNull, effect }] : []),
    ...(views.length > nulls.length ? [{ code, effect }] : []),
  ]
}

/** A value that two branches of `oneOf` take is not valid: more room in one of them may take it from the other. */
function overlap(
  found: readonly Difference[],
  before: Alternatives,
  after: Alternatives,
  added: readonly View[],
  removed: readonly View[],
): readonly Found[] {
  const refuses = after.exclusive && (added.length > 0 || !gives(found))
  const admits = before.exclusive && (removed.length > 0 || !takes(found))
  if (!refuses && !admits) return []
  const effect = refuses && admits ? 'both' : refuses ? 'narrower' : 'wider'
  return [{ code: 'alternatives-overlap', effect }]
}

interface Paired {
  readonly pairs: readonly (readonly [View, View])[]
  readonly removed: readonly View[]
  readonly added: readonly View[]
}

/** The same, then those of the same kind, then the last two. */
function paired(before: readonly View[], after: readonly View[], compare: Compare): Paired {
  const [old, now] = [[...before], [...after]]
  const pairs: [View, View][] = []
  const take = (matches: (a: View, b: View) => boolean): void => {
    for (const one of old.slice()) {
      const found = now.find((each) => matches(one, each))
      if (found === undefined) continue
      pairs.push([one, found])
      old.splice(old.indexOf(one), 1)
      now.splice(now.indexOf(found), 1)
    }
  }
  take((a, b) => compare(a, b).every(({ effect }) => effect === 'documentation'))
  take((a, b) => kindOf(a) !== null && kindOf(a) === kindOf(b))
  if (old.length === 1 && now.length === 1) take((a, b) => !apart(a, b))
  return { pairs, removed: old, added: now }
}
