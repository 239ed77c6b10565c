// `anyOf` and `oneOf` as a list of views, one of which has to hold.
import { isDiscriminated } from './discriminators.ts'
import { hasRules } from './keywords.ts'
import {
  type Json,
  type View,
  allowing,
  atomsOf,
  canonical,
  isJsonObject,
  under,
  sharedBy,
  spending,
  valuesOf,
  viewOf,
} from './view.ts'

/** A schema as views without a choice, one of which has to hold. */
export interface Alternatives {
  readonly views: readonly View[]
  /** Exactly one has to hold (`oneOf`), and they may overlap: no discriminator tells them apart. */
  readonly exclusive: boolean
  /** Of choices within choices that may overlap: they are compared as they stand. */
  readonly text: string | null
}

/** More branches than these are not multiplied out. */
const MOST = 64

/** The branches of a schema; a schema without any is one branch. */
export function alternativesOf(view: View): Alternatives {
  const { views, exclusive, nested } = flattened(view)
  if (!exclusive || disjoint(views)) return { views: folded(views), exclusive: false, text: null }
  return { views, exclusive, text: nested ? textOfParts(view) : null }
}

/** Without `allOf` and references, which lead to parts. */
function textOfParts({ parts, ground }: View): string {
  const texts = parts.map((part) => {
    const own = Object.entries(part).filter(([key]) => key !== 'allOf' && key !== '$ref')
    return canonical(ground.document, Object.fromEntries(own))
  })
  return [...new Set(texts)]
    .filter((text) => text !== '{}')
    .toSorted()
    .join()
}

interface Flattened extends Pick<Alternatives, 'views' | 'exclusive'> {
  readonly nested: boolean
}

function flattened(view: View): Flattened {
  const part = view.parts.find((each) => !view.spent.has(each) && choicesIn(each).length > 0)
  if (part === undefined) return { views: [view], exclusive: false, nested: false }
  const base = spending(view, [part])
  const combinations = choicesIn(part).reduce<readonly (readonly unknown[])[]>(
    (lists, branches) =>
      lists.flatMap((list) => branches.map((branch) => [...list, branch])).slice(0, MOST),
    [[]],
  )
  const inside = combinations.map((branches) => flattened(viewOf(view.ground, branches, base)))
  return {
    views: inside.flatMap(({ views }) => views).slice(0, MOST),
    exclusive:
      (Array.isArray(part['oneOf']) && !isDiscriminated(part)) ||
      inside.some(({ exclusive }) => exclusive),
    nested: inside.some(({ views }) => views.length > 1) || choicesIn(part).length > 1,
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
  if (bare.length > 0 && first === undefined) return [allowing(bare[0]!, atoms)]
  const onlyNull = atoms.every((atom) => atom === 'null')
  if (first !== undefined && rest.length === 0 && onlyNull && !hasRules(first))
    return [atoms.length === 0 ? first : allowing(first, ['null'])]
  return bare.length < 2
    ? views
    : [...views.filter((each) => !bare.includes(each)), allowing(bare[0]!, atoms)]
}

/** It names types, and nothing else that is checked. */
function isBare(view: View): boolean {
  const isWord = (part: Json, key: string): boolean =>
    WORDS.has(key) || (view.spent.has(part) && (key === 'anyOf' || key === 'oneOf'))
  return view.parts.every((part) => Object.keys(part).every((key) => isWord(part, key)))
}

const WORDS: ReadonlySet<string> = new Set([
  'type',
  'title',
  'description',
  'examples',
  // What they lead to are parts themselves.
  'allOf',
  '$ref',
])

/** Can no value be valid under two of them? As far as is easy to see. */
function disjoint(views: readonly View[]): boolean {
  return views.every((one, at) => views.slice(at + 1).every((other) => apart(one, other)))
}

/** Can no value be valid under both? As far as is easy to see. */
export function apart(one: View, other: View, depth = 0): boolean {
  const atoms = sharedBy(atomsOf(one), atomsOf(other))
  if (atoms.size === 0) return true
  const [a, b] = [valuesOf(one), valuesOf(other)]
  if (a !== null && b !== null) return [...a.keys()].every((text) => !b.has(text))
  if (depth > 2 || [...atoms].some((atom) => atom !== 'object')) return false
  const shared = sharedBy(requiredOf(one), requiredOf(other))
  return [...shared].some((name) =>
    apart(propertyIn(one, name), propertyIn(other, name), depth + 1),
  )
}

const requiredOf = (view: View): ReadonlySet<unknown> => new Set(under(view, 'required').flat())

function propertyIn(view: View, name: unknown): View {
  const schemas = under(view, 'properties').flatMap((each) =>
    isJsonObject(each) && Object.hasOwn(each, String(name)) ? [each[String(name)]] : [],
  )
  return viewOf(view.ground, schemas)
}

/** The constant properties by which programs tell branches apart. */
export function branchKindOf(view: View): string | null {
  const constants = [...requiredOf(view)]
    .map(String)
    .toSorted()
    .flatMap((name) => {
      const values = valuesOf(propertyIn(view, name))
      return values?.size === 1 ? [[name, [...values.keys()][0]]] : []
    })
  return constants.length === 0 ? null : canonical({}, constants)
}
