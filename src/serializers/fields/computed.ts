import type { ApiRequest } from '../../contract/request.ts'
import type { Chosen, Field } from '../declaration.ts'
import { MISSING } from '../read.ts'
import { fieldOf } from '../field-of.ts'
import type { FromRow, IdentityOptions } from './identity.ts'

interface ComputedOptions extends Omit<IdentityOptions, 'source'> {
  /** For OPTIONS: one of its names of types. @default 'field' */
  readonly type?: string
}

/**
 * A value that is worked out from the row, and only shown. What it asks of the row is asked of the
 * serializer's rows.
 *
 * @example field.computed((row: { body: string }) => row.body.split(' ').length)
 */
export function computed<Row, Shown, const O = unknown>(
  compute: (row: Row, request: ApiRequest) => Shown,
  options?: Chosen<O, ComputedOptions>,
): Field<NoInfer<Row>, Shown, never, O & FromRow> {
  const ofTheRow = { ...options, readOnly: true, source: '*' } as unknown as O & FromRow
  return fieldOf(options?.type ?? 'field', ofTheRow, {
    show: compute,
    runsProgram: true,
    read: () => MISSING as never,
  })
}
