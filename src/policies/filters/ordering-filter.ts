import type { FilterBackend } from '../../core/ports/policies/filters.ts'
import type { Incoming } from '../../core/ports/request.ts'
import type { Settings } from '../../core/ports/settings/settings.ts'
import type {
  AnyQuery,
  FilterControl,
  ListFields,
  OrderedField,
  SortKey,
} from '../../core/ports/list-source.ts'
import { type OrderingKey, sortKeys } from '../../core/settings/ordering-terms.ts'
import { invalidParameter } from './text-limits.ts'
import type { ParameterFacts } from '../../core/types/documents.ts'

/**
 * `?ordering=-price,title`: rows in the order that a client asks for (F10–F13). The parameter is the
 * setting `orderingParam`.
 *
 * Only fields among the list's `orderingFields` count; other names are dropped without a word, and of a
 * field that comes twice the second. Where nothing is left, or nothing was asked, the list's `ordering`
 * holds, else the order of the source. Of a parameter that comes twice the last one counts; where queries are strict, it
 * is one ordering: `?ordering=-price&ordering=title`. A style that needs an order, such as cursors, takes it from here.
 *
 * @example
 * api
 *   .endpoint('book-list', { filters: [new OrderingFilter()] })
 *   .get(list({ source: books, orderingFields: ['price', 'title'], ordering: 'title' }))
 */
export class OrderingFilter implements FilterBackend {
  static readonly options: readonly string[] = []
  readonly narrows: boolean = false

  applies({ orderingFields, ordering }: ListFields): boolean {
    return ordering !== null || (orderingFields !== null && orderingFields.length > 0)
  }

  parameters(
    { orderingParam: name, strictQuery }: Settings,
    { orderingFields }: ListFields,
  ): readonly ParameterFacts[] {
    const names = (orderingFields ?? []).flatMap((field) => [field.name, `-${field.name}`])
    if (names.length === 0) return []
    // Names that it does not know are left out, unless queries are strict.
    const items = strictQuery
      ? { type: 'string', enum: names }
      : { type: 'string', 'x-extensible-enum': names, examples: names }
    const description = `What rows are ordered by, \`-\` for downwards: ${names.join(', ')}.`
    return [{ name, description, schema: { type: 'array', items }, commas: true }]
  }

  controls(
    { query, settings: { orderingParam: parameter, strictQuery } }: Incoming,
    { orderingFields }: ListFields,
  ): readonly FilterControl[] {
    const fields = (orderingFields ?? []).map(({ name }) => name)
    const value = query.peek(parameter, strictQuery) ?? ''
    return fields.length === 0 ? [] : [{ kind: 'ordering', parameter, value, fields }]
  }

  filter(source: AnyQuery, request: Incoming, fields: ListFields): AnyQuery {
    const keys = this.ordering(request, fields)
    return keys === null ? source : source.orderBy(keys)
  }

  /** `null`: neither the client nor the list asks for an order. */
  ordering(
    { query, settings }: Incoming,
    { orderingFields, ordering }: ListFields,
  ): readonly SortKey[] | null {
    // A cursor is bound to the order itself, however the client spells it.
    const { orderingParam, strictQuery } = settings
    const asked = orderingFields?.length ? query.peek(orderingParam, strictQuery) : null
    if (!asked) return ordering
    const terms = termsAmong(asked, orderingFields!, settings)
    return terms.length > 0 ? sortKeys(terms) : ordering
  }
}

/** The terms of these fields, each field once: the first time (F12). */
function termsAmong(
  text: string,
  fields: readonly OrderedField[],
  { strictQuery, orderingParam }: Settings,
): readonly OrderingKey[] {
  const terms = new Map<string, OrderingKey>()
  const unknown = new Set<string>()
  for (const each of text.split(',')) {
    const term = each.trim()
    const descending = term.startsWith('-')
    const asked = descending ? term.slice(1) : term
    const { field } = fields.find(({ name }) => name === asked) ?? {}
    if (field === undefined) unknown.add(asked)
    else if (!terms.has(field)) terms.set(field, { field, descending })
  }
  unknown.delete('')
  if (strictQuery && unknown.size > 0)
    throw invalidParameter(orderingParam, 'unknown_ordering', { names: [...unknown].join(', ') })
  return [...terms.values()]
}
