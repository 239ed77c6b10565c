import type { Chosen, Field, FieldOptions } from '../declaration.ts'
import { type Kind, fieldOf, kind } from '../field-of.ts'
import { type Refused, refused } from '../refused.ts'
import { Unshowable } from '../represent.ts'

/**
 * A day of the calendar, `2024-02-29` (ISO 8601), as text. Rows may hold a `Date`, whose day in UTC is
 * shown.
 *
 * @example field.date({ required: false, nullable: true })
 */
export const date: Kind<FieldOptions<string>, string | Date, string> = kind('date', () => ({
  show: (value) => (value instanceof Date ? writeDate(value).slice(0, 10) : dayIn(value)),
  read: fromText('invalid.date', readDay),
}))

/**
 * A time of day, `08:30:00` (ISO 8601), as text: without a zone, with six digits of a second where they
 * are not zero.
 *
 * @example field.time()
 */
export const time: Kind<FieldOptions<string>, string> = kind('time', () => ({
  show: (value) => readTime(value) ?? value,
  read: fromText('invalid.time', readTime),
}))

interface DateTimeRules {
  /** What a time without an offset is: an error, or one in UTC. @default 'refuse' */
  readonly naive?: 'refuse' | 'utc'
}

type DateTimeOptions = DateTimeRules &
  (
    | (FieldOptions<string> & { readonly as?: 'text' })
    | (FieldOptions<Date> & { readonly as: 'date' })
    | (FieldOptions<number> & { readonly as: 'milliseconds' })
  )

type Given<O> = O extends { readonly as: 'date' }
  ? Date
  : O extends { readonly as: 'milliseconds' }
    ? number
    : string

/**
 * A point in time with its offset (ISO 8601), shown in UTC: `2024-01-25T16:00:00Z`, with six digits of
 * a second where they are not zero. Input becomes such a text, to the microsecond; `as` says otherwise.
 * Rows may hold a text, a `Date`, or milliseconds since 1970.
 *
 * @example field.dateTime({ as: 'milliseconds' })
 */
export function dateTime<const O = unknown>(
  options?: Chosen<O, DateTimeOptions>,
): Field<string | Date | number, string, Given<O>, O> {
  const { naive = 'refuse', as = 'text' }: DateTimeOptions = options ?? {}
  const read = (text: string) => {
    const instant = readInstant(text, naive)
    if (instant === null || as === 'text') return instant
    return as === 'date' ? new Date(instant) : Date.parse(instant)
  }
  return fieldOf('datetime', options, {
    show: showInstant,
    read: fromText('invalid.date_time', read) as (value: unknown) => Given<O> | Refused,
  })
}

function fromText<T>(
  key: 'invalid.date' | 'invalid.time' | 'invalid.date_time',
  read: (text: string) => T | null,
): (value: unknown) => T | Refused {
  const refusal = refused(key)
  return (value) => (typeof value === 'string' ? (read(value.trim()) ?? refusal) : refusal)
}

const DAY = String.raw`(?<day>(?!0000)\d{4}-\d\d-\d\d)`
const CLOCK = String.raw`(?<minutes>(?:[01]\d|2[0-3]):[0-5]\d)(?::(?<seconds>[0-5]\d)(?:[.,](?<fraction>\d{1,12}))?)?`
const ZONE = String.raw`(?<zone>[zZ]|(?<hours>[+-](?:[01]\d|2[0-3])):?(?<rest>[0-5]\d)?)`

const DATE = new RegExp(`^${DAY}$`)
const TIME = new RegExp(`^${CLOCK}$`)
const INSTANT = new RegExp(String.raw`^${DAY}[T ]${CLOCK}\s*${ZONE}?$`)
const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{6})?Z$/
const DAY_AND_TIME = /^\d{4}-\d\d-\d\d[T ][\d:.,Zz+-]+$/

/** Longer than any point in time. */
const LONGEST = 50

/** February 30 is another day in a `Date`. */
function readDay(text: string): string | null {
  if (!DATE.test(text)) return null
  return new Date(`${text}T00:00:00Z`).getUTCDate() === Number(text.slice(-2)) ? text : null
}

function readTime(text: string): string | null {
  const { minutes, seconds = '00', fraction } = TIME.exec(text)?.groups ?? {}
  return minutes === undefined ? null : `${minutes}:${seconds}${micros(fraction)}`
}

/** In UTC; `null`: no point in time, or one before the year 1 or after 9999. */
function readInstant(text: string, naive: 'utc' | 'refuse'): string | null {
  const found = text.length > LONGEST ? undefined : INSTANT.exec(text)?.groups
  const { day = '', minutes, seconds = '00', fraction, zone, hours, rest = '00' } = found ?? {}
  if (readDay(day) === null || (zone === undefined && naive === 'refuse')) return null
  const offset = hours === undefined ? 'Z' : `${hours}:${rest}`
  return inUtc(new Date(`${day}T${minutes}:${seconds}${offset}`), fraction)
}

function inUtc(instant: Date, fraction: string | undefined): string | null {
  const utc = instant.toISOString()
  return DATE.test(utc.slice(0, 10)) ? `${utc.slice(0, 19)}${micros(fraction)}Z` : null
}

/** Six digits of a second; none if they are zero. Finer ones are left out. */
function micros(fraction = ''): string {
  const digits = fraction.padEnd(6, '0').slice(0, 6)
  return digits === '000000' ? '' : `.${digits}`
}

/** What databases write may have a time behind the day. Days before the year 1 and after 9999 have no form. */
function dayIn(text: string): string {
  if (text.length === 10 || DAY_AND_TIME.test(text)) return text.slice(0, 10)
  throw new Unshowable('A row holds something that is no date.')
}

/** What databases write may lack the zone; they are asked to keep UTC. */
function showInstant(value: string | Date | number): string {
  if (typeof value === 'number' || value instanceof Date) return writeDate(new Date(value))
  if (typeof value !== 'string')
    throw new Unshowable('A row holds something that is no date and time.')
  if (CANONICAL.test(value) && !value.endsWith('.000000Z')) return value
  const instant = readInstant(value, 'utc')
  if (instant === null) throw new RangeError('A row holds a text that is no date and time.')
  return instant
}

function writeDate(value: Date): string {
  if (Number.isNaN(value.getTime())) throw new RangeError('A row holds an invalid date.')
  const written = inUtc(value, value.toISOString().slice(-4, -1))
  if (written === null) throw new RangeError('A row holds a date before the year 1 or after 9999.')
  return written
}
