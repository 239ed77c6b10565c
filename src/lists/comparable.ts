import type { PositionValue } from '../contract/source.ts'

/** A value as it is compared; what is no value at all (`undefined`, `NaN`, a date that is none) is `null`. */
export function comparable(value: unknown): PositionValue {
  switch (typeof value) {
    case 'string':
    case 'bigint':
    case 'boolean':
      return value
    case 'number':
      return Number.isNaN(value) ? null : value
    default:
      return typeof value === 'object' && value !== null ? comparableObject(value) : null
  }
}

function comparableObject(value: object): PositionValue {
  if (value instanceof Uint8Array) return value
  return value instanceof Date ? comparable(value.getTime()) : JSON.stringify(value)
}

type Present = Exclude<PositionValue, null>

/** Numbers and booleans, then texts, then bytes; texts by code point, bytes one after the other. */
export function compare(a: Present, b: Present): number {
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b)
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b)
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

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return a[at]! - b[at]!
  return a.length - b.length
}
