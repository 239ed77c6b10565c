// The orders that the server by hand accepts: rules and sentences are those of the serializer in ours.ts.
import { STATES } from './world.ts'

/** The written members; a PATCH may leave some out. */
export interface Order {
  customer?: string
  state?: string
  /** With two decimal places. */
  amount?: string
  items?: number
  placed?: Date
  note?: string | null
}

/** The text of the answer if there are errors. */
export interface ReadOrder {
  readonly order: Order
  readonly errors: string | null
}

const OBJECT = 'This must be an object, not '
const MISSING = 'This field is missing.'
const NULL = 'This field cannot be null.'
const EMPTY = 'This field cannot be empty.'
const TEXT = 'This is not a text.'
const CHOICE = 'This is not one of the choices.'
const DECIMAL = 'This is not a decimal number.'
const WHOLE = 'This is not a whole number.'
const INSTANT = 'Send a date, a time and an offset in the form 2024-02-29T08:30:00Z.'

/** Reads a value, or gives its error. */
type Reader = (value: unknown) => { readonly value: never } | { readonly error: string }

const READERS: readonly (readonly [
  name: keyof Order,
  nullable: boolean,
  required: boolean,
  Reader,
])[] = [
  ['customer', false, true, textOf(100, false)],
  ['state', false, true, stateOf],
  ['amount', false, true, amountOf],
  ['items', false, true, itemsOf],
  ['placed', false, true, placedOf],
  ['note', true, false, textOf(1000, false)],
] as never

export function orderIn(body: unknown, partial: boolean): ReadOrder {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    const message = OBJECT + (Array.isArray(body) ? 'a list.' : `${typeof body}.`)
    return { order: {}, errors: JSON.stringify({ non_field_errors: [message] }) }
  }
  const order: Order = {}
  let errors: Record<string, readonly string[]> | null = null
  for (const [name, nullable, required, reader] of READERS) {
    const value: unknown = (body as Record<string, unknown>)[name]
    let error: string | null = null
    if (value === undefined) {
      if (required && !partial) error = MISSING
    } else if (value === null) {
      if (nullable) order[name] = null as never
      else error = NULL
    } else {
      const found = reader(value)
      if ('error' in found) error = found.error
      else order[name] = found.value
    }
    if (error !== null) (errors ??= {})[name] = [error]
  }
  return { order, errors: errors === null ? null : JSON.stringify(errors) }
}

function textOf(most: number, mayBeEmpty: boolean) {
  return (value: unknown) => {
    if (typeof value !== 'string' && typeof value !== 'number') return { error: TEXT }
    const text = String(value).trim()
    if (text === '' && !mayBeEmpty) return { error: EMPTY }
    if (text.length > most) return { error: `Use at most ${most} characters.` }
    return { value: text }
  }
}

const states: ReadonlySet<unknown> = new Set(STATES)

function stateOf(value: unknown) {
  return states.has(value) ? { value } : { error: CHOICE }
}

function amountOf(value: unknown) {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value : ''
  const [, sign, whole = '', part = ''] = /^\s*(-?)0*(\d*)(?:\.(\d*))?\s*$/.exec(text) ?? []
  if (sign === undefined || (whole + part === '' && !text.includes('0'))) return { error: DECIMAL }
  if (whole.length + part.length > 10) return { error: 'Use at most 10 digits.' }
  if (part.length > 2) return { error: 'Use at most 2 digits after the decimal point.' }
  if (whole.length > 8) return { error: 'Use at most 8 digits before the decimal point.' }
  if (sign === '-' && /[1-9]/.test(whole + part)) return { error: 'The value must be at least 0.' }
  return { value: `${whole || '0'}.${part.padEnd(2, '0')}` }
}

function itemsOf(value: unknown) {
  const isText = typeof value === 'string' && /^\s*[+-]?\d{1,15}\s*$/.test(value)
  const number = isText ? Number(value) : value
  if (!Number.isInteger(number)) return { error: WHOLE }
  if ((number as number) < 1) return { error: 'The value must be at least 1.' }
  if ((number as number) > 999) return { error: 'The value must be at most 999.' }
  return { value: number }
}

const ISO =
  /^\d{4}-(?:0[1-9]|1[0-2])-\d\d[T ]([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:?\d\d)$/

function placedOf(value: unknown) {
  const time = typeof value === 'string' && ISO.test(value) ? Date.parse(value) : NaN
  return Number.isNaN(time) ? { error: INSTANT } : { value: new Date(time) }
}
