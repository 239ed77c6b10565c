import type { ApiRequest } from '../../../core/ports/request.ts'
import type { AnyFieldOptions, Chosen, Field, LinkKey, Validator } from '../declaration.ts'
import { LinkMaker, type LinkTarget, linkProblem, urlOf } from '../links.ts'
import { MISSING } from '../read-object.ts'
import { fieldOf } from '../field-of.ts'
import { type MaybePromise, isAsync } from '../../../core/std/after.ts'
import type { JSONSchema } from '../../../core/types/documents.ts'
import { AT_ONCE } from '../refused.ts'
import type { AtOnce } from '../types.ts'

export type IdentityOptions = Pick<
  AnyFieldOptions,
  'source' | 'nullable' | 'label' | 'helpText' | 'since' | 'until'
>

/** A route with several keys, or with a key that the row does not hold directly. */
interface RowTarget<Row> {
  readonly route: string
  /** The parameters of the path, from the row. */
  readonly params: (row: Row, request: ApiRequest) => Readonly<Record<string, unknown>>
  readonly format?: string
}

/** Links are shown only, and made of the member of the row that has the name of the parameter. */
export type IdentityField<O, Param> = O & {
  readonly readOnly: true
  readonly source: O extends { readonly source: infer Source } ? Source : Param
}

/** Made of the whole row. */
export interface FromRow {
  readonly readOnly: true
  readonly source: '*'
}

/**
 * The address of the row itself, usually called `url` (U27): absolute, in the version of the request,
 * made of the key in the row without a look-up. A key that is `null` is shown as `null` (U21).
 *
 * @example
 * serializer({ url: field.identity('article-detail'), title: field.text() })
 * serializer({ url: field.identity({ route: 'tag-detail', param: 'name' }) }) // of row.name
 * type Part = { book_id: number; number: number }
 * const params = (row: Part) => ({ book: row.book_id, number: row.number })
 * serializer({ url: field.identity({ route: 'part-detail', params }) })
 */
export function identity<Row, const O = unknown>(
  target: RowTarget<Row>,
  options?: Chosen<O, Omit<IdentityOptions, 'source'>>,
): Field<NoInfer<Row>, string, never, O & FromRow>
export function identity<const Param extends string = 'id', const O = unknown>(
  target: string | LinkTarget<Param>,
  options?: Chosen<O, IdentityOptions>,
): Field<LinkKey, string, never, IdentityField<O, Param>>
export function identity(
  target: string | LinkTarget | RowTarget<never>,
  options: IdentityOptions = {},
): Field<never, string, never, AnyFieldOptions> {
  if (typeof target === 'object' && 'params' in target) return ofTheRow(target, options)
  const links = new LinkMaker(target)
  return fieldOf(
    'field',
    { source: links.param, ...options, readOnly: true },
    {
      show: (key, request) => links.shown(key, request),
      open: (request) => links.open(request),
      hasAddress: (key, request) => links.hasAddress(key, request),
      read: () => MISSING as never,
      schema: () => ({ type: 'string', format: 'uri' }),
      check: (settings, service, name) => linkProblem(name, links, settings, service),
    },
  )
}

function ofTheRow<Row>(
  { route, params, format }: RowTarget<Row>,
  options: IdentityOptions,
): Field<Row, string, never, AnyFieldOptions> {
  const how = format === undefined ? {} : { format }
  return fieldOf(
    'field',
    { ...options, readOnly: true, source: '*' },
    {
      runsProgram: true,
      show: (row, request) => urlOf(request.linker(route, how), params(row, request)),
      read: () => MISSING as never,
      schema: () => ({ type: 'string', format: 'uri' }),
      check: (settings, service, name) =>
        linkProblem(name, { route, param: null }, settings, service),
    },
  )
}

interface ComputedOptions extends Omit<IdentityOptions, 'source'> {
  /** The name of its type for OPTIONS. @default 'field' */
  readonly type?: string
  /** The schema for documents, such as `{ type: 'integer' }`. @default that of the `type` */
  readonly schema?: JSONSchema
}

/**
 * A value that is worked out from the row, at once, and only shown. What it asks of the row is asked of the
 * serializer's rows, and the compiler takes your word for what it asks of the request. A promise does not compile, and is refused
 * when the service starts, or as an error of the program.
 *
 * @example field.computed((row: { body: string }) => row.body.split(' ').length)
 */
export function computed<Row, Shown, Rq = ApiRequest, const O = unknown>(
  compute: ((row: Row, request: Rq) => Shown) & AtOnce<Shown>,
  options?: Chosen<O, ComputedOptions>,
): Field<NoInfer<Row>, Shown, never, O & FromRow> {
  const shownOnly = { ...options, readOnly: true, source: '*' } as unknown as O & FromRow
  return fieldOf(options?.type ?? 'field', shownOnly, {
    own: ['type', 'schema'],
    show: compute as unknown as (row: Row, request: ApiRequest) => Shown,
    runsProgram: true,
    check: (_settings, _service, name) =>
      isAsync(compute) ? `The field "${name}" is computed by an async function. ${AT_ONCE}` : null,
    read: () => MISSING as never,
    schema: () => options?.schema ?? TYPES.get(options?.type ?? '') ?? {},
  })
}

/** Schemas of the names of types that are unambiguous. */
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
 * A value that the program gives, such as the user who asks: clients neither see nor send it, but it is part of the input.
 * Changes keep the value of the row, unless `always` is set. Annotate the parts of the request that you use: a serializer does
 * not know its endpoints, so the compiler takes your word.
 *
 * @example field.hidden(({ user }: { user: { id: number } }) => user.id)
 */
export function hidden<Given, Rq = ApiRequest, const O = unknown>(
  give: (request: Rq) => MaybePromise<Given>,
  options?: Chosen<O, HiddenOptions<Given>>,
): Field<never, never, Given, O & { readonly writeOnly: true }> {
  const ofTheProgram = { ...options, writeOnly: true } as unknown as O & { writeOnly: true }
  return fieldOf('field', ofTheProgram, {
    own: ['always'],
    read: () => MISSING as never,
    supply({ request, partial, existing }, place) {
      const row = existing as Readonly<Record<string, Given>> | null | undefined
      if (!row || options?.always) return give(request as unknown as Rq)
      return partial ? undefined : row[place]
    },
  })
}
