import { isDeepStrictEqual } from 'node:util'

/** Are these values the same, or made of the same? Dates, bytes and what JSON holds included. */
export function isSame(left: unknown, right: unknown): boolean {
  return Object.is(left, right) || isDeepStrictEqual(left, right)
}
