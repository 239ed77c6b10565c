// Dates and times of ISO 8601 as texts: whole, without the losses of a `Date`.

/** A point in time: whole seconds since 1970, and microseconds. */
export interface Instant {
  readonly seconds: number
  readonly micros: number
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const TIME = /^(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)?$/
const ZONE = /(?:([zZ])|([+-])(\d{2}):?(\d{2})?)$/

/** A day that there is, `2024-02-29`; `null`: none. */
export function readDate(text: string): string | null {
  return text.length === 10 && dayOf(text) !== null ? text : null
}

/** Midnight of a day, in seconds since 1970; `null`: there is no such day. */
function dayOf(text: string): number | null {
  const [year = 0, month = 0, day = 0] = (DATE.exec(text) ?? []).slice(1).map(Number)
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const isThere = year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isThere ? date.getTime() / 1000 : null
}

/** Seconds and microseconds since midnight; `null`: there is no such time. Finer digits are left out. */
function clockOf(text: string): Instant | null {
  const found = TIME.exec(text)
  if (found === null) return null
  const [hours = 0, minutes = 0, seconds = 0] = found.slice(1, 4).map((part) => Number(part ?? 0))
  if (hours > 23 || minutes > 59 || seconds > 59) return null
  const micros = Number((found[4] ?? '').padEnd(6, '0').slice(0, 6))
  return { seconds: hours * 3600 + minutes * 60 + seconds, micros }
}

/** A time of day, `08:30:00` or `08:30:00.000001`; `null`: none. */
export function readTime(text: string): string | null {
  const clock = clockOf(text)
  return clock === null ? null : writeClock(clock)
}

function writeClock({ seconds, micros }: Instant): string {
  const parts = [seconds / 3600, (seconds / 60) % 60, seconds % 60]
  return parts.map((part) => twoDigits(Math.floor(part))).join(':') + writeMicros(micros)
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')
const writeMicros = (micros: number): string =>
  micros === 0 ? '' : `.${String(micros).padStart(6, '0')}`

/** Longer than any point in time. */
const LONGEST = 50
const FIRST = Date.parse('0001-01-01T00:00:00Z') / 1000
const LAST = Date.parse('9999-12-31T23:59:59Z') / 1000

/**
 * A point in time; `null`: none, or one before the year 1 or after 9999. `naive` says what a text
 * without a zone is: `'utc'`, or no point in time at all.
 */
export function readInstant(text: string, naive: 'utc' | 'refuse'): Instant | null {
  if (text.length > LONGEST) return null
  const zone = ZONE.exec(text.slice(10))
  if (zone === null && naive === 'refuse') return null
  const offset = zone === null ? 0 : offsetOf(zone)
  const local = zone === null ? text : text.slice(0, -zone[0].length)
  const day = /^.{10}[T ]/.test(local) ? dayOf(local.slice(0, 10)) : null
  const clock = clockOf(local.slice(11).trimEnd())
  if (day === null || clock === null || offset === null) return null
  return between({ seconds: day + clock.seconds - offset, micros: clock.micros })
}

function offsetOf([, z, sign, hours, minutes = '0']: RegExpExecArray): number | null {
  if (z !== undefined) return 0
  if (Number(hours) > 23 || Number(minutes) > 59) return null
  const seconds = Number(hours) * 3600 + Number(minutes) * 60
  return sign === '-' ? -seconds : seconds
}

function between(instant: Instant): Instant | null {
  return instant.seconds >= FIRST && instant.seconds <= LAST ? instant : null
}

/** `2024-01-25T16:00:00Z`, with six digits of a second where they are not zero. */
export function writeInstant({ seconds, micros }: Instant): string {
  const text = new Date(seconds * 1000).toISOString()
  return `${text.slice(0, 19)}${writeMicros(micros)}Z`
}

/** What a `Date` says, which knows no microseconds. */
export function instantOf(date: Date): Instant {
  const time = date.getTime()
  if (Number.isNaN(time)) throw new RangeError('A row holds an invalid date.')
  const seconds = Math.floor(time / 1000)
  const instant = between({ seconds, micros: (time - seconds * 1000) * 1000 })
  if (instant === null) throw new RangeError('A row holds a date before the year 1 or after 9999.')
  return instant
}
