// A schema as the list of what has to hold together: references and `allOf` are followed, so that neither names nor
// the way in which a schema is cut make a difference.

/** An object of a document. */
export type Json = Readonly<Record<string, unknown>>

/** The types that JSON Schema distinguishes; an integer is a number without a fraction. */
const ATOMS = ['null', 'boolean', 'integer', 'fraction', 'string', 'array', 'object'] as const
export type Atom = (typeof ATOMS)[number]

/** A document, with a number for each schema that was met in it. */
export interface Ground {
  readonly document: Json
  readonly numbers: Map<Json, number>
}

export const groundOf = (document: Json): Ground => ({ document, numbers: new Map() })

/** Schemas that all have to hold. */
export interface View {
  readonly ground: Ground
  readonly parts: readonly Json[]
  /** The parts whose `anyOf` and `oneOf` have been resolved into this view. */
  readonly spent: ReadonlySet<Json>
  /** Types that are allowed beside those that the parts allow. */
  readonly beside: ReadonlySet<Atom>
  /** A text that views of the same schemas have in common. */
  readonly key: string
}

/** A schema that no value fits. */
const NEVER: Json = { enum: [] }

export function viewOf(ground: Ground, schemas: readonly unknown[], base?: View): View {
  const { document } = ground
  const parts = new Set<Json>(base?.parts)
  const waiting = [...schemas]
  for (const schema of waiting) {
    const part = schema === false ? NEVER : followed(document, schema)
    if (part === null || parts.has(part)) continue
    parts.add(part)
    const { $ref, allOf } = part
    waiting.push(targetOf(document, $ref))
    if (Array.isArray(allOf)) waiting.push(...(allOf as unknown[]))
  }
  return made(ground, [...parts], base?.spent ?? new Set(), base?.beside ?? new Set())
}

/** The view with the choices of these parts resolved. */
export function withResolved(view: View, parts: readonly Json[]): View {
  return made(view.ground, view.parts, new Set([...view.spent, ...parts]), view.beside)
}

/** The view with some further types allowed. */
export function allowing(view: View, atoms: Iterable<Atom>): View {
  return made(view.ground, view.parts, view.spent, new Set([...view.beside, ...atoms]))
}

function made(
  ground: Ground,
  parts: readonly Json[],
  spent: ReadonlySet<Json>,
  beside: ReadonlySet<Atom>,
): View {
  const names = parts.map((part) => `${numberOf(part, ground)}${spent.has(part) ? '!' : ''}`)
  const key = `${names.toSorted().join(',')}+${[...beside].toSorted().join('')}`
  return { ground, parts, spent, beside, key }
}

function numberOf(part: Json, { numbers }: Ground): number {
  const number = numbers.get(part) ?? numbers.size
  numbers.set(part, number)
  return number
}

/** A reference without anything beside it is its target. */
function followed(document: Json, schema: unknown): Json | null {
  if (!isJsonObject(schema)) return null
  const seen = new Set<Json>()
  let at = schema
  while (typeof at['$ref'] === 'string' && Object.keys(at).length === 1 && !seen.has(at)) {
    seen.add(at)
    const target = targetOf(document, at['$ref'])
    if (target === null) return at
    if (!isJsonObject(target)) return target === false ? NEVER : null
    at = target
  }
  return at
}

/** The target of `#/components/…`; `null`: it is elsewhere, or missing. */
export function targetOf(document: Json, reference: unknown): unknown {
  if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference)) return null
  let at: unknown = document
  for (const step of reference.split('/').slice(1)) {
    const name = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~')
    const hasParts = isJsonObject(at) || Array.isArray(at)
    at = hasParts && Object.hasOwn(at as Json, name) ? (at as Json)[name] : undefined
  }
  return at ?? null
}

/** The text behind percent signs; a text that is no part of a URI stays as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Is it a reference that leads to another document, to an anchor, or nowhere? */
export function isLost(document: Json, reference: unknown): boolean {
  return typeof reference === 'string' && targetOf(document, reference) === null
}

/** An object of a document, behind its reference; of anything else, one without members. */
export function objectAt(document: Json, value: unknown): Json {
  return followed(document, value) ?? {}
}

export function isJsonObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Is it the text of this pattern, in which a mark stands for any text? */
export function fitsPattern(text: string, pattern: string, mark = '*'): boolean {
  const [first, ...rest] = pattern.split(mark) as [string, ...string[]]
  const last = rest.pop()
  if (last === undefined) return text === pattern
  let at = first.length
  const isInside = rest.every((part) => {
    const found = text.indexOf(part, at)
    at = found + part.length
    return found >= 0
  })
  return isInside && text.startsWith(first) && text.slice(at).endsWith(last)
}

export function allUnder(view: View, keyword: string): readonly unknown[] {
  return view.parts.flatMap((part) => (keyword in part ? [part[keyword]] : []))
}

/** The first text, number or flag that a part says. */
export const firstUnder = (view: View, keyword: string): unknown => allUnder(view, keyword)[0]

/** The types that values may have; with `enum`, those of its values. */
export function atomsOf(view: View): ReadonlySet<Atom> {
  const values = valuesOf(view)
  const own = values === null ? typesOf(view) : new Set([...values.values()].map(atomOf))
  return new Set([...own, ...view.beside])
}

function atomsNamed(type: unknown): readonly Atom[] {
  return type === 'number' ? ['integer', 'fraction'] : ATOMS.filter((atom) => atom === type)
}

export function atomOf(value: unknown): Atom {
  if (value === null) return 'null'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction'
  if (Array.isArray(value)) return 'array'
  return typeof value as 'boolean' | 'string' | 'object'
}

/** The values of `enum` and `const` by their texts; `null`: there are no such keywords. */
export function valuesOf(view: View): ReadonlyMap<string, unknown> | null {
  const lists = [
    ...allUnder(view, 'enum').filter((each) => Array.isArray(each)),
    ...allUnder(view, 'const').map((each) => [each]),
  ] as readonly (readonly unknown[])[]
  if (lists.length === 0) return null
  const atoms = typesOf(view)
  const [first = [], ...others] = lists.map((list) => new Map(list.map((v) => [textOf(v), v])))
  const shared = [...first].filter(
    ([text, value]) => atoms.has(atomOf(value)) && others.every((each) => each.has(text)),
  )
  return new Map([...shared, ...(view.beside.has('null') ? [['null', null] as const] : [])])
}

export function typesOf(view: View): ReadonlySet<Atom> {
  const lists = allUnder(view, 'type').map((type) => [type].flat().flatMap(atomsNamed))
  return new Set(ATOMS.filter((atom) => lists.every((list) => list.includes(atom))))
}

/** A value as text that does not depend on the order of its keys. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'undefined'
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${textOf(value[name])}`)
  return `{${members.join(',')}}`
}

const UNORDERED: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'enum',
  'oneOf',
  'required',
  'type',
])

/** The number of values that a text may still have. */
interface Room {
  left: number
}

/** The canonical text, unless it has too many values, as schemas with many cross-references have; `null`: it is longer. */
export function canonicalWithin(document: Json, value: unknown, most: number): string | null {
  const room: Room = { left: most }
  const text = canonicalText(document, value, [], room)
  return room.left < 0 ? null : text
}

/** A schema as text without names of its parts: a reference stands for its target, or for the number of levels up to it. */
export function canonicalText(
  document: Json,
  value: unknown,
  above: readonly unknown[] = [],
  room?: Room,
): string {
  if (room !== undefined && --room.left < 0) return ''
  if (Array.isArray(value))
    return `[${value.map((each) => canonicalText(document, each, above, room)).join(',')}]`
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'undefined'
  const object = objectAt(document, value)
  const height = above.indexOf(object)
  if (height >= 0) return `^${above.length - height}`
  const below = [...above, object]
  const text = (each: unknown): string => canonicalText(document, each, below, room)
  const names = Object.keys(object).toSorted()
  const members = names.map((name) => {
    const each = object[name]
    const isSet = UNORDERED.has(name) && Array.isArray(each)
    return `${JSON.stringify(name)}:${isSet ? `[${each.map(text).toSorted().join(',')}]` : text(each)}`
  })
  return `{${members.join(',')}}`
}
