import type { Behaviour } from '../contract/kernel.ts'
import type { ApiRequest, MaybePromise } from '../contract/request.ts'
import type {
  AnyInputSerializer,
  AnySerializer,
  InputOf,
  InputSerializer,
  ParseOptions,
  PatchOf,
  RowShownBy,
  Serializer,
} from '../contract/serializer.ts'
import { NotFound } from '../errors/api-errors.ts'
import { type AboutOne, found } from './found.ts'
import { refusingClients } from './refused-rows.ts'
import { retryWhileChanged } from './retry-changed.ts'
import {
  type ReadAndShown,
  type SerializerToCome,
  describedFields,
  writing,
} from './serializer-choice.ts'

/** What an endpoint that changes one object needs; `Input` is what `save` is given. */
interface ChangeSpec<Rq, Row, Input, S extends AnyInputSerializer, O extends AnySerializer>
  extends AboutOne<Rq, Row>, ReadAndShown<Rq, S, O> {
  /**
   * Keeps what was read, and gives the row that the answer shows. Where it throws `ChangedMeanwhile`, as
   * stores do that are given `row` and find another, everything is done again.
   */
  readonly save: (
    input: Input,
    request: Rq,
    row: NoInfer<Row>,
  ) => MaybePromise<RowShownBy<NoInfer<O>> | null>
}

/** What `update` needs. */
export type UpdateSpec<Rq, Row, S extends AnyInputSerializer, O extends AnySerializer> = ChangeSpec<
  Rq,
  Row,
  InputOf<NoInfer<S>>,
  S,
  O
>

/** What `partialUpdate` needs. */
export type PartialUpdateSpec<
  Rq,
  Row,
  S extends AnyInputSerializer,
  O extends AnySerializer,
> = ChangeSpec<Rq, Row, PatchOf<NoInfer<S>>, S, O>

/**
 * PUT of one object: 404 where there is none, then the endpoint's permissions are asked about it (Z3),
 * then the body is read, which must be complete (G2), then it is kept, and the answer shows it.
 *
 * Where the store is given the row as it was (`articles.update(row.id, input, row)`) and it is another by
 * now, everything is done again with the row as it is: what was permitted and checked is what is changed.
 *
 * @throws NotFound, PermissionDenied, ValidationError, and ChangedMeanwhile (409) where others keep changing it
 * @example
 * articleDetail.put(
 *   update({
 *     find: ({ params }) => articles.find(params.id),
 *     serializer: article,
 *     save: (input, _request, row) => articles.update(row.id, input, row),
 *   }),
 * )
 */
export function update<
  Rq extends ApiRequest,
  Row,
  S extends InputSerializer<never, unknown, Rq> = SerializerToCome<Rq>,
  O extends Serializer<never, unknown, Rq> = S,
>(spec: UpdateSpec<Rq, Row, S, O>): Behaviour<Rq> {
  return changing<Rq, Row, InputOf<S>, S, O>(spec, false)
}

/**
 * PATCH of one object: as `update`, but only what was sent is asked for and given to `save` (G2).
 *
 * @example
 * articleDetail.patch(partialUpdate({ find, serializer: article, save }))
 */
export function partialUpdate<
  Rq extends ApiRequest,
  Row,
  S extends InputSerializer<never, unknown, Rq> = SerializerToCome<Rq>,
  O extends Serializer<never, unknown, Rq> = S,
>(spec: PartialUpdateSpec<Rq, Row, S, O>): Behaviour<Rq> {
  return changing<Rq, Row, PatchOf<S>, S, O>(spec, true)
}

function changing<
  Rq extends ApiRequest,
  Row,
  Input,
  S extends AnyInputSerializer,
  O extends AnySerializer,
>(spec: ChangeSpec<Rq, Row, Input, S, O>, partial: boolean): Behaviour<Rq> {
  const { check, reader, show } = writing<Rq>(spec)
  const lookUp = (request: Rq): MaybePromise<Row> => found(request, spec.find(request))
  return {
    async fields(request) {
      await lookUp(request)
      return describedFields<Rq>(spec.serializer, request)
    },
    check,
    handle: (request) =>
      retryWhileChanged(async () => {
        const row = await lookUp(request)
        const reads = reader(request)
        const how = { partial, existing: row } as ParseOptions & { readonly partial: true }
        const input = (await reads.parse(await request.body(), request, how)) as Input
        const saved = await refusingClients(request, reads, () => spec.save(input, request, row))
        if (saved === null) throw new NotFound()
        return show(saved, request)
      }),
  }
}
