import type { Behaviour } from '../contract/kernel.ts'
import type { ApiRequest } from '../contract/request.ts'
import type { Serializer } from '../contract/serializer.ts'
import { type Choice, chosen, serializerProblem } from './serializer-choice.ts'
import { type AboutOne, found } from './found.ts'

/** What an endpoint of one object needs: where it is, and how it is shown. */
export interface RetrieveSpec<Rq, Row> extends AboutOne<Rq, Row> {
  /** How it is shown, or a function that chooses by the request. @default the row as it is */
  // The request is what the endpoint makes it, not what a serializer would be content with.
  readonly serializer?: Choice<NoInfer<Rq>, Serializer<Row, unknown, NoInfer<Rq>>>
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
export function retrieve<Rq extends ApiRequest, Row>({
  find,
  serializer,
}: RetrieveSpec<Rq, Row>): Behaviour<Rq> {
  return {
    async handle(request) {
      const row: Row = await found(request, find(request))
      return serializer === undefined ? row : chosen(serializer, request).represent(row, request)
    },
    check: (settings, service) => serializerProblem(serializer, settings, service),
  }
}
