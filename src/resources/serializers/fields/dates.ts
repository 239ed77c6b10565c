import type { ApiRequest } from '../../../core/ports/request.ts'
import { ConfigurationError } from '../../../core/errors/configuration-error.ts'
import { exactTextOf } from '../../../core/std/exact-date.ts'
import { TimeZone } from '../../../core/std/time-zone.ts'
import type { AreKept, AsWritten, Chosen, Field, FieldOptions } from '../declaration.ts'
import { type FieldKind, fieldOf, kind } from '../field-of.ts'
import { Refused, Unshowable, refused } from '../refused.ts'
import type { WrittenKind } from '../../../core/ports/list-source.ts'
import { type NumberOptions, readWithin } from './numbers.ts'

interface DateOptions extends FieldOptions<string> {
  /** The zone in which a `Date` of a row has its day. @default 'UTC' */
  readonly zone?: string
}

/**
 * A day of the calendar, `2024-02-29` (ISO 8601), as text. Rows may hold a `Date`, whose day in UTC, or in
 * `zone`, is shown.
 *
 * @throws ConfigurationError there is no such zone
 * @example field.date({ required: false, nullable: true })
 */
export const date: FieldKind<DateOptions, string | Date, string> = kind(
  'date',
  ({ zone }: DateOptions) => {
    const place = zone === undefined ? null : zoneOf(zone)
    return {
      own: ['zone'],
      show: (value) => (value instanceof Date ? dayOf(value, place) : dayIn(value)),
      ...(place === null && { showWritten: dayOfWritten, keepsBytes: areDays }),
      read: fromText('invalid.date', readDay),
      normalForm: readDay,
      schema: () => ({ type: 'string', format: 'date' }),
    }
  },
)

/**
 * A time of day as text, `08:30:00` (ISO 8601), without a zone, and with six digits of a second unless they are zero.
 *
 * @example field.time()
 */
export const time: FieldKind<FieldOptions<string>, string> = kind('time', () => ({
  show(value) {
    if (typeof value === 'string') return readTime(value) ?? value
    throw new Unshowable('A row holds something that is no time of day.')
  },
  read: fromText('invalid.time', readTime),
  normalForm: readTime,
  // The format `time` has an offset.
  schema: () => ({ type: 'string', pattern: '^[0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?$' }),
}))

interface DateTimeRules {
  /** The meaning of a time without an offset: an error, UTC, or the zone of the field. @default 'refuse' */
  readonly naive?: 'refuse' | 'utc' | 'zone'
  /** The offset that it is shown with: an IANA name, such as `Europe/Berlin`. @default `timeZone` of the request */
  readonly zone?: string
  /**
   * A text of ISO 8601, or a number: seconds since 1970, or milliseconds. Such numbers are read too then.
   * @default 'iso'
   */
  readonly format?: 'iso' | 'unix' | 'milliseconds'
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

type ShownAs<O> = O extends { readonly format: 'unix' | 'milliseconds' } ? number : string

/**
 * A point in time with its offset (ISO 8601), shown in UTC: `2024-01-25T16:00:00Z`, with six digits of
 * a second where they are not zero, or with the offset of `zone`: `2024-01-25T17:00:00+01:00`. Input becomes a
 * text in UTC, to the microsecond; `as` gives another type. Rows may hold a text, a `Date`, or milliseconds since 1970.
 *
 * With `naive: 'zone'`, a time without an offset is one of the zone; one that its clocks skip or show twice is
 * refused (`make_aware`).
 *
 * @throws ConfigurationError there is no such zone
 * @example field.dateTime({ as: 'milliseconds' })
 * @example field.dateTime({ zone: 'Europe/Berlin', naive: 'zone' })
 * @example field.dateTime({ format: 'unix' })
 */
export function dateTime<const O = unknown>(
  options?: Chosen<O, DateTimeOptions>,
): Field<string | Date | number, ShownAs<O>, Given<O>, O> {
  const { naive = 'refuse', as = 'text', format = 'iso', zone }: DateTimeOptions = options ?? {}
  const placeFor = zonesOf(zone)
  const show = (value: string | Date | number, request: ApiRequest) => {
    const instant = showInstant(value)
    return format === 'iso' ? shownAt(instant, placeFor(request)) : numberOf(instant, format)
  }
  return fieldOf('datetime', options, {
    own: ['zone', 'naive', 'format', 'as'],
    show: (value, request) => show(value, request) as ShownAs<O>,
    showWritten: (column) =>
      column === 'moment' && format === 'iso'
        ? (text, request) => shownAt(writtenInstant(text), placeFor(request))
        : null,
    read(value, { request }) {
      const text = typeof value === 'string' ? value.trim() : textOf(value, format)
      const place = naive === 'zone' ? (placeFor(request) ?? UTC) : naive
      const instant = text === null ? NO_INSTANT : readInstant(text, place)
      return (typeof instant === 'string' ? givenAs(as, instant) : instant) as Given<O> | Refused
    },
    schema: () => FORMS[format],
  })
}

const FORMS = {
  iso: { type: 'string', format: 'date-time' },
  unix: { type: 'number', description: 'Seconds since 1970.' },
  milliseconds: { type: 'integer', description: 'Milliseconds since 1970.' },
} as const

const UTC = 'utc'
const NO_INSTANT = refused('invalid.date_time')
const OUT_OF_RANGE = refused('overflow.date_time')

/** The zone of the field, or that of the request; `null`: UTC, which needs no reckoning. */
function zonesOf(own: string | undefined): (request: ApiRequest) => TimeZone | null {
  if (own === undefined) return (request) => request['~zone'] ?? null
  const zone = own === 'UTC' ? null : zoneOf(own)
  return () => zone
}

function zoneOf(name: string): TimeZone {
  try {
    return new TimeZone(name)
  } catch {
    throw new ConfigurationError(
      `There is no time zone "${name}". Use a name such as "Europe/Berlin".`,
    )
  }
}

function givenAs(as: 'text' | 'date' | 'milliseconds', instant: string): string | Date | number {
  if (as === 'text') return instant
  return as === 'date' ? new Date(instant) : Date.parse(instant)
}

/** Keeps all digits of the text, so that no microsecond is lost before it is needed. */
function numberOf(instant: string, format: 'unix' | 'milliseconds'): number {
  const [seconds, fraction] = [Date.parse(`${instant.slice(0, 19)}Z`) / 1000, instant.slice(20, -1)]
  const rest = Number(fraction || '0')
  return format === 'unix' ? seconds + rest / 1e6 : seconds * 1000 + Math.floor(rest / 1000)
}

/** The point in time that a number counts, as text; `null`: it counts none. */
function textOf(value: unknown, format: 'iso' | 'unix' | 'milliseconds'): string | null {
  if (typeof value !== 'number' || format === 'iso') return null
  const seconds = format === 'unix' ? value : value / 1000
  const whole = Math.floor(seconds)
  const rest = Math.round((seconds - whole) * 1e6)
  // A fraction that is rounded up to a whole second becomes one.
  const instant = new Date((whole + Math.floor(rest / 1e6)) * 1000)
  if (Number.isNaN(instant.getTime())) return null
  const fraction = String(rest % 1e6).padStart(6, '0')
  return `${instant.toISOString().slice(0, -5)}.${fraction}Z`
}

function shownAt<T extends string | null>(instant: T, zone: TimeZone | null): T | string {
  return instant === null || zone === null ? instant : inZone(instant, zone)
}

/** ISO 8601 has no offset with seconds, as local mean times have: such instants stay in UTC. */
function inZone(instant: string, zone: TimeZone): string {
  const at = Date.parse(instant)
  const offset = zone.offsetAt(at)
  const local = writtenOrNull(new Date(at + offset))
  if (offset % 60_000 !== 0 || local === null) return instant
  const minutes = Math.abs(offset) / 60_000
  const clock = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
  return `${local}${instant.slice(19, -1)}${offset < 0 ? '-' : '+'}${clock}`
}

function writtenOrNull(instant: Date): string | null {
  const text = instant.toISOString()
  return DATE.test(text.slice(0, 10)) ? text.slice(0, 19) : null
}

function fromText<T>(
  key: 'invalid.date' | 'invalid.time',
  read: (text: string) => T | null,
): (value: unknown) => T | Refused {
  const refusal = refused(key)
  return (value) => (typeof value === 'string' ? (read(value.trim()) ?? refusal) : refusal)
}

/** A year, a month and a day of any month. */
const DAY: string = String.raw`(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`
const DATE: RegExp = new RegExp(`^${DAY}$`)

const CLOCK = String.raw`(?<minutes>(?:[01]\d|2[0-3]):[0-5]\d)(?::(?<seconds>[0-5]\d)(?:[.,](?<fraction>\d{1,12}))?)?`
const ZONE = String.raw`(?<zone>[zZ]|(?<hours>[+-](?:[01]\d|2[0-3])):?(?<rest>[0-5]\d)?)`

const TIME = new RegExp(`^${CLOCK}$`)
const INSTANT = new RegExp(String.raw`^(?<day>${DAY})[T ]${CLOCK}\s*${ZONE}?$`)
const TO_THE_SECOND = String.raw`(?:[01]\d|2[0-3])(?::[0-5]\d){2}`
const CANONICAL = new RegExp(String.raw`^${DAY}T${TO_THE_SECOND}(?:\.(?!000000)\d{6})?Z$`)
const DAY_AND_TIME = /^\d{4}-\d\d-\d\d[T ][\d:.,Zz+-]+$/

/** Longer than any point in time. */
const LONGEST = 50

function readTime(text: string): string | null {
  const { minutes, seconds = '00', fraction } = TIME.exec(text)?.groups ?? {}
  return minutes === undefined ? null : `${minutes}:${seconds}${micros(fraction)}`
}

/** Reads an instant in UTC. A time without an offset is in the zone `naive`, in UTC, or refused. */
function readInstant(text: string, naive: 'utc' | 'refuse' | TimeZone): string | Refused {
  const found = text.length > LONGEST ? undefined : INSTANT.exec(text)?.groups
  const { day = '', minutes, seconds = '00', fraction, zone, hours, rest = '00' } = found ?? {}
  if (readDay(day) === null || (zone === undefined && naive === 'refuse')) return NO_INSTANT
  const offset = hours === undefined ? 'Z' : `${hours}:${rest}`
  const instant = new Date(`${day}T${minutes}:${seconds}${offset}`)
  const meant =
    zone === undefined && naive instanceof TimeZone ? instantIn(naive, instant) : instant
  return meant instanceof Refused ? meant : (inUtc(meant, fraction) ?? OUT_OF_RANGE)
}

/** A zone skips an hour when clocks are put forward, and repeats one when they are put back. */
function instantIn(zone: TimeZone, local: Date): Date | Refused {
  const [first, second] = zone.instantsOf(local.getTime())
  if (first === undefined) return refused('make_aware.gap', { zone: zone.name })
  if (second !== undefined) return refused('make_aware.overlap', { zone: zone.name })
  return new Date(first)
}

function inUtc(instant: Date, fraction: string | undefined): string | null {
  const utc = instant.toISOString()
  return DATE.test(utc.slice(0, 10)) ? `${utc.slice(0, 19)}${micros(fraction)}Z` : null
}

function dayOf(value: Date, zone: TimeZone | null): string {
  const offset = zone === null ? 0 : zone.offsetAt(value.getTime())
  return isoOf(new Date(value.getTime() + offset)).slice(0, 10)
}

/** Texts of databases may have a time behind the day. Days before the year 1 and after 9999 cannot be shown. */
function dayIn(text: string): string {
  const isOne = text.length === LENGTH_OF_DAY || DAY_AND_TIME.test(text)
  const day = isOne ? readDay(text.slice(0, LENGTH_OF_DAY)) : null
  if (day !== null) return day
  throw new Unshowable('A row holds something that is no date.')
}

/** Texts of databases may lack the zone; they are asked to use UTC. */
function showInstant(value: string | Date | number): string {
  if (typeof value === 'number') return isoOf(new Date(value))
  if (value instanceof Date) {
    // With the microseconds of the database; `null`: the `Date` is exact.
    const text = exactTextOf(value)
    return (text && writtenInstant(text)) ?? isoOf(value)
  }
  if (typeof value !== 'string')
    throw new Unshowable('A row holds something that is no date and time.')
  const quick = canonicalIn(value)
  if (quick !== null) return quick
  const instant = readInstant(value, UTC)
  if (typeof instant === 'string') return instant
  throw new Unshowable('A row holds a text that is no date and time.')
}

/** Written from its parts, because `toISOString` takes twice as long, and pages show many. */
function isoOf(value: Date): string {
  const year = value.getUTCFullYear()
  if (Number.isNaN(year)) throw new RangeError('A row holds an invalid date.')
  if (year < 1 || year > 9999)
    throw new RangeError('A row holds a date before the year 1 or after 9999.')
  const day = `${two(Math.floor(year / 100))}${two(year % 100)}-${two(value.getUTCMonth() + 1)}-${two(value.getUTCDate())}`
  const clock = `${two(value.getUTCHours())}:${two(value.getUTCMinutes())}:${two(value.getUTCSeconds())}`
  const milliseconds = value.getUTCMilliseconds()
  if (milliseconds === 0) return `${day}T${clock}Z`
  return `${day}T${clock}.${Math.floor(milliseconds / 100)}${two(milliseconds % 100)}000Z`
}

const DIGITS: readonly string[] = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'))

function two(number: number): string {
  return DIGITS[number]!
}

/** A text in our form, or in one that databases write; `null`: it has to be read. */
function canonicalIn(text: string): string | null {
  return CANONICAL.test(text) && isDayOfMonth(text) ? text : writtenInstant(text)
}

/** Days that databases write, which need no `Date`. */
function dayOfWritten(column: WrittenKind): AsWritten | null {
  if (column === 'date') return readDay
  return column === 'moment' ? (text) => writtenInstant(text)?.slice(0, 10) ?? null : null
}

/** A column of days may also hold `infinity`, which is shorter, and years before the first, which have letters at the end. */
function areDays(column: WrittenKind): AreKept | null {
  if (column !== 'date') return null
  return (bytes, from, end) =>
    end - from === LENGTH_OF_DAY && bytes[from + 4] === MINUS && bytes[from + 7] === MINUS
}

/** Characters of a day. */
const LENGTH_OF_DAY = 10
const MINUS = 0x2d

/** `null`: there is no such day. */
function readDay(text: string): string | null {
  return DATE.test(text) && isDayOfMonth(text) ? text : null
}

/** Has a text that begins with a date a day up to 31? */
function isDayOfMonth(text: string): boolean {
  // Nearly all of them, without a text in between.
  if (text.charCodeAt(8) < DIGIT_2 || (text.charCodeAt(8) === DIGIT_2 && text[9] !== '9'))
    return true
  const [month, day] = [text.slice(5, 7), text.slice(8, 10)]
  if (month === '02') return day === '29' && isLeap(Number(text.slice(0, 4)))
  return day <= '30' || !SHORT_MONTHS.includes(month)
}

const DIGIT_2 = 0x32
const SHORT_MONTHS = ['04', '06', '09', '11']

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

const SECONDS = String.raw`${DAY}[ T]${TO_THE_SECOND}`
const WRITTEN = new RegExp(String.raw`^${SECONDS}(?:\.\d{1,6})?(?:\+00(?::?00)?|Z)?$`)

/** Most values of a column: six digits of a second that are not zero, and no zone or UTC. */
const USUAL = new RegExp(String.raw`^${SECONDS}\.(?!000000)\d{6}(?:\+00)?$`)

/** An instant in UTC, as databases write it, in our form; `null`: it is in another one, or no such day exists. */
function writtenInstant(text: string): string | null {
  if (USUAL.test(text) && isDayOfMonth(text)) return `${text.slice(0, 10)}T${text.slice(11, 26)}Z`
  if (!WRITTEN.test(text) || !isDayOfMonth(text)) return null
  const start = `${text.slice(0, 10)}T${text.slice(11, 19)}`
  return text[19] === '.' ? `${start}${micros(fractionIn(text))}Z` : `${start}Z`
}

/** Six digits of a second; none if they are zero. Finer ones are left out. */
function micros(fraction = ''): string {
  const digits = fraction.length === 6 ? fraction : fraction.padEnd(6, '0').slice(0, 6)
  return digits === '000000' ? '' : `.${digits}`
}

/** The digits behind the point of a second. */
function fractionIn(text: string): string {
  const zone = text.endsWith('Z') ? text.length - 1 : text.indexOf('+', 20)
  return zone < 0 ? text.slice(20) : text.slice(20, zone)
}

interface DurationOptions extends NumberOptions {
  /** `1 08:30:00`, `P1DT08H30M00S`, or a number of seconds. All of them are read. @default 'clock' */
  readonly format?: 'clock' | 'iso' | 'seconds'
}

type Shown<O> = O extends { readonly format: 'seconds' } ? number : string

/**
 * A span of time, in seconds to the microsecond. Shown as `[D ]HH:MM:SS[.ffffff]`, unless `format` is set; that
 * form is read, also without hours and minutes, and so is `P3DT2H30M` (ISO 8601, without years and months). At
 * most 285 years: as many microseconds as a number counts.
 *
 * @example field.duration({ min: 0, format: 'iso' })
 */
export function duration<const O = unknown>(
  options?: Chosen<O, DurationOptions>,
): Field<number, Shown<O>, number, O> {
  const rules: DurationOptions = options ?? {}
  return fieldOf('duration', options, {
    own: ['format', 'min', 'max'],
    show: WRITERS[rules.format ?? 'clock'] as (seconds: number) => Shown<O>,
    read: readWithin(readDuration, rules, Number),
    schema: () => DURATION_FORMS[rules.format ?? 'clock'],
  })
}

const DURATION_FORMS = {
  clock: { type: 'string', pattern: '^(-?[0-9]+ )?[0-9]{2,}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?$' },
  // With a sign, which the format `duration` lacks.
  iso: { type: 'string', pattern: '^-?P([0-9]+D)?(T([0-9]+H)?([0-9]+M)?([0-9.]+S)?)?$' },
  seconds: { type: 'number', description: 'Seconds.' },
} as const

const INVALID = refused('invalid.duration')
const TOO_LONG = refused('overflow')
const MICROS = 1_000_000
const LONGEST_DURATION = Number.MAX_SAFE_INTEGER / MICROS
const LONGEST_TEXT = 100

const CLOCK_DURATION =
  /^(?:(-?\d{1,30}) (?:days?, )?)?(-?)(?:(?:(\d{1,30}):)?(\d{1,30}):)?(\d{1,30}(?:[.,]\d{1,12})?)$/
const ISO =
  /^([+-]?)P(?:(\d{1,30}(?:[.,]\d{1,12})?)D)?(?:T(?:(\d{1,30}(?:[.,]\d{1,12})?)H)?(?:(\d{1,30}(?:[.,]\d{1,12})?)M)?(?:(\d{1,30}(?:[.,]\d{1,12})?)S)?)?$/i

function readDuration(value: unknown): number | Refused {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
  const read = text.length > LONGEST_TEXT ? null : (fromClock(text) ?? fromIso(text))
  if (read === null) return INVALID
  return Math.abs(read) > LONGEST_DURATION ? TOO_LONG : read
}

/** Only the days may be negative: `-1 00:30:00` is half an hour short of a day. */
function fromClock(text: string): number | null {
  const found = CLOCK_DURATION.exec(text)
  if (found === null) return null
  const [days, hours, minutes, seconds] = [found[1], found[3], found[4], found[5]].map(toNumber)
  const span = (hours! * 60 + minutes!) * 60 + seconds!
  return toMicros(days! * 86_400 + (found[2] === '-' ? -span : span))
}

function fromIso(text: string): number | null {
  const [, sign, ...parts] = ISO.exec(text) ?? []
  if (!parts.some((part) => part !== undefined)) return null
  const [days, hours, minutes, seconds] = parts.map(toNumber)
  const span = days! * 86_400 + (hours! * 60 + minutes!) * 60 + seconds!
  return toMicros(sign === '-' ? -span : span)
}

const toNumber = (digits: string | undefined): number => Number((digits ?? '0').replace(',', '.'))

/** Finer than a microsecond is left out, and zero has no sign. */
const toMicros = (seconds: number): number => Math.round(seconds * MICROS) / MICROS + 0

const WRITERS = {
  clock(seconds: number): string {
    const { days, hours, minutes, rest } = partsOf(microsIn(seconds))
    return `${days === 0 ? '' : `${days} `}${hours}:${minutes}:${rest}`
  },
  iso(seconds: number): string {
    const microseconds = microsIn(seconds)
    const { days, hours, minutes, rest } = partsOf(Math.abs(microseconds))
    return `${microseconds < 0 ? '-' : ''}P${days}DT${hours}H${minutes}M${rest}S`
  },
  seconds: (seconds: number): number => microsIn(seconds) / MICROS,
}

function microsIn(seconds: number): number {
  const microseconds = Math.round(seconds * MICROS)
  if (Number.isSafeInteger(microseconds)) return microseconds
  throw new RangeError('A row holds a number that is no duration.')
}

/** Days may be negative; the rest of the day is not. */
function partsOf(total: number) {
  const whole = Math.floor(total / MICROS)
  const days = Math.floor(whole / 86_400)
  const ofDay = whole - days * 86_400
  const microseconds = total - whole * MICROS
  const fraction = microseconds === 0 ? '' : `.${String(microseconds).padStart(6, '0')}`
  return {
    days,
    hours: two(Math.floor(ofDay / 3600)),
    minutes: two(Math.floor(ofDay / 60) % 60),
    rest: `${two(ofDay % 60)}${fraction}`,
  }
}
