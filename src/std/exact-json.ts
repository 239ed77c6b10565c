/** Where objects and lists of JSON keep the digits that their numbers have lost. Nobody else sees it. */
const DIGITS = Symbol('digits')

interface Holder {
  readonly [DIGITS]?: Readonly<Record<string, string>>
}

/** A number that may have lost digits is written with more than fifteen of them (IEEE 754), or with a large power. */
const SUSPICIOUS = /\d[\d.]{15}|\d[eE]\+?\d{3}/

/** A number beyond what any `number` can be. */
export class NumberTooLarge extends Error {
  override readonly name = 'NumberTooLarge'
}

/**
 * JSON as `JSON.parse` reads it. Where a number has lost digits its text is kept beside it, for those
 * who ask with `digitsIn`.
 *
 * @throws SyntaxError, NumberTooLarge
 */
export function parseExactly(text: string): unknown {
  return SUSPICIOUS.test(text) ? (JSON.parse as ExactParse)(text, keepDigits) : JSON.parse(text)
}

/** The text of a number that has lost digits; `undefined`: it is exact. */
export function digitsIn(holder: object, key: string): string | undefined {
  const kept = (holder as Holder)[DIGITS]
  return kept !== undefined && Object.hasOwn(kept, key) ? kept[key] : undefined
}

/** What JSON.parse tells since ECMAScript's source text access; the compiler does not know it yet. */
type Reviver = (this: object, key: string, value: unknown, context: { source?: string }) => unknown
type ExactParse = (text: string, reviver: Reviver) => unknown

function keepDigits(
  this: object,
  key: string,
  value: unknown,
  { source }: { source?: string },
): unknown {
  if (typeof value !== 'number' || source === undefined) return value
  if (!Number.isFinite(value)) throw new NumberTooLarge()
  if (source.length > 15) noteDigits(this, key, source)
  return value
}

function noteDigits(holder: Holder, key: string, source: string): void {
  const kept = holder[DIGITS] ?? Object.create(null)
  kept[key] = source
  if (holder[DIGITS] === undefined) Object.defineProperty(holder, DIGITS, { value: kept })
}
