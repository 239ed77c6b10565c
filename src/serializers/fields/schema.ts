import type { MaybePromise } from '../../contract/request.ts'
import { type Detail, ErrorDetail } from '../../errors/detail.ts'
import { after } from '../../std/after.ts'
import type { Chosen, Field, FieldOptions } from '../declaration.ts'
import { Refused } from '../refused.ts'
import { fieldOf } from '../field-of.ts'

/** A validator of version 1 of standardschema.dev, such as those of Zod, Valibot and ArkType. */
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
 * input; rows hold the same, and it is shown as it is. What it finds wrong has our shapes, under
 * the names and indexes it gives, with the code `invalid`.
 *
 * @example field.schema(z.object({ lat: z.number(), lon: z.number() }))
 */
export function schema<Output, const O = unknown>(
  validator: StandardSchema<unknown, Output>,
  options?: Chosen<O, FieldOptions<Output>>,
): Field<Output, Output, Output, O> {
  return fieldOf('field', options, {
    read: (value, { request }) =>
      after(validator['~standard'].validate(value), (result) => {
        if (result.issues === undefined) return result.value
        const { nonFieldErrorsKey } = request.settings
        return new Refused(detailOf(result.issues.slice(0, MOST_ISSUES), 0, nonFieldErrorsKey))
      }),
  })
}

/** More issues than these are not reported, and none at greater length. */
const MOST_ISSUES = 1000
const LONGEST_MESSAGE = 300
const DEEPEST = 50

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
