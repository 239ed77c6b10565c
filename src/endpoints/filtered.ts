import type { FilterBackend, ListFields } from '../contract/filter.ts'
import type { ApiRequest } from '../contract/request.ts'
import type { ListSource, QuerySource, SortKey } from '../contract/source.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'

type AnyQuerySource = QuerySource<unknown, string>

/** Tells which filters have something to do in a list of these fields; asks each list of them once. */
export function activeFilters(
  fields: ListFields,
): (filters: readonly FilterBackend[]) => readonly FilterBackend[] {
  const known = new WeakMap<readonly FilterBackend[], readonly FilterBackend[]>()
  return (filters) => {
    if (filters.length === 0) return filters
    const found = known.get(filters)
    if (found) return found
    const active = filters.filter((filter) => filter.applies?.(fields) ?? true)
    known.set(filters, active)
    return active
  }
}

/** @throws ConfigurationError the source cannot be filtered, or does not know a declared field */
export function filtered(
  source: ListSource<unknown>,
  filters: readonly FilterBackend[],
  fields: ListFields,
  request: ApiRequest,
): AnyQuerySource {
  return filters.reduce<AnyQuerySource>(
    (found, filter) => filter.filter(found, request, fields),
    filterable(source, filters, request.endpointName),
  )
}

/** The answer of the first filter that can decide on an order (C20). */
export function orderingFrom(
  filters: readonly FilterBackend[],
  fields: ListFields,
  request: ApiRequest,
): readonly SortKey[] | null {
  const decides = filters.find(({ ordering }) => ordering !== undefined)
  const keys = decides?.ordering?.(request, fields) ?? null
  return keys !== null && keys.length > 0 ? keys : null
}

// A filter that is skipped without a word may be the one that hides what is not for everybody.
function filterable(
  source: ListSource<unknown>,
  filters: readonly FilterBackend[],
  endpoint: string,
): AnyQuerySource {
  if (canBeFiltered(source)) return source
  throw new ConfigurationError(`endpoint ${endpoint}: ${refusal(filters)}`)
}

export function canBeFiltered(source: ListSource<unknown>): source is AnyQuerySource {
  const { where, orderBy } = source as Partial<AnyQuerySource>
  return typeof where === 'function' && typeof orderBy === 'function'
}

/** What is wrong with a source that cannot be filtered, as a sentence. */
export function refusal(filters: readonly FilterBackend[]): string {
  const names = filters.map(({ constructor }) => constructor.name).join(', ')
  return `The filters (${names}) need a source with where() and orderBy(): take arraySource or sqlSource, or say filters: [] for this list.`
}
