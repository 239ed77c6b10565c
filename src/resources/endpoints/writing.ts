import type { Behaviour } from '../../core/ports/kernel.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { MaybePromise } from '../../core/std/after.ts'
import type {
  AnyInputSerializer,
  AnySerializer,
  InputOf,
  InputSerializer,
  ParseOptions,
  PatchOf,
  RowShownBy,
  Serializer,
} from '../../core/ports/serializer.ts'
import { ChangedMeanwhile, NotFound } from '../../core/errors/api-errors.ts'
import { reply } from '../../core/replies/reply.ts'
import { type AboutOne, NONE, found } from './retrieve.ts'
import { type MayThrow, withErrors } from './own-errors.ts'
import { withViolations } from './violations.ts'
import {
  type Choice,
  choose,
  chooseAt,
  partialProblem,
  serializerProblem,
  shownBy,
  shownRow,
} from '../serializers/serializer.ts'

/** A serializer that the compiler has not looked at yet, because a function chooses it. */
export type SerializerToCome<Rq> = InputSerializer<unknown, unknown, Rq, never, never>

interface ReadAndShown<Rq, S extends AnyInputSerializer, O extends AnySerializer> extends MayThrow {
  /** The serializer of the body, or a function that chooses by the request. */
  readonly serializer: Choice<NoInfer<Rq>, S>
  /** The serializer of the row. @default `serializer` */
  readonly output?: Choice<NoInfer<Rq>, O>
}

/** The parts of an endpoint that creates. */
export interface CreateSpec<
  Rq,
  S extends AnyInputSerializer,
  O extends AnySerializer,
> extends ReadAndShown<Rq, S, O> {
  /** Saves the input, and gives the row that the answer shows. */
  readonly save: (input: InputOf<NoInfer<S>>, request: Rq) => MaybePromise<RowShownBy<NoInfer<O>>>
  /**
   * Called before the body is read, and before OPTIONS shows its fields. To throw `NotFound` where the row that
   * new ones would belong to is missing.
   */
  readonly before?: (request: NoInfer<Rq>) => unknown
}

/** The parts of `update`; `Input` is the argument of `save`. */
export interface UpdateSpec<
  Rq,
  Row,
  S extends AnyInputSerializer,
  O extends AnySerializer,
  Input = InputOf<NoInfer<S>>,
>
  extends AboutOne<Rq, Row>, ReadAndShown<Rq, S, O> {
  /**
   * Keeps what was read, and gives the row that the answer shows. After `ChangedMeanwhile`, which stores
   * throw that are given `row` and find another, everything is done again.
   */
  readonly save: (
    input: Input,
    request: Rq,
    row: NoInfer<Row>,
  ) => MaybePromise<RowShownBy<NoInfer<O>> | null>
}

/** The parts of `partialUpdate`. */
export type PartialUpdateSpec<
  Rq,
  Row,
  S extends AnyInputSerializer,
  O extends AnySerializer,
> = UpdateSpec<Rq, Row, S, O, PatchOf<NoInfer<S>>>

/** The parts of an endpoint that deletes. */
export interface DestroySpec<Rq, Row> extends AboutOne<Rq, Row> {
  /** `false`: it is no longer there, 404. After `ChangedMeanwhile`, everything is done again. */
  readonly remove: (row: NoInfer<Row>, request: Rq) => unknown
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
  // The request is the one that the endpoint makes, not the least that a serializer needs.
  S extends InputSerializer<never, unknown, Rq> = SerializerToCome<Rq>,
  O extends Serializer<never, unknown, Rq> = S,
>(spec: CreateSpec<Rq, S, O>): Behaviour<Rq> {
  const { find: _, ...own } = spec as unknown as AnyWriting
  return writeBehaviour(own, { kind: 'create', status: 201 })
}

const LOCATION = {
  Location: {
    description: 'Where the new object is, if it says so in `url`.',
    schema: { type: 'string', format: 'uri' },
  },
}

/** A member `url` may be any text: only an address of this service is where the new row is. */
function locationOf(data: unknown, request: ApiRequest): Readonly<Record<string, string>> {
  const url = typeof data === 'object' && data !== null && 'url' in data ? data.url : null
  const place = typeof url === 'string' ? request.resolve(url) : null
  if (place === null || place === 'foreign') return {}
  return { Location: new URL(url as string, request.origin).href }
}

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
  return againWhileChanged(writeBehaviour(spec as unknown as AnyWriting, { kind: 'update' }))
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
  return againWhileChanged(writeBehaviour(spec as unknown as AnyWriting, { kind: 'partialUpdate' }))
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
export function destroy<Rq extends ApiRequest, Row>(spec: DestroySpec<Rq, Row>): Behaviour<Rq> {
  const behaviour: Behaviour<Rq> = {
    operation: () => ({
      kind: 'destroy',
      body: null,
      answers: [{ status: 204, schema: null }],
      errors: [NONE, { status: 409, codes: ['conflict', 'protected'] }],
    }),
    async handle(request: Rq) {
      const row = await found(request, spec.find(request))
      const removed = await withViolations(request, null, () => spec.remove(row, request))
      if (removed === false) throw new NotFound()
      return reply(null, { status: 204 })
    },
  }
  return againWhileChanged(withErrors(behaviour, spec.errors))
}

type Reads = InputSerializer<unknown>

/** An endpoint that writes, once its types are checked; without `find` it is about no row. */
export interface AnyWriting extends MayThrow {
  /** `null`: no body is read. */
  readonly serializer: Choice<ApiRequest, Reads> | null
  /** `null`: the answer has no body. @default `serializer` */
  readonly output?: Choice<ApiRequest, Serializer<unknown>> | null
  /** Called before the body is read, if no row has to be found. */
  readonly before?: (request: ApiRequest) => unknown
  /** The facts for validators beside the body and the row, if a resource has them. */
  readonly '~around'?: (request: ApiRequest, row?: never) => MaybePromise<ParseOptions>
  /** Does `save` write the rows of embedded fields? */
  readonly '~writesEmbedded'?: boolean
  readonly find?: AboutOne<ApiRequest, unknown>['find']
  readonly save: (input: unknown, request: ApiRequest, row: unknown) => unknown
}

interface HowToWrite {
  /** Absent: the endpoint is an action, which does what only the application knows. */
  readonly kind?: 'create' | 'update' | 'partialUpdate'
  readonly status?: number
}

/** The common steps of creating, changing and acting: find, read, save, show. */
export function writeBehaviour(
  { before, find, serializer, output = serializer, save, errors, ...more }: AnyWriting,
  { kind, status = 200 }: HowToWrite,
): Behaviour {
  const { '~around': around, '~writesEmbedded': writesEmbedded = false } = more
  const partial = kind === 'partialUpdate'
  const lookUp = (request: ApiRequest): unknown =>
    find === undefined ? before?.(request) : found(request, find(request))
  const behaviour: Behaviour = {
    '~shows': shownBy(output ?? undefined),
    ...(serializer && {
      form(request, row) {
        const reads = choose(serializer, request)
        const fields = reads.describe?.(request)
        if (fields === undefined) return null
        const lists = reads.lists?.(request) ?? {}
        if (kind === undefined) return { fields, values: {}, lists }
        const values = row === undefined ? null : (reads.ownValues ?? reads.represent)(row, request)
        return { fields, values, lists }
      },
    }),
    looksUp: lookUp,
    operation: (at) => ({
      ...(kind && { kind }),
      body: serializer && at.schema(chooseAt(serializer, at), partial ? 'patch' : 'input'),
      answers: [
        {
          status,
          schema: output && at.schema(chooseAt(output, at), 'output'),
          ...(status === 201 && output && { headers: LOCATION }),
        },
      ],
      errors: [
        { status: 400, codes: ['invalid'] },
        ...(find || before || (kind === undefined && output !== null) ? [NONE] : []),
        ...(find === undefined && kind !== undefined ? [] : [{ status: 409, codes: ['conflict'] }]),
      ],
    }),
    check: (settings, service) =>
      (partial ? partialProblem(serializer) : null) ??
      serializerProblem(serializer ?? undefined, settings, {
        ...service,
        keepsTenants: !!around,
        writesEmbedded,
      }) ??
      serializerProblem(output ?? undefined, settings, service),
    async handle(request) {
      const looked = await lookUp(request)
      const row = find && looked
      const known = around && (await around(request, row as never))
      // The body of an action need not have the form of its row.
      const how = { ...known, partial: partial as true, existing: kind && row }
      const reads = serializer && choose(serializer, request)
      const input = reads ? await reads.parse(await request.body(), request, how) : undefined
      const made = await withViolations(request, reads, () => save(input, request, row), input)
      if (output === null) return reply(null, { status })
      if (made === null && (find || kind === undefined)) throw new NotFound()
      const data = await shownRow(made, choose(output, request), request)
      if (status === 200) return data
      return reply(data, { status, headers: status === 201 ? locationOf(data, request) : {} })
    },
  }
  return withErrors(behaviour, errors)
}

/** A request that loses this often has met a row that is written without pause. */
const ATTEMPTS = 10

function againWhileChanged<Rq>(behaviour: Behaviour<Rq>): Behaviour<Rq> {
  const attempt = async (request: Rq, left: number): Promise<unknown> => {
    try {
      return await behaviour.handle(request)
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile) || left === 1) throw error
      return attempt(request, left - 1)
    }
  }
  return { ...behaviour, handle: (request) => attempt(request, ATTEMPTS) }
}
