// How answers of this room are shown to people: what their pages have in common.
import type { Behaviour, Handler } from '../contract/kernel.ts'
import type { Cell, Presentation, PresentedAction } from '../contract/page.ts'
import type { ApiRequest } from '../contract/request.ts'
import type { Message } from '../messages/message.ts'
import type { AccountRoute, AdminRoute } from './urls.ts'

/** A behaviour whose answers are shown to people like this. */
export function shownAs<Rq extends ApiRequest, Data>(
  behaviour: Behaviour<Rq> | Handler<Rq>,
  presentation: (data: Data, request: ApiRequest) => Presentation,
): Behaviour<Rq> {
  const known = typeof behaviour === 'function' ? { handle: behaviour } : behaviour
  return { ...known, presentation }
}

/** A page of a list. */
export interface Listed<Row> {
  readonly results: readonly Row[]
}

/** The address of a route beside that of the request, as a path: the page may stand behind any host. */
export function pathTo(
  { namespace, linker, origin }: ApiRequest,
  name: AccountRoute | AdminRoute,
  params: Readonly<Record<string, unknown>> = {},
): string {
  const url = linker([...namespace, name].join(':')).url(params)
  return url.startsWith(origin) ? url.slice(origin.length) : url
}

export function link(label: Message, url: string): PresentedAction {
  return { label, url }
}

/** A point in time; `none`: what stands there without one. */
export function time(at: string | null, none: Message | null = null): Cell {
  return at === null ? { text: none } : { at }
}
