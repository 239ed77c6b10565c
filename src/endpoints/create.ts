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
import {
  type Choice,
  type SerializerToCome,
  chosen,
  describedFields,
  serializerProblem,
} from './chosen.ts'
import { refusing } from './refused-rows.ts'

/** What an endpoint that creates needs: how a body is read, and what becomes of it. */
export interface CreateSpec<Rq, S extends AnyInputSerializer, O extends AnySerializer> {
  /** How the body is read, or a function that chooses by the request. */
  readonly serializer: Choice<NoInfer<Rq>, S>
  /** Keeps what was read, and gives the row that the answer shows. */
  readonly save: (input: InputOf<NoInfer<S>>, request: Rq) => MaybePromise<RowShownBy<NoInfer<O>>>
  /** How the row is shown. @default `serializer` */
  readonly output?: Choice<NoInfer<Rq>, O>
}

/**
 * POST that creates: the body is read and checked once the permissions have agreed, then kept, and the
 * answer is 201 with the new row. A member `url` that is an address of this service is also the `Location`
 * (G1).
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
>({ serializer, save, output }: CreateSpec<Rq, S, O>): Behaviour<Rq> {
  const shown = (output ?? serializer) as Choice<Rq, AnySerializer>
  return {
    fields: (request) => describedFields<Rq>(serializer, request),
    check: (settings, service) =>
      serializerProblem(serializer, settings, service) ??
      serializerProblem(shown, settings, service),
    async handle(request) {
      const reader = chosen<Rq, unknown>(serializer, request) as Reader<Rq, S>
      const input = await reader.parse(await request.body(), request)
      const row = await refusing(request, reader, () => save(input, request))
      const data = (chosen(shown, request) as Serializer<unknown, unknown, Rq>).represent(
        row,
        request,
      )
      return reply(data, { status: 201, headers: locationOf(data, request) })
    },
  }
}

type Reader<Rq, S> = InputSerializer<never, unknown, Rq, InputOf<S>, unknown>

/** Some member `url` may be anybody's text: only an address of our own says where the new thing is. */
function locationOf(data: unknown, request: ApiRequest): Readonly<Record<string, string>> {
  const url = typeof data === 'object' && data !== null && 'url' in data ? data.url : null
  if (typeof url !== 'string') return {}
  const place = request.resolve(url)
  return place === null || place === 'foreign'
    ? {}
    : { Location: new URL(url, request.origin).href }
}
