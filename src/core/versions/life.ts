// The life of a version: its dates, and what answers tell of them: Deprecation, Sunset, Link, and 410 at its end.
import type { VersionFacts, VersionedAddress } from '../ports/policies/versioning.ts'
import type { Settings } from '../ports/settings/settings.ts'
import { Gone } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'
import { readMoment } from '../std/moment.ts'
import { didYouMean } from '../std/text/nearest.ts'
import { type OptionRule, camelCase, isPlain, isFilledText } from '../settings/options.ts'
import { type LinkContext, otherVersion } from './link-in-version.ts'

const MOMENT: OptionRule = {
  wants: 'a date such as "2027-01-31", or one with a time and its zone',
  fits: (value) => (isFilledText(value) || value instanceof Date) && momentOf(value) !== null,
}

const FACTS: { readonly [K in keyof VersionFacts]-?: OptionRule } = {
  deprecatedAt: MOMENT,
  sunsetAt: MOMENT,
  successor: { wants: 'the name of a version', fits: isFilledText },
  // Matches texts that may stand between the angle brackets of `Link` (RFC 8288 §3).
  link: {
    wants: 'an address or a path, percent-encoded',
    fits: (value) =>
      isFilledText(value) && /^(?:https?:\/\/|\/)[\x21\x23-\x3b\x3d\x3f-\x7e]*$/i.test(value),
  },
  gone: { wants: 'true or false', fits: (value) => typeof value === 'boolean' },
}

/**
 * Reads the facts of versions from a file, where `deprecatedAt` is `deprecated_at`. Values of another form stay as they are.
 */
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

/** The problem with the facts of a version, as a sentence; `null`: none. */
export function versionFactsProblem(version: string, facts: VersionFacts): string | null {
  const unknown = Object.keys(facts).find((name) => !Object.hasOwn(FACTS, name))
  if (unknown !== undefined)
    return `there is no "${unknown}".${didYouMean(unknown, Object.keys(FACTS))}`
  for (const [name, { wants, fits }] of Object.entries(FACTS)) {
    const value: unknown = facts[name as keyof VersionFacts]
    if (value === undefined || fits(value)) continue
    return `"${name}" must be ${wants}, but is ${show(value)}.`
  }
  const { deprecatedAt, sunsetAt, gone, successor } = facts
  if (gone && sunsetAt === undefined) return '"gone" needs a "sunsetAt": from then on it is gone.'
  if (deprecatedAt && sunsetAt && momentOf(deprecatedAt)! > momentOf(sunsetAt)!)
    return '"sunsetAt" is before "deprecatedAt": nothing ends before it is deprecated (RFC 9745).'
  return successor === version ? 'is its own successor.' : null
}

/**
 * A sentence about a version in the facts that none of these endpoints has; `null`: there is none, or any version may be
 * one.
 */
export function unknownVersionProblem(
  facts: Readonly<Record<string, VersionFacts>>,
  concerned: readonly Settings[],
): string | null {
  const known = concerned.map((settings) =>
    settings.versioning === null ? [] : settings.versioning.versions?.(settings),
  )
  if (known.some((list) => list == null)) return null
  const versions = [...new Set(known.flatMap((list) => list ?? []))]
  const named = Object.entries(facts).flatMap(([version, { successor = version }]) => [
    version,
    successor,
  ])
  const unknown = named.find((name) => !versions.includes(name))
  if (unknown === undefined) return null
  const list = versions.join(', ')
  const hint = list ? `There is ${list}.` : 'Say ALLOWED_VERSIONS and DEFAULT_VERSIONING_CLASS too.'
  return ` speaks of version "${unknown}", which no endpoint has. ${hint}`
}

const show = (value: unknown): string =>
  value instanceof Date ? 'an invalid date' : (JSON.stringify(value) ?? String(value))

/** The moment in milliseconds since 1970; `null`: not a date, see `VersionFacts`. */
function momentOf(moment: Date | string): number | null {
  if (typeof moment === 'string') return readMoment(moment)
  return Number.isNaN(moment.getTime()) ? null : moment.getTime()
}

/** A version whose life is known: its dates are read. */
interface Life {
  readonly headers: Readonly<Record<string, string>>
  readonly links: readonly string[]
  readonly successor: string | null
  /** Milliseconds since 1970. */
  readonly goneAt: number
}

function toLife({ deprecatedAt, sunsetAt, successor, link, gone }: VersionFacts): Life {
  const deprecated = deprecatedAt === undefined ? null : momentOf(deprecatedAt)
  const sunset = sunsetAt === undefined ? null : momentOf(sunsetAt)
  const headers: Record<string, string> = {}
  if (deprecated !== null) headers['Deprecation'] = `@${Math.floor(deprecated / 1000)}`
  if (sunset !== null) headers['Sunset'] = new Date(sunset).toUTCString()
  const links = Object.keys(headers).map((name) => `<${link}>; rel="${name.toLowerCase()}"`)
  return {
    headers,
    links: link === undefined ? [] : links,
    successor: successor ?? null,
    goneAt: gone === true ? (sunset ?? Infinity) : Infinity,
  }
}

/** Acts on the versions of an endpoint's requests; `null`: it has nothing to do. */
export interface VersionLives {
  /** @throws Gone (410) the version of the request is switched off at this moment, in milliseconds since 1970 */
  readonly refuseGone: ((request: LinkContext, now: number) => void) | null
  readonly versionHeaders: ((request: LinkContext) => Readonly<Record<string, string>>) | null
}

export function compileVersions({ versions, versionHeader }: Settings): VersionLives {
  const lives = new Map(
    Object.entries(versions ?? {}).map(([name, facts]) => [name, toLife(facts)]),
  )
  const versionHeaders = (request: LinkContext): Readonly<Record<string, string>> => {
    const { version } = request
    if (version === null) return {}
    // Without a list of versions, the version is any text of the client, which a header may not be able to carry.
    const isNamed = versionHeader !== null && /^[\x21-\x7e]{1,255}$/.test(version)
    const named = isNamed ? { [versionHeader]: version } : {}
    const life = lives.get(version)
    return life === undefined ? named : { ...named, ...headersOf(life, request) }
  }
  return {
    refuseGone: lives.size === 0 ? null : (request, now) => refuseGone(request.version, lives, now),
    versionHeaders: versions === null && versionHeader === null ? null : versionHeaders,
  }
}

function refuseGone(version: string | null, lives: ReadonlyMap<string, Life>, now: number): void {
  const life = version === null ? undefined : lives.get(version)
  if (life === undefined || now < life.goneAt) return
  const { successor } = life
  throw new Gone(
    successor === null
      ? Message.of('gone.version', { version: version! })
      : Message.of('gone.successor', { version: version!, successor }),
  )
}

function headersOf({ headers, links, successor }: Life, request: LinkContext): Life['headers'] {
  const next = successor === null ? null : otherVersion(request, successor)
  const all = next === null ? links : [...links, `<${next}>; rel="successor-version"`]
  return all.length === 0 ? headers : { ...headers, Link: all.join(', ') }
}

/**
 * The versions there are under these settings, at one address or anywhere, in their order; `null`: they are not known.
 *
 * @example knownVersions(request.settings) // ['v1', 'v2']
 */
export function knownVersions(
  settings: Settings,
  address?: VersionedAddress,
): readonly string[] | null {
  const known = settings.versioning?.versions?.(settings, address) ?? settings.allowedVersions
  return known?.filter((version) => version !== null) ?? null
}
