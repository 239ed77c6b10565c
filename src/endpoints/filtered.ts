import type {
  Condition,
  ListFields,
  ListSource,
  QuerySource,
  SortKey,
} from '../contract/list-source.ts'
import type { KnownList } from '../contract/pagination.ts'
import type { ApiRequest, FilterBackend } from '../contract/request.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import {
  type FieldLookup,
  type FilterField,
  type SearchField,
  filterLookup,
  searchLookup,
} from '../settings/field-lookups.ts'
import { type OrderingKey, sortKeys } from '../settings/ordering-terms.ts'

/** A field as an order names it: `'title'`, `'-title'`, `{ field: 'title', nulls: 'last' }`. */
export type OrderingOf<Field extends string> = Field | `-${Field}` | OrderingKey<Field>

/** What filters may do with a list; each filter reads its part. `null`, or left out: nothing. */
export interface FilteredFields<Field extends string = string> {
  /**
   * Where `SearchFilter` looks: `'title'` anywhere, `'^title'` at the beginning, `'=isbn'` all of it,
   * `'$title'` a regular expression, `'@title'` full text, `'pages__gte'` in full.
   */
  readonly searchFields?: readonly SearchField<Field>[] | null
  /** What clients may order by with `OrderingFilter`. */
  readonly orderingFields?: readonly Field[] | null
  /** The order of `OrderingFilter` where the client asks for none. */
  readonly ordering?: OrderingOf<Field> | readonly OrderingOf<Field>[] | null
  /** Query parameters of `FieldFilter`: `'author'` is equal, `'pages__gte'` compares in another way. */
  readonly filterFields?: readonly FilterField<Field>[] | null
}

export function listFields(declared: FilteredFields): ListFields {
  return {
    searchFields: names('searchFields', declared.searchFields),
    orderingFields: names('orderingFields', declared.orderingFields),
    ordering: declared.ordering == null ? null : sortKeys(declared.ordering),
    filterFields: names('filterFields', declared.filterFields),
  }
}

function names(option: string, value: readonly unknown[] | null = null): readonly string[] | null {
  const isName = (name: unknown): boolean =>
    typeof name === 'string' && name !== '' && name !== '__all__'
  if (value === null || (Array.isArray(value) && value.every(isName))) return value
  // A column that is added later must not be open to clients by itself: they could learn it by ordering (F11).
  throw new ConfigurationError(
    `list(): "${option}" wants a list of field names, and got ${JSON.stringify(value)}. There is no word for all fields: name those that clients may use.`,
  )
}

/**
 * A source as filters leave it, and the order that they decide on; `null`: none does (C20). Only lists ask
 * for the order, which a filter may refuse: a single object has none.
 *
 * @throws ConfigurationError the source cannot be filtered, or does not know a declared field
 */
export function filtered<Source extends ListSource>(
  source: Source,
  filters: Filters,
  fields: ListFields,
  request: ApiRequest,
): { readonly source: Source; readonly ordering: () => readonly SortKey[] | null } {
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

/** Why a source cannot be filtered by these fields; `null`: it can, or there are no filters. */
export function filterProblem(
  source: ListSource,
  filters: Filters,
  fields: ListFields,
): string | null {
  const active = activeAmong(filters, fields)
  if (!canBeFiltered(source)) return active.length === 0 ? null : refusal(active)
  try {
    tryFields(source, fields)
    return null
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message
    throw error
  }
}

/** The source reads nothing, and refuses what it does not know. */
function tryFields(source: QuerySource<unknown, string>, fields: ListFields): void {
  const { searchFields, filterFields, orderingFields, ordering } = fields
  for (const name of searchFields ?? []) source.where([nothing(searchLookup(name))])
  for (const name of filterFields ?? []) source.where([nothing(filterLookup(name))])
  const keys = (orderingFields ?? []).flatMap((field) => sortKeys(field))
  for (const key of [...keys, ...(ordering ?? [])]) source.orderBy([key])
}

/** A condition that no type forbids. */
function nothing(lookup: FieldLookup): Condition {
  if (lookup.operator === 'isNull') return { ...lookup, value: true }
  return { ...lookup, value: lookup.operator === 'in' ? [] : null }
}

/** A list as its style knows it before any request: its own order counts where a filter reads it (C20). */
export function knownList(source: ListSource, filters: Filters, fields: ListFields): KnownList {
  const isRead = activeAmong(filters, fields).some(({ ordering }) => ordering !== undefined)
  return { source, ordering: isRead ? fields.ordering : null }
}
