import type { FilterBackend, ListFields } from '../contract/filter.ts'
import type { Behaviour } from '../contract/kernel.ts'
import type { Paginator } from '../contract/pagination.ts'
import type { ApiRequest, MaybePromise } from '../contract/request.ts'
import type { Serializer } from '../contract/serializer.ts'
import type { Settings } from '../contract/settings.ts'
import type { ListSource, QuerySource, SortKey } from '../contract/source.ts'
import { after } from '../std/after.ts'
import { serializerProblem } from './chosen.ts'
import { activeFilters, filtered, orderingFrom } from './filtered.ts'
import { type FilteredFields, listFields } from './list-fields.ts'
import { problemWith } from './list-problems.ts'
import { showPage } from './paginated.ts'

/**
 * The names that a source knows; one that cannot be filtered knows none. Of a list of anything, which
 * is what the compiler sees before it looks into a function, every name may be right.
 */
export type FieldsOf<Source> =
  Source extends QuerySource<unknown, infer Field extends string>
    ? Field
    : ListSource<unknown> extends Source
      ? string
      : never

/**
 * What a list endpoint needs: where rows come from, and how one is shown. The row is what the source
 * gives, and the serializer must understand it; what the source can do must be enough for the style.
 */
export interface ListSpec<
  Rq,
  Row,
  Source extends ListSource<unknown> = ListSource<Row>,
> extends FilteredFields<FieldsOf<Source>> {
  /** The whole set, or a function that narrows it for the request. */
  readonly source:
    | (Source & ListSource<Row>)
    | ((request: Rq) => MaybePromise<Source & ListSource<Row>>)
  /** How a row is shown, or a function that chooses by the request. @default the row as it is */
  // The request is what the endpoint makes it, not what a serializer would be content with.
  readonly serializer?:
    | Serializer<Row, unknown, NoInfer<Rq>>
    | ((request: NoInfer<Rq>) => Serializer<Row, unknown, NoInfer<Rq>>)
  /** A style for this list alone. @default the setting `pagination` */
  // oxlint-disable-next-line no-explicit-any -- the page is the paginator's own affair
  readonly pagination?: Paginator<Source, any> | null
  /** Filters for this list alone, in this order. @default the setting `filters` */
  readonly filters?: readonly FilterBackend[]
}

/**
 * GET of a list: the set, narrowed and ordered by the filters, split into pages, each row shown (P1–P3).
 * Without a style, or where the style declines, the answer is the bare array.
 *
 * @throws ConfigurationError when the service starts, or at the first request where the source is a
 * function: there are filters, and the source cannot be filtered or does not know a field
 * @example
 * api
 *   .endpoint('city-list', { filters: [new SearchFilter()] })
 *   .get(list({ source: cities, searchFields: ['name'], serializer: { represent: ({ id, name }) => ({ id, name }) } }))
 */
export function list<
  Rq extends ApiRequest,
  Row,
  Source extends ListSource<unknown> = ListSource<Row>,
>(spec: ListSpec<Rq, Row, Source>): Behaviour<Rq> {
  const fields = listFields(spec)
  const activeAmong = activeFilters(fields)
  const filtersIn = (settings: Settings) => activeAmong(spec.filters ?? settings.filters)
  return {
    handle(request) {
      const filters = filtersIn(request.settings)
      const source = typeof spec.source === 'function' ? spec.source(request) : spec.source
      return after(source, (found) =>
        filters.length === 0
          ? show(found, null, spec, request)
          : showFiltered(found, filters, fields, spec, request),
      )
    },
    check(settings, service) {
      const { source } = spec
      const paginator = styleOf(spec, settings)
      const problem = serializerProblem(spec.serializer, settings, service)
      if (problem !== null) return problem
      return problemWith({ source, filters: filtersIn(settings), fields, paginator }, service)
    },
    givesAll(settings) {
      const paginator = styleOf(spec, settings)
      return paginator === null || paginator.largestPage?.(settings) === null
    },
  }
}

function showFiltered<Rq extends ApiRequest, Row, Source extends ListSource<unknown>>(
  source: ListSource<unknown>,
  filters: readonly FilterBackend[],
  fields: ListFields,
  spec: ListSpec<Rq, Row, Source>,
  request: Rq,
): MaybePromise<unknown> {
  const found = filtered(source, filters, fields, request)
  return show(found, orderingFrom(filters, fields, request), spec, request)
}

function show<Rq extends ApiRequest, Row, Source extends ListSource<unknown>>(
  source: ListSource<unknown>,
  ordering: readonly SortKey[] | null,
  spec: ListSpec<Rq, Row, Source>,
  request: Rq,
): MaybePromise<unknown> {
  const { serializer } = spec
  return showPage(
    source,
    { paginator: styleOf(spec, request.settings), ordering, serializer },
    request,
  )
}

/** What filters give can do what the source could, so the style gets by with it. */
function styleOf<Rq, Row, Source extends ListSource<unknown>>(
  { pagination }: ListSpec<Rq, Row, Source>,
  settings: Settings,
): Paginator | null {
  return pagination === undefined ? settings.pagination : (pagination as Paginator | null)
}
