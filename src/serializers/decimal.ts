// Decimal numbers with all their digits: as whole numbers, and how many of the digits are places.

/** `units / 10 ** places`. */
export interface Decimal {
  readonly units: bigint
  readonly places: number
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,4}))?$/i

/** Texts and powers beyond this write numbers that nobody means. */
export const MAX_DIGITS = 1000

/** The number that a text writes; `null`: none, or one of more than a thousand digits. */
export function readDecimal(text: string): Decimal | null {
  const found = text.length > MAX_DIGITS ? null : DECIMAL.exec(text)
  if (found === null) return null
  const [, sign = '', whole = '', fraction = '', power = '0'] = found
  const digits = whole + fraction
  if (digits === '' || Math.abs(Number(power)) > MAX_DIGITS) return null
  const units = BigInt(sign === '-' ? `-${digits}` : digits)
  const places = fraction.length - Number(power)
  return places < 0 ? { units: units * 10n ** BigInt(-places), places: 0 } : { units, places }
}

/** With exactly so many places; what lies between two goes to the even one. */
export function quantized({ units, places }: Decimal, wanted: number): Decimal {
  if (places <= wanted) {
    return { units: units * 10n ** BigInt(wanted - places), places: wanted }
  }
  return { units: roundedQuotient(units, 10n ** BigInt(places - wanted)), places: wanted }
}

function roundedQuotient(units: bigint, divisor: bigint): bigint {
  const size = units < 0n ? -units : units
  const quotient = size / divisor
  const twice = 2n * (size % divisor)
  const up = twice > divisor || (twice === divisor && quotient % 2n === 1n)
  const rounded = up ? quotient + 1n : quotient
  return units < 0n ? -rounded : rounded
}

/** `-12.50`; zero has no sign. */
export function writeDecimal({ units, places }: Decimal): string {
  const negative = units < 0n
  const digits = String(negative ? -units : units).padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places)
  const fraction = places === 0 ? '' : `.${digits.slice(-places)}`
  return `${negative ? '-' : ''}${whole}${fraction}`
}

/** Negative where the first is smaller, 0 where both are the same number. */
export function compareDecimals(first: Decimal, second: Decimal): number {
  const places = Math.max(first.places, second.places)
  const difference = quantized(first, places).units - quantized(second, places).units
  return difference < 0n ? -1 : Number(difference > 0n)
}

/** How many digits the number takes before the point, and behind it, as it was written. */
export function digitsOf({ units, places }: Decimal): { whole: number; places: number } {
  const size = units < 0n ? -units : units
  const digits = size === 0n ? 0 : String(size).length
  return { whole: Math.max(digits - places, 0), places }
}
