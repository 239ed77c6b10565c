import { ConfigurationError } from '../errors/configuration-error.ts'
import type { AnyField, Fields } from './declaration.ts'

/** A field with what it is called, on both sides. */
export interface Member {
  readonly name: string
  /** Its name in the row, as a path; `[]` is the row itself. */
  readonly path: readonly string[]
  readonly field: AnyField
}

export function membersOf(fields: Fields): readonly Member[] {
  return Object.entries(fields).map(([name, field]) => {
    const { source = name } = field.options
    const member = { name, field, path: source === '*' ? [] : source.split('.') }
    const problem = problemWith(member)
    if (problem === null) return member
    throw new ConfigurationError(`The field "${name}" of a serializer ${problem}`)
  })
}

/** Those that clients write, each to a place of its own. */
export function writtenAmong(members: readonly Member[]): readonly Member[] {
  const written = members.filter(({ field }) => !field.options.readOnly)
  for (const [place, [first, second]] of Map.groupBy(written, ({ path }) => path[0])) {
    if (second === undefined) continue
    throw new ConfigurationError(
      `The fields "${first!.name}" and "${second.name}" of a serializer both write "${place}".`,
    )
  }
  return written
}

function problemWith({ name, path, field: { options } }: Member): string | null {
  // Assigning to `__proto__` changes what an object is, and adds no member.
  if ([name, ...path].includes('__proto__')) return 'has a name that no member can have.'
  if (path.includes('')) return `has the source "${options.source}", which names nothing.`
  if (options.readOnly && options.writeOnly)
    return 'is readOnly and writeOnly: it would be neither shown nor read.'
  if (options.readOnly && options.required)
    return 'is readOnly, so clients cannot be required to send it.'
  if (options.required && options.default !== undefined)
    return 'is required and has a default, which would never be used.'
  if (path.length !== 1 && !options.readOnly)
    return `has the source "${options.source}", which can only be read: make it readOnly.`
  return null
}
