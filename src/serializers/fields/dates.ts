// Dates and times of ISO 8601 as texts: whole, without the losses of a `Date`.
import type { Chosen, Field, FieldOptions } from '../declaration.ts'
import { type Refused, refused } from '../refused.ts'
import { Unshowable } from '../represent.ts'
import { type Kind, kind, fieldOf } from '../field-of.ts'

/**
 * A day of the calendar, `2024-02-29` (ISO 8601), as text. Rows may hold a `Date`, whose day in UTC is
 * shown.
 *
 * @example field.date({ required: false, nullable: true })
 */
export const date: Kind<FieldOptions<string>, string | Date, string> = kind('date', () => ({
  show: (value) =>
    value instanceof Date ? writeInstant(instantOf(value)).slice(0, 10) : dayIn(value),
  read: (value) => fromText(value, readDate, NO_DATE),
}))

/**
 * A time of day, `08:30:00` (ISO 8601), as text: without a zone, with six digits of a second where they
 * are not zero.
 *
 * @example field.time()
 */
export const time: Kind<FieldOptions<string>, string> = kind('time', () => ({
  show: (value) => readTime(value) ?? value,
  read: (value) => fromText(value, readTime, NO_TIME),
}))

interface DateTimeRules {
  /** What a time without an offset is: an error, or one in UTC. @default 'refuse' */
  readonly naive?: 'refuse' | 'utc'
}

/** What a point in time may be, and what the input makes of it: a text in UTC, a `Date`, or milliseconds since 1970. */
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
  const read = (text: string) => readAs(readInstant(text, naive), as)
  return fieldOf('datetime', options, {
    show: showInstant,
    read: (value) => fromText(value, read, NO_DATE_TIME) as Given<O>,
  })
}

const NO_DATE = refused('invalid.date')
const NO_TIME = refused('invalid.time')
const NO_DATE_TIME = refused('invalid.date_time')

function fromText<T>(value: unknown, read: (text: string) => T | null, no: Refused): T | Refused {
  return typeof value === 'string' ? (read(value.trim()) ?? no) : no
}

function readAs(
  instant: Instant | null,
  as: NonNullable<DateTimeOptions['as']>,
): string | Date | number | null {
  if (instant === null || as === 'text') return instant && writeInstant(instant)
  const milliseconds = instant.seconds * 1000 + Math.floor(instant.micros / 1000)
  return as === 'date' ? new Date(milliseconds) : milliseconds
}

const DAY_AND_TIME = /^\d{4}-\d\d-\d\d[T ][\d:.,Zz+-]+$/

/** What databases write may have a time behind the day. Days before the year 1 and after 9999 have no form. */
function dayIn(text: string): string {
  if (text.length === 10 || DAY_AND_TIME.test(text)) return text.slice(0, 10)
  throw new Unshowable('A row holds something that is no date.')
}

const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{6})?Z$/

/** What databases write may lack the zone; they are asked to keep UTC. */
function showInstant(value: string | Date | number): string {
  if (typeof value === 'number') return writeInstant(instantOf(new Date(value)))
  if (value instanceof Date) return writeInstant(instantOf(value))
  if (typeof value !== 'string')
    throw new Unshowable('A row holds something that is no date and time.')
  if (CANONICAL.test(value) && !value.endsWith('.000000Z')) return value
  const instant = readInstant(value, 'utc')
  if (instant === null) throw new RangeError('A row holds a text that is no date and time.')
  return writeInstant(instant)
}

/** A point in time: whole seconds since 1970, and microseconds. Or a time of day: since midnight. */
interface Instant {
  readonly seconds: number
  readonly micros: number
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const TIME = /^(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)?$/
const ZONE = /(?:([zZ])|([+-])(\d{2}):?(\d{2})?)$/

/** A day of the calendar, `2024-02-29`; `null`: none. */
function readDate(text: string): string | null {
  return text.length === 10 && midnightOf(text) !== null ? text : null
}

/** Midnight of a day, in seconds since 1970; `null`: there is no such day. */
function midnightOf(text: string): number | null {
  const [year = 0, month = 0, day = 0] = (DATE.exec(text) ?? []).slice(1).map(Number)
  const found = new Date(0)
  found.setUTCFullYear(year, month - 1, day)
  const isThere = year > 0 && found.getUTCMonth() === month - 1 && found.getUTCDate() === day
  return isThere ? found.getTime() / 1000 : null
}

/** Since midnight; `null`: there is no such time. Digits finer than a microsecond are left out. */
function clockOf(text: string): Instant | null {
  const found = TIME.exec(text)
  if (found === null) return null
  const [hours = 0, minutes = 0, seconds = 0] = found.slice(1, 4).map((part) => Number(part ?? 0))
  if (hours > 23 || minutes > 59 || seconds > 59) return null
  const micros = Number((found[4] ?? '').padEnd(6, '0').slice(0, 6))
  return { seconds: hours * 3600 + minutes * 60 + seconds, micros }
}

/** A time of day, `08:30:00` or `08:30:00.000001`; `null`: none. */
function readTime(text: string): string | null {
  const clock = clockOf(text)
  return clock && new Date(clock.seconds * 1000).toISOString().slice(11, 19) + writeMicros(clock)
}

function writeMicros({ micros }: Instant): string {
  return micros === 0 ? '' : `.${String(micros).padStart(6, '0')}`
}

/** Longer than any point in time. */
const LONGEST = 50
const FIRST = Date.parse('0001-01-01T00:00:00Z') / 1000
const LAST = Date.parse('9999-12-31T23:59:59Z') / 1000

/**
 * A point in time; `null`: none, or one before the year 1 or after 9999. `naive` decides what a text
 * without a zone is: a time in UTC, or no point in time at all.
 */
function readInstant(text: string, naive: 'utc' | 'refuse'): Instant | null {
  if (text.length > LONGEST) return null
  const zone = ZONE.exec(text.slice(10))
  if (zone === null && naive === 'refuse') return null
  const offset = zone === null ? 0 : offsetOf(zone)
  const local = zone === null ? text : text.slice(0, -zone[0].length)
  const day = /^.{10}[T ]/.test(local) ? midnightOf(local.slice(0, 10)) : null
  const clock = clockOf(local.slice(11).trimEnd())
  if (day === null || clock === null || offset === null) return null
  return writable({ seconds: day + clock.seconds - offset, micros: clock.micros })
}

/** In seconds. */
function offsetOf([, z, sign, hours, minutes = '0']: RegExpExecArray): number | null {
  if (z !== undefined) return 0
  if (Number(hours) > 23 || Number(minutes) > 59) return null
  const seconds = Number(hours) * 3600 + Number(minutes) * 60
  return sign === '-' ? -seconds : seconds
}

/** Years of four digits, from 1 on. */
function writable(instant: Instant): Instant | null {
  return instant.seconds >= FIRST && instant.seconds <= LAST ? instant : null
}

/** `2024-01-25T16:00:00Z`, with six digits of a second where they are not zero. */
function writeInstant(instant: Instant): string {
  const text = new Date(instant.seconds * 1000).toISOString()
  return `${text.slice(0, 19)}${writeMicros(instant)}Z`
}

/** A `Date` has no microseconds. */
function instantOf(value: Date): Instant {
  const milliseconds = value.getTime()
  if (Number.isNaN(milliseconds)) throw new RangeError('A row holds an invalid date.')
  const seconds = Math.floor(milliseconds / 1000)
  const instant = writable({ seconds, micros: (milliseconds - seconds * 1000) * 1000 })
  if (instant === null) throw new RangeError('A row holds a date before the year 1 or after 9999.')
  return instant
}
