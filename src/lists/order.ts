import type { Position, PositionValue, SortKey } from '../contract/list-source.ts'
import { fieldOf } from './fields.ts'
import { tieBreakers } from './total-order.ts'

export function placed<Row>(
  rows: readonly Row[],
  keys: readonly SortKey[],
): { row: Row; position: Position }[] {
  const order = comparing(keys)
  return rows
    .map((row) => ({ row, position: keys.map(({ field }) => comparable(fieldOf(row, field))) }))
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

export function comparing(keys: readonly SortKey[]): (a: Position, b: Position) => number {
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
  return descending ? compare(b, a) : compare(a, b)
}

/** What is no value at all (`undefined`, `NaN`, a date that is none) is `null`. */
export function comparable(value: unknown): PositionValue {
  if (value instanceof Uint8Array) return value
  if (value instanceof Date) return comparable(value.getTime())
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  const isValue = PLAIN.has(typeof value) && !Number.isNaN(value)
  return isValue ? (value as PositionValue) : null
}

const PLAIN: ReadonlySet<string> = new Set(['string', 'number', 'bigint', 'boolean'])

type Present = Exclude<PositionValue, null>

/** Numbers and booleans, then texts, then bytes; texts by code point, bytes one after the other. */
export function compare(a: Present, b: Present): number {
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
