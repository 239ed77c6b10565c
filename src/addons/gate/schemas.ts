// The story of the differences between two schemas, and of their effect on valid values. Single values are compared in
// keywords.ts, `anyOf` and `oneOf` at the end.
import {
  type Difference,
  type FoundDifference,
  differencesOfRules,
  differencesOfValues,
  differencesOfWords,
  hasRules,
  when,
} from './keywords.ts'
import {
  type Json,
  type View,
  allowing,
  atomsOf,
  canonicalText,
  canonicalWithin,
  firstUnder,
  isJsonObject,
  isLost,
  withResolved,
  textOf,
  allUnder,
  valuesOf,
  viewOf,
  objectAt,
} from './view.ts'

/** Clients send the values, or get them. */
export type ValueDirection = 'sent' | 'got'

/** Compares two schemas; `omissible`: clients may leave the value out. */
export type CompareViews = (before: View, after: View, omissible?: boolean) => readonly Difference[]

/**
 * Compares schemas of two documents. What it found of two schemas it remembers, so that schemas that hold themselves
 * come to an end: while two are being compared, they count as the same.
 */
export function schemaComparer(direction: ValueDirection): CompareViews {
  const memo = new Map<string, readonly Difference[] | 'open'>()
  const compare: CompareViews = (before, after, omissible = false) => {
    const key = `${before.key}|${after.key}|${omissible}`
    const known = memo.get(key)
    if (known !== undefined) return known === 'open' ? [] : known
    const size = memo.size
    memo.set(key, 'open')
    const found = unique(differences(before, after, omissible))
    // Differences below were found while these two schemas counted as the same, which they are not. They are found again
    // when they are asked for.
    if (found.length > 0) for (const each of [...memo.keys()].slice(size)) memo.delete(each)
    memo.set(key, found)
    return found
  }
  const differences = (before: View, after: View, omissible: boolean): readonly Difference[] => {
    const origin = `${before.key}|${after.key}`
    const here = (found: readonly FoundDifference[]) => found.map(placedAt(origin))
    const [old, now] = [alternativesOf(before), alternativesOf(after)]
    const words = [
      ...differencesOfWords(before, after),
      ...defaults(before, after, omissible),
      ...differencesOfDiscriminators(before, after),
    ]
    if (old.isCut || now.isCut || old.views.length !== 1 || now.views.length !== 1)
      return [...here(words), ...differencesOfAlternatives(old, now, compare, origin)]
    const [was, is] = [old.views[0]!, now.views[0]!]
    return [
      ...here([...words, ...differencesOfValues(was, is), ...differencesOfRules(was, is)]),
      ...(bothAllow(was, is, 'array') ? elements(was, is, compare) : []),
      ...(bothAllow(was, is, 'object') ? members(was, is, direction, compare) : []),
    ]
  }
  return compare
}

const placedAt =
  (origin: string) =>
  (found: FoundDifference): Difference => ({
    ...found,
    path: '',
    origin: `${origin}|${found.code}`,
  })

/** Reports a schema that is used in many places once. */
function unique(found: readonly Difference[]): readonly Difference[] {
  const first = new Map<string, Difference>()
  for (const each of found) if (!first.has(each.origin)) first.set(each.origin, each)
  return [...first.values()]
}

function bothAllow(before: View, after: View, atom: 'array' | 'object'): boolean {
  return atomsOf(before).has(atom) && atomsOf(after).has(atom)
}

/** Compares defaults, which only clients that leave the value out notice. */
function defaults(before: View, after: View, omissible: boolean): readonly FoundDifference[] {
  const [was, is] = [firstUnder(before, 'default'), firstUnder(after, 'default')]
  if (canonicalText({}, was) === canonicalText({}, is)) return []
  return [{ code: 'default-changed', effect: omissible ? 'narrower' : 'documentation', was, is }]
}

/** Differences in a part of the schema, with the step that leads to the part. */
function below(found: readonly Difference[], step: string): readonly Difference[] {
  return found.map((each) => ({
    ...each,
    path: /^(?:\[|$)/.test(each.path) ? `${step}${each.path}` : `${step}.${each.path}`,
  }))
}

function elements(before: View, after: View, compare: CompareViews): readonly Difference[] {
  const length = Math.max(prefixLength(before), prefixLength(after))
  const at = (index: number, step: string): readonly Difference[] =>
    below(compare(itemOf(before, index), itemOf(after, index)), step)
  const first = Array.from({ length }, (_, index) => at(index, `[${index}]`)).flat()
  return [...first, ...at(length, '[]')]
}

function prefixLength(view: View): number {
  return Math.max(0, ...allUnder(view, 'prefixItems').map((list) => (list as unknown[]).length))
}

function itemOf(view: View, index: number): View {
  return childOf(view, ({ prefixItems, items: rest }) =>
    Array.isArray(prefixItems) && index < prefixItems.length ? [prefixItems[index]] : [rest],
  )
}

function childOf(view: View, schemasIn: (part: Json) => readonly unknown[]): View {
  return viewOf(view.ground, view.parts.flatMap(schemasIn))
}

/** The schemas that the parts have for a property; `null`: for any property that they do not name. */
function propertyOf(view: View, name: string | null): View {
  return childOf(view, ({ properties, patternProperties, additionalProperties }) => {
    const own = name !== null && isJsonObject(properties) && Object.hasOwn(properties, name)
    const named = [
      ...(own ? [properties[name]] : []),
      ...(name !== null && isJsonObject(patternProperties)
        ? matching(patternProperties, name)
        : []),
    ]
    return named.length > 0 ? named : [additionalProperties]
  })
}

function matching(patterns: Json, name: string): readonly unknown[] {
  return Object.entries(patterns).flatMap(([pattern, schema]) =>
    matches(pattern, name) ? [schema] : [],
  )
}

/** Does the pattern match the name? A pattern that cannot be read matches nothing. */
function matches(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(name)
  } catch {
    return false
  }
}

/** A property as a client sees it. */
interface Seen {
  readonly view: View
  /** The schema names it. */
  readonly declared: boolean
  readonly visible: boolean
  readonly required: boolean
}

function seenIn(view: View, name: string, direction: ValueDirection): Seen {
  const required = requiredIn(view).has(name)
  const declared =
    required || allUnder(view, 'properties').some((each) => Object.hasOwn(each as Json, name))
  const child = propertyOf(view, name)
  const hidden = allUnder(child, direction === 'sent' ? 'readOnly' : 'writeOnly').includes(true)
  const visible = declared && !hidden
  return { view: child, declared, visible, required: required && visible }
}

const requiredIn = (view: View): ReadonlySet<string> =>
  new Set(allUnder(view, 'required').flat() as string[])

function members(
  before: View,
  after: View,
  direction: ValueDirection,
  compare: CompareViews,
): readonly Difference[] {
  const names = new Set([before, after].flatMap(namesIn))
  const found = [...names].toSorted().flatMap((name) => {
    const [old, now] = [seenIn(before, name, direction), seenIn(after, name, direction)]
    const here = placedAt(`${before.key}|${after.key}|${name}`)
    return below(property(old, now, direction, compare, here), name)
  })
  return [...found, ...others(before, after, compare)]
}

function namesIn(view: View): readonly string[] {
  const named = allUnder(view, 'properties').flatMap((each) => Object.keys(each as Json))
  return [...named, ...requiredIn(view)]
}

function property(
  old: Seen,
  now: Seen,
  direction: ValueDirection,
  compare: CompareViews,
  here: (found: FoundDifference) => Difference,
): readonly Difference[] {
  if (old.visible && now.visible) {
    const inside = compare(old.view, now.view, direction === 'sent' && !old.required)
    return [...presence(old, now).map(here), ...inside]
  }
  if (old.visible)
    return [here({ code: REMOVED[now.declared ? direction : 'none'], effect: 'both' })]
  if (!now.visible) return []
  const added = here(addition(old, now, direction))
  return old.declared || isOpen(old.view) || isClosed(old.view)
    ? [added]
    : [added, ...compare(old.view, now.view)]
}

const REMOVED = {
  sent: 'property-became-read-only',
  got: 'property-became-write-only',
  none: 'property-removed',
} as const

/**
 * The effect of a new property. Of clients that get a value, only those to whom the schema promised no other property are
 * surprised by one.
 */
function addition(old: Seen, now: Seen, direction: ValueDirection): FoundDifference {
  if (direction === 'sent' && now.required)
    return { code: 'required-property-added', effect: 'narrower' }
  if (direction === 'sent') return { code: 'property-added', effect: 'none' }
  const surprises = !old.declared && isClosed(old.view)
  return { code: 'property-added', effect: surprises ? 'wider' : 'narrower' }
}

const isOpen = (view: View): boolean => view.parts.every((part) => Object.keys(part).length === 0)
const isClosed = (view: View): boolean => atomsOf(view).size === 0

function presence(old: Seen, now: Seen): readonly FoundDifference[] {
  const deprecated = [old.view, now.view].map((view) => allUnder(view, 'deprecated').includes(true))
  return [
    ...when(old.required && !now.required, 'property-became-optional', 'wider'),
    ...when(!old.required && now.required, 'property-became-required', 'narrower'),
    ...when(!deprecated[0] && deprecated[1]!, 'property-deprecated', 'none'),
  ]
}

/** Properties that neither names. */
function others(before: View, after: View, compare: CompareViews): readonly Difference[] {
  const [old, now] = [propertyOf(before, null), propertyOf(after, null)]
  const [wasClosed, isNowClosed] = [isClosed(old), isClosed(now)]
  if (wasClosed && isNowClosed) return []
  const here = placedAt(`${before.key}|${after.key}`)
  if (wasClosed) return [here({ code: 'additional-properties-opened', effect: 'wider' })]
  if (isNowClosed) return [here({ code: 'additional-properties-closed', effect: 'narrower' })]
  return below(compare(old, now), '*')
}

// The pairs of equal branches of `anyOf` or `oneOf` in two schemas.

/** Pairs branches, compares the pairs, and reports those that have none. */
function differencesOfAlternatives(
  before: Alternatives,
  after: Alternatives,
  compare: CompareViews,
  origin: string,
): readonly Difference[] {
  const here = placedAt(origin)
  if (before.text !== null || after.text !== null)
    return before.text === after.text ? [] : [here(changedText(before, after))]
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

function changedText(...both: readonly Alternatives[]): FoundDifference {
  if (both.every(({ isCut }) => !isCut)) return { code: 'alternatives-overlap', effect: 'both' }
  const parts = both.flatMap(({ views }) => views.flatMap((view) => view.parts))
  const is = ['anyOf', 'oneOf'].filter((keyword) => parts.some((part) => keyword in part))
  return { code: 'rule-changed', effect: 'both', is }
}

/** Is every value that was valid still valid? */
const takes = (found: readonly Difference[]): boolean =>
  found.every(({ effect }) => effect !== 'narrower' && effect !== 'both')
/** Was every value that is valid now valid before? */
const gives = (found: readonly Difference[]): boolean =>
  found.every(({ effect }) => effect !== 'wider' && effect !== 'both')

function reported(
  views: readonly View[],
  code: string,
  ofNull: string,
  effect: 'narrower' | 'wider',
): readonly FoundDifference[] {
  const nulls = views.filter((view) => [...atomsOf(view)].join() === 'null')
  return [
    ...when(nulls.length > 0, ofNull, effect),
    ...when(views.length > nulls.length, code, effect),
  ]
}

/** A value that two branches of `oneOf` take is not valid: more room in one of them may take it from the other. */
function overlap(
  found: readonly Difference[],
  before: Alternatives,
  after: Alternatives,
  added: readonly View[],
  removed: readonly View[],
): readonly FoundDifference[] {
  const refuses = after.exclusive && (added.length > 0 || !gives(found))
  const admits = before.exclusive && (removed.length > 0 || !takes(found))
  if (!refuses && !admits) return []
  const effect = refuses && admits ? 'both' : refuses ? 'narrower' : 'wider'
  return [{ code: 'alternatives-overlap', effect }]
}

/** Pairs branches: those that are the same, then those of the same kind, then the last two. */
function paired(before: readonly View[], after: readonly View[], compare: CompareViews) {
  const [old, now] = [[...before], [...after]]
  const pairs: [View, View][] = []
  const take = (pairUp: (a: View, b: View) => boolean): void => {
    for (const one of old.slice()) {
      const found = now.find((each) => pairUp(one, each))
      if (found === undefined) continue
      pairs.push([one, found])
      old.splice(old.indexOf(one), 1)
      now.splice(now.indexOf(found), 1)
    }
  }
  take((a, b) => compare(a, b).every(({ effect }) => effect === 'documentation'))
  for (const kind of [branchKindOf, discriminatedAs])
    take((a, b) => kind(a) !== null && kind(a) === kind(b))
  if (old.length === 1 && now.length === 1) take((a, b) => !apart(a, b))
  return { pairs, removed: old, added: now }
}

/** A schema as views without a choice, one of which has to hold. */
interface Alternatives {
  readonly views: readonly View[]
  /** Exactly one has to hold (`oneOf`), and they may overlap: no discriminator tells them apart. */
  readonly exclusive: boolean
  /** The text of choices that may overlap within choices, or of too many: these are compared literally. */
  readonly text: string | null
  /** There are too many: `views` is the schema itself. */
  readonly isCut: boolean
}

/** More branches than these are not multiplied out. */
const MOST = 64
/** Values in the text of a schema that is compared as it stands. */
const LONGEST = 100_000

/** The branches of a schema; a schema without any is one branch. */
function alternativesOf(view: View): Alternatives {
  const found = flattened(view)
  if (found === null)
    return { views: [view], exclusive: false, text: textOfParts(view), isCut: true }
  const { views, exclusive, nested } = found
  if (!exclusive || disjoint(views))
    return { views: folded(views), exclusive: false, text: null, isCut: false }
  return { views, exclusive, text: nested ? textOfParts(view) : null, isCut: false }
}

/** The text of parts without `allOf` and without references that lead to parts. */
function textOfParts({ parts, ground }: View): string {
  const texts = parts.map((part) => {
    const leads = isLost(ground.document, part['$ref']) ? ['allOf'] : ['allOf', '$ref']
    const own = Object.entries(part).filter(([key]) => !leads.includes(key))
    const rest = Object.fromEntries(own)
    // If the text is too long, all components that it may lead to count.
    return (
      canonicalWithin(ground.document, rest, LONGEST) ??
      textOf([rest, ground.document['components']])
    )
  })
  return [...new Set(texts)]
    .filter((text) => text !== '{}')
    .toSorted()
    .join()
}

interface Flattened extends Pick<Alternatives, 'views' | 'exclusive'> {
  readonly nested: boolean
}

/** `null`: they are more than `MOST`. */
function flattened(view: View): Flattened | null {
  const part = view.parts.find((each) => !view.spent.has(each) && choicesIn(each).length > 0)
  if (part === undefined) return { views: [view], exclusive: false, nested: false }
  const choices = choicesIn(part)
  if (choices.reduce((product, branches) => product * branches.length, 1) > MOST) return null
  const base = withResolved(view, [part])
  const combinations = choices.reduce<readonly (readonly unknown[])[]>(
    (lists, branches) => lists.flatMap((list) => branches.map((branch) => [...list, branch])),
    [[]],
  )
  const inside: Flattened[] = []
  for (const branches of combinations) {
    const found = flattened(viewOf(view.ground, branches, base))
    if (found === null) return null
    inside.push(found)
    if (inside.reduce((sum, { views }) => sum + views.length, 0) > MOST) return null
  }
  return {
    views: inside.flatMap(({ views }) => views),
    exclusive:
      (Array.isArray(part['oneOf']) && !isDiscriminated(part)) ||
      inside.some(({ exclusive }) => exclusive),
    nested: inside.some(({ views }) => views.length > 1) || choices.length > 1,
  }
}

const choicesIn = ({ anyOf, oneOf }: Json): readonly (readonly unknown[])[] =>
  [anyOf, oneOf].filter((each) => Array.isArray(each))

/** `anyOf: [{ type: 'string' }, { type: 'null' }]` is `type: ['string', 'null']`. */
function folded(views: readonly View[]): readonly View[] {
  if (views.length < 2) return views
  const bare = views.filter(isBare)
  const [first, ...rest] = views.filter((each) => !bare.includes(each))
  const atoms = bare.flatMap((each) => [...atomsOf(each)])
  if (first === undefined) return [allowing(bare[0]!, atoms)]
  // Types that exclude each other let no value through, not even null.
  if (atoms.length === 0) return [first, ...rest]
  const onlyNull = atoms.every((atom) => atom === 'null')
  if (rest.length === 0 && onlyNull && !hasRules(first)) return [allowing(first, ['null'])]
  return bare.length < 2
    ? views
    : [...views.filter((each) => !bare.includes(each)), allowing(bare[0]!, atoms)]
}

/** Does the view name types, and nothing else that is checked? */
function isBare(view: View): boolean {
  const isWord = (part: Json, key: string): boolean =>
    (WORDS.has(key) && !(key === '$ref' && isLost(view.ground.document, part[key]))) ||
    (view.spent.has(part) && (key === 'anyOf' || key === 'oneOf'))
  return view.parts.every((part) => Object.keys(part).every((key) => isWord(part, key)))
}

const WORDS: ReadonlySet<string> = new Set([
  'type',
  'title',
  'description',
  'examples',
  // The targets of these are parts themselves.
  'allOf',
  '$ref',
])

/** Can no value be valid under two of them? As far as is easy to see. */
function disjoint(views: readonly View[]): boolean {
  return views.every((one, at) => views.slice(at + 1).every((other) => apart(one, other)))
}

/** Can no value be valid under both? As far as is easy to see. */
function apart(one: View, other: View, depth = 0): boolean {
  const atoms = atomsOf(one).intersection(atomsOf(other))
  if (atoms.size === 0) return true
  const [a, b] = [valuesOf(one), valuesOf(other)]
  if (a !== null && b !== null) return [...a.keys()].every((text) => !b.has(text))
  if (depth > 2 || [...atoms].some((atom) => atom !== 'object')) return false
  const shared = requiredIn(one).intersection(requiredIn(other))
  return [...shared].some((name) =>
    apart(propertyIn(one, name), propertyIn(other, name), depth + 1),
  )
}

function propertyIn(view: View, name: string): View {
  return childOf(view, ({ properties }) =>
    isJsonObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [],
  )
}

/** The constant properties by which programs tell branches apart. */
function branchKindOf(view: View): string | null {
  const constants = [...requiredIn(view)].toSorted().flatMap((name) => {
    const values = valuesOf(propertyIn(view, name))
    return values?.size === 1 ? [[name, [...values.keys()][0]]] : []
  })
  return constants.length === 0 ? null : canonicalText({}, constants)
}

/** The property, and the reference that each of its values stands for. */
interface Discriminator {
  readonly property: string
  readonly references: ReadonlyMap<string, string>
}

/** Does a part say itself which of its branches a value has? */
export const isDiscriminated = ({ discriminator }: Json): boolean => isJsonObject(discriminator)

function readDiscriminator(part: Json): Discriminator {
  const { propertyName, mapping } = part['discriminator'] as Json
  const mapped = Object.entries(isJsonObject(mapping) ? mapping : {}).map(
    ([value, target]) => [value, referenceTo(String(target))] as const,
  )
  const known = new Set(mapped.map(([, reference]) => reference))
  // A branch that no value is mapped to goes by the name of its schema.
  const unmapped = branchesOf(part).filter((reference) => !known.has(reference))
  const named = unmapped.map((each) => [each.slice(each.lastIndexOf('/') + 1), each] as const)
  return { property: String(propertyName), references: new Map([...named, ...mapped]) }
}

/** A mapping may say the name of a schema alone. */
const referenceTo = (target: string): string =>
  /^[\w.-]+$/.test(target) ? `#/components/schemas/${target}` : target

function branchesOf({ oneOf, anyOf }: Json): readonly string[] {
  const branches = [oneOf, anyOf].flatMap((list) => (Array.isArray(list) ? (list as Json[]) : []))
  return branches.flatMap((each) =>
    isJsonObject(each) && '$ref' in each ? [String(each['$ref'])] : [],
  )
}

/** The values that a discriminator above gives to this branch; `null`: none does. */
export function discriminatedAs({ parts, ground: { document } }: View): string | null {
  const values = parts.filter(isDiscriminated).flatMap((part) => {
    const { property: member, references } = readDiscriminator(part)
    const own = [...references].filter(([, $ref]) => parts.includes(objectAt(document, { $ref })))
    return own.map(([value]) => `${member}=${value}`)
  })
  return values.length === 0 ? null : values.toSorted().join()
}

export function differencesOfDiscriminators(before: View, after: View): readonly FoundDifference[] {
  const [old, now] = [before, after].map((view) => {
    const part = view.parts.find((each) => !view.spent.has(each) && isDiscriminated(each))
    return part === undefined ? null : readDiscriminator(part)
  }) as [Discriminator | null, Discriminator | null]
  if (old === null)
    return now === null
      ? []
      : [{ code: 'discriminator-added', effect: 'narrower', is: now.property }]
  if (now === null) return [{ code: 'discriminator-removed', effect: 'wider', was: old.property }]
  if (old.property !== now.property)
    return [{ code: DISCRIMINATOR_CHANGED, effect: 'both', was: old.property, is: now.property }]
  return [...differencesOfTargets(old, now, [before, after]), ...differencesOfMappings(old, now)]
}

const DISCRIMINATOR_CHANGED = 'discriminator-changed'

/** Values of a discriminator that mean another schema than before. The name of a schema is a word of the document only. */
function differencesOfTargets(
  { references: old }: Discriminator,
  { references: now }: Discriminator,
  [before, after]: readonly [View, View],
): readonly FoundDifference[] {
  const textAt = ({ ground: { document } }: View, $ref: string) => canonicalText(document, { $ref })
  const moved = [...old].filter(([value, reference]) => {
    const other = now.get(value)
    if (other === undefined || other === reference) return false
    return textAt(before, reference) !== textAt(after, other)
  })
  return moved.map(([value, reference]) => ({
    code: DISCRIMINATOR_CHANGED,
    effect: 'both',
    was: `${value}: ${reference}`,
    is: `${value}: ${now.get(value)}`,
  }))
}

function differencesOfMappings(
  { references: old }: Discriminator,
  { references: now }: Discriminator,
): readonly FoundDifference[] {
  const [was, is] = [
    [...old.keys()].filter((value) => !now.has(value)),
    [...now.keys()].filter((value) => !old.has(value)),
  ]
  return [
    ...when(was.length > 0, 'discriminator-value-removed', 'narrower', { was }),
    ...when(is.length > 0, 'discriminator-value-added', 'wider', { is }),
  ]
}
