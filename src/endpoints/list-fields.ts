import type { ListFields } from '../contract/list-source.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import type { FilterField, SearchField } from '../settings/lookups.ts'
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
export function listFields(declared: FilteredFields): ListFields {
  return {
    searchFields: names('searchFields', declared.searchFields),
    orderingFields: names('orderingFields', declared.orderingFields),
    ordering: declared.ordering == null ? null : sortKeys(declared.ordering),
    filterFields: names('filterFields', declared.filterFields),
  }
}

function names(option: string, value: readonly string[] | null = null): readonly string[] | null {
  if (value === null || isNames(value)) return value
  throw new ConfigurationError(
    `list(): "${option}" wants a list of field names, and got ${JSON.stringify(value)}. ${ALL}`,
  )
}

// A column that is added later must not be open to clients by itself: they could learn it by ordering (F11).
const ALL = 'There is no word for all fields: name those that clients may use.'

function isNames(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.every((name) => typeof name === 'string' && name !== '' && name !== '__all__')
  )
}
