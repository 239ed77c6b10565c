import type { Behaviour } from '../contract/kernel.ts'
import type { ApiRequest, MaybePromise } from '../contract/request.ts'
import { NotFound } from '../errors/api-errors.ts'
import { reply } from '../replies/reply.ts'
import { found } from './found.ts'
import { refusing } from './refused-rows.ts'
import { startingOver } from './starting-over.ts'

/** What an endpoint that deletes needs. */
export interface DestroySpec<Rq, Row> {
  /** The row that the request is about; `null`, `undefined`: there is none, or not for this asker. */
  readonly find: (request: NoInfer<Rq>) => MaybePromise<Row | null | undefined>
  /**
   * Deletes it. `false`: it was not there any more, which is 404. It may throw `ChangedMeanwhile`: then all
   * of it begins anew.
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
      startingOver(async () => {
        const row = await found(request, find(request))
        const removed = await refusing(request, {}, () => remove(row, request))
        if (removed === false) throw new NotFound()
        return reply(null, { status: 204 })
      }),
  }
}
