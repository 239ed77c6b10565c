// The keywords that narrow a single value: types, choices, limits, formats.
import {
  type Atom,
  type View,
  atomOf,
  atomsOf,
  canonicalText,
  firstUnder,
  isLost,
  typesOf,
  allUnder,
  valuesOf,
} from './view.ts'

/** The effect of a change on the set of valid values. */
export type Effect = 'narrower' | 'wider' | 'both' | 'none' | 'documentation'

export interface Difference {
  readonly code: string
  readonly effect: Effect
  /** The way from the schema that was compared: `results[].name`. */
  readonly path: string
  readonly was?: unknown
  readonly is?: unknown
  /** The two schemas that differ: the same for a difference that is found again, on another way to them. */
  readonly origin: string
}

export type FoundDifference = Omit<Difference, 'path' | 'origin'>

export function when(
  hasChanged: boolean,
  code: string,
  effect: Effect,
  sides: Pick<Difference, 'was' | 'is'> = {},
): readonly FoundDifference[] {
  return hasChanged ? [{ code, effect, ...sides }] : []
}

export function differencesOfValues(before: View, after: View): readonly FoundDifference[] {
  const [old, now] = [valuesOf(before), valuesOf(after)]
  const nulls = nullable(before, after)
  const bounds = [...limits(before, after), ...forms(before, after)]
  if (old !== null && now !== null) {
    const moved = fitsAll(old, after) && fitsAll(now, before) ? [] : bounds
    return [...nulls, ...choices(old, now), ...moved]
  }
  const rest = [...types(before, after), ...bounds]
  if (now !== null) {
    const added = when(true, 'enum-added', 'narrower', { is: shown(now) })
    return [...nulls, ...added, ...(fitsAll(now, before) ? [] : rest)]
  }
  if (old !== null) {
    const removed = when(true, 'enum-removed', 'wider', { was: shown(old) })
    return [...nulls, ...removed, ...(fitsAll(old, after) ? [] : rest)]
  }
  return [...nulls, ...rest, ...known(before, after)]
}

function nullable(before: View, after: View): readonly FoundDifference[] {
  const [old, now] = [atomsOf(before).has('null'), atomsOf(after).has('null')]
  return [
    ...when(!old && now, 'became-nullable', 'wider'),
    ...when(old && !now, 'no-longer-nullable', 'narrower'),
  ]
}

type Values = ReadonlyMap<string, unknown>

/** Compares the known values of an open set, in which others are allowed, and may come at any time. */
function known(before: View, after: View): readonly FoundDifference[] {
  const values = (view: View): readonly unknown[] => allUnder(view, 'x-extensible-enum').flat()
  const [old, now] = [values(before), values(after)]
  const [removed, added] = [outside(old, now), outside(now, old)]
  const hasGone = removed.length > 0 && now.length > 0
  const hasCome = added.length > 0 && old.length > 0
  return [
    ...when(hasGone, 'enum-value-removed', 'narrower', { was: removed }),
    ...when(hasCome, 'enum-value-added', 'none', { is: added }),
  ]
}

const outside = (some: readonly unknown[], others: readonly unknown[]): readonly unknown[] =>
  some.filter((each) => !others.includes(each))

function choices(old: Values, now: Values): readonly FoundDifference[] {
  const without = (values: Values, others: Values): readonly unknown[] =>
    [...values].flatMap(([text, value]) => (value === null || others.has(text) ? [] : [value]))
  const [removed, added] = [without(old, now), without(now, old)]
  return [
    ...when(removed.length > 0, 'enum-value-removed', 'narrower', { was: removed }),
    ...when(added.length > 0, 'enum-value-added', 'wider', { is: added }),
  ]
}

const shown = (values: Values): readonly unknown[] => [...values.values()]

/** Every value is valid, as far as the keywords of single values say. */
function fitsAll(values: Values, view: View): boolean {
  return shown(values).every((value) => value === null || fits(value, view))
}

function fits(value: unknown, view: View): boolean {
  if (!typesOf(view).has(atomOf(value))) return false
  if (typeof value === 'boolean') return true
  if (typeof value === 'number')
    return within(value, view, 'maximum', 'minimum') && free(view, STEP)
  if (typeof value !== 'string') return false
  return within([...value].length, view, 'maxLength', 'minLength') && free(view, TEXT)
}

const STEP = ['multipleOf', 'format']
const TEXT = ['pattern', 'format', 'contentEncoding', 'contentMediaType']
const free = (view: View, keywords: readonly string[]): boolean =>
  keywords.every((keyword) => allUnder(view, keyword).length === 0)

function within(size: number, view: View, upper: string, lower: string): boolean {
  const [high, low] = [boundOf(view, upper), boundOf(view, lower)]
  return (
    (size < high.value || (size === high.value && !high.exclusive)) &&
    (size > low.value || (size === low.value && !low.exclusive))
  )
}

function types(before: View, after: View): readonly FoundDifference[] {
  const [old, now] = [atomsOf(before), atomsOf(after)]
  const added = [...now].some((atom) => atom !== 'null' && !old.has(atom))
  const removed = [...old].some((atom) => atom !== 'null' && !now.has(atom))
  if (!added && !removed) return []
  const sides = { was: typeNames(old), is: typeNames(now) }
  if (added && removed) return [{ code: 'type-changed', effect: 'both', ...sides }]
  if (added) return [{ code: 'type-widened', effect: 'wider', ...sides }]
  return [{ code: 'type-narrowed', effect: 'narrower', ...sides }]
}

function typeNames(atoms: ReadonlySet<Atom>): readonly string[] {
  return [...atoms].flatMap((atom): readonly string[] => {
    if (atom === 'null') return []
    if (atom === 'fraction') return ['number']
    return atom === 'integer' && atoms.has('fraction') ? [] : [atom]
  })
}

interface Limit {
  readonly keyword: string
  readonly code: string
  readonly of: readonly Atom[]
}

const NUMBERS: readonly Atom[] = ['integer', 'fraction']
const UPPER: readonly Limit[] = [
  { keyword: 'maxLength', code: 'max-length', of: ['string'] },
  { keyword: 'maximum', code: 'maximum', of: NUMBERS },
  { keyword: 'maxItems', code: 'max-items', of: ['array'] },
  { keyword: 'maxProperties', code: 'max-properties', of: ['object'] },
]
const LOWER: readonly Limit[] = [
  { keyword: 'minLength', code: 'min-length', of: ['string'] },
  { keyword: 'minimum', code: 'minimum', of: NUMBERS },
  { keyword: 'minItems', code: 'min-items', of: ['array'] },
  { keyword: 'minProperties', code: 'min-properties', of: ['object'] },
]

function limits(before: View, after: View): readonly FoundDifference[] {
  const shared = atomsOf(before).intersection(atomsOf(after))
  const applies = ({ of }: Limit): boolean => of.some((atom) => shared.has(atom))
  const moved = ({ keyword, code }: Limit, isUpper: boolean): readonly FoundDifference[] => {
    const [old, now] = [boundOf(before, keyword), boundOf(after, keyword)]
    const way = Number(now.exclusive) - Number(old.exclusive)
    const edge = isUpper ? -way : way
    const step = old.value === now.value ? edge : now.value - old.value
    if (step === 0) return []
    const isLower = step < 0
    const effect = isLower === isUpper ? 'narrower' : 'wider'
    const sides = { was: wordsOf(old), is: wordsOf(now) }
    return [{ code: `${code}-${isLower ? 'lowered' : 'raised'}`, effect, ...sides }]
  }
  return [
    ...UPPER.filter(applies).flatMap((limit) => moved(limit, true)),
    ...LOWER.filter(applies).flatMap((limit) => moved(limit, false)),
    ...(NUMBERS.some((atom) => shared.has(atom)) ? steps(before, after) : []),
    ...(shared.has('array') ? unique(before, after) : []),
  ]
}

interface Bound {
  readonly value: number
  readonly exclusive: boolean
}

/** The strictest bound of all parts. */
function boundOf(view: View, keyword: string): Bound {
  const isUpper = keyword.startsWith('max')
  const none: Bound = {
    value: isUpper ? Infinity : keyword === 'minimum' ? -Infinity : 0,
    exclusive: false,
  }
  const exclusive = `exclusive${keyword[0]!.toUpperCase()}${keyword.slice(1)}`
  const all: readonly Bound[] = [
    ...numbersIn(view, keyword).map((value) => ({ value, exclusive: false })),
    // Exclusive bounds come last: of two bounds at one value, the exclusive one is stricter.
    ...numbersIn(view, exclusive).map((value) => ({ value, exclusive: true })),
  ]
  return all.reduce((strictest, each) => {
    const step = isUpper ? strictest.value - each.value : each.value - strictest.value
    return step >= 0 ? each : strictest
  }, none)
}

const numbersIn = (view: View, keyword: string): readonly number[] =>
  allUnder(view, keyword).filter((each) => typeof each === 'number')

const wordsOf = ({ value, exclusive }: Bound): string =>
  Number.isFinite(value) ? `${value}${exclusive ? ' (exclusive)' : ''}` : 'none'

function steps(before: View, after: View): readonly FoundDifference[] {
  const [old, now] = [numbersIn(before, 'multipleOf'), numbersIn(after, 'multipleOf')]
  if (sameSet(old, now)) return []
  const sides = { was: old[0], is: now[0] }
  const goesInto = (small: readonly number[], large: readonly number[]): boolean =>
    small.every((a) => large.some((b) => isMultiple(b, a)))
  if (goesInto(old, now)) return [{ code: 'multiple-of-narrowed', effect: 'narrower', ...sides }]
  if (goesInto(now, old)) return [{ code: 'multiple-of-widened', effect: 'wider', ...sides }]
  return [{ code: 'multiple-of-changed', effect: 'both', ...sides }]
}

/** Steps such as 0.1 have no exact form in binary. */
function isMultiple(large: number, small: number): boolean {
  const quotient = large / small
  return Math.abs(quotient - Math.round(quotient)) < 1e-9 && Math.round(quotient) > 0
}

function unique(before: View, after: View): readonly FoundDifference[] {
  const [old, now] = [before, after].map((view) => allUnder(view, 'uniqueItems').includes(true))
  return [
    ...when(!old && now!, 'unique-items-added', 'narrower'),
    ...when(old! && !now, 'unique-items-removed', 'wider'),
  ]
}

const isWithin = (some: readonly unknown[], others: readonly unknown[]): boolean =>
  some.every((each) => others.includes(each))
const sameSet = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  isWithin(a, b) && isWithin(b, a)

/** Formats and patterns, which cannot be compared but for being the same. */
function forms(before: View, after: View): readonly FoundDifference[] {
  const shared = atomsOf(before).intersection(atomsOf(after))
  const hasTexts = shared.has('string')
  const hasNumbers = NUMBERS.some((atom) => shared.has(atom))
  const isEncoded = hasTexts && ENCODINGS.some((keyword) => differs(before, after, keyword))
  return [
    ...(hasTexts ? named(before, after, 'pattern') : []),
    ...(hasTexts || hasNumbers ? named(before, after, 'format') : []),
    ...when(isEncoded, 'content-encoding-changed', 'both'),
  ]
}

const ENCODINGS = ['contentEncoding', 'contentMediaType']
const differs = (before: View, after: View, keyword: string): boolean =>
  !sameSet(allUnder(before, keyword), allUnder(after, keyword))

/** They say how a value is typed, and nothing about the value. */
const HINTS: ReadonlySet<unknown> = new Set(['password'])
/** Formats, each with a wider one that has all of its values. */
const WIDENING: Readonly<Record<string, string>> = { int32: 'int64', float: 'double' }

function named(before: View, after: View, keyword: string): readonly FoundDifference[] {
  const names = (view: View): readonly string[] =>
    allUnder(view, keyword).filter(
      (each) => typeof each === 'string' && !HINTS.has(each),
    ) as string[]
  const [old, now] = [names(before), names(after)]
  if (sameSet(old, now)) return []
  const sides = { was: old.join(', '), is: now.join(', ') }
  if (isWithin(old, now)) return [{ code: `${keyword}-added`, effect: 'narrower', ...sides }]
  if (isWithin(now, old)) return [{ code: `${keyword}-removed`, effect: 'wider', ...sides }]
  if (WIDENING[sides.was] === sides.is)
    return [{ code: `${keyword}-widened`, effect: 'wider', ...sides }]
  if (WIDENING[sides.is] === sides.was)
    return [{ code: `${keyword}-narrowed`, effect: 'narrower', ...sides }]
  return [{ code: `${keyword}-changed`, effect: 'both', ...sides }]
}

/** Keywords that are compared as they stand: which values they let through is not computed. */
const RULES = [
  '$dynamicRef',
  '$ref',
  'contains',
  'contentSchema',
  'dependentRequired',
  'dependentSchemas',
  'else',
  'if',
  'maxContains',
  'minContains',
  'not',
  'patternProperties',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]

export function hasRules(view: View): boolean {
  return RULES.some((keyword) => ruleOf(view, keyword).length > 0)
}

export function differencesOfRules(before: View, after: View): readonly FoundDifference[] {
  return RULES.filter((keyword) => textOfRule(before, keyword) !== textOfRule(after, keyword)).map(
    (is) => ({
      code: 'rule-changed',
      effect: 'both',
      is,
    }),
  )
}

/** A reference that can be followed is not compared itself, but its target is. */
function ruleOf(view: View, keyword: string): readonly unknown[] {
  const values = allUnder(view, keyword)
  return keyword === '$ref' ? values.filter((each) => isLost(view.ground.document, each)) : values
}

function textOfRule(view: View, keyword: string): string {
  const texts = ruleOf(view, keyword).map((value) => canonicalText(view.ground.document, value))
  return [...new Set(texts)].toSorted().join()
}

/** Differences of texts for readers. */
export function differencesOfWords(before: View, after: View): readonly FoundDifference[] {
  const changed = (keyword: string): boolean =>
    canonicalText({}, firstUnder(before, keyword)) !== canonicalText({}, firstUnder(after, keyword))
  const effect = 'documentation'
  return [
    ...when(['description', 'title', 'externalDocs'].some(changed), 'description-changed', effect),
    ...when(['examples', 'example'].some(changed), 'examples-changed', effect),
  ]
}
