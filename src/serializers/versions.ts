import type { ApiRequest, Settings } from '../contract/request.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { oncePer } from '../std/once.ts'
import type { Member } from './member.ts'

/** What a serializer is in each version, made when first asked for. */
export class Editions<E> {
  readonly #make: (version: string | null, settings: Settings) => E
  readonly #made = oncePer<Settings, Map<string | null, E>>(() => new Map())
  /** Rows come in lists, and all of a list are of one version. */
  #last: { settings: Settings; version: string | null; edition: E } | null = null

  constructor(members: readonly Member[], make: (members: readonly Member[]) => E) {
    this.#make = (version, settings) => make(membersIn(members, version, settings))
  }

  of({ settings, version }: Pick<ApiRequest, 'settings' | 'version'>): E {
    const last = this.#last
    if (last !== null && last.settings === settings && last.version === version) return last.edition
    const made = this.#made(settings)
    const edition = made.get(version) ?? this.#make(version, settings)
    made.set(version, edition)
    this.#last = { settings, version, edition }
    return edition
  }

  /** What is wrong with it under these settings, in whatever version; `null`: nothing. */
  problem(settings: Settings): string | null {
    try {
      for (const version of knownVersions(settings) ?? [null]) this.of({ settings, version })
      return null
    } catch (error) {
      if (error instanceof ConfigurationError) return error.message
      throw error
    }
  }
}

export function isVersioned({ field: { options } }: Member): boolean {
  return options.since !== undefined || options.until !== undefined
}

/** The versions there are under these settings, in their order; `null`: not known. */
export function knownVersions(settings: Settings): readonly string[] | null {
  const known = settings.versioning?.versions?.(settings) ?? settings.allowedVersions
  return known?.filter((version) => version !== null) ?? null
}

function membersIn(
  members: readonly Member[],
  version: string | null,
  settings: Settings,
): readonly Member[] {
  for (const member of members.filter(isVersioned)) {
    const problem = problemWith(member, settings)
    if (problem !== null) throw new ConfigurationError(`The field "${member.name}" ${problem}`)
  }
  const versions = knownVersions(settings) ?? []
  const place = placeOf(version, versions)
  const begun = (since?: string): boolean => since === undefined || place >= versions.indexOf(since)
  const ended = (until?: string): boolean => until !== undefined && place >= versions.indexOf(until)
  return members.filter(({ field: { options } }) => begun(options.since) && !ended(options.until))
}

/** Without a version, the service is as it is now: it has the newest fields. */
function placeOf(version: string | null, versions: readonly string[]): number {
  if (version === null) return Infinity
  const place = versions.indexOf(version)
  if (place >= 0) return place
  throw new ConfigurationError(
    `A serializer has fields of some versions only, and "${version}" is not among the allowedVersions.`,
  )
}

/** What is wrong with `since` and `until`, as the end of a sentence. `null`: nothing. */
function problemWith({ field }: Member, settings: Settings): string | null {
  const { since, until } = field.options
  const { defaultVersion, allowedVersions } = settings
  const versions = knownVersions(settings)
  if (versions === null)
    return settings.versioning === null
      ? null
      : 'is of some versions only: that needs allowedVersions, in their order.'
  // The default is allowed without being listed, but then it is neither old nor new.
  if (defaultVersion !== null && allowedVersions?.includes(defaultVersion) === false)
    return `is of some versions only, and the defaultVersion "${defaultVersion}" has no place among the allowedVersions.`
  const unknown = [since, until].find((name) => name !== undefined && !versions.includes(name))
  if (unknown !== undefined)
    return `is bound to the version "${unknown}", which is not among the allowedVersions.`
  if (since === undefined || until === undefined) return null
  return versions.indexOf(since) < versions.indexOf(until)
    ? null
    : `ends with "${until}" before it begins with "${since}".`
}
