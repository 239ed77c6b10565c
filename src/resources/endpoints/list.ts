import type { ApiRequest } from '../../core/ports/request.ts'
import type { FilterBackend } from '../../core/ports/policies/filters.ts'
import type { MaybePromise } from '../../core/std/after.ts'
import type { ListView, Page, Paginator } from '../../core/ports/policies/pagination.ts'
import type { Reply } from '../../core/ports/representations.ts'
import type { Settings } from '../../core/ports/settings/settings.ts'
import type {
  ListFields,
  ListSource,
  QuerySource,
  SeekableSource,
  SortKey,
} from '../../core/ports/list-source.ts'
import type { Behaviour } from '../../core/ports/kernel.ts'
import type { Serializer } from '../../core/ports/serializer.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { refuseOthers } from '../../core/settings/options.ts'
import { withControls } from '../../core/replies/reply.ts'
import { cutOf } from '../../core/std/row-objects.ts'
import type { AnswersList } from '../../core/types/answers.ts'
import type { Answered, Shown } from '../../core/types/resources.ts'
import {
  type Filters,
  type Listing,
  activeAmong,
  canBeFiltered,
  describedList,
  unfilterableProblem,
} from './list-description.ts'
import { DeclaredFields } from './list-fields.ts'
import { type MayThrow, withErrors } from './own-errors.ts'
import type { FilteredFields, NamesOf } from './list-names.ts'
import { type ShownBy, choose, shownBy, shownRows } from '../serializers/serializer.ts'

/**
 * The names that a source knows; one that cannot be filtered knows none. Before the compiler has looked into
 * the function that makes it (a list of anything, or `never`), every name may be right.
 */
export type FieldsOf<Source> = [Source] extends [never]
  ? string
  : Source extends QuerySource<unknown, infer Field extends string>
    ? Field
    : ListSource extends Source
      ? string
      : never

/** A style of pages for a source, whose order may be in the names that clients know. */
export type StyleFor<Source extends ListSource, Names extends string> = Paginator<
  Source extends { readonly seek: unknown }
    ? Source & SeekableSource<unknown, Names | FieldsOf<Source>>
    : Source,
  // oxlint-disable-next-line no-explicit-any -- the page is the paginator's own affair
  any
>

/** The parts of a list endpoint. The source must have the capabilities that the style needs. */
export interface ListSpec<
  Rq,
  Row,
  Source extends ListSource = ListSource<Row>,
  Name extends string = never,
>
  extends FilteredFields<NamesOf<NoInfer<Name>, FieldsOf<Source>>, FieldsOf<Source>>, MayThrow {
  /** The whole set, or a function that narrows it for the request. */
  readonly source:
    | (Source & ListSource<Row>)
    | ((request: Rq) => MaybePromise<Source & ListSource<Row>>)
  /** The serializer of rows, or a function that chooses by the request. @default the row itself */
  readonly serializer?: ShownBy<Rq, Row, Name>
  /** A style for this list alone. @default the setting `pagination` */
  readonly pagination?: StyleFor<Source, NamesOf<NoInfer<Name>, FieldsOf<Source>>> | null
  /** Filters for this list alone, in this order. @default the setting `filters` */
  readonly filters?: readonly FilterBackend[]
}

/** The options of `list`, and of a resource for its list. */
export const LIST_OPTIONS = [
  'source',
  'serializer',
  'pagination',
  'filters',
  'searchFields',
  'filterFields',
  'orderingFields',
  'ordering',
] as const

/**
 * GET of a list: the set, narrowed and ordered by the filters, split into pages, each row shown (P1–P3).
 * Without a style, or where the style declines, the answer is the bare array.
 *
 * @throws ConfigurationError for an option that there is not; when the service starts, or at the first request where the source is a
 * function: there are filters, and the source cannot be filtered or does not know a field
 * @example
 * api
 *   .endpoint('city-list', { filters: [new SearchFilter()] })
 *   .get(list({ source: cities, searchFields: ['name'], serializer: { represent: ({ id, name }) => ({ id, name }) } }))
 */
export function list<
  Rq extends ApiRequest,
  Row,
  Source extends ListSource = ListSource<Row>,
  Name extends string = never,
  Z = unknown,
>(
  // The demands on the serializer come first, because errors of the compiler begin there.
  spec: {
    readonly source: [Z] extends [never]
      ? unknown
      : Shown<NoInfer<Z>, Source extends ListSource<infer R> ? R : never>
    readonly serializer?: [Z] extends [never] ? unknown : Answered<NoInfer<Z>, NoInfer<Rq>>
  } & { readonly serializer?: Z | ShownBy<Rq, Row, Name> } & ListSpec<Rq, Row, Source, Name>,
): Behaviour<Rq, AnswersList<Z, Row>> {
  refuseOthers('list()', spec, [...LIST_OPTIONS, 'errors'])
  const { source, serializer } = spec as ListSpec<Rq, Row, Source, Name>
  const fields = new DeclaredFields(spec, serializer)
  const under = ({ filters, pagination }: Settings): Listing<Rq, Row> => ({
    source,
    serializer,
    fields,
    filters: spec.filters ?? filters,
    // The style fits the filtered source too, because filters keep the abilities of the source.
    paginator: spec.pagination === undefined ? pagination : (spec.pagination as Paginator | null),
  })
  const behaviour: Behaviour<Rq, AnswersList<Z, Row>> = {
    showsRows: true,
    '~shows': shownBy(serializer),
    handle: (request) => showPage(under(request.settings), request),
    ...describedList(under),
  }
  return withErrors(behaviour, spec.errors)
}

/**
 * One page of a source, from any handler: what `list` does once it knows the source. Filters and style are the settings
 * `filters` and `pagination`, in an action those of the resource; `fields` says what clients may search for, filter and order
 * by. Without a style, or where it declines, the answer is the bare array (P3).
 *
 * @throws NotFound, or whatever the style answers to a page that is none; ConfigurationError a filter cannot look at the source
 * @example
 * api.endpoint('night-list').get(async (request) => {
 *   const nights = arraySource(await nightsOf(request.query.get('month')))
 *   return paginated(request, nights, { represent: ({ date }) => ({ date }) })
 * })
 */
export function paginated<Rq extends ApiRequest, Row>(
  request: Rq,
  source: ListSource<Row>,
  serializer?: Serializer<Row, unknown, NoInfer<Rq>>,
  fields?: FilteredFields,
): Promise<Reply | readonly unknown[]> {
  const { pagination: paginator, filters } = request.settings
  const declared = fields ? new DeclaredFields(fields, serializer) : NO_FIELDS
  return showPage({ source, filters, fields: declared, paginator, serializer }, request)
}

const NO_FIELDS = new DeclaredFields({}, undefined)

async function showPage<Rq extends ApiRequest, Row>(
  { source, filters, fields, paginator, serializer }: Listing<Rq, Row>,
  request: Rq,
): Promise<Reply | readonly unknown[]> {
  const all = typeof source === 'function' ? await source(request) : source
  let one: Serializer<Row, unknown, Rq> | undefined
  // The serializer is chosen when a row is shown, or when a filter or an order asks for the names of its fields.
  const byThis = () => (one ??= choose(serializer, request))
  const left = applyFilters(all, filters, () => fields.in(byThis(), request), request)
  const view: ListView = {
    name: request.endpointName,
    ordering: left.ordering(),
    names: () => byThis()?.namedFields?.(request),
  }
  const own = { source: left.source, paginator, request, view }
  const two = request['~lists'] ? await request['~lists'].cut(own) : null
  const page: Page<Row> | null =
    two === null ? paginator && (await paginator.paginate(left.source, request, view)) : two.page
  if (page !== null && !('rows' in Object(page)))
    throw new TypeError(
      `paginate() of ${paginator!.constructor.name} must return { rows } or null.`,
    )
  const portion = two?.portion ?? page ?? (await cutOf(left.source, 0, Number.MAX_SAFE_INTEGER))
  const shown = await shownRows(portion, byThis(), request)
  if (page === null) return shown
  const reply = paginator!.respond(page, shown)
  // Only pages for people show controls, so only they pay for making them (H1).
  const controlled = two ?? page
  const isForPeople =
    controlled.controls !== undefined && request.accepted.mediaType === 'text/html'
  return isForPeople ? withControls(reply, () => controlled.controls!()) : reply
}

/**
 * A source as filters leave it, and the order that they decide on; `null`: none does (C20). Only lists ask
 * for the order, which a filter may refuse: a single object has none.
 *
 * @throws ConfigurationError the source cannot be filtered, or does not know a declared field
 */
export function applyFilters<Source extends ListSource>(
  source: Source,
  filters: Filters,
  named: () => ListFields,
  request: ApiRequest,
): { readonly source: Source; readonly ordering: () => readonly SortKey[] | null } {
  // Most lists have no filters and need no names of fields.
  if (filters.length === 0) return { source, ordering: () => null }
  const fields = named()
  const active = activeAmong(filters, fields)
  if (active.length === 0) return { source, ordering: () => null }
  // Skipping the filters silently could show rows that a filter hides from some clients.
  if (!canBeFiltered(source))
    throw new ConfigurationError(`endpoint ${request.endpointName}: ${unfilterableProblem(active)}`)
  const rows: QuerySource<unknown, string> = source
  const left = active.reduce((found, each) => each.filter(found, request, fields), rows)
  const ordering = (): readonly SortKey[] | null => {
    const decides = active.find((each) => each.ordering !== undefined)
    const keys = decides?.ordering?.(request, fields) ?? []
    return keys.length > 0 ? keys : null
  }
  return { source: left as Source & typeof rows, ordering }
}
