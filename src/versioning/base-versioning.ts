import type { Incoming, MaybePromise } from '../contract/request.ts'
import type { VersioningScheme } from '../contract/versioning.ts'
import { NotFound } from '../errors/client-errors.ts'

/** What a variant of a scheme may say for itself, instead of the settings of the same names (V2). */
export interface VersioningOptions<Param extends string = string> {
  readonly defaultVersion?: string | null
  readonly allowedVersions?: readonly (string | null)[] | null
  readonly versionParam?: Param
}

/**
 * What all schemes share. A scheme of one's own reads the version from wherever it travels and lets
 * `allowed` decide.
 *
 * @example
 * class HeaderVersioning extends BaseVersioning {
 *   determineVersion(request: Incoming) {
 *     return this.allowed(request.header('x-api-version'), request)
 *   }
 * }
 */
export abstract class BaseVersioning<Param extends string = string> implements VersioningScheme {
  static readonly options: readonly string[] = ['defaultVersion', 'allowedVersions', 'versionParam']

  readonly invalidVersionMessage: string = 'This version does not exist.'
  readonly #options: VersioningOptions<Param>

  constructor(options: VersioningOptions<Param> = {}) {
    this.#options = { ...options }
  }

  abstract determineVersion(request: Incoming): MaybePromise<string | null>

  /** The version, or the default in place of `null` (V7); throws where it is not allowed (V3, V8). */
  protected allowed(found: string | null, request: Incoming): string | null {
    const version = found ?? this.defaultVersion(request)
    if (this.isAllowed(version, request)) return version
    throw new NotFound(this.invalidVersionMessage)
  }

  /** V3, V4: without a list everything is allowed; the default always is, unless it is `null`. */
  protected isAllowed(version: string | null, request: Incoming): boolean {
    const { allowedVersions = request.settings.allowedVersions } = this.#options
    if (!allowedVersions || allowedVersions.length === 0) return true
    if (version !== null && version === this.defaultVersion(request)) return true
    return allowedVersions.includes(version)
  }

  protected defaultVersion({ settings }: Incoming): string | null {
    const { defaultVersion = settings.defaultVersion } = this.#options
    return defaultVersion
  }

  protected versionParam({ settings }: Incoming): string {
    return this.#options.versionParam ?? settings.versionParam
  }
}
