import type { QuerySource } from '../contract/list-source.ts'
import { ValidationError } from '../errors/api-errors.ts'
import { ErrorDetail } from '../errors/detail.ts'
import type { Validator } from './declaration.ts'

/** Rows with a key that no two of them share: an `sqlTable`, for one. */
export interface KeyedRows<Field extends string> {
  readonly key: string
  readonly source: QuerySource<unknown, Field>
}

/**
 * A validator for values that no two rows share: a taken one is `unique` (E28), and reported with whatever else is
 * wrong. In a change the row itself may keep its value. Two requests at once both find it free: only a
 * unique constraint of the database is sure, and what it refuses is reported in the same way.
 *
 * @example field.text({ maxLength: 20, validators: [unique(books, 'isbn')] })
 */
export function unique<Field extends string>(
  { key, source }: KeyedRows<Field>,
  field: NoInfer<Field>,
): Validator<unknown> {
  return async (value, { existing }) => {
    const rows = await rowsWith(source, field, value)
    const own = existing === null || existing === undefined ? undefined : valueOf(existing, key)
    return rows.every((row) => own !== undefined && valueOf(row, key) === own) ? null : TAKEN
  }
}

const TAKEN = ErrorDetail.of('unique')
const valueOf = (row: unknown, field: string): unknown => (row as Record<string, unknown>)[field]

/** A value that the column cannot hold is in no row. */
async function rowsWith<Field extends string>(
  source: QuerySource<unknown, Field>,
  field: Field,
  value: unknown,
): Promise<readonly unknown[]> {
  const condition = { field, operator: 'equals', value, parameter: field } as const
  try {
    return await source.where([condition]).slice(0, 2)
  } catch (error) {
    if (error instanceof ValidationError) return []
    throw error
  }
}
