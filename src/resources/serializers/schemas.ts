import type { Behaviour } from '../../core/ports/kernel.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import { type MaybePromise, after } from '../../core/std/after.ts'
import type { InputSerializer, ParseOptions } from '../../core/ports/serializer.ts'
import type { JSONSchema } from '../../core/types/documents.ts'
import type { StandardSchema } from '../../core/types/standard-schema.ts'
import type { Reply } from '../../core/ports/representations.ts'
import {
  detailOfIssues,
  jsonSchemaOf,
  readBySchema,
  showBySchema,
} from '../../core/errors/standard-schema.ts'
import { ReplyValue, reply } from '../../core/replies/reply.ts'
import type { Chosen, Field, FieldOptions } from './declaration.ts'
import { fieldOf } from './field-of.ts'
import { readFormJSON } from './fields/collections.ts'
import { Refused } from './refused.ts'

/** The options of a schema's serializer. */
export interface SchemaSerializerOptions<Patch> {
  /**
   * Reads partial updates (PATCH): a schema in which members may be absent, and are not filled in. Without one,
   * `partialUpdate` refuses to start: no schema can be made partial from outside.
   */
  readonly partial?: StandardSchema<unknown, Patch>
}

/** A serializer that a schema describes. */
export interface SchemaSerializer<Input, Output, Patch> extends InputSerializer<
  Input,
  Output,
  ApiRequest,
  Output,
  Patch
> {
  readonly readsPartially: boolean
  readonly nameOf: (member: string) => string
}

/**
 * Makes a schema of another library (standardschema.dev: Zod, Valibot, ArkType …) a serializer, for bodies, for answers, or
 * for both. A body becomes what the schema gives, and what it finds wrong is 400 in our shapes, under its paths. A row
 * must be what the schema takes, and is shown as it gives it: members that it does not know are left out by those
 * that strip them. A row that does not fit is 500, and the log names the places and no value. Schemas may check asynchronously.
 *
 * @example
 * const Draft = z.object({ title: z.string().max(200), tags: z.array(z.string()).default([]) })
 * const Article = Draft.extend({ id: z.number() })
 * create({ serializer: schemaSerializer(Draft), output: schemaSerializer(Article), save: (draft) => articles.insert(draft) })
 */
export function schemaSerializer<Input, Output, Patch = never>(
  whole: StandardSchema<Input, Output>,
  { partial }: SchemaSerializerOptions<Patch> = {},
): SchemaSerializer<Input, Output, Patch> {
  const schemaFor = (how?: ParseOptions): StandardSchema => {
    if (how?.partial !== true) return whole
    if (partial === undefined)
      throw new TypeError(
        'This schemaSerializer(…) has no schema for partial updates, { partial }.',
      )
    return partial
  }
  const parse = (data: unknown, request: ApiRequest, how?: ParseOptions): MaybePromise<unknown> =>
    readBySchema(schemaFor(how), data, request.settings.nonFieldErrorsKey)
  return {
    readsPartially: partial !== undefined,
    nameOf: (member) => member,
    parse: parse as SchemaSerializer<Input, Output, Patch>['parse'],
    // A promise is awaited in every place that shows rows.
    represent: (row) => showBySchema(whole, row) as Output,
    schema: ({ direction }) => {
      const read = direction === 'patch' ? (partial ?? whole) : whole
      return direction === 'output' ? jsonSchemaOf(whole, 'output') : jsonSchemaOf(read, 'input')
    },
  }
}

/** The schemas of `checked`. */
export interface CheckedSchemas<Body, Answer, Shown> {
  /** The schema of the body that the handler gets. Absent: no body is read, and the handler gets `undefined`. */
  readonly body?: StandardSchema<unknown, Body>
  /** The schema of the answer's data. Absent: the data is not checked. */
  readonly answer?: StandardSchema<Answer, Shown>
}

/**
 * A handler between two schemas of another library (standardschema.dev): it is given the body as `body` reads it, and
 * what it returns, or the data of its `reply`, is shown as `answer` gives it. What is wrong with the body is 400; an answer
 * that does not fit is a mistake of the program, 500, and the log names the places and no value.
 *
 * @example
 * api
 *   .endpoint('quote')
 *   .post(checked({ body: Basket, answer: Price }, async (basket, { user }) => priceOf(basket, user)))
 */
export function checked<Rq extends ApiRequest, Body = undefined, Answer = unknown, Shown = unknown>(
  { body, answer }: CheckedSchemas<Body, Answer, Shown>,
  handler: (body: Body, request: Rq) => MaybePromise<Answer | Reply<Answer>>,
): Behaviour<Rq> {
  return {
    operation: () => ({
      body: body === undefined ? null : jsonSchemaOf(body, 'input'),
      answers: [{ status: 200, ...(answer && { schema: jsonSchemaOf(answer, 'output') }) }],
      complete: false,
    }),
    async handle(request) {
      const input = body === undefined ? undefined : await request.body(body)
      const made = await handler(input as Body, request)
      if (answer === undefined) return made
      if (!(made instanceof ReplyValue)) return showBySchema(answer, made)
      return after(showBySchema(answer, made.data), (data) => reply(data, made))
    },
  }
}

/**
 * A value that a validator of another library describes (standardschema.dev). What it gives is the
 * input; rows hold the same, and it is shown as it is. What it finds wrong has our shapes, under
 * the names and indexes it gives, with the code `invalid`. In a form it is JSON if its JSON Schema takes no text.
 *
 * @example field.schema(z.object({ lat: z.number(), lon: z.number() }))
 */
export function schema<Output, const O = unknown>(
  validator: StandardSchema<unknown, Output>,
  options?: Chosen<O, FieldOptions<Output>>,
): Field<Output, Output, Output, O> {
  return fieldOf('field', options, {
    schema: ({ direction }) => jsonSchemaOf(validator, direction === 'output' ? 'output' : 'input'),
    read(value, { request, form }) {
      const isJSON = form && !takesText(jsonSchemaOf(validator, 'input'))
      const sent = isJSON ? readFormJSON(value) : value
      if (sent instanceof Refused) return sent
      return after(validator['~standard'].validate(sent), (result) => {
        if (result.issues === undefined) return result.value
        const { nonFieldErrorsKey } = request.settings
        return new Refused(detailOfIssues(result.issues, nonFieldErrorsKey))
      })
    },
  })
}

function takesText({ type, anyOf, oneOf = anyOf }: JSONSchema): boolean {
  if (Array.isArray(oneOf)) return oneOf.some(takesText)
  return type === undefined || [type].flat().includes('string')
}
