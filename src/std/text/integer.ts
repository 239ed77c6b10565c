const INTEGER = /^\s*([+-]?)(\d{1,4300})\s*$/

/**
 * A whole number written in decimal digits (P12): white space around it, a sign and leading zeros are
 * fine; `2.0`, `1e3` and more than 4,300 digits are none. What a number cannot hold exactly becomes
 * the nearest one it can: ±(2^53 − 1).
 */
export function readInteger(text: string | null): number | null {
  const found = text === null ? null : INTEGER.exec(text)
  if (found === null) return null
  const size = Math.min(Number(found[2]), Number.MAX_SAFE_INTEGER)
  // Taken from 0, because -0 is not the number that people mean.
  return found[1] === '-' ? 0 - size : size
}
