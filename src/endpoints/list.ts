import type { Handler } from '../contract/kernel.ts'
import type { Paginator } from '../contract/pagination.ts'
import type { ApiRequest, MaybePromise } from '../contract/request.ts'
import type { Serializer } from '../contract/serializer.ts'
import type { ListSource } from '../contract/source.ts'
import { after } from '../std/after.ts'

/**
 * What a list endpoint needs: where rows come from, and how one is shown. The row is what the source
 * gives, and the serializer must understand it; what the source can do must be enough for the style.
 */
export interface ListSpec<Rq, Row, Source extends ListSource<unknown> = ListSource<Row>> {
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
}

/**
 * GET of a list: the set, split into pages, each row shown (P1–P3). Without a style, or where the
 * style declines, the answer is the bare array.
 *
 * @example
 * api.endpoint('city-list').get(list({ source: cities, serializer: { represent: ({ id, name }) => ({ id, name }) } }))
 */
export function list<
  Rq extends ApiRequest,
  Row,
  Source extends ListSource<unknown> = ListSource<Row>,
>(spec: ListSpec<Rq, Row, Source>): Handler<Rq> {
  return (request) => {
    const source = typeof spec.source === 'function' ? spec.source(request) : spec.source
    return after(source, (found) => showList(found, spec, request))
  }
}

function showList<Rq extends ApiRequest, Row, Source extends ListSource<unknown>>(
  source: Source,
  spec: ListSpec<Rq, Row, Source>,
  request: Rq,
): MaybePromise<unknown> {
  const paginator = spec.pagination === undefined ? request.settings.pagination : spec.pagination
  if (paginator === null) return showAll(source, spec, request)
  return after(paginator.paginate(source, request, { name: request.endpointName }), (page) =>
    page === null
      ? showAll(source, spec, request)
      : paginator.respond(page, represent(page.rows, spec, request)),
  )
}

function showAll<Rq extends ApiRequest, Row, Source extends ListSource<unknown>>(
  source: Source,
  spec: ListSpec<Rq, Row, Source>,
  request: Rq,
): MaybePromise<unknown> {
  return after(source.slice(0, Number.MAX_SAFE_INTEGER), (rows) => represent(rows, spec, request))
}

function represent<Rq, Row, Source extends ListSource<unknown>>(
  rows: readonly unknown[],
  { serializer }: ListSpec<Rq, Row, Source>,
  request: Rq,
): readonly unknown[] {
  if (serializer === undefined) return rows
  const chosen = typeof serializer === 'function' ? serializer(request) : serializer
  return rows.map((row) => chosen.represent(row as Row, request))
}
