import type { SQLInputValue, SQLOutputValue } from 'node:sqlite'

/** What SQLite is given: truth as 1 and 0, points in time as milliseconds since 1970, the rest as it is. */
export function toSqliteValues(parameters: readonly unknown[]): readonly SQLInputValue[] {
  return parameters.every(isPlain)
    ? (parameters as readonly SQLInputValue[])
    : parameters.map(toSqliteValue)
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || value === null
}

function toSqliteValue(value: unknown, index: number): SQLInputValue {
  if (value === true) return 1
  if (value === false) return 0
  if (value instanceof Date) return milliseconds(value, index)
  if (isPlain(value) || typeof value === 'bigint' || ArrayBuffer.isView(value))
    return value as SQLInputValue
  throw unfit(
    index,
    value === undefined ? 'undefined (NULL is null)' : `a value of type ${typeof value}`,
  )
}

function milliseconds(date: Date, index: number): number {
  const time = date.getTime()
  if (Number.isNaN(time)) throw unfit(index, 'an invalid date')
  return time
}

function unfit(index: number, what: string): TypeError {
  return new TypeError(
    `Parameter ${index + 1} of this statement is ${what}, which SQLite cannot store.`,
  )
}

type Row = readonly SQLOutputValue[]

/** Integers as numbers where a number holds them exactly, as bigints where it does not. */
export function withSafeNumbers(rows: readonly Row[]): readonly Row[] {
  return rows.map((row) => row.map(toSafeNumber))
}

function toSafeNumber(value: SQLOutputValue): SQLOutputValue {
  if (typeof value !== 'bigint') return value
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}
