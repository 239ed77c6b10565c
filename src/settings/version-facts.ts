import type { VersionFacts } from '../contract/versioning.ts'
import { didYouMean } from '../std/text/nearest.ts'
import { type OptionRule, camelCase, isPlain, isText } from './options.ts'

const MOMENT: OptionRule = {
  wants: 'a date such as "2027-01-31", or one with a time and its zone',
  fits: (value) => (isText(value) || value instanceof Date) && momentOf(value) !== null,
}

const FACTS: { readonly [K in keyof VersionFacts]-?: OptionRule } = {
  deprecatedAt: MOMENT,
  sunsetAt: MOMENT,
  successor: { wants: 'the name of a version', fits: isText },
  // What may stand between the angle brackets of `Link` (RFC 8288 §3).
  link: {
    wants: 'an address or a path, percent-encoded',
    fits: (value) =>
      isText(value) && /^(?:https?:\/\/|\/)[\x21\x23-\x3b\x3d\x3f-\x7e]*$/i.test(value),
  },
  gone: { wants: 'true or false', fits: (value) => typeof value === 'boolean' },
}

/** `deprecated_at` of a file is `deprecatedAt`. What is no object of objects stays as it is. */
export function versionFactsFromValue(value: unknown): unknown {
  return mapEntries(value, ([version, facts]) => [
    version,
    mapEntries(facts, ([name, fact]) => [camelCase(name), fact]),
  ])
}

type Entry = [name: string, member: unknown]

function mapEntries(value: unknown, change: (entry: Entry) => Entry): unknown {
  return isPlain(value) ? Object.fromEntries(Object.entries(value).map(change)) : value
}

/** What is wrong with the facts of a version, as a sentence; `null`: nothing. */
export function versionFactsProblem(version: string, facts: VersionFacts): string | null {
  const unknown = Object.keys(facts).find((name) => !Object.hasOwn(FACTS, name))
  if (unknown !== undefined)
    return `there is no "${unknown}".${didYouMean(unknown, Object.keys(FACTS))}`
  for (const [name, { wants, fits }] of Object.entries(FACTS)) {
    const value: unknown = facts[name as keyof VersionFacts]
    if (value === undefined || fits(value)) continue
    return `"${name}" wants ${wants}, and got ${show(value)}.`
  }
  const { deprecatedAt, sunsetAt, gone, successor } = facts
  if (gone && sunsetAt === undefined) return '"gone" needs a "sunsetAt": from then on it is gone.'
  if (deprecatedAt && sunsetAt && momentOf(deprecatedAt)! > momentOf(sunsetAt)!)
    return '"sunsetAt" is before "deprecatedAt": nothing ends before it is deprecated (RFC 9745).'
  return successor === version ? 'is its own successor.' : null
}

const show = (value: unknown): string =>
  value instanceof Date ? 'an invalid date' : (JSON.stringify(value) ?? String(value))

const DAY = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/** The moment in milliseconds since 1970; `null` for what is no date: see `VersionFacts`. */
export function momentOf(moment: Date | string): number | null {
  const time = typeof moment === 'string' ? parseMoment(moment) : moment.getTime()
  return Number.isNaN(time) ? null : time
}

// `Date` makes 2 March of 30 February, and reads a time without a zone as one of this machine.
function parseMoment(text: string): number {
  const day = DAY.exec(text)?.[1]
  if (day === undefined) return Number.NaN
  const midnight = Date.parse(`${day}T00:00:00Z`)
  const exists = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day)
  return exists ? Date.parse(text) : Number.NaN
}
