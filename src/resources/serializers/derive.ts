// Serializers that are made of others, with their checks of the whole object.
import type { ApiRequest } from '../../core/ports/request.ts'
import type { InputSerializer, Serializer } from '../../core/ports/serializer.ts'
import type { SchemaPlace } from '../../core/ports/settings/settings.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import type { Field, Fields, Validator } from './declaration.ts'
import { type Lengths, list } from './fields/collections.ts'
import { nested } from './fields/nested.ts'
import { embedsIn } from './embedding.ts'
import { NULL, underNoField } from './read-object.ts'
import { Refused } from './refused.ts'
import {
  type DeclaredSerializer,
  type SerializerOptions,
  readContext,
  serializer,
  awaitInput,
} from './serializer.ts'
import type { InputOf, OutputOf, RowOf } from './types.ts'

/** The fields of one declaration and of another, which takes precedence. */
export type Extended<F extends Fields, G extends Fields> = {
  [K in keyof F | keyof G]: K extends keyof G ? G[K] : K extends keyof F ? F[K] : never
}

/**
 * A serializer with more fields, or with others of the same names, and with one more check of the whole
 * object, which sees what the first one has let through.
 *
 * @example
 * const full = extend(brief, { body: field.text() })
 */
export function extend<F extends Fields, G extends Fields>(
  base: DeclaredSerializer<F>,
  fields: G,
  options: SerializerOptions<Extended<F, G>> = {},
): DeclaredSerializer<Extended<F, G>> {
  const both = { ...base.fields, ...fields } as unknown as Extended<F, G>
  const [first, second] = [base.options.validate, options.validate]
  const validate: Validator<object> = async (input, context) =>
    (await first?.(input, context)) ?? second?.(input, context)
  const validators = [...(base.options.validators ?? []), ...(options.validators ?? [])]
  return serializer(both, { validators, ...((first || second) && { validate }) } as object)
}

/**
 * The same serializer with these fields only.
 *
 * @example const brief = pick(article, ['id', 'title'])
 */
export function pick<F extends Fields, K extends keyof F & string>(
  base: DeclaredSerializer<F>,
  names: readonly K[],
): DeclaredSerializer<Pick<F, K>> {
  return only(base, (name) => (names as readonly string[]).includes(name))
}

/**
 * The same serializer without these fields.
 *
 * @example const open = omit(user, ['email'])
 */
export function omit<F extends Fields, K extends keyof F & string>(
  base: DeclaredSerializer<F>,
  names: readonly K[],
): DeclaredSerializer<Omit<F, K>> {
  return only(base, (name) => !(names as readonly string[]).includes(name))
}

function only<F extends Fields, G extends Fields>(
  { fields, options }: DeclaredSerializer<F>,
  keeps: (name: string) => boolean,
): DeclaredSerializer<G> {
  const kept = Object.fromEntries(Object.entries(fields).filter(([name]) => keeps(name)))
  return serializer(kept as unknown as G, unnamed(options))
}

/** Another schema has another name. */
function unnamed(options: object): object {
  return { ...options, name: undefined }
}

/** The same fields, all of them optional, and without defaults. */
export type AllOptional<F extends Fields> = {
  -readonly [K in keyof F]: F[K] extends Field<infer Raw, infer S, infer G, infer O, infer Patch>
    ? Field<Raw, S, G, Omit<O, 'required' | 'default'> & { readonly required: false }, Patch>
    : never
}

/**
 * The same serializer, with all fields optional. (PATCH does not need it: `parse` reads partial updates.)
 *
 * @example const filter = partial(article)
 */
export function partial<F extends Fields>({
  fields,
  options,
}: DeclaredSerializer<F>): DeclaredSerializer<AllOptional<F>> {
  const made = Object.entries(fields).map(([name, field]) => {
    const { default: _standIn, ...own } = field.options
    return [name, { ...field, options: { ...own, required: false } }]
  })
  return serializer(Object.fromEntries(made) as unknown as AllOptional<F>, unnamed(options))
}

/** A serializer of whole lists. */
export type ManySerializer<S extends Serializer> = InputSerializer<
  readonly RowOf<S>[],
  OutputOf<S>[],
  ApiRequest,
  InputOf<S>[],
  InputOf<S>[]
>

/**
 * A serializer of lists, made of one of objects: for bodies that are lists (E25, E27). A partial
 * reading is a complete one, because its parts do not name the rows that they belong to.
 *
 * @throws ConfigurationError the serializer only shows: it cannot read
 * @example
 * const created = await many(article, { maxLength: 100 }).parse(await request.body(), request)
 */
export function many<S extends Serializer>(item: S, lengths: Lengths = {}): ManySerializer<S> {
  const names = JSON.stringify(embedsIn(item).map(([name]) => name))
  if (names !== '[]')
    throw new ConfigurationError(
      `many() shows rows by themselves, and its serializer embeds rows, which are looked up. Leave them out, also where it only reads: many(omit(…, ${names})).`,
    )
  const { show, read, check, schema } = list(nested(item), lengths)
  return {
    represent: show,
    check,
    describe: item.describe,
    nameOf: (item as Partial<InputSerializer>).nameOf,
    schema: (place: SchemaPlace) => schema!(place),
    async parse(data: unknown, request: ApiRequest, how) {
      const context = readContext(data, request, how)
      const isNull = data === null
      const given = isNull ? new Refused(underNoField(NULL.detail, context)) : read(data, context)
      return awaitInput(await given, context)
    },
  } as ManySerializer<S>
}
