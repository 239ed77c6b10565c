import type { Chosen, Field } from '../declaration.ts'
import { type Refused, refused } from '../refused.ts'
import { fieldOf } from '../field-of.ts'
import { type NumberOptions, readWithin } from './numbers.ts'

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
    show: WRITERS[rules.format ?? 'clock'] as (seconds: number) => Shown<O>,
    read: readWithin(readDuration, rules, Number),
    schema: () => FORMS[rules.format ?? 'clock'],
  })
}

const FORMS = {
  clock: { type: 'string', pattern: '^(-?[0-9]+ )?[0-9]{2,}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?$' },
  // With a sign, which the format `duration` has not.
  iso: { type: 'string', pattern: '^-?P([0-9]+D)?(T([0-9]+H)?([0-9]+M)?([0-9.]+S)?)?$' },
  seconds: { type: 'number', description: 'Seconds.' },
} as const

const INVALID = refused('invalid.duration')
const TOO_LONG = refused('overflow')
const MICROS = 1_000_000
const LONGEST = Number.MAX_SAFE_INTEGER / MICROS
const LONGEST_TEXT = 100

const CLOCK =
  /^(?:(-?\d{1,30}) (?:days?, )?)?(-?)(?:(?:(\d{1,30}):)?(\d{1,30}):)?(\d{1,30}(?:[.,]\d{1,12})?)$/
const ISO =
  /^([+-]?)P(?:(\d{1,30}(?:[.,]\d{1,12})?)D)?(?:T(?:(\d{1,30}(?:[.,]\d{1,12})?)H)?(?:(\d{1,30}(?:[.,]\d{1,12})?)M)?(?:(\d{1,30}(?:[.,]\d{1,12})?)S)?)?$/i

function readDuration(value: unknown): number | Refused {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
  const read = text.length > LONGEST_TEXT ? null : (fromClock(text) ?? fromIso(text))
  if (read === null) return INVALID
  return Math.abs(read) > LONGEST ? TOO_LONG : read
}

/** Only the days may be negative: `-1 00:30:00` is half an hour short of a day. */
function fromClock(text: string): number | null {
  const found = CLOCK.exec(text)
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
    const micros = microsIn(seconds)
    const { days, hours, minutes, rest } = partsOf(Math.abs(micros))
    return `${micros < 0 ? '-' : ''}P${days}DT${hours}H${minutes}M${rest}S`
  },
  seconds: (seconds: number): number => microsIn(seconds) / MICROS,
}

function microsIn(seconds: number): number {
  const micros = Math.round(seconds * MICROS)
  if (Number.isSafeInteger(micros)) return micros
  throw new RangeError('A row holds a number that is no duration.')
}

/** Days may be negative; the rest of the day is not. */
function partsOf(total: number) {
  const whole = Math.floor(total / MICROS)
  const days = Math.floor(whole / 86_400)
  const ofDay = whole - days * 86_400
  const micros = total - whole * MICROS
  const fraction = micros === 0 ? '' : `.${String(micros).padStart(6, '0')}`
  return {
    days,
    hours: twoDigits(Math.floor(ofDay / 3600)),
    minutes: twoDigits(Math.floor(ofDay / 60) % 60),
    rest: `${twoDigits(ofDay % 60)}${fraction}`,
  }
}

const twoDigits = (value: number): string => (value < 10 ? `0${value}` : `${value}`)
