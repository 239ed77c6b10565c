import type { Cut, Position, PositionValue, SortKey } from '../../core/ports/list-source.ts'
import { shortDigest } from '../../core/secrets/digest.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { didYouMean } from '../../core/std/text/nearest.ts'

export function sortedWithPositions<Row>(
  rows: readonly Row[],
  keys: readonly SortKey[],
): { row: Row; position: Position }[] {
  const order = positionOrder(keys)
  return rows
    .map((row) => ({ row, position: keys.map(({ field }) => sortValue(valueIn(row, field))) }))
    .toSorted((a, b) => order(a.position, b.position))
}

/** Keys that no two rows share, by a unique key. */
export function totalKeys(keys: readonly SortKey[], unique: readonly string[]): readonly SortKey[] {
  const isOrdered = (field: string): boolean => keys.some((key) => key.field === field)
  const ties = tieBreakers(unique, isOrdered, keys.at(-1)?.descending ?? false)
  return [
    ...keys,
    ...ties.map(({ column: field, descending, nullsFirst }): SortKey => ({
      field,
      descending,
      nulls: nullsFirst ? 'first' : 'last',
    })),
  ]
}

/** Do the texts match those that were cut? */
export function hasWhole(position: Position, cut: Cut): boolean {
  return Object.entries(cut).every(([place, digest]) => {
    const value = position[Number(place)]
    return typeof value === 'string' && shortDigest(value) === digest
  })
}

export function positionOrder(keys: readonly SortKey[]): (a: Position, b: Position) => number {
  return (a, b) => {
    for (const [at, key] of keys.entries()) {
      const difference = compareValues(a[at] ?? null, b[at] ?? null, key)
      if (difference !== 0) return difference
    }
    return 0
  }
}

function compareValues(a: PositionValue, b: PositionValue, { descending, nulls }: SortKey): number {
  if (a === null || b === null) {
    const difference = Number(a !== null) - Number(b !== null)
    return nulls === 'first' ? difference : -difference
  }
  return descending ? comparePresent(b, a) : comparePresent(a, b)
}

/** A value for comparing; `undefined`, `NaN` and invalid dates become `null`. */
export function sortValue(value: unknown): PositionValue {
  if (value instanceof Uint8Array) return value
  if (value instanceof Date) return sortValue(value.getTime())
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  const isValue = PLAIN.has(typeof value) && !Number.isNaN(value)
  return isValue ? (value as PositionValue) : null
}

const PLAIN: ReadonlySet<string> = new Set(['string', 'number', 'bigint', 'boolean'])

type Present = Exclude<PositionValue, null>

/** The order of values: numbers and booleans, then texts by code point, then bytes one after the other. */
export function comparePresent(a: Present, b: Present): number {
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b)
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b)
  return kindOf(a) - kindOf(b) || (a < b ? -1 : a > b ? 1 : 0)
}

const kindOf = (value: Present): number =>
  typeof value === 'string' ? 1 : value instanceof Uint8Array ? 2 : 0

function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (left !== right) return byCodePoint(left) - byCodePoint(right)
  }
  return a.length - b.length
}

/** Halves of a pair stand for code points behind all others, although units of text follow them. */
function byCodePoint(unit: number): number {
  const isHalf = unit >= 0xd800 && unit <= 0xdfff
  return isHalf ? unit + 0x10000 : unit
}

export type RowField<Row> = Row extends object ? Extract<keyof Row, string> : never

/** The value of a row under a name; members that every object inherits are no fields. */
export function valueIn(row: unknown, field: string): unknown {
  return hasField(row, field) ? (row as Readonly<Record<string, unknown>>)[field] : undefined
}

function hasField(row: unknown, field: string): boolean {
  if (typeof row !== 'object' || row === null) return false
  return Object.hasOwn(row, field) || (field in row && !(field in Object.prototype))
}

/**
 * Checks a field here, because configurations have no types. @throws ConfigurationError there are rows, none with the field
 */
export function checkField(rows: readonly unknown[], field: string): void {
  if (rows.length === 0 || rows.some((row) => hasField(row, field))) return
  const known = typeof rows[0] === 'object' && rows[0] !== null ? Object.keys(rows[0]) : []
  throw new ConfigurationError(
    `The rows of this list have no field "${field}".${didYouMean(field, known)}`,
  )
}

/**
 * The key breaks ties: what an order lacks of a unique key comes behind it, so that no two rows can change
 * places from page to page. It has the direction of the last item of the order, which is what an index
 * gives without sorting; NULLs are smaller than every value.
 */
export function tieBreakers<Column>(
  key: readonly Column[],
  isOrdered: (column: Column) => boolean,
  descending: boolean,
): readonly { column: Column; descending: boolean; nullsFirst: boolean }[] {
  return key
    .filter((column) => !isOrdered(column))
    .map((column) => ({ column, descending, nullsFirst: !descending }))
}
