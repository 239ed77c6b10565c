/** Any value of JSON. */
export type JSONValue =
  | string
  | number
  | boolean
  | null
  | readonly JSONValue[]
  | { readonly [name: string]: JSONValue }

/**
 * The symbol under which objects and lists of JSON keep the digits that their numbers have lost; enumeration does not show
 * it.
 */
const DIGITS = Symbol('digits')

/** Lost digits by key or index; without a prototype, so that missing names are `undefined`. */
type Digits = Record<string | number, string>

type Holder = { readonly [DIGITS]?: Digits }

/** A number beyond what any `number` can be. */
export class NumberTooLarge extends Error {
  override readonly name = 'NumberTooLarge'
}

/** The text of a number that has lost digits; `undefined`: it is exact. */
export function digitsIn(holder: object, key: string): string | undefined {
  return (holder as Holder)[DIGITS]?.[key]
}

const BACKSLASH = 0x5c

/** Marks the ASCII characters that a number may contain: a look-up costs half as much as comparisons. */
const OF_NUMBER = new Uint8Array(128)
for (const character of '0123456789.eE+-') OF_NUMBER[character.charCodeAt(0)] = 1

/** A number with fewer characters than this, including sign and point, is exact (IEEE 754). */
const LONG = 16
/** Powers of ten with fewer digits keep a short number far below the placeholders. */
const LARGE_POWER = /\d[eE][+-]?\d{3}/g
/** Larger than any number that is short enough to stay in the text. */
const PLACEHOLDER = 1e200
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * Reads as `JSON.parse` does. Where a number has lost digits its text is kept beside it, for `digitsIn`.
 * A look at every sixteenth character finds the numbers that may have lost digits, be too large, or look like a
 * placeholder; mostly there are none. They are parsed as placeholders, `1e200`, `2e200` and so on, and put back
 * where the value has them. (A reviver gets the text of every number, at ten times the price.)
 *
 * @throws SyntaxError, NumberTooLarge
 */
export function parseExactly(text: string): unknown {
  const starts = suspects(text)
  return starts.length === 0 ? JSON.parse(text) : parseAround(starts, text)
}

/** The places of numbers that may be long or have a large power of ten, in order; a place may also lie within a string. */
function suspects(text: string): number[] {
  const starts: number[] = []
  for (let at = LONG - 1; at < text.length; at += LONG) {
    if (!isOfNumber(text, at)) continue
    const start = startOfNumber(text, at)
    at = endOfNumber(text, at)
    if (at - start >= LONG) starts.push(start)
  }
  const long = starts.length
  let end = 0
  for (const { index } of text.matchAll(LARGE_POWER)) {
    if (index < end) continue
    starts.push(startOfNumber(text, index))
    end = endOfNumber(text, index)
  }
  return starts.length === long ? starts : starts.toSorted((one, other) => one - other)
}

function parseAround(starts: readonly number[], text: string): unknown {
  const sources: string[] = []
  let [readable, behind] = ['', 0]
  let [opened, closed] = [text.indexOf('"'), -1]
  for (const start of starts) {
    while (opened >= 0 && opened < start) {
      closed = endOfString(text, opened)
      opened = text.indexOf('"', closed + 1)
    }
    if (start < closed || start < behind) continue
    const source = text.slice(start, endOfNumber(text, start))
    // Text that only looks like a number is left to `JSON.parse`, which refuses it.
    if (!NUMBER.test(source)) continue
    readable += `${text.slice(behind, start)}${sources.push(source)}e200`
    behind = start + source.length
  }
  if (sources.length === 0) return JSON.parse(text)
  const root = [JSON.parse(readable + text.slice(behind)) as unknown]
  putBack(root, sources)
  return root[0]
}

/** The end of a string; one that is never closed reaches to the end of the text. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end
}

/** Does an odd number of backslashes stand before the quote? */
function isEscaped(text: string, quote: number): boolean {
  let at = quote
  while (text.charCodeAt(at - 1) === BACKSLASH) at--
  return (quote - at) % 2 === 1
}

const isOfNumber = (text: string, at: number): boolean => OF_NUMBER[text.charCodeAt(at)] === 1

function startOfNumber(text: string, at: number): number {
  let start = at
  while (isOfNumber(text, start - 1)) start--
  return start
}

function endOfNumber(text: string, at: number): number {
  let end = at + 1
  while (isOfNumber(text, end)) end++
  return end
}

/** The last of several members with the same name counts, so some sources may have no place. */
function putBack(root: object, sources: readonly string[]): void {
  const holders = [root as Record<string | number, unknown>]
  const look = (holder: Record<string | number, unknown>, key: string | number): void => {
    const value = holder[key]
    if (typeof value === 'object' && value !== null) holders.push(value as typeof holder)
    else if (typeof value === 'number' && value >= PLACEHOLDER)
      holder[key] = exactly(holder, key, sources[Math.round(value / PLACEHOLDER) - 1]!)
  }
  for (let holder = holders.pop(); holder !== undefined; holder = holders.pop()) {
    if (Array.isArray(holder))
      for (let index = 0; index < holder.length; index++) look(holder, index)
    // This loop is twice as fast as a list of the names.
    else for (const key in holder) look(holder, key)
  }
}

function exactly(holder: object, key: string | number, source: string): number {
  const value = Number(source)
  if (!Number.isFinite(value)) throw new NumberTooLarge()
  if (source.length >= LONG) {
    const digits: Digits = (holder as Holder)[DIGITS] ?? Object.create(null)
    digits[key] = source
    if (!(DIGITS in holder)) Object.defineProperty(holder, DIGITS, { value: digits })
  }
  return value
}

/** A value of JSON in a text, also a number alone, with digits for `withDigits`. @throws SyntaxError, NumberTooLarge */
export function valueOfJSON(text: string): unknown {
  const value = parseExactly(text)
  return typeof value === 'number' ? rawNumber(value, text.trim()) : value
}

/** The value of a JSON column; a text that is not JSON stands for itself. */
export function columnOfJSON(text: string): unknown {
  try {
    return valueOfJSON(text)
  } catch {
    return text
  }
}

/** The number, or what `JSON.stringify` writes with the digits that it has lost. */
export function rawNumber(value: number, digits: string): unknown {
  if (digits.length < LONG || !DECIMAL.test(digits)) return value
  const [few, all] = [significant(String(value)), significant(digits)]
  return few === all || all === '' ? value : RAW.rawJSON(digits)
}

/** Longer ones, and powers of ten, are the numbers that JavaScript makes of them: no database keeps all of them. */
const DECIMAL = /^-?\d{1,400}(?:\.\d{1,400})?$/
const RAW = JSON as unknown as { rawJSON(text: string): unknown }

/** The digits that count: two numbers of about the same size are equal if their digits are. */
function significant(number: string): string {
  return number.replaceAll(/e.*$|[-.]/g, '').replaceAll(/^0+|0+$/g, '')
}

/** The same value, in which numbers that have lost digits are written with all of them: itself where there are none. */
export function withDigits(value: unknown, levels = 500): unknown {
  if (typeof value !== 'object' || value === null || levels === 0) return value
  let copy: Record<string, unknown> | null = null
  for (const [key, part] of Object.entries(value)) {
    const digits = typeof part === 'number' ? digitsIn(value, key) : undefined
    const exact =
      digits === undefined ? withDigits(part, levels - 1) : rawNumber(part as number, digits)
    if (exact === part) continue
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>
    copy[key] = exact
  }
  return copy ?? value
}
