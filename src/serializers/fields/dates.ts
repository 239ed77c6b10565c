import { instantOf, readDate, readInstant, readTime, writeInstant } from '../calendar.ts'
import type { Chosen, Field, FieldOptions } from '../declaration.ts'
import { type Refused, refused } from '../refused.ts'
import { Unshowable } from '../unshowable.ts'
import { fieldOf } from './field-of.ts'

/**
 * A day of the calendar, `2024-02-29` (ISO 8601), as text. Rows may hold a `Date`, whose day in UTC is
 * shown.
 *
 * @example field.date({ required: false, nullable: true })
 */
export function date<const O = unknown>(
  options?: Chosen<O, FieldOptions<string>>,
): Field<string | Date, string, string, O> {
  return fieldOf<string | Date, string, string, O>(
    {
      type: 'date',
      show: (value) =>
        value instanceof Date ? writeInstant(instantOf(value)).slice(0, 10) : dayIn(value),
      read: (value) => fromText(value, readDate, NO_DATE),
    },
    options,
  )
}

/**
 * A time of day, `08:30:00` (ISO 8601), as text: without a zone, with six digits of a second where they
 * are not zero.
 *
 * @example field.time()
 */
export function time<const O = unknown>(
  options?: Chosen<O, FieldOptions<string>>,
): Field<string, string, string, O> {
  return fieldOf<string, string, string, O>(
    {
      type: 'time',
      show: (value) => readTime(value) ?? value,
      read: (value) => fromText(value, readTime, NO_TIME),
    },
    options,
  )
}

/** What the input holds: a text in UTC with all digits, a `Date`, or milliseconds since 1970. */
export type DateTimeForm = 'text' | 'date' | 'milliseconds'

interface DateTimeRules {
  /** What a time without an offset is: an error, or one in UTC. @default 'refuse' */
  readonly naive?: 'refuse' | 'utc'
}

/** What a point in time may be, and what the input makes of it. */
export type DateTimeOptions = DateTimeRules &
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
  const { naive = 'refuse', as = 'text' } = (options ?? {}) as DateTimeOptions
  return fieldOf<string | Date | number, string, Given<O>, O>(
    {
      type: 'datetime',
      show: showInstant,
      read: (value) => fromText(value, (text) => readAs(text, naive, as), NO_DATE_TIME) as Given<O>,
    },
    options,
  )
}

const NO_DATE = refused('invalid.date')
const NO_TIME = refused('invalid.time')
const NO_DATE_TIME = refused('invalid.date_time')

function fromText<T>(value: unknown, read: (text: string) => T | null, no: Refused): T | Refused {
  return typeof value === 'string' ? (read(value.trim()) ?? no) : no
}

function readAs(
  text: string,
  naive: 'refuse' | 'utc',
  as: DateTimeForm,
): string | Date | number | null {
  const instant = readInstant(text, naive)
  if (instant === null || as === 'text') return instant && writeInstant(instant)
  const milliseconds = instant.seconds * 1000 + Math.floor(instant.micros / 1000)
  return as === 'date' ? new Date(milliseconds) : milliseconds
}

/** What databases write may have a time behind the day. Days before the year 1 and after 9999 have no form. */
function dayIn(text: string): string {
  if (text.length === 10 || DAY_AND_TIME.test(text)) return text.slice(0, 10)
  throw new Unshowable('A row holds something that is no date.')
}

const DAY_AND_TIME = /^\d{4}-\d\d-\d\d[T ][\d:.,Zz+-]+$/

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
