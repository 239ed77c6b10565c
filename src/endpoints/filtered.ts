import type {
  ComparedField,
  Condition,
  ListFields,
  ListSource,
  QuerySource,
  SortKey,
} from '../contract/list-source.ts'
import type { KnownList } from '../contract/pagination.ts'
import type { ApiRequest, FilterBackend, Settings } from '../contract/request.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import type { ParameterFacts } from '../types/documents.ts'
import type { KnownFields } from './list-fields.ts'

/**
 * A source as filters leave it, and the order that they decide on; `null`: none does (C20). Only lists ask
 * for the order, which a filter may refuse: a single object has none.
 *
 * @throws ConfigurationError the source cannot be filtered, or does not know a declared field
 */
export function filtered<Source extends ListSource>(
  source: Source,
  filters: Filters,
  named: () => ListFields,
  request: ApiRequest,
): { readonly source: Source; readonly ordering: () => readonly SortKey[] | null } {
  // Most lists have no filters, and need not know what their fields are called.
  if (filters.length === 0) return { source, ordering: () => null }
  const fields = named()
  const active = activeAmong(filters, fields)
  if (active.length === 0) return { source, ordering: () => null }
  // A filter that is skipped without a word may be the one that hides what only some clients may see.
  if (!canBeFiltered(source))
    throw new ConfigurationError(`endpoint ${request.endpointName}: ${refusal(active)}`)
  const rows: QuerySource<unknown, string> = source
  const left = active.reduce((found, each) => each.filter(found, request, fields), rows)
  const ordering = (): readonly SortKey[] | null => {
    const decides = active.find((each) => each.ordering !== undefined)
    const keys = decides?.ordering?.(request, fields) ?? []
    return keys.length > 0 ? keys : null
  }
  return { source: left as Source & typeof rows, ordering }
}

/** The filters that have something to do with these fields. */
export function activeAmong(filters: Filters, fields: ListFields): Filters {
  return filters.filter((filter) => filter.applies?.(fields) ?? true)
}

/** The parameters of the query that filters read (`strictQuery`). */
export function filterParams(
  filters: Filters,
  fields: ListFields,
  settings: Settings,
): readonly string[] {
  const active = activeAmong(filters, fields)
  return active.flatMap((filter) => filter.queryParams?.(settings, fields) ?? [])
}

/** The same with what they may be, for documents. */
export function filterParameters(
  filters: Filters,
  fields: ListFields,
  settings: Settings,
): readonly ParameterFacts[] {
  const unknown = (name: string): ParameterFacts => ({ name, schema: { type: 'string' } })
  return activeAmong(filters, fields).flatMap(
    (filter) =>
      filter.parameters?.(settings, fields) ??
      filter.queryParams?.(settings, fields).map(unknown) ??
      [],
  )
}

type Filters = readonly FilterBackend[]

function canBeFiltered<Source extends ListSource>(
  source: Source,
): source is Source & QuerySource<unknown, string> {
  const { where, orderBy } = source as Partial<QuerySource<unknown>>
  return typeof where === 'function' && typeof orderBy === 'function'
}

function refusal(filters: Filters): string {
  const classes = filters.map(({ constructor }) => constructor.name).join(', ')
  return `The filters (${classes}) need a source with where() and orderBy(): take arraySource or sqlSource, or say filters: [] for this list.`
}

/** Why a source cannot be filtered by these fields; `null`: it can, there are no filters, or it is not known. */
export function filterProblem(
  source: ListSource | undefined,
  filters: Filters,
  allFields: () => readonly KnownFields[],
): string | null {
  try {
    const problems = allFields().map(
      ({ fields }) => source && sourceProblem(source, filters, fields),
    )
    return problems.find(Boolean) ?? null
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message
    throw error
  }
}

function sourceProblem(source: ListSource, filters: Filters, fields: ListFields): string | null {
  const active = activeAmong(filters, fields)
  if (!canBeFiltered(source)) return active.length === 0 ? null : refusal(active)
  tryFields(source, fields)
  return null
}

/** The source reads nothing, and refuses what it does not know. */
function tryFields(source: QuerySource<unknown, string>, fields: ListFields): void {
  const { searchFields, filterFields, orderingFields, ordering } = fields
  for (const field of [...(searchFields ?? []), ...(filterFields ?? [])])
    source.where([nothing(field)])
  const keys = (orderingFields ?? []).map(({ field }) => ascending(field))
  for (const key of [...keys, ...(ordering ?? [])]) source.orderBy([key])
}

/** A condition that no type forbids. */
function nothing({ field, operator }: ComparedField): Condition {
  if (operator === 'isNull') return { field, operator, value: true }
  return { field, operator, value: operator === 'in' ? [] : null }
}

function ascending(field: string): SortKey {
  return { field, descending: false, nulls: 'first' }
}

/** A list as its style knows it before any request: its own order counts where a filter reads it (C20). */
export function knownList(
  source: ListSource,
  filters: Filters,
  { fields, names }: KnownFields,
): KnownList {
  const isRead = activeAmong(filters, fields).some(({ ordering }) => ordering !== undefined)
  return { source, ordering: isRead ? fields.ordering : null, names }
}
