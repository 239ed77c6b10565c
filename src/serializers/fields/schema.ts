import type { StandardSchema } from '../../contract/standard-schema.ts'
import { detailOfIssues } from '../../errors/standard-schema.ts'
import { after } from '../../std/after.ts'
import type { Chosen, Field, FieldOptions } from '../declaration.ts'
import { Refused } from '../refused.ts'
import { fieldOf } from '../field-of.ts'

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
        return new Refused(detailOfIssues(result.issues, nonFieldErrorsKey))
      }),
  })
}
