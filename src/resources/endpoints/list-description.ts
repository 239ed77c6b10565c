import type {
  ComparedField,
  Condition,
  ListFields,
  ListSource,
  QuerySource,
} from '../../core/ports/list-source.ts'
import type { Behaviour, Finding } from '../../core/ports/kernel.ts'
import type { KnownList, PageBounds, Paginator } from '../../core/ports/policies/pagination.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { FilterBackend } from '../../core/ports/policies/filters.ts'
import type { OperationPlace, Settings } from '../../core/ports/settings/settings.ts'
import type { ServiceFacts } from '../../core/ports/service-facts.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import type { MaybePromise } from '../../core/std/after.ts'
import type { OperationFacts, ParameterFacts } from '../../core/types/documents.ts'
import type { DeclaredFields, KnownFields } from './list-fields.ts'
import { type ShownBy, chooseAt, chooseFor, serializerProblem } from '../serializers/serializer.ts'

export type Filters = readonly FilterBackend[]

/** The parts of a list, under the settings of an endpoint. */
export interface Listing<Rq, Row> {
  readonly source: ListSource<Row> | ((request: Rq) => MaybePromise<ListSource<Row>>)
  readonly filters: Filters
  readonly fields: DeclaredFields
  readonly paginator: Paginator | null
  readonly serializer: ShownBy<Rq, Row> | undefined
}

/** The facts about a list for documents, pages, `strictQuery` and the checks of a service. */
export function describedList<Rq extends ApiRequest, Row>(
  under: (settings: Settings) => Listing<Rq, Row>,
): Omit<Behaviour<Rq>, 'handle' | '~answer'> {
  const named = (request: Rq): ListFields => {
    const { fields, serializer } = under(request.settings)
    return fields.in(chooseFor(serializer, request), request)
  }
  const parameters = (request: Rq): readonly ParameterFacts[] =>
    parametersOf(under(request.settings), named(request), request.settings)
  return {
    parameters,
    operation: (at) =>
      operationOf(under(at.settings), parameters(at as unknown as Rq).length > 0, at),
    filterControls: (request) => {
      const fields = named(request)
      const active = activeAmong(under(request.settings).filters, fields)
      return active.flatMap((each) => each.controls?.(request, fields) ?? [])
    },
    check: (settings, service) =>
      serializerProblem(under(settings).serializer, settings, service) ??
      problemOf(under(settings), settings, service),
    findings: (settings) => findingsOf(under(settings), settings),
    '~order': (settings) => orderOf(under(settings), settings),
  }
}

type Narrowed = Pick<Listing<never, never>, 'filters' | 'paginator'>

function parametersOf(
  { filters, paginator }: Narrowed,
  fields: ListFields,
  settings: Settings,
): readonly ParameterFacts[] {
  return [
    ...(paginator?.parameters?.(settings) ?? []),
    ...filterParameters(filters, fields, settings),
  ]
}

function operationOf<Rq, Row>(
  { serializer, paginator }: Listing<Rq, Row>,
  takesParameters: boolean,
  at: OperationPlace,
): OperationFacts {
  const results = { type: 'array', items: at.schema(chooseAt(serializer, at), 'output') }
  const schema = paginator?.schema?.(results, at.settings) ?? results
  return {
    kind: 'list',
    body: null,
    answers: [{ status: 200, schema }],
    errors: [
      ...(takesParameters ? [{ status: 400, codes: ['invalid', 'max_offset'] }] : []),
      ...(paginator === null ? [] : [{ status: 404, codes: ['not_found'] }]),
    ],
  }
}

/** A function makes a source for each request: nothing can be known of it before. */
function problemOf<Rq, Row>(
  { source, filters, fields, paginator }: Listing<Rq, Row>,
  settings: Settings,
  service: ServiceFacts,
): string | null {
  if (!isFilters(filters)) return '"filters" must be a list, such as [new FieldFilter()].'
  const known = typeof source === 'function' ? undefined : source
  const problem =
    filterProblem(known, filters, () => fields.everywhere(settings)) ??
    unreadProblem(filters, fields.plain)
  if (problem) return problem
  const [first] = fields.everywhere(settings)
  const whole = known && first && knownList(known, filters, first)
  const missing = paginator?.check?.(service, whole) ?? null
  return missing === null ? null : `${paginator!.constructor.name} ${missing}`
}

function isFilters(given: unknown): given is Filters {
  const isFilter = (each: unknown): boolean =>
    typeof (each as Partial<FilterBackend> | null)?.filter === 'function'
  return Array.isArray(given) && given.every(isFilter)
}

/**
 * A sentence about an option that no filter reads: it would be ignored, and clients would get all rows, or rows in another
 * order, without notice.
 */
function unreadProblem(filters: Filters, declared: ListFields): string | null {
  for (const [option, filter] of READERS) {
    const own = declared[option]
    const isRead = activeAmong(filters, { ...NO_FIELDS, [option]: own }).length > 0
    if (own === null || own.length === 0 || isRead) continue
    return `no filter reads "${option}": add new ${filter}() to "filters" (DEFAULT_FILTER_BACKENDS) of the list, its endpoint or an outer layer, or take "${option}" out.`
  }
  return null
}

const NO_FIELDS: ListFields = {
  searchFields: null,
  filterFields: null,
  orderingFields: null,
  ordering: null,
}
const READERS = [
  ['searchFields', 'SearchFilter'],
  ['filterFields', 'FieldFilter'],
  ['orderingFields', 'OrderingFilter'],
  ['ordering', 'OrderingFilter'],
] as const

export function activeAmong(filters: Filters, fields: ListFields): Filters {
  return filters.filter((filter) => filter.applies?.(fields) ?? true)
}

/** The parameters of the query that filters read. */
export function filterParameters(
  filters: Filters,
  fields: ListFields,
  settings: Settings,
): readonly ParameterFacts[] {
  const active = activeAmong(filters, fields)
  return active.flatMap((filter) => filter.parameters?.(settings, fields) ?? [])
}

export function canBeFiltered<Source extends ListSource>(
  source: Source,
): source is Source & QuerySource<unknown, string> {
  const { where, orderBy } = source as Partial<QuerySource<unknown>>
  return typeof where === 'function' && typeof orderBy === 'function'
}

export function unfilterableProblem(filters: Filters): string {
  const classes = filters.map(({ constructor }) => constructor.name).join(', ')
  return `The filters (${classes}) need a source with where() and orderBy(): take arraySource or sqlSource, or say filters: [] for this list.`
}

/** Why a source cannot be filtered by these fields; `null`: it can, no filter is set, or the source is not known. */
function filterProblem(
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
  if (!canBeFiltered(source)) return active.length === 0 ? null : unfilterableProblem(active)
  tryFields(source, fields)
  return null
}

/** The source reads nothing, and refuses unknown fields. */
function tryFields(source: QuerySource<unknown, string>, fields: ListFields): void {
  const { searchFields, filterFields, orderingFields, ordering } = fields
  for (const field of [...(searchFields ?? []), ...(filterFields ?? [])])
    source.where([nothing(field)])
  for (const { field } of orderingFields ?? [])
    source.orderBy([{ field, descending: false, nulls: 'first' }])
  for (const key of ordering ?? []) source.orderBy([key])
}

/** A client's condition with a value that fits every type. */
function nothing({ field, operator }: ComparedField): Condition {
  const value = operator === 'isNull' ? true : operator === 'in' ? [] : null
  return { field, operator, value, parameter: field }
}

/** A list as its style knows it before any request: its own order counts where a filter reads it (C20). */
function knownList(
  source: ListSource,
  filters: Filters,
  { fields, names }: KnownFields,
): KnownList {
  const isRead = activeAmong(filters, fields).some(({ ordering }) => ordering !== undefined)
  return { source, ordering: isRead ? fields.ordering : null, names }
}

/**
 * The columns of the list's own order, with the place that names them. The source judges columns of related tables, and
 * SQLite has a `rowid` that no table names.
 */
function orderOf<Rq, Row>(
  { source, filters, fields, paginator }: Listing<Rq, Row>,
  settings: Settings,
): readonly (readonly [where: string, column: string])[] {
  const where = `"ordering" of ${paginator?.constructor.name}`
  const keys = fields.everywhere(settings).flatMap((known) => {
    const { ordering } = knownList(source as ListSource, filters, known)
    return ordering === null ? (paginator?.orderedBy?.(known.names) ?? []) : []
  })
  const own = keys.filter(({ field }) => !field.includes('.') && field !== 'rowid')
  return own.map(({ field }) => [where, field] as const)
}

/** The demands that one request can make of a list without a bound (I20). */
function findingsOf<Rq, Row>(
  { filters, fields, paginator }: Listing<Rq, Row>,
  settings: Settings,
): readonly Finding[] {
  const bounds = paginator === null ? NO_PAGES : paginator.bounds?.(settings)
  if (bounds === undefined) return [unknownBounds(paginator!.constructor.name)]
  const isSearched = fields
    .everywhere(settings)
    .some((each) =>
      activeAmong(filters, each.fields).some((filter) => filter.searches?.(each.fields)),
    )
  const whole = paginator === null ? WITHOUT_STYLE : WITHOUT_SIZE
  return [
    ...(bounds.rows === null ? [whole] : []),
    ...(bounds.offset === null ? [ANY_OFFSET] : []),
    ...(isSearched && isUncapped(bounds) ? [ANY_MATCHES] : []),
  ]
}

/** The bounds of a bare array of all rows. */
const NO_PAGES: PageBounds = { rows: null, offset: 0, count: 0 }

/** Can a search count or read all matches, however many there are? */
function isUncapped({ rows, count }: PageBounds): boolean {
  return rows === null || count === null
}

const WITHOUT_STYLE: Finding = {
  kind: 'whole-list',
  message: 'One request can read all rows, because the list has no style of pages.',
  fix: 'Set DEFAULT_PAGINATION_CLASS and MAX_PAGE_SIZE; PAGE_SIZE alone has no effect.',
}
const WITHOUT_SIZE: Finding = {
  kind: 'whole-list',
  message: 'One request can read all rows, because nothing limits the size of a page.',
  fix: 'Set MAX_PAGE_SIZE, the most rows of a page.',
}
const ANY_OFFSET: Finding = {
  kind: 'unlimited-offset',
  message: 'One request can make the database walk past any number of rows.',
  fix: 'Set MAX_OFFSET, or take CursorPagination, whose pages cost the same at every depth.',
}
const ANY_MATCHES: Finding = {
  kind: 'uncapped-search',
  message: 'One request can make the database find every row that matches a search.',
  fix: "Say count: 'capped' for the style, or take CursorPagination: then a search stops after so many matches.",
}

function unknownBounds(style: string): Finding {
  return {
    kind: 'whole-list',
    message: `One request may read all rows: ${style} does not say how many a page has.`,
    fix: `Give ${style} a method bounds(settings).`,
  }
}
