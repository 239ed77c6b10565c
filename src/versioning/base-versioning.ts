import type {
  ApiRequest,
  Incoming,
  MaybePromise,
  Settings,
  VersioningScheme,
} from '../contract/request.ts'
import type { LinkForm, Lookup, PlainReverse } from '../contract/versioning.ts'
import type { VersioningMarks } from '../types/version-types.ts'
import { NotFound } from '../errors/api-errors.ts'
import { linkByForms } from '../links/link-in-version.ts'
import { Message } from '../messages/message.ts'
import { TEXT, TEXT_OR_NULL, checkOptions, listOf, orNull } from '../settings/options.ts'

/** The options of a scheme, in place of the settings of the same names (V2). */
export interface VersioningOptions<
  Param extends string = string,
  W extends AllowedVersions = AllowedVersions,
  D extends DefaultVersion = DefaultVersion,
> {
  readonly defaultVersion?: D
  readonly allowedVersions?: W
  readonly versionParam?: Param
}

/** `undefined` stands for the setting. */
export type AllowedVersions = readonly (string | null)[] | null | undefined
export type DefaultVersion = string | null | undefined

/** Longer texts are no versions, unless they are listed: every link of an answer would carry them. */
const LONGEST_VERSION = 255

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
export abstract class BaseVersioning<
  Param extends string = string,
  const W extends AllowedVersions = AllowedVersions,
  const D extends DefaultVersion = DefaultVersion,
>
  implements VersioningScheme, VersioningMarks
{
  declare readonly '~own'?: { readonly allowedVersions: W; readonly defaultVersion: D }
  static readonly options: readonly string[] = ['defaultVersion', 'allowedVersions', 'versionParam']

  readonly invalidVersionMessage: string | Message = Message.of('not_found.version')
  readonly #options: VersioningOptions

  /** @throws ConfigurationError an option of the wrong type */
  constructor(options: VersioningOptions<Param, W, D> = {}) {
    this.#options = { ...options }
    checkOptions(new.target.name, this.#options, {
      defaultVersion: TEXT_OR_NULL,
      allowedVersions: {
        ...orNull(listOf('a list of texts and null', TEXT_OR_NULL)),
        wants: 'a list of texts and null, or null for no restriction',
      },
      versionParam: TEXT,
    })
  }

  abstract determineVersion(request: Incoming): MaybePromise<string | null>

  /** The listed versions and the default; `null` where there is no list (V3, V4). */
  versions(settings: Settings): readonly string[] | null {
    const listed = this.#listed(settings)
    if (listed === null) return null
    const all = new Set([...listed, this.defaultVersion({ settings })])
    return [...all].filter((version) => version !== null)
  }

  /** The version, or the default in place of `null` (V7); throws where it is not allowed (V3, V8). */
  protected allowed(found: string | null, request: Incoming): string | null {
    const version = found ?? this.defaultVersion(request)
    if (this.isAllowed(version, request)) return version
    throw this.invalidVersion()
  }

  /** V3, V4: without a list everything is allowed; the default always is, unless it is `null`. */
  protected isAllowed(version: string | null, request: Pick<Incoming, 'settings'>): boolean {
    const listed = this.#listed(request.settings)
    if (listed === null) return version === null || version.length <= LONGEST_VERSION
    if (version !== null && version === this.defaultVersion(request)) return true
    return listed.includes(version)
  }

  protected invalidVersion(): Error {
    return new NotFound(this.invalidVersionMessage)
  }

  protected defaultVersion({ settings }: Pick<Incoming, 'settings'>): string | null {
    const own = this.#options.defaultVersion
    return own === undefined ? settings.defaultVersion : own
  }

  protected versionParam({ settings }: Pick<Incoming, 'settings'>): string {
    return this.#options.versionParam ?? settings.versionParam
  }

  #listed({ allowedVersions }: Settings): readonly (string | null)[] | null {
    const own = this.#options.allowedVersions
    const listed = own === undefined ? allowedVersions : own
    return listed === null || listed.length === 0 ? null : listed
  }
}

/** The schemes that put the version into links: each gives the forms of its links. */
export abstract class LinkedVersioning<
  Param extends string = string,
  const W extends AllowedVersions = AllowedVersions,
  const D extends DefaultVersion = DefaultVersion,
> extends BaseVersioning<Param, W, D> {
  abstract find(request: Incoming): string | null
  protected abstract formsOf(version: string, request: ApiRequest): readonly LinkForm[]

  override determineVersion(request: Incoming): string | null {
    return this.allowed(this.find(request), request)
  }

  /** Only while `reverse` is this one: a subclass that has its own is asked for every link. */
  get linkForms(): VersioningScheme['linkForms'] {
    if (this.reverse !== LinkedVersioning.prototype.reverse) return undefined
    return (version, request) => this.formsOf(version, request)
  }

  reverse(lookup: Lookup, request: ApiRequest, next: PlainReverse): string {
    const forms = lookup.version === null ? [] : this.formsOf(lookup.version, request)
    return linkByForms(forms, lookup, request, next)
  }
}
