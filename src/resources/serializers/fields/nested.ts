import type { ApiRequest } from '../../../core/ports/request.ts'
import type { MaybePromise } from '../../../core/std/after.ts'
import type { ParseOptions, Serializer } from '../../../core/ports/serializer.ts'
import { ConfigurationError } from '../../../core/errors/configuration-error.ts'
import type { Chosen, Field, FieldOptions, ReadContext } from '../declaration.ts'
import type { InputOf, OutputOf, PatchOf, RowOf } from '../types.ts'
import { embedsIn } from '../embedding.ts'
import { fieldOf } from '../field-of.ts'

/**
 * An object with its own serializer: errors appear under its fields (E24). A partial update may be partial within it too. A
 * function that gives the serializer allows serializers that contain themselves.
 *
 * @throws ConfigurationError the serializer only shows, and the field is not `readOnly`
 * @example field.nested(address, { nullable: true })
 */
export function nested<S extends Serializer, const O = unknown>(
  serializer: S | (() => S),
  options?: Chosen<O, FieldOptions<InputOf<S> | PatchOf<S>>>,
): Field<RowOf<S>, OutputOf<S>, InputOf<S>, O, PatchOf<S>> {
  let found: Found | null = null
  const give: () => Serializer = typeof serializer === 'function' ? serializer : () => serializer
  const find = () => (found ??= give() as Found)
  if (typeof serializer !== 'function' && !options?.readOnly) readOf(find())
  const checkNested = checkOf(find)
  return fieldOf('nested object', options, {
    serializer: find,
    // The inner fields leave out the values that they cannot show.
    runsProgram: true,
    show: (value, request) => find().represent(value, request) as OutputOf<S>,
    read: (value, context) => readOf(find())(value, context) as never,
    check: (settings, service, name) =>
      embedsIn(find()).length > 0
        ? `The field "${name}" nests a serializer that embeds rows, which are looked up for rows of a store: embed the rows that it shows, or leave the embedded ones out.`
        : checkNested(settings, service, name),
    schema: (place) => place.refer(find(), place),
  })
}

type Found = Serializer<unknown>

/** A serializer may hold itself: one that is being checked is not checked again. */
function checkOf(find: () => Found): NonNullable<Field['check']> {
  let asking = false
  return (settings, service) => {
    if (asking) return null
    asking = true
    try {
      return find().check?.(settings, service) ?? null
    } finally {
      asking = false
    }
  }
}

type Read = (value: unknown, context: ReadContext) => MaybePromise<unknown>

/** A declared serializer returns its errors; others throw them. */
function readOf(serializer: Found): Read {
  type Parse = (data: unknown, request: ApiRequest, how: ParseOptions) => MaybePromise<unknown>
  const { read, parse } = serializer as { readonly read?: Read; readonly parse?: Parse }
  if (read !== undefined) return read
  if (parse === undefined)
    throw new ConfigurationError('A nested serializer only shows: make its field readOnly.')
  return (value, { request, partial, existing }) =>
    parse(value, request, { partial, existing, scope: {} })
}
