import type { ListFields } from '../contract/filter.ts'
import type { Condition, QuerySource } from '../contract/source.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import {
  type FieldLookup,
  type FilterField,
  type SearchField,
  filterLookup,
  searchLookup,
} from '../settings/lookups.ts'
import { type OrderingKey, sortKeys } from '../settings/ordering.ts'

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

/** @throws ConfigurationError they are no lists of names */
export function listFields(said: FilteredFields): ListFields {
  return {
    searchFields: names('searchFields', said.searchFields),
    orderingFields: names('orderingFields', said.orderingFields),
    ordering: said.ordering == null ? null : sortKeys(said.ordering),
    filterFields: names('filterFields', said.filterFields),
  }
}

function names(option: string, said: readonly string[] | null = null): readonly string[] | null {
  if (said === null || isNames(said)) return said
  throw new ConfigurationError(
    `list(): "${option}" wants a list of field names, and got ${JSON.stringify(said)}. ${ALL}`,
  )
}

// Whoever adds a column later should not have to think of what clients could learn by ordering (F11).
const ALL = 'There is no word for all fields: name those that clients may use.'

function isNames(said: unknown): said is readonly string[] {
  return (
    Array.isArray(said) &&
    said.every((name) => typeof name === 'string' && name !== '' && name !== '__all__')
  )
}

/**
 * Names every declared field to the source, which reads nothing.
 *
 * @throws ConfigurationError the source does not know one of them, or cannot compare it like this
 */
export function tryFields(source: QuerySource<unknown, string>, fields: ListFields): void {
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
