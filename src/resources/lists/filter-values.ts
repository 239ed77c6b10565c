// The value that a condition means: `undefined` if it does not fit the type. A text stands for the value that it writes out, in
// the same way on every database.

const INTEGER = /^[+-]?\d{1,19}$/
const DECIMAL = /^[+-]?(?:\d{1,100}(?:\.\d{0,100})?|\.\d{1,100})(?:e[+-]?\d{1,3})?$/i
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const DATE = /^\d{4}-\d\d-\d\d$/
const TIME = /^([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?$/
const OF_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}Z$/
const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?:(:\d\d)(\.\d{1,6})?)?(Z|[+-]\d\d:?\d\d)?)?$/i

const FOUR_DIGITS = /^\d{4}-/

export function integerValue(value: unknown): number | bigint | undefined {
  if (typeof value === 'string')
    // `BigInt` knows no plus.
    return INTEGER.test(value) ? within64(BigInt(value.replace('+', ''))) : undefined
  if (typeof value === 'bigint') return within64(value)
  return Number.isSafeInteger(value) ? (value as number) : undefined
}

function within64(value: bigint): number | bigint | undefined {
  if (BigInt.asIntN(64, value) !== value) return undefined
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** A number as text, so that no digit is lost. */
export function decimalValue(value: unknown): string | undefined {
  const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value
  return typeof text === 'string' && DECIMAL.test(text) ? text : undefined
}

export function realValue(value: unknown): number | undefined {
  const text = decimalValue(value)
  const number = text === undefined ? NaN : Number(text)
  return Number.isFinite(number) ? number : undefined
}

export function booleanValue(value: unknown): boolean | undefined {
  const text = String(value).toLowerCase()
  if (text === 'true' || text === '1') return true
  return text === 'false' || text === '0' ? false : undefined
}

export function bitValue(value: unknown): number | undefined {
  const meant = booleanValue(value)
  return meant === undefined ? undefined : Number(meant)
}

export function anyText(value: unknown): string | undefined {
  if (typeof value === 'string') return value.includes('\0') ? undefined : value
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'
    ? String(value)
    : undefined
}

export function uuidValue(value: unknown): string | undefined {
  return typeof value === 'string' && UUID.test(value) ? value : undefined
}

/** Bytes cannot be written out; a program can have them. */
export function bytesValue(value: unknown): Uint8Array | undefined {
  return value instanceof Uint8Array ? value : undefined
}

export function dayValue(value: unknown): string | undefined {
  return typeof value === 'string' && DATE.test(value) && inUtc(value) ? value : undefined
}

/** `undefined`: the calendar has no such day, or the day no such time. */
function inUtc(date: string, clock: string = '00:00'): Date | undefined {
  const instant = new Date(`${date}T${clock}Z`)
  const isOnDay = !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(date)
  return isOnDay ? instant : undefined
}

export function timeValue(value: unknown): string | undefined {
  return typeof value === 'string' && TIME.test(value) ? value : undefined
}

/** A point in time, in UTC if the text tells its offset; all digits of a second stay. */
export function momentValue(value: unknown): string | undefined {
  // An invalid date is written as `null`. Others are in the calendar, and many are compared for each change of a row.
  const text: unknown = value instanceof Date ? value.toJSON() : value
  if (value instanceof Date && typeof text === 'string' && OF_DATE.test(text))
    return `${text.slice(0, 10)} ${text.slice(11, -1)}`
  const found = typeof text === 'string' ? MOMENT.exec(text) : null
  if (found === null) return undefined
  const [, date = '', minutes = '00:00', seconds = ':00', fraction = '', zone] = found
  const local = inUtc(date, `${minutes}${seconds}`)
  if (local === undefined) return undefined
  if (zone === undefined) return `${date} ${minutes}${seconds}${fraction}`
  const utc = new Date(local.getTime() - minutesEast(zone) * 60_000).toISOString()
  // The offset may move it to the year 10000, or before the year 0, which databases refuse or misread.
  return FOUR_DIGITS.test(utc) ? `${utc.slice(0, 19).replace('T', ' ')}${fraction}` : undefined
}

function minutesEast(zone: string): number {
  if (zone.toUpperCase() === 'Z') return 0
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2))
  return zone.startsWith('-') ? -minutes : minutes
}

/** Only the database can judge such a value. */
export function anyValue(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? undefined : value
}
