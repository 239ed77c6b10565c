import type { Behaviour } from '../../core/ports/kernel.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import { type MaybePromise, after } from '../../core/std/after.ts'
import { NotFound, stackless } from '../../core/errors/api-errors.ts'
import type { AnswersRow } from '../../core/types/answers.ts'
import type { ErrorFacts } from '../../core/types/documents.ts'
import { type MayThrow, withErrors } from './own-errors.ts'
import {
  type ShownBy,
  choose,
  chooseAt,
  serializerProblem,
  shownBy,
  shownRow,
} from '../serializers/serializer.ts'

export interface AboutOne<Rq, Row> extends MayThrow {
  /** Finds the row of the request; `null`, `undefined`: it does not exist, or not for this client. */
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
    if (there === null || there === undefined) throw stackless(() => new NotFound())
    return after(request.checkObjectPermissions(there), () => there)
  })
}

/** The parts of an endpoint for one object: its source, and its form. */
export interface RetrieveSpec<Rq, Row> extends AboutOne<Rq, Row> {
  /** The serializer, or a function that chooses by the request. @default the row itself */
  readonly serializer?: ShownBy<Rq, Row>
}

/**
 * GET of one object: a missing one is a 404, else the endpoint's permissions are asked about it (Z3), and it is shown.
 *
 * @example
 * api
 *   .endpoint('article-detail', { permissions: [new IsAuthor()] })
 *   .get(retrieve({ find: ({ params }) => articles.byId(params.id), serializer: article }))
 */
export function retrieve<Rq extends ApiRequest, Row, Z = unknown>(
  spec: RetrieveSpec<Rq, Row> & { readonly serializer?: Z | ShownBy<Rq, Row> },
): Behaviour<Rq, AnswersRow<Z, Row>> {
  const { find, serializer, errors } = spec as RetrieveSpec<Rq, Row>
  const behaviour: Behaviour<Rq, AnswersRow<Z, Row>> = {
    showsRows: true,
    '~shows': shownBy(serializer),
    async handle(request) {
      const row: Row = await found(request, find(request))
      return serializer === undefined ? row : shownRow(row, choose(serializer, request), request)
    },
    operation: (at) => {
      const schema = at.schema(chooseAt(serializer, at), 'output')
      return { kind: 'retrieve', body: null, answers: [{ status: 200, schema }], errors: [NONE] }
    },
    check: (settings, service) => serializerProblem(serializer, settings, service),
  }
  return withErrors(behaviour, errors)
}

/** The object does not exist. */
export const NONE: ErrorFacts = { status: 404, codes: ['not_found'] }
