import type { Behaviour } from '../contract/kernel.ts'
import type { ApiRequest, MaybePromise } from '../contract/request.ts'
import type {
  AnyInputSerializer,
  AnySerializer,
  InputOf,
  InputSerializer,
  RowShownBy,
  Serializer,
} from '../contract/serializer.ts'
import { reply } from '../replies/reply.ts'
import { refusingClients } from './refused-rows.ts'
import {
  type ReadAndShown,
  type SerializerToCome,
  describedFields,
  writing,
} from './serializer-choice.ts'

/** What an endpoint that creates needs: how a body is read, and what becomes of it. */
export interface CreateSpec<
  Rq,
  S extends AnyInputSerializer,
  O extends AnySerializer,
> extends ReadAndShown<Rq, S, O> {
  /** Keeps what was read, and gives the row that the answer shows. */
  readonly save: (input: InputOf<NoInfer<S>>, request: Rq) => MaybePromise<RowShownBy<NoInfer<O>>>
}

/**
 * POST that creates: the body is read and checked once the permissions have agreed, then kept, and the
 * answer is 201 with the new row (G1). A member `url` that is an address of this service is also the
 * `Location`.
 *
 * @throws ValidationError (400) everything that is wrong with the body (E21), also where only the database
 * can know it: a taken value (`unique`), a reference to nothing (`does_not_exist`)
 * @example
 * api
 *   .endpoint('article-list')
 *   .post(create({ serializer: article, save: (input) => articles.insert(input) }))
 */
export function create<
  Rq extends ApiRequest,
  // The request is what the endpoint makes it, not what a serializer would be content with.
  S extends InputSerializer<never, unknown, Rq> = SerializerToCome<Rq>,
  O extends Serializer<never, unknown, Rq> = S,
>(spec: CreateSpec<Rq, S, O>): Behaviour<Rq> {
  const { check, reader, show } = writing<Rq>(spec)
  return {
    fields: (request) => describedFields<Rq>(spec.serializer, request),
    check,
    async handle(request) {
      const reads = reader(request)
      const input = (await reads.parse(await request.body(), request)) as InputOf<S>
      const row = await refusingClients(request, reads, () => spec.save(input, request))
      const data = show(row, request)
      return reply(data, { status: 201, headers: locationOf(data, request) })
    },
  }
}

/** A member `url` may be any text: only an address of this service is where the new row is. */
function locationOf(data: unknown, request: ApiRequest): Readonly<Record<string, string>> {
  const url = typeof data === 'object' && data !== null && 'url' in data ? data.url : null
  if (typeof url !== 'string') return {}
  const place = request.resolve(url)
  return place === null || place === 'foreign'
    ? {}
    : { Location: new URL(url, request.origin).href }
}
