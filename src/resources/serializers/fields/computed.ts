import type { ApiRequest } from '../../../core/ports/request.ts'
import { type MaybePromise, isAsync } from '../../../core/std/after.ts'
import type { JSONSchema } from '../../../core/types/documents.ts'
import type { AnyFieldOptions, Chosen, Field, Validator } from '../declaration.ts'
import { MISSING } from '../read-object.ts'
import { AT_ONCE } from '../refused.ts'
import { fieldOf } from '../field-of.ts'
import type { AtOnce } from '../types.ts'
import type { FromRow, IdentityOptions } from './identity.ts'

interface ComputedOptions extends Omit<IdentityOptions, 'source'> {
  /** For OPTIONS: one of its names of types. @default 'field' */
  readonly type?: string
  /** For documents, such as `{ type: 'integer' }`. @default that of the `type` */
  readonly schema?: JSONSchema
}

/**
 * A value that is worked out from the row, at once, and only shown. What it asks of the row is asked of the
 * serializer's rows. A promise does not compile, and is refused when the service starts, or as an error of the program.
 *
 * @example field.computed((row: { body: string }) => row.body.split(' ').length)
 */
export function computed<Row, Shown, const O = unknown>(
  compute: ((row: Row, request: ApiRequest) => Shown) & AtOnce<Shown>,
  options?: Chosen<O, ComputedOptions>,
): Field<NoInfer<Row>, Shown, never, O & FromRow> {
  const ofTheRow = { ...options, readOnly: true, source: '*' } as unknown as O & FromRow
  return fieldOf(options?.type ?? 'field', ofTheRow, {
    show: compute,
    runsProgram: true,
    check: (_settings, _service, name) =>
      isAsync(compute) ? `The field "${name}" is computed by an async function. ${AT_ONCE}` : null,
    read: () => MISSING as never,
    schema: () => options?.schema ?? TYPES.get(options?.type ?? '') ?? {},
  })
}

/** What the names of types mean where they leave no doubt. */
const TYPES: ReadonlyMap<string, JSONSchema> = new Map([
  ['boolean', { type: 'boolean' }],
  ['string', { type: 'string' }],
  ['integer', { type: 'integer' }],
  ['float', { type: 'number' }],
  ['email', { type: 'string', format: 'email' }],
  ['url', { type: 'string', format: 'uri' }],
  ['date', { type: 'string', format: 'date' }],
  ['datetime', { type: 'string', format: 'date-time' }],
  ['list', { type: 'array' }],
  ['nested object', { type: 'object' }],
])

interface HiddenOptions<Given> extends Pick<AnyFieldOptions, 'source' | 'since' | 'until'> {
  /** Whether changes get it anew. @default false: the row keeps the value that it has */
  readonly always?: boolean
  readonly validators?: readonly Validator<Given>[]
}

/**
 * A value that the program gives: clients neither see nor send it, and it is part of the input. The user
 * who asks, for one. Changes keep the value of the row, unless `always` is set. Annotate what you take of the request:
 * a serializer does not know its endpoints, so the compiler takes your word.
 *
 * @example field.hidden(({ user }: { user: { id: number } }) => user.id)
 */
export function hidden<Given, Rq = ApiRequest, const O = unknown>(
  give: (request: Rq) => MaybePromise<Given>,
  options?: Chosen<O, HiddenOptions<Given>>,
): Field<never, never, Given, O & { readonly writeOnly: true }> {
  const ofTheProgram = { ...options, writeOnly: true } as unknown as O & { writeOnly: true }
  return fieldOf('field', ofTheProgram, {
    read: () => MISSING as never,
    supply({ request, partial, existing }, place) {
      const row = existing as Readonly<Record<string, Given>> | null | undefined
      if (!row || options?.always) return give(request as unknown as Rq)
      return partial ? undefined : row[place]
    },
  })
}
