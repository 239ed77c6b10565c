/** Where objects and lists of JSON keep the digits that their numbers have lost; enumeration does not show it. */
const DIGITS = Symbol('digits')

/** By key or index, and without a prototype: what is not there is `undefined`. */
type Digits = Record<string | number, string>

interface Holder {
  readonly [DIGITS]?: Digits
}

/** A number beyond what any `number` can be. */
export class NumberTooLarge extends Error {
  override readonly name = 'NumberTooLarge'
}

/**
 * JSON as `JSON.parse` reads it. Where a number has lost digits its text is kept beside it, for
 * `digitsIn`.
 *
 * One pass finds the numbers that may lose digits; mostly there are none. Others are parsed as
 * placeholders, and put back where the value has them. (A reviver gets the text of every number, at ten
 * times the price.)
 *
 * @throws SyntaxError, NumberTooLarge
 */
export function parseExactly(text: string): unknown {
  const places = longNumbers(text)
  if (places.length === 0) return JSON.parse(text)
  const root = [JSON.parse(withPlaceholders(text, places)) as unknown]
  putBack(root, (index) => text.slice(places[2 * index], places[2 * index + 1]))
  return root[0]
}

/** The text of a number that has lost digits; `undefined`: it is exact. */
export function digitsIn(holder: object, key: string): string | undefined {
  return (holder as Holder)[DIGITS]?.[key]
}

const BACKSLASH = 0x5c
const SMALL_E = 0x65
const QUOTE = 1
const OF_NUMBER = 2

/** What a character of ASCII may be: a look-up is half the price of comparing. */
const KINDS = new Uint8Array(128)
for (const character of '0123456789.eE+-') KINDS[character.charCodeAt(0)] = OF_NUMBER
KINDS['"'.charCodeAt(0)] = QUOTE

/** With its sign and point, a number of fewer characters is exact (IEEE 754). */
const LONG = 16
/** Powers of fewer digits keep a short number far below the placeholders. */
const LARGE_POWER = 3
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/**
 * Where the numbers begin and end that may have lost digits, be too large, or look like a placeholder.
 * What only looks like a number is left to `JSON.parse`, which refuses it.
 */
function longNumbers(text: string): number[] {
  const places: number[] = []
  for (let at = 0; at < text.length; at++) {
    const kind = KINDS[text.charCodeAt(at)]
    if (kind === QUOTE) at = endOfString(text, at)
    else if (kind === OF_NUMBER) {
      const end = endOfNumber(text, at)
      if (isLong(text, at, end) && isNumber(text, at, end)) places.push(at, end)
      at = end - 1
    }
  }
  return places
}

/** The place of the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end
}

/** An odd number of backslashes stands before it. */
function isEscaped(text: string, quote: number): boolean {
  let at = quote
  while (text.charCodeAt(at - 1) === BACKSLASH) at--
  return (quote - at) % 2 === 1
}

/** Behind the last character that may belong to a number. */
function endOfNumber(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && KINDS[text.charCodeAt(at)] === OF_NUMBER) at++
  return at
}

/** Many digits, or a power of many. */
function isLong(text: string, start: number, end: number): boolean {
  if (end - start >= LONG) return true
  for (let at = end - LARGE_POWER - 1; at > start; at--) {
    if ((text.charCodeAt(at) | 0x20) === SMALL_E) return true
  }
  return false
}

function isNumber(text: string, start: number, end: number): boolean {
  NUMBER.lastIndex = start
  return NUMBER.test(text) && NUMBER.lastIndex === end
}

/** Larger than any number that is short enough to stay in the text. */
const PLACEHOLDER = 1e200

/** The first long number becomes `1e200`, the second `2e200`. */
function withPlaceholders(text: string, places: readonly number[]): string {
  let [written, behind] = ['', 0]
  for (let index = 0; index < places.length; index += 2) {
    written += `${text.slice(behind, places[index])}${index / 2 + 1}e200`
    behind = places[index + 1]!
  }
  return written + text.slice(behind)
}

/** Of members with one name the last counts, so not all of them need to be there. */
function putBack(root: unknown[], sourceOf: (index: number) => string): void {
  const holders: object[] = [root]
  for (let holder = holders.pop(); holder !== undefined; holder = holders.pop()) {
    if (Array.isArray(holder)) eachItem(holder)
    else eachMember(holder as Record<string, unknown>)
  }

  function eachItem(items: unknown[]): void {
    for (let index = 0; index < items.length; index++) {
      const value = items[index]
      if (typeof value === 'object' && value !== null) holders.push(value)
      else if (isPlaceholder(value)) items[index] = original(items, index, value)
    }
  }

  function eachMember(members: Record<string, unknown>): void {
    for (const key in members) {
      const value = members[key]
      if (typeof value === 'object' && value !== null) holders.push(value)
      else if (isPlaceholder(value)) members[key] = original(members, key, value)
    }
  }

  function original(holder: object, key: string | number, value: number): number {
    return exactly(holder, key, sourceOf(Math.round(value / PLACEHOLDER) - 1))
  }
}

function isPlaceholder(value: unknown): value is number {
  return typeof value === 'number' && value >= PLACEHOLDER
}

function exactly(holder: object, key: string | number, source: string): number {
  const value = Number(source)
  if (!Number.isFinite(value)) throw new NumberTooLarge()
  if (source.length >= LONG) noteDigits(holder, key, source)
  return value
}

function noteDigits(holder: object, key: string | number, source: string): void {
  const kept: Digits = (holder as Holder)[DIGITS] ?? Object.create(null)
  kept[key] = source
  if (!(DIGITS in holder)) Object.defineProperty(holder, DIGITS, { value: kept })
}
