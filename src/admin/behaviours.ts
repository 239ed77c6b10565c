// Handlers with what else is known of them: the forms of pages, OPTIONS and documents ask for it.
import type { Behaviour, Handler } from '../contract/kernel.ts'
import type { ApiRequest, OperationPlace } from '../contract/request.ts'
import type { AnyInputSerializer, InputOf, InputSerializer } from '../contract/serializer.ts'
import type { Message } from '../messages/message.ts'
import type { ErrorFacts, JSONSchema } from '../types/documents.ts'

/** What documents say of an answer. */
interface Answer {
  readonly shows: (at: OperationPlace) => JSONSchema
  /** @default 200 */
  readonly status?: number
  readonly errors?: readonly ErrorFacts[]
}

/** What is done with a body. */
interface Act<Rq, S extends AnyInputSerializer> extends Answer {
  readonly reads: S
  readonly does: (input: InputOf<NoInfer<S>>, request: Rq) => unknown
  /** What its form is called. */
  readonly title: Message
  /** What its form begins with. @default it is empty */
  readonly values?: (request: ApiRequest) => object
  /** What browsers fill in, by field. */
  readonly autocomplete?: Readonly<Record<string, string>>
  readonly takesPasswords?: boolean
}

/** A handler that reads no body, with what documents say of it. */
export function described<Rq>(
  handle: Handler<Rq>,
  { shows, status = 200, errors = [] }: Answer,
): Behaviour<Rq> {
  return {
    handle,
    operation: (at) => ({ body: null, answers: [{ status, schema: shows(at) }], errors }),
  }
}

/** Does what a body says, once it is read and checked. */
export function act<Rq extends ApiRequest, S extends InputSerializer<never, unknown, Rq>>({
  reads,
  does,
  title,
  values,
  autocomplete = {},
  takesPasswords = false,
  shows,
  status = 200,
  errors = [],
}: Act<Rq, S>): Behaviour<Rq> {
  const fields = (request: Rq) => reads.describe?.(request) ?? null
  return {
    takesPasswords,
    fields,
    handle: async (request) => {
      const input = await reads.parse(await request.body(), request)
      return does(input as InputOf<S>, request)
    },
    form: (request) => ({
      fields: fields(request) ?? {},
      values: values?.(request) ?? null,
      lists: reads.lists?.(request) ?? {},
      title,
      autocomplete,
    }),
    operation: (at) => ({
      body: at.schema(reads, 'input'),
      answers: [{ status, schema: shows(at) }],
      errors: [{ status: 400, codes: ['invalid'] }, ...errors],
    }),
  }
}

/** The schema of an object with one member. */
export const holding = (name: string, schema: JSONSchema): JSONSchema => ({
  type: 'object',
  properties: { [name]: schema },
  required: [name],
})
