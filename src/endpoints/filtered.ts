import type { FilterBackend, ApiRequest } from '../contract/request.ts'
import type {
  ListFields,
  Condition,
  ListSource,
  QuerySource,
  SortKey,
} from '../contract/list-source.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { type FieldLookup, filterLookup, searchLookup } from '../settings/lookups.ts'
import { sortKeys } from '../settings/ordering.ts'

type AnyQuerySource = QuerySource<unknown, string>

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

// A filter that is skipped without a word may be the one that hides what only some clients may see.
function filterable(
  source: ListSource<unknown>,
  filters: readonly FilterBackend[],
  endpoint: string,
): AnyQuerySource {
  if (canBeFiltered(source)) return source
  throw new ConfigurationError(`endpoint ${endpoint}: ${refusal(filters)}`)
}

function canBeFiltered(source: ListSource<unknown>): source is AnyQuerySource {
  const { where, orderBy } = source as Partial<AnyQuerySource>
  return typeof where === 'function' && typeof orderBy === 'function'
}

function refusal(filters: readonly FilterBackend[]): string {
  const names = filters.map(({ constructor }) => constructor.name).join(', ')
  return `The filters (${names}) need a source with where() and orderBy(): take arraySource or sqlSource, or say filters: [] for this list.`
}

/** Why a source cannot be filtered by these fields, as a sentence; `null`: it can, or there are no filters. */
export function filteringProblem(
  source: ListSource<unknown>,
  filters: readonly FilterBackend[],
  fields: ListFields,
): string | null {
  if (!canBeFiltered(source)) return filters.length === 0 ? null : refusal(filters)
  try {
    tryFields(source, fields)
    return null
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message
    throw error
  }
}

/** Names every declared field to the source, which reads nothing and refuses what it does not know. */
function tryFields(source: AnyQuerySource, fields: ListFields): void {
  const { searchFields, filterFields, orderingFields, ordering } = fields
  const lookups = [
    ...(searchFields ?? []).map(searchLookup),
    ...(filterFields ?? []).map((name) => filterLookup(name)),
  ]
  for (const lookup of lookups) source.where([nothing(lookup)])
  const keys = (orderingFields ?? []).flatMap((field) => sortKeys(field))
  for (const key of [...keys, ...(ordering ?? [])]) source.orderBy([key])
}

/** A condition that no type forbids. */
function nothing(lookup: FieldLookup): Condition {
  if (lookup.operator === 'isNull') return { ...lookup, value: true }
  return { ...lookup, value: lookup.operator === 'in' ? [] : null }
}
