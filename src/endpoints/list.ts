import type { ServiceFacts } from '../contract/service-facts.ts'
import type {
  ApiRequest,
  FilterBackend,
  MaybePromise,
  Paginator,
  Reply,
  Settings,
} from '../contract/request.ts'
import type { ListSource, Portion, QuerySource, SeekableSource } from '../contract/list-source.ts'
import type { Behaviour, Finding, ForTwo } from '../contract/kernel.ts'
import type { ListView, Page, PageBounds } from '../contract/pagination.ts'
import type { Serializer } from '../contract/serializer.ts'
import { withControls } from '../replies/reply.ts'
import { rowsAsText, writesTexts } from '../replies/rows-as-text.ts'
import { JSONBytes } from '../std/json/json-bytes.ts'
import { cutOf } from '../std/row-objects.ts'
import type { AnswersList } from '../types/exchanged.ts'
import type { Answered, Shown } from '../types/resources.ts'
import type { JSONSchema, OperationFacts, ParameterFacts } from '../types/documents.ts'
import {
  activeAmong,
  filterParameters,
  filterParams,
  filterProblem,
  filtered,
  knownList,
} from './filtered.ts'
import { pageOfBoth, rowsOfBoth } from './list-for-two.ts'
import { DeclaredFields, type KnownFields } from './list-fields.ts'
import type { FilteredFields, NamesOf } from './list-names.ts'
import { type ShownBy, chosen, chosenAt, serializerProblem } from './serializer-choice.ts'

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

/** What a list endpoint needs. What the source can do must be enough for the style. */
export interface ListSpec<
  Rq,
  Row,
  Source extends ListSource = ListSource<Row>,
  Name extends string = never,
> extends FilteredFields<NamesOf<NoInfer<Name>, FieldsOf<Source>>, FieldsOf<Source>> {
  /** The whole set, or a function that narrows it for the request. */
  readonly source:
    | (Source & ListSource<Row>)
    | ((request: Rq) => MaybePromise<Source & ListSource<Row>>)
  /** How a row is shown, or a function that chooses by the request. @default the row as it is */
  readonly serializer?: ShownBy<Rq, Row, Name>
  /** A style for this list alone. @default the setting `pagination` */
  readonly pagination?: StyleFor<Source, NamesOf<NoInfer<Name>, FieldsOf<Source>>> | null
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
  Source extends ListSource = ListSource<Row>,
  Name extends string = never,
  Z = unknown,
>(
  // What a serializer lacks comes first, where errors of the compiler begin.
  spec: {
    readonly source: [Z] extends [never]
      ? unknown
      : Shown<NoInfer<Z>, Source extends ListSource<infer R> ? R : never>
    readonly serializer?: [Z] extends [never] ? unknown : Answered<NoInfer<Z>, NoInfer<Rq>>
  } & { readonly serializer?: Z | ShownBy<Rq, Row, Name> } & ListSpec<Rq, Row, Source, Name>,
): Behaviour<Rq, AnswersList<Z, Row>> {
  const { source, serializer } = spec as ListSpec<Rq, Row, Source, Name>
  const fields = new DeclaredFields(spec, serializer)
  const under = ({ filters, pagination }: Settings): Listing<Rq, Row> => ({
    source,
    serializer,
    fields,
    filters: spec.filters ?? filters,
    // What filters give can do what the source could, so the style gets by with it.
    paginator: spec.pagination === undefined ? pagination : (spec.pagination as Paginator | null),
  })
  return {
    handle: (request) => showPage(under(request.settings), request),
    queryParams: (request) => {
      const { settings } = request
      const { filters, paginator } = under(settings)
      const named = fields.in(chosen(serializer, request), request)
      const paging = paginator?.queryParams?.(settings) ?? []
      return [...filterParams(filters, named, settings), ...paging]
    },
    operation: (at) => {
      const one = chosenAt(serializer, at)
      const { filters, paginator } = under(at.settings)
      const narrowing = filterParameters(filters, fields.in(one, at), at.settings)
      return listOperation(at.schema(one, 'output'), paginator, narrowing, at.settings)
    },
    filterControls: (request) => {
      const { filters } = under(request.settings)
      const named = fields.in(chosen(serializer, request), request)
      return activeAmong(filters, named).flatMap((each) => each.controls?.(request, named) ?? [])
    },
    check: (settings, service) =>
      serializerProblem(serializer, settings, service) ??
      problemOf(under(settings), settings, service),
    findings: (settings) =>
      listFindings({ ...under(settings), settings, fields: fields.everywhere(settings) }),
  }
}

function listOperation(
  items: JSONSchema,
  style: Paginator | null,
  narrowing: readonly ParameterFacts[],
  settings: Settings,
): OperationFacts {
  const paging =
    style?.parameters?.(settings) ??
    style?.queryParams?.(settings).map((name) => ({ name, schema: { type: 'string' } })) ??
    []
  const parameters = [...paging, ...narrowing]
  const results = { type: 'array', items }
  const schema = style?.schema?.(results, settings) ?? results
  return {
    kind: 'list',
    parameters,
    body: null,
    answers: [{ status: 200, schema }],
    errors: [
      ...(parameters.length > 0 ? [{ status: 400, codes: ['invalid', 'max_offset'] }] : []),
      ...(style === null ? [] : [{ status: 404, codes: ['not_found'] }]),
    ],
  }
}

/** A function makes a source for each request: nothing can be known of it before. */
function problemOf<Rq, Row>(
  { source, filters, fields, paginator }: Listing<Rq, Row>,
  settings: Settings,
  service: ServiceFacts,
): string | null {
  const known = typeof source === 'function' ? undefined : source
  const problem = filterProblem(known, filters, () => fields.everywhere(settings))
  if (problem) return problem
  const [first] = fields.everywhere(settings)
  const whole = known && first && knownList(known, filters, first)
  const missing = paginator?.check?.(service, whole) ?? null
  return missing === null ? null : `${paginator!.constructor.name} ${missing}`
}

/**
 * One page of a source, from any handler: what `list` does once it knows the source. The style is the
 * setting `pagination`; without one, or where it declines, the answer is the bare array (P3).
 *
 * @throws NotFound, or whatever the style answers to a page that is none
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
): Promise<Reply | readonly unknown[]> {
  const paginator = request.settings.pagination
  return showPage({ source, filters: [], fields: NO_FIELDS, paginator, serializer }, request)
}

const NO_FIELDS = new DeclaredFields({}, undefined)

interface Listing<Rq, Row> {
  readonly source: ListSource<Row> | ((request: Rq) => MaybePromise<ListSource<Row>>)
  readonly filters: readonly FilterBackend[]
  readonly fields: DeclaredFields
  readonly paginator: Paginator | null
  readonly serializer: ShownBy<Rq, Row> | undefined
}

async function showPage<Rq extends ApiRequest, Row>(
  { source, filters, fields, paginator, serializer }: Listing<Rq, Row>,
  request: Rq,
): Promise<Reply | readonly unknown[]> {
  const all = typeof source === 'function' ? await source(request) : source
  const one = chosen(serializer, request)
  const left = filtered(all, filters, () => fields.in(one, request), request)
  const view: ListView = {
    name: request.endpointName,
    ordering: left.ordering(),
    names: () => one?.namedFields?.(request),
  }
  const two = (request as { readonly forTwo?: ForTwo | null }).forTwo
  const theirs = two?.client === 'own' ? two.lists.shift() : undefined
  if (theirs !== undefined) {
    const paginate = async (): Promise<Page<Row> | null> =>
      paginator && paginator.paginate(left.source, request, view)
    const both = await rowsOfBoth(left.source, theirs)
    const own = await pageOfBoth(paginate, theirs, both.isWhole)
    const rows = await asObjects(both.rows, one, request)
    return own === null ? rows : withControls(paginator!.respond(own.page, rows), own.controls)
  }
  const page: Page<Row> | null = paginator && (await paginator.paginate(left.source, request, view))
  const portion = page ?? (await cutOf(left.source, 0, Number.MAX_SAFE_INTEGER))
  if (two?.client === 'other') two.lists.push({ rows: portion.rows, page })
  const shown = asTexts(portion, one, request) ?? (await asObjects(portion.rows, one, request))
  if (page === null) return shown
  const reply = paginator!.respond(page, shown)
  // Only pages for people show controls, and only they pay for them (H1).
  const isForPeople = page.controls !== undefined && request.accepted.mediaType === 'text/html'
  return isForPeople ? withControls(reply, () => page.controls!()) : reply
}

/**
 * The rows as JSON, which become objects at the first look at them. All that can go wrong with a
 * row, or that the answer depends on, shows now, as it does with objects. `null`: objects are needed.
 */
function asTexts<Rq extends ApiRequest, Row>(
  portion: Portion<Row>,
  serializer: Serializer<Row, unknown, Rq> | undefined,
  request: Rq,
): readonly unknown[] | null {
  const { table } = portion
  if (table === undefined || serializer?.writer === undefined) return null
  if (!writesTexts(request.accepted, request.settings.renderers)) return null
  const { values } = table
  const text = new JSONBytes(USUAL_ROW)
  const write = serializer.writer(table, request)
  if (write === null) return null
  for (let at = 0; at < values.length; at++) {
    if (at > 0) text.putByte(COMMA)
    // Most rows are about as long as the first one.
    if (at === 1) text.expect(text.length * values.length)
    write(values[at]!, text)
  }
  return rowsAsText({ bytes: text.bytes, count: values.length }, () =>
    portion.rows.map((row) => serializer.represent(row, request)),
  )
}

/** Bytes that few rows need more of. */
const USUAL_ROW = 1024
const COMMA = 0x2c

async function asObjects<Rq extends ApiRequest, Row>(
  rows: readonly Row[],
  serializer: Serializer<Row, unknown, Rq> | undefined,
  request: Rq,
): Promise<readonly unknown[]> {
  if (serializer === undefined) return rows.slice()
  const shown: unknown[] = []
  for (const row of rows) {
    const each = serializer.represent(row, request)
    // Schemas of other libraries may check asynchronously.
    shown.push(each instanceof Promise ? await each : each)
  }
  return shown
}

interface Listed {
  readonly filters: readonly FilterBackend[]
  readonly fields: readonly KnownFields[]
  readonly paginator: Paginator | null
  readonly settings: Settings
}

/** What one request can ask of a list without a bound (I20). */
function listFindings({ filters, fields, paginator, settings }: Listed): readonly Finding[] {
  const bounds = paginator === null ? NO_PAGES : paginator.bounds?.(settings)
  if (bounds === undefined) return [unknownBounds(paginator!.constructor.name)]
  const isSearched = fields.some((each) =>
    activeAmong(filters, each.fields).some((filter) => filter.searches?.(each.fields)),
  )
  const whole = paginator === null ? WITHOUT_STYLE : WITHOUT_SIZE
  return [
    ...(bounds.rows === null ? [whole] : []),
    ...(bounds.offset === null ? [ANY_OFFSET] : []),
    ...(isSearched && isUncapped(bounds) ? [ANY_MATCHES] : []),
  ]
}

/** A bare array of everything. */
const NO_PAGES: PageBounds = { rows: null, offset: 0, count: 0 }

/** A search that stops at no number of matches: all are counted, or all are read. */
function isUncapped({ rows, count }: PageBounds): boolean {
  return rows === null || count === null
}

const WITHOUT_STYLE: Finding = {
  kind: 'whole-list',
  message: 'One request can read all rows, because the list has no style of pages.',
  fix: 'Set DEFAULT_PAGINATION_CLASS, and MAX_PAGE_SIZE for the most rows of a page.',
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
