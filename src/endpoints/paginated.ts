import type { Page, Paginator } from '../contract/pagination.ts'
import type { Reply } from '../contract/reply.ts'
import type { ApiRequest, MaybePromise } from '../contract/request.ts'
import type { Serializer } from '../contract/serializer.ts'
import type { ListSource, SortKey } from '../contract/source.ts'
import { withControls } from '../replies/reply.ts'
import { after } from '../std/after.ts'

/** How rows are split and shown. */
export interface PageForm<Rq, Row> {
  readonly paginator: Paginator | null
  /** What the filters decided on; `null`: nothing (C20). */
  readonly ordering: readonly SortKey[] | null
  readonly serializer:
    | Serializer<Row, unknown, Rq>
    | ((request: Rq) => Serializer<Row, unknown, Rq>)
    | undefined
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
): MaybePromise<Reply | readonly unknown[]> {
  const paginator = request.settings.pagination
  return showPage(source, { paginator, ordering: null, serializer }, request)
}

/** The same, with everything said. */
export function showPage<Rq extends ApiRequest, Row>(
  source: ListSource<unknown>,
  form: PageForm<Rq, Row>,
  request: Rq,
): MaybePromise<Reply | readonly unknown[]> {
  const { paginator, ordering } = form
  if (paginator === null) return showAll(source, form, request)
  const view = { name: request.endpointName, ordering }
  return after(paginator.paginate(source, request, view), (page: Page | null) =>
    page === null
      ? showAll(source, form, request)
      : withItsControls(
          paginator.respond(page, represent(page.rows, form, request)),
          page,
          request,
        ),
  )
}

function showAll<Rq, Row>(
  source: ListSource<unknown>,
  form: PageForm<Rq, Row>,
  request: Rq,
): MaybePromise<readonly unknown[]> {
  return after(source.slice(0, Number.MAX_SAFE_INTEGER), (rows) => represent(rows, form, request))
}

function represent<Rq, Row>(
  rows: readonly unknown[],
  { serializer }: PageForm<Rq, Row>,
  request: Rq,
): readonly unknown[] {
  if (serializer === undefined) return rows
  const chosen = typeof serializer === 'function' ? serializer(request) : serializer
  return rows.map((row) => chosen.represent(row as Row, request))
}

/** Only pages for people have controls (H1); nobody else pays for them. */
function withItsControls(answer: Reply, page: Page, { accepted }: ApiRequest): Reply {
  if (page.controls === undefined || accepted.mediaType !== 'text/html') return answer
  return withControls(answer, () => page.controls!())
}
