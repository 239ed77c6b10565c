import type { Position, PositionValue, Stretch } from '../contract/list-source.ts'

/** Where a page begins: strictly behind the position, or before it. `null`: at the very end of that side. */
export interface Start {
  readonly reverse: boolean
  readonly position: Position | null
}

/** Its address has no cursor. */
export const FIRST_PAGE: Start = Object.freeze({ reverse: false, position: null })
const LAST_PAGE: Start = Object.freeze({ reverse: true, position: null })

/**
 * Where the pages around one begin; `null`: there is none (in place of C35, C36 and C40–C45). In the
 * direction of reading the source knows whether there is more. In the other there is, where the page was
 * found from a row there; if that was deleted since, the page may be empty, and its own link leads back.
 *
 * An empty page has no row to go back from, and what it was found from may be just the row that is
 * wanted: back leads to the end of the list that was left (in place of C63).
 */
export function startsAround(
  { reverse, position }: Start,
  { more, first, last }: Stretch<unknown>,
): { readonly next: Start | null; readonly previous: Start | null } {
  const isFound = position !== null
  if (first === null || last === null) {
    const [next, previous] = reverse ? [FIRST_PAGE, null] : [null, LAST_PAGE]
    return isFound ? { next, previous } : { next: null, previous: null }
  }
  const [hasNext, hasPrevious] = reverse ? [isFound, more] : [more, isFound]
  return {
    next: hasNext ? { reverse: false, position: last } : null,
    previous: hasPrevious ? { reverse: true, position: first } : null,
  }
}

/** JSON has a form for these; the others are written as a letter and a text. */
type Written = string | number | boolean | null | readonly [kind: string, text: string]

/** A start as text, without loss: what comes back is of the same type and has the same value (I2). */
export function writeStart({ reverse, position }: Start): string {
  return JSON.stringify([reverse ? 1 : 0, ...(position ?? []).map(write)])
}

/** `null`: the text is not that of a start. */
export function readStart(text: string): Start | null {
  try {
    const [direction, ...values] = JSON.parse(text) as [unknown, ...Written[]]
    if (direction !== 0 && direction !== 1) return null
    return { reverse: direction === 1, position: values.length === 0 ? null : values.map(read) }
  } catch {
    return null
  }
}

function write(value: PositionValue): Written {
  if (typeof value === 'bigint') return ['i', String(value)]
  if (Object.is(value, -0)) return ['n', '-0']
  if (typeof value === 'number' && !Number.isFinite(value)) return ['n', String(value)]
  if (value instanceof Uint8Array) return ['b', Buffer.from(value).toString('base64url')]
  return value
}

function read(value: Written): PositionValue {
  if (!Array.isArray(value)) return value as PositionValue
  const [kind, text] = value as [string, string]
  if (kind === 'i') return BigInt(text)
  if (kind === 'n') return Number(text)
  if (kind === 'b') return new Uint8Array(Buffer.from(text, 'base64url'))
  throw new RangeError(`No value is of the kind ${kind}.`)
}
