// A list's declarations for filters, as fields of its source: per serializer and version.
import type {
  ComparedField,
  FilterParameter,
  ListFields,
  NamedField,
  NamedFields,
  OrderedField,
  SortKey,
} from '../../core/ports/list-source.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { Serializer } from '../../core/ports/serializer.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { filterLookup, operatorOf, searchLookup } from '../../core/settings/field-lookups.ts'
import { type OrderingTerm, sortKeys } from '../../core/settings/ordering-terms.ts'
import { didYouMean } from '../../core/std/text/nearest.ts'
import { keptIn } from '../../core/std/once.ts'
import type { FilteredColumn, FilteredFields, OrderedColumn } from './list-names.ts'
import { knownChoices } from '../serializers/serializer.ts'

type At = Pick<ApiRequest, 'settings' | 'version'>

/** A list's declarations, prepared once for each serializer and version. */
export class DeclaredFields {
  readonly #of: (names: Names) => ListFields
  /** The fields under the names of the source. */
  readonly plain: ListFields
  readonly #isEmpty: boolean
  readonly #options: ReadonlyMap<string, string>
  /** The serializers that may be chosen; `null`: a request decides. */
  readonly #serializers: readonly Serializer[] | null
  readonly #made = new WeakMap<NamedFields, ListFields>()

  /** @throws ConfigurationError it is no list of names */
  constructor(declared: FilteredFields, choice: unknown) {
    this.#of = partsOf(declared)
    this.plain = this.#of(AS_IN_THE_SOURCE)
    this.#isEmpty = Object.values(this.plain).every((part) => part === null)
    this.#options = optionsByName(declared)
    this.#serializers = knownChoices(choice)
  }

  /** The fields under the names of a serializer in a version. */
  in(serializer: Pick<Serializer, 'namedFields'> | undefined, at: At): ListFields {
    const names = this.#isEmpty ? undefined : serializer?.namedFields?.(at)
    if (names === undefined) return this.plain
    return keptIn(this.#made, names, () => this.#of(namesIn(names, this.#namesAt(at))))
  }

  /**
   * The fields of all versions, once for each serializer that may be chosen; empty if a request decides.
   *
   * @throws ConfigurationError a name stands for no field of the source
   */
  everywhere(settings: ApiRequest['settings']): readonly KnownFields[] {
    const plain = { fields: this.plain, names: undefined }
    if (this.#serializers?.length === 0) return [plain]
    const all = this.#namesAt({ settings, version: null })
    const isNamed = all.length === this.#serializers?.length
    if (isNamed) for (const [name, option] of this.#options) checkName(name, option, all)
    const named = all.map((names) => ({
      names,
      fields: this.#of({ ...namesIn(names, all), has: () => true }),
    }))
    return this.#serializers === null || isNamed ? named : [...named, plain]
  }

  #namesAt(at: At): readonly NamedFields[] {
    const named = (this.#serializers ?? []).map((each) => each.namedFields?.(at))
    return named.filter((names) => names !== undefined)
  }
}

/** A list's declarations in the names of one serializer, in all versions together. */
export interface KnownFields {
  readonly fields: ListFields
  /** Absent: names are those of the source. */
  readonly names: NamedFields | undefined
}

interface Names {
  of(name: string, option: string): NamedField | null
  /** Finds a name for an order, which the version need not have. */
  ordering(name: string): NamedField
  /** Does this version have the field? */
  has(field: NamedField): boolean
  shows(column: string): boolean
}

const ofTheSource = (column: string): NamedField => ({ column })

const AS_IN_THE_SOURCE: Names = {
  of: ofTheSource,
  ordering: ofTheSource,
  has: () => true,
  shows: () => true,
}

function namesIn(names: NamedFields, all: readonly NamedFields[]): Names {
  const shown = [...names.values()].filter(({ absent }) => !absent)
  // A name that no serializer's field can have is a field of the source, such as one of a relation.
  const find = (name: string): NamedField | null =>
    names.get(name) ?? (name.includes('.') ? ofTheSource(name) : null)
  return {
    of: (name, option) => usable(find(name), name, option),
    ordering(name) {
      const field = find(name) ?? all.find((each) => each.has(name))?.get(name) ?? null
      if (field === null) throw unknownName(name, 'ordering', [names])
      return usable(field, name, 'ordering')!
    },
    has: ({ absent }) => !absent,
    shows: (column) => shown.some((field) => field.column === column),
  }
}

function usable(field: NamedField | null, name: string, option: string): NamedField | null {
  if (field?.problem === undefined) return field
  throw new ConfigurationError(
    `"${option}" names "${name}", a field of the serializer that ${field.problem}. Name a field of the source in its place: ${asColumn(name, option, 'the_column')}.`,
  )
}

function checkName(name: string, option: string, all: readonly NamedFields[]): void {
  if (!name.includes('.') && !all.some((names) => names.has(name)))
    throw unknownName(name, option, all)
}

/** The error for an unknown name: the field may have another name here, or none, or the name is misspelt. */
function unknownName(
  name: string,
  option: string,
  all: readonly NamedFields[],
): ConfigurationError {
  const fields = all
    .flatMap((names) => [...names])
    .filter(([, { problem }]) => problem === undefined)
  const [shownAs] = fields.find(([, field]) => field.column === name) ?? []
  const kept = asColumn(name, option, name)
  const problem = `"${option}" names "${name}", and the serializer has no such field.`
  return new ConfigurationError(
    shownAs === undefined
      ? `${problem}${didYouMean(name, [...new Set(fields.map(([each]) => each))])} If it is a field of the source, write ${kept}.`
      : `${problem} It shows it as "${shownAs}": write that, or ${kept}.`,
  )
}

function asColumn(name: string, option: string, column: string): string {
  const isNamed = option === 'filterFields' || option === 'orderingFields'
  return isNamed ? `{ name: "${name}", column: "${column}" }` : `{ column: "${column}" }`
}

type Entry = string | Partial<FilteredColumn>

function partsOf(declared: FilteredFields): (names: Names) => ListFields {
  const searched = entries('searchFields', declared.searchFields)
  const ordered = entries('orderingFields', declared.orderingFields)
  const filtered = entries('filterFields', declared.filterFields)
  const order = declared.ordering == null ? null : [declared.ordering].flat()
  return (names) => ({
    searchFields: searched && searchedIn(searched, names),
    orderingFields: ordered && ordered.flatMap((entry) => orderedBy(entry, names)),
    ordering: order && sortKeys(orderIn(order, names)),
    filterFields: filtered && filtered.flatMap((entry) => parametersOf(entry, names)),
  })
}

function entries(option: string, value: readonly unknown[] | null = null): readonly Entry[] | null {
  if (value === null || (Array.isArray(value) && value.every((each) => isEntry(each, option))))
    return value as readonly Entry[] | null
  // A column that is added later must not be open to clients by itself: they could learn it by ordering (F11).
  throw new ConfigurationError(
    `list(): "${option}" must be a list of field names, but is ${JSON.stringify(value)}. There is no word for all fields: name those that clients may use.`,
  )
}

function isEntry(entry: unknown, option: string): boolean {
  const isName = (name: unknown): boolean =>
    typeof name === 'string' && name !== '' && name !== '__all__'
  if (typeof entry !== 'object' || entry === null) return isName(entry)
  const { name, column, lookup } = entry as { readonly [K in keyof FilteredColumn]?: unknown }
  const hasName = option === 'searchFields' || isName(name)
  return hasName && isName(column) && (lookup === undefined || operatorOf(lookup) !== undefined)
}

/** A search looks at all fields that the version shows, under any name. */
function searchedIn(searched: readonly Entry[], names: Names): readonly ComparedField[] {
  const found = new Map<string, ComparedField>()
  for (const entry of searched) {
    const { field, operator } =
      typeof entry === 'string' ? searchLookup(entry) : comparedBy(entry, 'icontains')
    const named = typeof entry === 'string' ? names.of(field, 'searchFields') : { column: field }
    const isShown = named !== null && (names.has(named) || names.shows(named.column))
    if (isShown) found.set(`${operator} ${named.column}`, { field: named.column, operator })
  }
  return [...found.values()]
}

function orderedBy(entry: Entry, names: Names): readonly OrderedField[] {
  if (typeof entry !== 'string') return [{ name: entry.name!, field: entry.column! }]
  const named = names.of(entry, 'orderingFields')
  return named !== null && names.has(named) ? [{ name: entry, field: named.column }] : []
}

function orderIn(
  order: readonly (OrderingTerm | OrderedColumn)[],
  names: Names,
): readonly SortKey[] {
  return order.flatMap((term) => {
    if (typeof term === 'object' && term !== null && 'column' in term)
      return sortKeys({ ...term, field: term.column })
    return sortKeys(term).map((key) => ({ ...key, field: names.ordering(key.field).column }))
  })
}

function parametersOf(entry: Entry, names: Names): readonly FilterParameter[] {
  if (typeof entry !== 'string') {
    const { name, column, lookup } = entry
    const bound = lookup === undefined ? column! : `${column}__${lookup}`
    return [{ name: name!, bound, ...comparedBy(entry, 'equals') }]
  }
  const { field, operator } = filterLookup(entry)
  const named = names.of(field, 'filterFields')
  if (named === null || !names.has(named)) return []
  const { column, schema, normalForm } = named
  const bound = column + entry.slice(field.length)
  const known = { ...(schema && { schema }), ...(normalForm && { normalForm }) }
  return [{ name: entry, bound, field: column, operator, ...known }]
}

function comparedBy(
  { column, lookup }: Partial<FilteredColumn>,
  plain: ComparedField['operator'],
): ComparedField {
  return { field: column!, operator: operatorOf(lookup) ?? plain }
}

/** Every name that is not a name of the source, with the option that has it. */
function optionsByName({
  searchFields,
  orderingFields,
  ordering,
  filterFields,
}: FilteredFields): ReadonlyMap<string, string> {
  const texts = (list: readonly unknown[] | null | undefined): readonly string[] =>
    (list ?? []).filter((each) => typeof each === 'string')
  const order =
    ordering == null
      ? []
      : orderIn(
          [ordering].flat().filter((term) => typeof term === 'string' || 'field' in term),
          AS_IN_THE_SOURCE,
        )
  return new Map([
    ...texts(filterFields).map((text) => [filterLookup(text).field, 'filterFields'] as const),
    ...texts(orderingFields).map((text) => [text, 'orderingFields'] as const),
    ...order.map(({ field }) => [field, 'ordering'] as const),
    ...texts(searchFields).map((text) => [searchLookup(text).field, 'searchFields'] as const),
  ])
}
