import type { NamedField, NamedFields } from '../../core/ports/list-source.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { SchemaPlace } from '../../core/ports/settings/settings.ts'
import type { JSONSchema } from '../../core/types/documents.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { strangerOf } from './field-of.ts'
import type { AnyField, Fields } from './declaration.ts'

/** A field with its names for clients and in rows. */
export interface Member {
  readonly name: string
  /** Its name in the row, as a path; `[]` is the row itself. */
  readonly path: readonly string[]
  readonly field: AnyField
}

/** A member of the shown data, for any row. */
export interface ShownPart {
  readonly get: (row: unknown) => unknown
  shown(value: unknown, request: ApiRequest): unknown
}

export function membersOf(fields: Fields): readonly Member[] {
  return Object.entries(fields).map(([name, field]) => {
    const { source = name } = field.options
    const member = { name, field, path: source === '*' ? [] : source.split('.') }
    const problem = problemWith(member) ?? strangerOf(field)
    if (problem === null) return member
    throw new ConfigurationError(`The field "${name}" of a serializer ${problem}`)
  })
}

/** The members that clients write, each to a place of its own. */
export function writtenAmong(members: readonly Member[]): readonly Member[] {
  const written = members.filter(({ field }) => !field.options.readOnly)
  const alone = written.filter(({ field }) => (field.converted ?? field.embeds) === undefined)
  for (const [place, [first, second]] of Map.groupBy(alone, ({ path }) => path[0])) {
    if (second === undefined) continue
    throw new ConfigurationError(
      `The fields "${first!.name}" and "${second.name}" of a serializer both write "${place}".`,
    )
  }
  return written
}

/** All fields as lists see them, of which a version has some. */
export function namedFields(all: readonly Member[], some: readonly Member[]): NamedFields {
  return new Map(
    all.map((member): [string, NamedField] => {
      const { path, field } = member
      const named = { column: path.join('.'), absent: !some.includes(member) }
      const problem = problemOfLists(member)
      const schema = schemaForLists(field)
      const { normalForm } = field
      const known =
        problem === null
          ? { ...(schema && { schema }), ...(normalForm && { normalForm }) }
          : { problem }
      return [member.name, { ...named, ...known }]
    }),
  )
}

/** The schema for lists, which compare the values in rows: of a link, that is the key. */
function schemaForLists({ schema, hasAddress }: AnyField): NamedField['schema'] {
  if (schema === undefined || hasAddress !== undefined) return undefined
  const at = { direction: 'output', name: '', version: null, settings: {}, refer: () => ({}) }
  let known: JSONSchema | null = null
  return () => (known ??= schema(at as unknown as SchemaPlace))
}

/** Why lists cannot use the field, as the rest of a sentence; `null`: they can. */
function problemOfLists({ path, field }: Member): string | null {
  // By ordering or comparing, clients could learn values that are never shown to them.
  if (field.options.writeOnly) return 'is writeOnly'
  if (path.length === 0) return 'is worked out from the whole row'
  if (field.serializer) return 'is an object of its own'
  if (field.takesDigits === 'aside')
    return 'has values of JSON, which databases compare differently'
  return field.inForms === 'all' ? 'has several values' : null
}

function problemWith({ name, path, field: { options, converted } }: Member): string | null {
  // Assigning to `__proto__` changes what an object is, and adds no member.
  if ([name, ...path].includes('__proto__')) return 'has a name that no member can have.'
  if (path.includes('')) return `has the source "${options.source}", which names nothing.`
  if (options.readOnly && options.writeOnly)
    return 'is readOnly and writeOnly: it would be neither shown nor read.'
  if (options.readOnly && options.required)
    return 'is readOnly, so clients cannot be required to send it.'
  if (options.required && options.default !== undefined)
    return 'is required and has a default, which would never be used.'
  if (path.length !== 1 && !options.readOnly && converted === undefined)
    return `has the source "${options.source}", which can only be read: make it readOnly.`
  return null
}
