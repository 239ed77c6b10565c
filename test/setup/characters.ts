import fc from 'fast-check'

const SURROGATES = { first: 0xd800, count: 0x800 }

/**
 * A unit for texts of any characters: `fc.string({ unit: CHARACTER })` makes the same texts for a seed as `unit: 'binary'`,
 * which would write all 1.1 million characters into a map in each thread of the tests.
 */
export const CHARACTER: fc.Arbitrary<string> = fc
  .nat({ max: 0x10ffff - SURROGATES.count })
  .map(characterAt, placeOf)

function characterAt(place: number): string {
  return String.fromCodePoint(place < SURROGATES.first ? place : place + SURROGATES.count)
}

/** @throws TypeError the value is not a character */
function placeOf(value: unknown): number {
  const point = typeof value === 'string' ? (value.codePointAt(0) ?? 0) : 0
  const place = point < SURROGATES.first ? point : point - SURROGATES.count
  if (place < 0 || characterAt(place) !== value) throw new TypeError('not one character')
  return place
}
