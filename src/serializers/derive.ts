// Serializers that are made of others. What checks the whole object goes with them.
import { after } from '../std/after.ts'
import type { AnyField, Field, Fields, Validator } from './declaration.ts'
import { type DeclaredSerializer, type SerializerOptions, serializer } from './serializer.ts'

/** The fields of one declaration, and those of another, which go before. */
export type Extended<F extends Fields, G extends Fields> = {
  [K in keyof F | keyof G]: K extends keyof G ? G[K] : K extends keyof F ? F[K] : never
}

/**
 * A serializer with more fields, or with others of the same names, and with one more check of the whole
 * object.
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
  return serializer(both, checksOf([base.options.validate, options.validate]))
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
  return serializer(kept as unknown as G, checksOf([options.validate]))
}

/** The same fields, none of them required, and none with a default. */
export type AllOptional<F extends Fields> = { -readonly [K in keyof F]: Optional<F[K]> }

type Optional<T extends AnyField> =
  T extends Field<infer Raw, infer Shown, infer Given, infer O, infer Patch>
    ? Field<
        Raw,
        Shown,
        Given,
        Omit<O, 'required' | 'default'> & { readonly required: false },
        Patch
      >
    : never

/**
 * The same serializer, where clients may leave out whatever they like. (For PATCH nobody needs it:
 * partial updates are a matter of `parse`.)
 *
 * @example const filter = partial(article)
 */
export function partial<F extends Fields>(
  base: DeclaredSerializer<F>,
): DeclaredSerializer<AllOptional<F>> {
  const fields = Object.entries(base.fields).map(([name, field]) => [name, optional(field)])
  return serializer(
    Object.fromEntries(fields) as unknown as AllOptional<F>,
    checksOf([base.options.validate]),
  )
}

function optional(field: AnyField): AnyField {
  const { default: _standIn, ...options } = field.options
  return { ...field, options: { ...options, required: false } }
}

type Check = Validator<object>

/** One check after the other: the second sees what the first has let through. */
function checksOf<F extends Fields>(
  checks: readonly (Validator<never> | undefined)[],
): SerializerOptions<F> {
  const [first, second] = checks.filter((check) => check !== undefined) as unknown as Check[]
  if (first === undefined) return {}
  const validate = second === undefined ? first : inTurn(first, second)
  return { validate }
}

function inTurn(first: Check, second: Check): Check {
  return (input, context) => after(first(input, context), (said) => said ?? second(input, context))
}
