import type { ApiRequest } from '../../../core/ports/request.ts'
import type { AnyFieldOptions, Chosen, Field, LinkKey } from '../declaration.ts'
import { LinkMaker, type LinkTarget, linkProblem, urlOf } from '../links.ts'
import { MISSING } from '../read-object.ts'
import { fieldOf } from '../field-of.ts'

export type IdentityOptions = Pick<
  AnyFieldOptions,
  'source' | 'nullable' | 'label' | 'helpText' | 'since' | 'until'
>

/** A route that takes more than one key, or one that the row does not hold as it is. */
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
