// Small documents of OpenAPI 3.1 to put a change into.
import type { Json, LabelledChange } from './corpus.ts'

/** A document with these paths; `rest` is what stands beside them, such as components. */
export function documentOf(paths: Json, rest: Json = {}): Json {
  return { openapi: '3.1.0', info: { title: 'Cities', version: 'v1' }, paths, ...rest }
}

/** A body of JSON. */
export const json = (schema: unknown): Json => ({ 'application/json': { schema } })

const DONE = { '201': { description: 'Created' } }

/** A service that answers one thing: `GET /cities/`. */
export function answers(schema: unknown, components: Json = {}): Json {
  const get = { responses: { '200': { description: 'OK', content: json(schema) } } }
  return documentOf({ '/cities/': { get } }, { components: { schemas: components } })
}

/** A service that reads one thing: `POST /cities/`. */
export function reads(schema: unknown, components: Json = {}): Json {
  const post = { requestBody: { required: true, content: json(schema) }, responses: DONE }
  return documentOf({ '/cities/': { post } }, { components: { schemas: components } })
}

/** One operation, `GET /cities/` unless told otherwise. */
export function operation(members: Json, path = '/cities/', rest: Json = {}): Json {
  const get = { responses: { '200': { description: 'OK' } }, ...members }
  return documentOf({ [path]: { get } }, rest)
}

/** One parameter of `GET /cities/`; in the query unless told otherwise. */
export const asks = (...parameters: readonly Json[]): Json =>
  operation({ parameters: parameters.map((each) => ({ in: 'query', ...each })) })

/** Labels of one change of a schema, by direction. */
export interface Labels {
  readonly sent: readonly string[]
  readonly got: readonly string[]
}

/** The same change of a schema twice: where clients send it, and where they get it. */
export function bothWays(
  title: string,
  before: unknown,
  after: unknown,
  { sent, got }: Labels,
): readonly LabelledChange[] {
  return [
    {
      title: `what is sent: ${title}`,
      before: reads(before),
      after: reads(after),
      expected: sent.map((label) => label.replace(' ', ' request-')),
    },
    {
      title: `what is got: ${title}`,
      before: answers(before),
      after: answers(after),
      expected: got.map((label) => label.replace(' ', ' response-')),
    },
  ]
}

/** Codes by what they do to the values that are valid. */
export interface Effects {
  readonly narrower?: readonly string[]
  readonly wider?: readonly string[]
  readonly both?: readonly string[]
}

/** Fewer values break those who send, more break those who get. */
export function labelsOf({ narrower = [], wider = [], both = [] }: Effects): Labels {
  const labels = (kind: string, ...lists: readonly (readonly string[])[]): readonly string[] =>
    lists.flat().map((code) => `${kind} ${code}`)
  return {
    sent: [...labels('breaking', narrower, both), ...labels('compatible', wider)],
    got: [...labels('breaking', wider, both), ...labels('compatible', narrower)],
  }
}

/** What the change is called where it breaks those who send, and where it breaks those who get. */
export const breaksSenders = (code: string): Labels => labelsOf({ narrower: [code] })
export const breaksReaders = (code: string): Labels => labelsOf({ wider: [code] })
export const breaksBoth = (code: string): Labels => labelsOf({ both: [code] })

/** An object with these properties, all required unless told otherwise. */
export const object = (properties: Json, members: Json = {}): Json => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  ...members,
})
