import { ConfigurationError } from '../errors/configuration-error.ts'
import { didYouMean } from '../std/text/nearest.ts'

export type RowField<Row> = Row extends object ? Extract<keyof Row, string> : never

/** What a row has under a name; what every object has is no field. */
export function fieldOf(row: unknown, field: string): unknown {
  return hasField(row, field) ? (row as Readonly<Record<string, unknown>>)[field] : undefined
}

function hasField(row: unknown, field: string): boolean {
  if (typeof row !== 'object' || row === null) return false
  return Object.hasOwn(row, field) || (field in row && !(field in Object.prototype))
}

/** Configurations know no types. @throws ConfigurationError there are rows, none with the field */
export function checkField(rows: readonly unknown[], field: string): void {
  if (rows.length === 0 || rows.some((row) => hasField(row, field))) return
  const known = typeof rows[0] === 'object' && rows[0] !== null ? Object.keys(rows[0]) : []
  throw new ConfigurationError(
    `The rows of this list have no field "${field}".${didYouMean(field, known)}`,
  )
}
