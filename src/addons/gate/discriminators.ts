// `discriminator`: the property whose value tells programs which schema an object has. It checks nothing itself, and
// generated clients obey it.
import { type FoundDifference, when } from './keywords.ts'
import { type Json, type View, canonical, isJsonObject, objectAt } from './view.ts'

/** The property, and the reference that each of its values stands for. */
interface Discriminator {
  readonly property: string
  readonly references: ReadonlyMap<string, string>
}

/** Does a part say itself which of its branches a value has? */
export const isDiscriminated = ({ discriminator }: Json): boolean => isJsonObject(discriminator)

function read(part: Json): Discriminator {
  const { propertyName, mapping } = part['discriminator'] as Json
  const mapped = Object.entries(isJsonObject(mapping) ? mapping : {}).map(
    ([value, target]) => [value, referenceTo(String(target))] as const,
  )
  const known = new Set(mapped.map(([, reference]) => reference))
  // A branch that no value is mapped to goes by the name of its schema.
  const others = branchesOf(part).filter((reference) => !known.has(reference))
  const named = others.map((each) => [each.slice(each.lastIndexOf('/') + 1), each] as const)
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
    const { property, references } = read(part)
    const own = [...references].filter(([, $ref]) => parts.includes(objectAt(document, { $ref })))
    return own.map(([value]) => `${property}=${value}`)
  })
  return values.length === 0 ? null : values.toSorted().join()
}

export function differencesOfDiscriminators(before: View, after: View): readonly FoundDifference[] {
  const [old, now] = [before, after].map((view) => {
    const part = view.parts.find((each) => !view.spent.has(each) && isDiscriminated(each))
    return part === undefined ? null : read(part)
  }) as [Discriminator | null, Discriminator | null]
  if (old === null)
    return now === null
      ? []
      : [{ code: 'discriminator-added', effect: 'narrower', is: now.property }]
  if (now === null) return [{ code: 'discriminator-removed', effect: 'wider', was: old.property }]
  if (old.property !== now.property)
    return [{ code: CHANGED, effect: 'both', was: old.property, is: now.property }]
  return [...changed(old, now, [before, after]), ...valuesOf(old, now)]
}

const CHANGED = 'discriminator-changed'

/** Values that mean another schema. The name of a schema is a word of the document only. */
function changed(
  { references: old }: Discriminator,
  { references: now }: Discriminator,
  [before, after]: readonly [View, View],
): readonly FoundDifference[] {
  const textAt = ({ ground: { document } }: View, $ref: string) => canonical(document, { $ref })
  const moved = [...old].filter(([value, reference]) => {
    const other = now.get(value)
    if (other === undefined || other === reference) return false
    return textAt(before, reference) !== textAt(after, other)
  })
  return moved.map(([value, reference]) => ({
    code: CHANGED,
    effect: 'both',
    was: `${value}: ${reference}`,
    is: `${value}: ${now.get(value)}`,
  }))
}

function valuesOf(
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
