/** Deeper than this, `JSON.stringify` itself finds out whether the data goes in circles. */
const SCAN_DEPTH = 500

/**
 * A value as JSON text (N40, N42): compact unless indented, `bigint` with all its digits, dates in ISO
 * 8601 with `Z`, U+2028 and U+2029 escaped. `''`: a value without a form in JSON, such as `undefined`.
 *
 * The scan costs a seventh of the writing; a replacer for everything would more than double it.
 *
 * @throws RangeError for NaN, an infinity or an invalid date, TypeError for a circle
 */
export function toJSONText(data: unknown, indent = 0): string {
  const text = isPlain(data, SCAN_DEPTH)
    ? JSON.stringify(data, null, indent)
    : JSON.stringify(data, writeExactly, indent)
  return text === undefined ? '' : escapeSeparators(text)
}

/** What stands in JSON otherwise than as it is. */
const SPECIAL = /["\\\u0000-\u001f\u2028\u2029\ud800-\udfff]/

/** A string as JSON text (N40). Most strings only need their quotes. */
export function quoted(text: string): string {
  return SPECIAL.test(text) ? escapeSeparators(JSON.stringify(text)) : `"${text}"`
}

/** N40: these two end a line in JavaScript before 2019. They only ever stand inside strings. */
function escapeSeparators(text: string): string {
  // Nearly no text has one, and looking for one character is done before it begins in a Latin-1 text.
  if (!text.includes('\u2028') && !text.includes('\u2029')) return text
  return text.replace(/[\u2028\u2029]/g, (found) => (found === '\u2028' ? '\\u2028' : '\\u2029'))
}

/** Whether `JSON.stringify` alone writes this value as N42 wants it. */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint'
  return (
    depth > 0 &&
    (Array.isArray(value) ? areItemsPlain(value, depth) : areMembersPlain(value, depth))
  )
}

function areItemsPlain(items: readonly unknown[], depth: number): boolean {
  for (const item of items) {
    if (typeof item !== 'string' && !isPlain(item, depth - 1)) return false
  }
  return true
}

function areMembersPlain(object: object, depth: number): boolean {
  if ('toJSON' in object) return false
  for (const name in object) {
    const value = (object as Record<string, unknown>)[name]
    if (typeof value !== 'string' && !isPlain(value, depth - 1)) return false
  }
  return true
}

/** A replacer; `value` is what `toJSON` made of the member, `this[name]` what the member is. */
function writeExactly(this: unknown, name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return rawJSON(String(value))
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new RangeError(unwritable(name, value))
  if ((this as Record<string, unknown>)[name] instanceof Date) return writeDate(name, value)
  return value
}

/** N42 writes no fraction where it is zero. */
function writeDate(name: string, value: unknown): unknown {
  if (value === null) throw new RangeError(unwritable(name, 'an invalid date'))
  return typeof value === 'string' && value.endsWith('.000Z') ? `${value.slice(0, -5)}Z` : value
}

function unwritable(name: string, value: string | number): string {
  return name === '' ? `JSON has no ${value}.` : `JSON has no ${value}; look at "${name}".`
}

function rawJSON(text: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text)
}
