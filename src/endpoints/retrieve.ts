import type { Behaviour } from '../contract/kernel.ts'
import type { ApiRequest, MaybePromise } from '../contract/request.ts'
import type { Serializer } from '../contract/serializer.ts'
import { after } from '../std/after.ts'
import { chosen, serializerProblem } from './chosen.ts'
import { found } from './found.ts'

/** What an endpoint of one object needs: where it is, and how it is shown. */
export interface RetrieveSpec<Rq, Row> {
  /** The row that the request is about; `null`, `undefined`: there is none, or not for this asker. */
  readonly find: (request: NoInfer<Rq>) => MaybePromise<Row | null | undefined>
  /** How it is shown, or a function that chooses by the request. @default the row as it is */
  // The request is what the endpoint makes it, not what a serializer would be content with.
  readonly serializer?:
    | Serializer<Row, unknown, NoInfer<Rq>>
    | ((request: NoInfer<Rq>) => Serializer<Row, unknown, NoInfer<Rq>>)
}

/**
 * GET of one object: 404 where there is none, else the endpoint's permissions are asked about it (Z3),
 * else it is shown.
 *
 * @example
 * api
 *   .endpoint('article-detail', { permissions: [new IsAuthor()] })
 *   .get(retrieve({ find: ({ params }) => articles.byId(params.id), serializer: article }))
 */
export function retrieve<Rq extends ApiRequest, Row>(spec: RetrieveSpec<Rq, Row>): Behaviour<Rq> {
  return {
    handle: (request) =>
      after(found(request, spec.find(request)), (row) => represent(row, spec, request)),
    check: (settings, service) => serializerProblem(spec.serializer, settings, service),
  }
}

function represent<Rq, Row>(row: Row, { serializer }: RetrieveSpec<Rq, Row>, request: Rq): unknown {
  if (serializer === undefined) return row
  return chosen(serializer, request).represent(row, request)
}
