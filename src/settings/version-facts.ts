import type { VersionFacts } from '../contract/versioning.ts'
import { didYouMean } from '../std/text/did-you-mean.ts'

const FACTS: readonly (keyof VersionFacts)[] = [
  'deprecatedAt',
  'sunsetAt',
  'successor',
  'link',
  'gone',
]

/** Facts as a file has them: `deprecated_at` is `deprecatedAt`. What is no object of objects stays as it is. */
export function versionFactsFromValue(value: unknown): unknown {
  return mapMembers(value, (facts) => mapMembers(facts, (fact) => fact, camelCase))
}

/** What is wrong with the facts of a version, as a sentence; `null`: nothing. */
export function versionFactsProblem(version: string, facts: VersionFacts): string | null {
  const unknown = Object.keys(facts).find((name) => !FACTS.includes(name as keyof VersionFacts))
  if (unknown !== undefined) return `there is no "${unknown}".${didYouMean(unknown, FACTS)}`
  const { successor } = facts
  const loop = successor === version ? 'is its own successor.' : null
  return wrongType(facts) ?? wrongDates(facts) ?? loop
}

/** The moment in milliseconds since 1970; `null` for what is no date: see `VersionFacts`. */
export function momentOf(moment: Date | string): number | null {
  const time = typeof moment === 'string' ? parseMoment(moment) : moment.getTime()
  return Number.isNaN(time) ? null : time
}

const DAY = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

// `Date` makes 2 March of 30 February, and reads a time without a zone as one of this machine.
function parseMoment(text: string): number {
  const day = DAY.exec(text)?.[1]
  if (day === undefined) return Number.NaN
  const midnight = Date.parse(`${day}T00:00:00Z`)
  const exists = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day)
  return exists ? Date.parse(text) : Number.NaN
}

function wrongType({ deprecatedAt, sunsetAt, successor, link, gone }: VersionFacts): string | null {
  for (const [name, moment] of Object.entries({ deprecatedAt, sunsetAt })) {
    if (moment !== undefined && !isMoment(moment)) {
      return `"${name}" wants a date such as "2027-01-31", or one with a time and its zone, and got ${show(moment)}.`
    }
  }
  if (successor !== undefined && (typeof successor !== 'string' || successor === ''))
    return `"successor" wants the name of a version, and got ${show(successor)}.`
  if (link !== undefined && !isReference(link))
    return `"link" wants an address or a path, percent-encoded, and got ${show(link)}.`
  if (gone !== undefined && typeof gone !== 'boolean')
    return `"gone" wants true or false, and got ${show(gone)}.`
  return null
}

function wrongDates({ deprecatedAt, sunsetAt, gone }: VersionFacts): string | null {
  if (sunsetAt === undefined)
    return gone ? '"gone" needs a "sunsetAt": from then on it is gone.' : null
  if (deprecatedAt === undefined || momentOf(deprecatedAt)! <= momentOf(sunsetAt)!) return null
  return '"sunsetAt" is before "deprecatedAt": nothing ends before it is deprecated (RFC 9745).'
}

function isMoment(value: unknown): boolean {
  return (typeof value === 'string' || value instanceof Date) && momentOf(value) !== null
}

/** What may stand between the angle brackets of `Link` (RFC 8288 §3). */
function isReference(link: unknown): boolean {
  return typeof link === 'string' && /^(?:https?:\/\/|\/)[\x21\x23-\x3b\x3d\x3f-\x7e]*$/i.test(link)
}

const show = (value: unknown): string =>
  value instanceof Date ? 'an invalid date' : (JSON.stringify(value) ?? String(value))

function mapMembers(
  value: unknown,
  change: (member: unknown) => unknown,
  rename: (name: string) => string = (name) => name,
): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [rename(name), change(member)]),
  )
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
