import type { JSONSchema } from '../types/documents.ts'
import type { StandardIssue, StandardSchema } from '../types/standard-schema.ts'
import { type MaybePromise, after } from '../std/after.ts'
import { Form } from '../std/http/form.ts'
import { ValidationError } from './api-errors.ts'
import { type Detail, ErrorDetail } from './detail.ts'

/** Issues beyond this number are not reported, and longer messages are cut. */
const MOST_ISSUES = 1000
const LONGEST_MESSAGE = 300
const DEEPEST = 50

/** The errors in our shape: under the names and indexes of the issues, with the code `invalid`. */
export function detailOfIssues(issues: readonly StandardIssue[], noField: string): Detail {
  return detailOf(issues.slice(0, MOST_ISSUES), 0, noField)
}

function detailOf(issues: readonly StandardIssue[], depth: number, noField: string): Detail {
  const byName = Map.groupBy(issues, ({ path }) => (depth < DEEPEST ? nameOf(path?.[depth]) : null))
  const here = (byName.get(null) ?? []).map(
    ({ message }) => new ErrorDetail(message.slice(0, LONGEST_MESSAGE), 'invalid'),
  )
  byName.delete(null)
  if (byName.size === 0) return here
  const own = here.length === 0 ? [] : [[noField, here] as const]
  const deeper = [...byName].map(([name, some]) => [name!, detailOf(some, depth + 1, noField)])
  return Object.fromEntries([...own, ...deeper])
}

function nameOf(step: PropertyKey | { readonly key: PropertyKey } | undefined): string | null {
  return step === undefined ? null : String(typeof step === 'object' ? step.key : step)
}

/**
 * A parsed body as the schema gives it. Of a form it sees an object: a name that was sent once has its value, one that
 * was sent repeatedly a list.
 *
 * @throws ValidationError (400) everything that the schema finds wrong, by field
 */
export function readBySchema<Output>(
  schema: StandardSchema<unknown, Output>,
  body: unknown,
  noField: string,
): MaybePromise<Output> {
  const data = body instanceof Form ? objectOf(body) : body
  return after(schema['~standard'].validate(data), (result) => {
    if (result.issues === undefined) return result.value
    const detail = detailOfIssues(result.issues, noField)
    throw new ValidationError(Array.isArray(detail) ? { [noField]: detail } : detail)
  })
}

function objectOf(form: Form): object {
  const pairs = form.names().map((name) => {
    const values = form.getAll(name)
    return [name, values.length === 1 ? values[0] : values] as const
  })
  return Object.fromEntries(pairs)
}

/** A line of the log names this many places at most, and this much of each name. */
const MOST_PLACES = 10
const LONGEST_PLACE = 200

/**
 * A value as the schema shows it.
 *
 * @throws TypeError the program has made what its own schema refuses: names the places, and no value
 */
export function showBySchema<Output>(
  schema: StandardSchema<unknown, Output>,
  value: unknown,
): MaybePromise<Output> {
  return after(schema['~standard'].validate(value), (result) => {
    if (result.issues === undefined) return result.value
    // The message names places only, because messages of validators may repeat the value.
    const places = new Set(result.issues.slice(0, MOST_PLACES).map(placeOf))
    throw new TypeError(
      `The answer does not fit its schema (${schema['~standard'].vendor}) at ${[...places].join(', ')}.`,
    )
  })
}

function placeOf({ path = [] }: StandardIssue): string {
  const names = path.map((step) => nameOf(step))
  return names.length === 0 ? 'the top' : names.join('.').slice(0, LONGEST_PLACE)
}

/** The JSON Schema of a schema's `input` or `output`; any value if it gives none. */
export function jsonSchemaOf(schema: StandardSchema, side: 'input' | 'output'): JSONSchema {
  try {
    const { $schema: _, ...found } =
      schema['~standard'].jsonSchema?.[side]({ target: 'draft-2020-12' }) ?? {}
    return inlined(found, (found['$defs'] ?? {}) as JSONSchema, []) as JSONSchema
  } catch {
    // The library cannot write some kinds of its schemas as JSON Schema.
    return {}
  }
}

/**
 * Puts the definitions in place of references, which would lead nowhere in a document. A schema inside itself becomes any
 * value.
 */
function inlined(part: unknown, parts: JSONSchema, open: readonly string[]): unknown {
  if (Array.isArray(part)) return part.map((each) => inlined(each, parts, open))
  if (typeof part !== 'object' || part === null) return part
  const { $ref: reference, $defs: _, ...own } = part as JSONSchema
  if (typeof reference !== 'string')
    return Object.fromEntries(
      Object.entries(own).map(([name, each]) => [name, inlined(each, parts, open)]),
    )
  const name = reference.replace('#/$defs/', '')
  if (open.includes(name) || !Object.hasOwn(parts, name)) return {}
  return inlined(parts[name], parts, [...open, name])
}
