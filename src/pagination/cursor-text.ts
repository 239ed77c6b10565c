import type { Position, PositionValue } from '../contract/source.ts'

/** Where a page begins: strictly behind the position, or before it. `null`: at the very end of that side. */
export interface Start {
  readonly reverse: boolean
  readonly position: Position | null
}

/** JSON has a form for these; the others are written as a letter and a text. */
type Written = string | number | boolean | null | readonly [kind: string, text: string]

/** A start as text, without loss: what comes back is of the same type and has the same value (I2). */
export function writeStart({ reverse, position }: Start): string {
  return JSON.stringify([reverse ? 1 : 0, ...(position ?? []).map(write)])
}

/** `null`: this is none. */
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
  if (typeof value === 'number' && !isExact(value)) return ['n', nameOf(value)]
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

/** What JSON gives back as it was. */
function isExact(value: number): boolean {
  return Number.isFinite(value) && !Object.is(value, -0)
}

function nameOf(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value)
}
