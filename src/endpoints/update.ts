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
import {
  type Choice,
  type SerializerToCome,
  chosen,
  describedFields,
  serializerProblem,
} from './chosen.ts'
import { found } from './found.ts'
import { refusing } from './refused-rows.ts'
import { startingOver } from './starting-over.ts'

/** What an endpoint that changes one object needs; `Input` is what `save` is given. */
export interface ChangeSpec<Rq, Row, Input, S extends AnyInputSerializer, O extends AnySerializer> {
  /** The row that the request is about; `null`, `undefined`: there is none, or not for this asker. */
  readonly find: (request: NoInfer<Rq>) => MaybePromise<Row | null | undefined>
  /** How the body is read, or a function that chooses by the request. */
  readonly serializer: Choice<NoInfer<Rq>, S>
  /**
   * Keeps what was read, and gives the row that the answer shows. It may throw `ChangedMeanwhile`, as stores
   * do that are told what `row` was: then all of it begins anew.
   */
  readonly save: (
    input: Input,
    request: Rq,
    row: NoInfer<Row>,
  ) => MaybePromise<RowShownBy<NoInfer<O>> | null>
  /** How the row is shown. @default `serializer` */
  readonly output?: Choice<NoInfer<Rq>, O>
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
 * Where the store is told what the row was (`articles.update(row.id, input, row)`) and it is another by
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
  return changing<Rq, Row, InputOf<S>, S, O>(spec, { partial: false })
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
  return changing<Rq, Row, PatchOf<S>, S, O>(spec, { partial: true })
}

/** `partial` decides which of the two it gives. */
interface Reader<Rq, Input> extends Pick<InputSerializer<never, unknown, Rq>, 'nameOf'> {
  readonly parse: (data: unknown, request: Rq, options: ParseOptions) => MaybePromise<Input>
}

function changing<
  Rq extends ApiRequest,
  Row,
  Input,
  S extends AnyInputSerializer,
  O extends AnySerializer,
>(spec: ChangeSpec<Rq, Row, Input, S, O>, how: ParseOptions): Behaviour<Rq> {
  const { serializer, save, output } = spec
  const shown = (output ?? serializer) as Choice<Rq, AnySerializer>
  const lookUp = (request: Rq): MaybePromise<Row> => found(request, spec.find(request))
  return {
    async fields(request) {
      await lookUp(request)
      return describedFields<Rq>(serializer, request)
    },
    check: (settings, service) =>
      serializerProblem(serializer, settings, service) ??
      serializerProblem(shown, settings, service),
    handle: (request) =>
      startingOver(async () => {
        const row = await lookUp(request)
        const reader = chosen<Rq, unknown>(serializer, request) as Reader<Rq, Input>
        const input = await reader.parse(await request.body(), request, { ...how, existing: row })
        const saved = await refusing(request, reader, () => save(input, request, row))
        if (saved === null) throw new NotFound()
        return (chosen(shown, request) as Serializer<unknown, unknown, Rq>).represent(
          saved,
          request,
        )
      }),
  }
}
