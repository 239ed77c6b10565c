import type { ApiRequest, MaybePromise } from '../contract/request.ts'
import { NotFound } from '../errors/api-errors.ts'
import { after } from '../std/after.ts'

/** What endpoints about one object have in common. */
export interface AboutOne<Rq, Row> {
  /** The row that the request is about; `null`, `undefined`: there is none, or not for this client. */
  readonly find: (request: NoInfer<Rq>) => MaybePromise<Row | null | undefined>
}

/**
 * The object that an endpoint is about, once it is there and the endpoint's permissions have agreed to
 * it (Z3). For handlers that change or delete one; `retrieve` shows one.
 *
 * @throws NotFound there is none: what a narrower source hides is not forbidden, it is not there (Z6)
 * @throws PermissionDenied, or NotAuthenticated where no scheme named the user
 * @example
 * articleDetail.delete(async (request) => {
 *   const article = await found(request, articles.byId(request.params.id))
 *   await articles.remove(article)
 *   return reply(null, { status: 204 })
 * })
 */
export function found<Row>(
  request: ApiRequest,
  row: MaybePromise<Row | null | undefined>,
): MaybePromise<Row> {
  return after(row, (there) => {
    if (there === null || there === undefined) throw new NotFound()
    return after(request.checkObjectPermissions(there), () => there)
  })
}
