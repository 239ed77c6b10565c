import type { ApiRequest, Settings } from '../contract/request.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import type { AnyField, AnyFieldOptions, Fields } from './declaration.ts'

/**
 * What a serializer is in each version: made when first asked for, and then kept. A serializer without
 * `since` and `until` is the same in all.
 */
export class ByVersion<E> {
  readonly #fields: Fields
  readonly #make: (fields: Fields) => E
  /** For all versions; `null`: they differ. */
  readonly #only: E | null
  readonly #made = new WeakMap<Settings, Map<string | null, E>>()
  /** Rows come in lists, and all of a list are of one version. */
  #last: { settings: Settings; version: string | null; edition: E } | null = null

  constructor(fields: Fields, make: (fields: Fields) => E) {
    this.#fields = fields
    this.#make = make
    this.#only = Object.values(fields).some(isVersioned) ? null : make(fields)
  }

  of(request: ApiRequest): E {
    if (this.#only !== null) return this.#only
    const { settings, version } = request
    const last = this.#last
    if (last !== null && last.settings === settings && last.version === version) return last.edition
    const edition = this.#find(settings, version)
    this.#last = { settings, version, edition }
    return edition
  }

  /** What is wrong with it under these settings, in whatever version; `null`: nothing. */
  problem(settings: Settings): string | null {
    const versions = versionsOf(settings)
    if (this.#only !== null || versions === null) return versionProblem(this.#fields, settings)
    try {
      for (const version of versions) this.#find(settings, version)
      return null
    } catch (error) {
      if (error instanceof ConfigurationError) return error.message
      throw error
    }
  }

  #find(settings: Settings, version: string | null): E {
    const made = this.#made.get(settings) ?? new Map<string | null, E>()
    this.#made.set(settings, made)
    const edition = made.get(version) ?? this.#make(fieldsIn(this.#fields, version, settings))
    return made.set(version, edition).get(version)!
  }
}

const isVersioned = ({ options }: AnyField): boolean =>
  options.since !== undefined || options.until !== undefined

/** The versions there are under these settings, in their order; `null`: not known. */
function versionsOf(settings: Settings): readonly string[] | null {
  const known = settings.versioning?.versions?.(settings) ?? settings.allowedVersions
  return known?.filter((version) => version !== null) ?? null
}

function fieldsIn(fields: Fields, version: string | null, settings: Settings): Fields {
  const problem = versionProblem(fields, settings)
  if (problem !== null) throw new ConfigurationError(problem)
  const versions = versionsOf(settings) ?? []
  const place = placeOf(version, versions)
  const isThere = ({ options: { since, until } }: AnyField): boolean =>
    (since === undefined || place >= versions.indexOf(since)) &&
    (until === undefined || place < versions.indexOf(until))
  return Object.fromEntries(Object.entries(fields).filter(([, field]) => isThere(field)))
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

/** What is wrong with `since` and `until` under these settings, as a sentence. `null`: nothing. */
function versionProblem(fields: Fields, settings: Settings): string | null {
  const versions = versionsOf(settings)
  for (const [name, { options }] of Object.entries(fields).filter(([, it]) => isVersioned(it))) {
    if (settings.versioning !== null && versions === null)
      return `The field "${name}" is of some versions only: that needs allowedVersions, in their order.`
    const problem = versions && (placeless(settings) ?? problemAmong(options, versions))
    if (problem !== null) return `The field "${name}" ${problem}`
  }
  return null
}

/** The default is allowed without being listed, but then it is neither old nor new. */
function placeless({ defaultVersion, allowedVersions }: Settings): string | null {
  return defaultVersion === null || (allowedVersions?.includes(defaultVersion) ?? true)
    ? null
    : `is of some versions only, and the defaultVersion "${defaultVersion}" has no place among the allowedVersions.`
}

function problemAmong(
  { since, until }: AnyFieldOptions,
  versions: readonly string[],
): string | null {
  const unknown = [since, until].find((name) => name !== undefined && !versions.includes(name))
  if (unknown !== undefined)
    return `is bound to the version "${unknown}", which is not among the allowedVersions.`
  if (since === undefined || until === undefined) return null
  return versions.indexOf(since) < versions.indexOf(until)
    ? null
    : `ends with "${until}" before it begins with "${since}".`
}
