import type { MaybePromise } from '../../contract/request.ts'
import { type Detail, ErrorDetail } from '../../errors/detail.ts'
import { after } from '../../std/after.ts'
import type { Chosen, Field, FieldOptions, ReadContext } from '../declaration.ts'
import { Refused } from '../refused.ts'
import { fieldOf } from './field-of.ts'

/** What version 1 of standardschema.dev asks of a validator: Zod, Valibot, ArkType and others have it. */
export interface StandardSchema<Input = unknown, out Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => MaybePromise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** What such a validator answers. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** One thing that is wrong, and where. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/**
 * A value that a validator of another library describes (standardschema.dev). What it gives is the
 * input; rows hold the same, and it is shown as it is. What it finds wrong is told in our shapes, under
 * the names and indexes it names, with the code `invalid`.
 *
 * @example field.schema(z.object({ lat: z.number(), lon: z.number() }))
 */
export function schema<Output, const O = unknown>(
  validator: StandardSchema<unknown, Output>,
  options?: Chosen<O, FieldOptions<Output>>,
): Field<Output, Output, Output, O> {
  return fieldOf<Output, Output, Output, O>(
    { type: 'field', read: (value, context) => validated(validator, value, context) },
    options,
  )
}

/** What the validator gives, or why it does not. */
export function validated<Output>(
  validator: StandardSchema<unknown, Output>,
  value: unknown,
  context: ReadContext,
): MaybePromise<Output | Refused> {
  return after(validator['~standard'].validate(value), (result) =>
    result.issues === undefined
      ? result.value
      : new Refused(detailOf(result.issues, 0, context.request.settings.nonFieldErrorsKey)),
  )
}

type Issues = readonly StandardIssue[]

/** More issues than these are not told of, and none at greater length. */
const MOST_ISSUES = 1000
const LONGEST_MESSAGE = 300
const DEEPEST = 50

/** Messages of this level; those of deeper ones under their names. */
function detailOf(issues: Issues, depth: number, noField: string): Detail {
  const here: StandardIssue[] = []
  const deeper = new Map<string, StandardIssue[]>()
  for (const issue of issues.slice(0, MOST_ISSUES)) {
    const step = issue.path?.[depth]
    if (step === undefined || depth === DEEPEST) here.push(issue)
    else noteUnder(deeper, nameOf(step), issue)
  }
  if (deeper.size === 0) return here.map(toDetail)
  const own = here.length === 0 ? [] : [[noField, here.map(toDetail)] as const]
  const inner = [...deeper].map(
    ([name, some]) => [name, detailOf(some, depth + 1, noField)] as const,
  )
  return Object.fromEntries([...own, ...inner])
}

function noteUnder(deeper: Map<string, StandardIssue[]>, name: string, issue: StandardIssue): void {
  const noted = deeper.get(name)
  if (noted === undefined) deeper.set(name, [issue])
  else noted.push(issue)
}

function nameOf(step: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof step === 'object' ? step.key : step)
}

function toDetail({ message }: StandardIssue): ErrorDetail {
  return new ErrorDetail(message.slice(0, LONGEST_MESSAGE), 'invalid')
}
