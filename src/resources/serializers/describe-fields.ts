import type { ApiRequest } from '../../core/ports/request.ts'
import type { FieldInfo } from '../../core/ports/serializer.ts'
import type { SchemaPlace } from '../../core/ports/settings/settings.ts'
import type { JSONSchema } from '../../core/types/documents.ts'
import type { AnyField } from './declaration.ts'
import type { Member } from './member.ts'
import { isRequired } from './read-object.ts'

/** The fields as OPTIONS shows them (M3). */
export function describeMembers(
  members: readonly Member[],
  request: ApiRequest,
): Readonly<Record<string, FieldInfo>> {
  return Object.fromEntries(
    members
      .filter(({ field }) => field.supply === undefined)
      .map(({ name, field }) => [name, describeField(field, request, labelOf(name))]),
  )
}

function describeField(field: AnyField, request: ApiRequest, label: string): FieldInfo {
  const { options, type, choices, child, isLine } = field
  const children = field.serializer?.().describe?.(request)
  const name = options.label ?? label
  const info = {
    type,
    required: isRequired(field),
    read_only: options.readOnly ?? false,
    ...(name === '' ? {} : { label: name }),
    ...(options.helpText === undefined ? {} : { help_text: options.helpText }),
    ...(choices && !options.readOnly && { choices }),
    ...(child && { child: describeField(child, request, '') }),
    ...(children && { children }),
    ...limitsOf(options),
  }
  return Object.defineProperty(info, 'isLine', { value: isLine })
}

/** `author_name`, `authorName` → `Author name`. */
function labelOf(name: string): string {
  const words = name.replace(/(?<=[a-z\d])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  const text = words.replaceAll('_', ' ').trim()
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

const LIMITS = {
  maxDigits: 'max_digits',
  decimalPlaces: 'decimal_places',
  min: 'min_value',
  max: 'max_value',
  minLength: 'min_length',
  maxLength: 'max_length',
  maxSize: 'max_size',
  types: 'media_types',
} as const

function limitsOf(options: object): Readonly<Record<string, unknown>> {
  const set = options as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.entries(LIMITS)
      .filter(([option]) => set[option] !== undefined)
      .map(([option, name]) => [name, toFact(set[option])]),
  )
}

/** A limit for JSON, which all kinds of clients read: a number if it is exact, else its digits. */
function toFact(limit: unknown): unknown {
  return typeof limit === 'bigint' ? (standInOf(limit) ?? String(limit)) : limit
}

/** An object of these fields: those that are shown, or those that clients write. */
export function schemaOfMembers(members: readonly Member[], place: SchemaPlace): JSONSchema {
  const isShown = place.direction === 'output'
  const some = members.filter(({ field: { options, supply } }) =>
    isShown ? !options.writeOnly : !options.readOnly && supply === undefined,
  )
  const required = some.filter(
    ({ field }) => isShown || (place.direction === 'input' && isRequired(field)),
  )
  const properties = some.map(({ name, field }) => {
    const within = { ...place, name: `${place.name}${pascalCase(name)}` }
    return [name, schemaOfField(field, within)] as const
  })
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required: required.map(({ name }) => name) }),
    ...(!isShown && place.settings.strictBody && { additionalProperties: false }),
  }
}

/** `closed_at`, `closed-at`, `closedAt` → `ClosedAt`. */
function pascalCase(name: string): string {
  return name.replace(/(?:^|[^a-z\d]+)([a-z\d]?)/gi, (_, letter: string) => letter.toUpperCase())
}

/** The schema of one field, also within a list. */
export function schemaOfField(field: AnyField, place: SchemaPlace): JSONSchema {
  const { options } = field
  const plain = field.schema?.(place) ?? {}
  const schema = options.nullable ? orNullSchema(plain) : plain
  const standIn = place.direction === 'input' ? standInOf(options.default) : undefined
  return {
    ...schema,
    ...(options.label !== undefined && { title: options.label }),
    ...(options.helpText !== undefined && { description: options.helpText }),
    ...(standIn !== undefined && { default: standIn }),
    ...(options.readOnly && { readOnly: true }),
    ...(options.writeOnly && { writeOnly: true }),
  }
}

/** The stand-in for a default that is a function, or that JSON cannot write: it is known only when it is used. */
function standInOf(value: unknown): unknown {
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? Number(value) : undefined
  return value === null || PLAIN.has(typeof value) ? value : undefined
}

const PLAIN: ReadonlySet<string> = new Set(['string', 'number', 'boolean'])

/** The schema, with `null` as a further value. */
export function orNullSchema(schema: JSONSchema): JSONSchema {
  const { type, enum: values } = schema
  if (Object.keys(schema).length === 0) return schema
  if (typeof type !== 'string' || 'const' in schema) return { anyOf: [schema, { type: 'null' }] }
  const listed = Array.isArray(values) ? { enum: [...values, null] } : {}
  return { ...schema, type: [type, 'null'], ...listed }
}

/** The schema with limits, which hold for input only: rows may be older than the limits. */
export function withLimits(
  { direction }: SchemaPlace,
  schema: JSONSchema,
  limits: Readonly<Record<string, string | number | bigint | boolean | undefined>>,
): JSONSchema {
  if (direction === 'output') return schema
  const set = Object.entries(limits).flatMap(([keyword, limit]) => {
    const value = typeof limit === 'bigint' ? standInOf(limit) : limit
    return value === undefined || value === false ? [] : [[keyword, value] as const]
  })
  return { ...schema, ...Object.fromEntries(set) }
}
