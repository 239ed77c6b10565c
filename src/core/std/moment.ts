const MOMENT = /^(?<day>\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/

/**
 * A point in time as people write it, in milliseconds since 1970: a day, `2027-01-31`, which is its first moment in UTC,
 * or a day with a time and its zone, `2027-01-31T18:00Z` or `2027-01-31T18:00:00.5+01:00`. `null`: it is neither, or the
 * calendar has no such day. `Date` makes 2 March of 30 February, and reads a time without a zone as one of this machine.
 */
export function readMoment(text: string): number | null {
  const day = MOMENT.exec(text)?.groups?.['day']
  if (day === undefined) return null
  const midnight = Date.parse(`${day}T00:00:00Z`)
  const exists = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day)
  const at = exists ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : at
}
