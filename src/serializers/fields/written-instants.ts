// Days and instants in the forms that databases write them in.
import type { JSONOutput } from '../../contract/serializer.ts'

/** A year, a month and a day of any month. */
export const DAY: string = String.raw`(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`
export const DATE: RegExp = new RegExp(`^${DAY}$`)

/** `null`: there is no such day. */
export function readDay(text: string): string | null {
  return DATE.test(text) && isDayOfMonth(text) ? text : null
}

/** Of a text that begins with a year, a month and a day up to 31. */
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

const SECONDS = String.raw`${DAY}[ T](?:[01]\d|2[0-3])(?::[0-5]\d){2}`
const WRITTEN = new RegExp(String.raw`^${SECONDS}(?:\.\d{1,6})?(?:\+00(?::?00)?|Z)?$`)

/** An instant in UTC, as databases write it, in our form; `null`: it is in another one, or no such day exists. */
export function writtenInstant(text: string): string | null {
  if (!WRITTEN.test(text) || !isDayOfMonth(text)) return null
  const start = `${text.slice(0, 10)}T${text.slice(11, 19)}`
  return text[19] === '.' ? `${start}${micros(fractionIn(text))}Z` : `${start}Z`
}

/** The same for most values of a column: six digits of a second that are not zero, and no zone or that of UTC. */
export function putInstant(text: unknown, to: JSONOutput): boolean {
  if (typeof text !== 'string' || !USUAL.test(text) || !isDayOfMonth(text)) return false
  to.putPart(text, 0, 10)
  to.putByte(LETTER_T)
  to.putPart(text, 11, MICROS)
  to.putByte(LETTER_Z)
  return true
}

const USUAL = new RegExp(String.raw`^${SECONDS}\.(?!000000)\d{6}(?:\+00)?$`)
/** The length of `2024-01-25 16:00:00.000001`. */
const MICROS = 26
const [LETTER_T, LETTER_Z] = [0x54, 0x5a]

/** Six digits of a second; none if they are zero. Finer ones are left out. */
export function micros(fraction = ''): string {
  const digits = fraction.length === 6 ? fraction : fraction.padEnd(6, '0').slice(0, 6)
  return digits === '000000' ? '' : `.${digits}`
}

/** The digits behind the point of a second. */
function fractionIn(text: string): string {
  const zone = text.endsWith('Z') ? text.length - 1 : text.indexOf('+', 20)
  return zone < 0 ? text.slice(20) : text.slice(20, zone)
}
