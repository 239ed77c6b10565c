import type { ApiRequest } from '../../contract/request.ts'
import type { Chosen, AnyFieldOptions, Field } from '../declaration.ts'
import { MISSING } from '../read.ts'
import { fieldOf } from '../field-of.ts'

interface ComputedOptions extends Pick<
  AnyFieldOptions,
  'label' | 'helpText' | 'since' | 'until' | 'nullable'
> {
  /** For OPTIONS: one of its names of types. @default 'field' */
  readonly type?: string
}

/** Whatever is computed is read only, and from the whole row. */
interface OfTheRow {
  readonly readOnly: true
  readonly source: '*'
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
): Field<NoInfer<Row>, Shown, never, O & OfTheRow> {
  const ofTheRow = { ...options, readOnly: true, source: '*' } as unknown as O & OfTheRow
  return fieldOf(options?.type ?? 'field', ofTheRow, {
    show: compute,
    runsProgram: true,
    read: () => MISSING as never,
  })
}
