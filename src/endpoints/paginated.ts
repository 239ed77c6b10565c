import type { Page, Paginator } from '../contract/pagination.ts'
import type { Reply } from '../contract/reply.ts'
import type { ApiRequest } from '../contract/request.ts'
import type { Serializer } from '../contract/serializer.ts'
import type { ListSource, SortKey } from '../contract/source.ts'
import { withControls } from '../replies/reply.ts'
import type { Choice } from './serializer-choice.ts'

/** How rows are split and shown. */
interface PageForm<Rq, Row> {
  readonly paginator: Paginator | null
  /** What the filters decided on; `null`: nothing (C20). */
  readonly ordering: readonly SortKey[] | null
  readonly serializer: Choice<Rq, Serializer<Row, unknown, Rq>> | undefined
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
  return showPage(source, { paginator, ordering: null, serializer }, request)
}

/** The same for rows that filters have narrowed and ordered. */
export async function showPage<Rq extends ApiRequest, Row>(
  source: ListSource<unknown>,
  { paginator, ordering, serializer }: PageForm<Rq, Row>,
  request: Rq,
): Promise<Reply | readonly unknown[]> {
  const view = { name: request.endpointName, ordering }
  const page: Page | null = paginator && (await paginator.paginate(source, request, view))
  const rows = page === null ? await source.slice(0, Number.MAX_SAFE_INTEGER) : page.rows
  const one = typeof serializer === 'function' ? serializer(request) : serializer
  const shown = one === undefined ? rows : rows.map((row) => one.represent(row as Row, request))
  if (page === null) return shown
  const reply = paginator!.respond(page, shown)
  // Only pages for people show controls, and only they pay for them (H1).
  const isForPeople = page.controls !== undefined && request.accepted.mediaType === 'text/html'
  return isForPeople ? withControls(reply, () => page.controls!()) : reply
}
