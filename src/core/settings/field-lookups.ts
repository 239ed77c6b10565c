import type { ComparedField, FilterOperator } from '../ports/list-source.ts'

/** The comparisons of a field, by the suffix of its name: `pages__gte`. */
const LOOKUPS = {
  exact: 'equals',
  in: 'in',
  lt: 'lt',
  lte: 'lte',
  gt: 'gt',
  gte: 'gte',
  isnull: 'isNull',
  iexact: 'iequals',
  icontains: 'icontains',
  istartswith: 'istartsWith',
  iregex: 'iregex',
  search: 'search',
} as const

/** The prefixes of a field in a search, instead of a lookup behind it (F4). */
const PREFIXES = {
  '^': 'istartsWith',
  '=': 'iequals',
  $: 'iregex',
  '@': 'search',
} as const

/** A comparison, as the suffix of a field's name. */
export type LookupName = keyof typeof LOOKUPS

/** A field with or without a lookup: `'author'`, `'pages__gte'`. */
export type FilterField<Field extends string = string> = Field | `${Field}__${LookupName}`

/** A field of a search: `'title'`, `'^title'`, `'pages__gte'`; one word cannot be a list or a yes. */
export type SearchField<Field extends string = string> =
  | Field
  | `${keyof typeof PREFIXES}${Field}`
  | `${Field}__${Exclude<LookupName, 'in' | 'isnull'>}`

/** `undefined`: there is no such lookup. */
export function operatorOf(lookup: unknown): FilterOperator | undefined {
  const isLookup = typeof lookup === 'string' && Object.hasOwn(LOOKUPS, lookup)
  return isLookup ? LOOKUPS[lookup as LookupName] : undefined
}

/** Reads `'pages__gte'`; what has no lookup behind it is compared as `plain` says. */
export function filterLookup(text: string, plain: FilterOperator = 'equals'): ComparedField {
  const at = text.lastIndexOf('__')
  const name = text.slice(at + 2)
  return at > 0 && Object.hasOwn(LOOKUPS, name)
    ? { field: text.slice(0, at), operator: LOOKUPS[name as LookupName] }
    : { field: text, operator: plain }
}

/** Reads a field of a search (F4). */
export function searchLookup(text: string): ComparedField {
  const [prefix = ''] = text
  return Object.hasOwn(PREFIXES, prefix)
    ? { field: text.slice(1), operator: PREFIXES[prefix as keyof typeof PREFIXES] }
    : filterLookup(text, 'icontains')
}

/** An operator with the lookup and the prefix that mean it: `"iequals" (__iexact, =)`. */
export function operatorWritten(operator: FilterOperator): string {
  const meaning = (ways: object): string | undefined =>
    Object.entries(ways).find(([, meant]) => meant === operator)?.[0]
  const [lookup, prefix] = [meaning(LOOKUPS), meaning(PREFIXES)]
  return `"${operator}" (__${lookup}${prefix === undefined ? '' : `, ${prefix}`})`
}
