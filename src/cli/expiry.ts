import { CommandFailed } from './terminal.ts'

const SPAN = /^(\d{1,5})([mhdw])$/
const MILLISECONDS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
}
/** A day, or a point in time that says its zone: what other readers would guess. */
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d))?$/

/** `90d`, `12h`, `2027-01-31` (its first moment, UTC) or `2027-01-31T18:00Z` as a point in time to come. */
export function expiryOf(text: string, now: number): Date {
  const [, count, unit] = SPAN.exec(text) ?? []
  const time = count && unit ? now + Number(count) * MILLISECONDS[unit]! : timeOf(text)
  if (time > now) return new Date(time)
  throw new CommandFailed(
    `--expires wants a time to come, such as 90d, 12h, 2027-01-31 or 2027-01-31T18:00Z, and got "${text}".`,
  )
}

/** Never a time to come where it is none at all. */
function timeOf(text: string): number {
  return TIME.test(text) ? Date.parse(text) : NaN
}
