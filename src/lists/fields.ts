import { ConfigurationError } from '../errors/configuration-error.ts'
import { didYouMean } from '../std/text/nearest.ts'

/** The names by which rows of this type can be ordered and filtered. */
export type RowField<Row> = Row extends object ? Extract<keyof Row, string> : never

/** What a row has under a name; what every object has is no field. */
export function fieldOf(row: unknown, field: string): unknown {
  return hasField(row, field) ? (row as Readonly<Record<string, unknown>>)[field] : undefined
}

function hasField(row: unknown, field: string): boolean {
  if (typeof row !== 'object' || row === null) return false
  return Object.hasOwn(row, field) || (field in row && !(field in Object.prototype))
}

/**
 * Where there are rows, one of them must have the field; the type knows better, and a configuration
 * has none.
 *
 * @throws ConfigurationError none has it
 */
export function checkField(rows: readonly unknown[], field: string): void {
  if (rows.length === 0 || rows.some((row) => hasField(row, field))) return
  const known = typeof rows[0] === 'object' && rows[0] !== null ? Object.keys(rows[0]) : []
  throw new ConfigurationError(
    `The rows of this list have no field "${field}".${didYouMean(field, known)}`,
  )
}
