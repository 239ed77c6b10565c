import type { Behaviour } from '../contract/kernel.ts'
import type { ApiRequest } from '../contract/request.ts'
import { NotFound } from '../errors/api-errors.ts'
import { reply } from '../replies/reply.ts'
import { type AboutOne, found } from './found.ts'
import { refusingClients } from './refused-rows.ts'
import { retryWhileChanged } from './retry-changed.ts'

/** What an endpoint that deletes needs. */
export interface DestroySpec<Rq, Row> extends AboutOne<Rq, Row> {
  /**
   * Deletes it. `false`: it was not there any more, which is 404. Where it throws `ChangedMeanwhile`,
   * everything is done again.
   */
  readonly remove: (row: NoInfer<Row>, request: Rq) => unknown
}

/**
 * DELETE of one object: 404 where there is none, then the endpoint's permissions are asked about it (Z3),
 * then it is deleted: 204 without a body (G1).
 *
 * @throws NotFound, PermissionDenied, and Conflict (409, `protected`) where other rows refer to it
 * @example
 * articleDetail.delete(
 *   destroy({
 *     find: ({ params }) => articles.find(params.id),
 *     remove: (row) => articles.remove(row.id, row),
 *   }),
 * )
 */
export function destroy<Rq extends ApiRequest, Row>({
  find,
  remove,
}: DestroySpec<Rq, Row>): Behaviour<Rq> {
  return {
    handle: (request) =>
      retryWhileChanged(async () => {
        const row = await found(request, find(request))
        const removed = await refusingClients(request, {}, () => remove(row, request))
        if (removed === false) throw new NotFound()
        return reply(null, { status: 204 })
      }),
  }
}
