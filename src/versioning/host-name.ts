import type { ApiRequest, Incoming, VersioningFacts } from '../contract/request.ts'
import type { LinkForm } from '../contract/versioning.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import {
  type AllowedVersions,
  type DefaultVersion,
  LinkedVersioning,
  type VersioningOptions,
} from './base-versioning.ts'
import type { VersionCarrier } from '../types/documents.ts'

/** The options of the scheme by host. */
export interface HostNameVersioningOptions<
  W extends AllowedVersions = AllowedVersions,
  D extends DefaultVersion = DefaultVersion,
> extends VersioningOptions<string, W, D> {
  /**
   * Its first group is the version; matched from the beginning of the host, without the port. A text is
   * case-sensitive.
   *
   * @default ^([a-zA-Z0-9]+)\.[a-zA-Z0-9]+\.[a-zA-Z0-9]+$
   */
  readonly hostnameRegex?: RegExp | string
}

/** So neither addresses nor `localhost` (V51). */
const THREE_LABELS = /^([a-zA-Z0-9]+)\.[a-zA-Z0-9]+\.[a-zA-Z0-9]+$/

/**
 * The version is the first label of the host: `v2.example.com` (V50–V53). Any other host has the
 * default version, and no list is asked. Links keep the host of the request, and so the version.
 *
 * @throws ConfigurationError `hostnameRegex` is no regular expression, or has no group
 * @example
 * new HostNameVersioning({ hostnameRegex: /^(v[0-9]+)\.api\.example\.com$/ })
 */
export class HostNameVersioning<
  const W extends AllowedVersions = AllowedVersions,
  const D extends DefaultVersion = DefaultVersion,
> extends LinkedVersioning<string, W, D> {
  static override readonly options: readonly string[] = [
    ...LinkedVersioning.options,
    'hostnameRegex',
  ]

  readonly #pattern: RegExp

  constructor({ hostnameRegex = THREE_LABELS, ...options }: HostNameVersioningOptions<W, D> = {}) {
    super(options)
    this.#pattern = toPattern(hostnameRegex)
  }

  override determineVersion(request: Incoming): string | null {
    const version = this.find(request)
    return version === null ? this.defaultVersion(request) : this.allowed(version, request)
  }

  override find(request: Incoming): string | null {
    const host = request.header('host')
    return host === null ? null : (this.#match(host)?.[1] ?? null)
  }

  /** In another version the host is another one, where the version stands in it. */
  protected override formsOf(version: string, request: ApiRequest): readonly LinkForm[] {
    if (version === request.version) return [{}]
    const { origin } = request
    const start = origin.indexOf('://') + 3
    const place = this.#match(origin.slice(start))?.indices?.[1]
    if (place === undefined) return [{}]
    const [from, to] = [start + place[0], start + place[1]]
    return [{ origin: `${origin.slice(0, from)}${version}${origin.slice(to)}` }]
  }

  carriers(): readonly VersionCarrier[] {
    return [{ in: 'host', version: (host) => this.#match(host)?.[1] ?? null }]
  }

  check({ publicUrl }: VersioningFacts): string | null {
    if (publicUrl === null) return null
    return 'needs links that keep the host of the request: take PUBLIC_URL away, and list the hosts in ALLOWED_HOSTS.'
  }

  /** Up to the first colon (V50): an IPv6 literal has no name. */
  #match(host: string): RegExpExecArray | null {
    this.#pattern.lastIndex = 0
    return this.#pattern.exec(host.split(':', 1)[0]!)
  }
}

/** A copy, so that `lastIndex` is ours: it matches from the beginning, and has the places of its groups. */
function toPattern(regex: RegExp | string): RegExp {
  const { source, flags } = regex instanceof RegExp ? regex : { source: regex, flags: '' }
  const pattern = attempt(source, new Set([...flags.replace('g', ''), 'd', 'y']))
  const groups = attempt(`${source}|`, new Set(flags.replace(/[gy]/g, ''))).exec('')!.length - 1
  if (groups > 0) return pattern
  throw new ConfigurationError(
    `HostNameVersioning: "hostnameRegex" ${source} has no group. Put the version in parentheses, such as ^(v[0-9]+)\\.example\\.com$.`,
  )
}

function attempt(source: unknown, flags: ReadonlySet<string>): RegExp {
  try {
    if (typeof source === 'string') return new RegExp(source, [...flags].join(''))
  } catch {
    // The error below is clearer.
  }
  throw new ConfigurationError(
    `HostNameVersioning: "hostnameRegex" wants a regular expression as JavaScript writes it, and got ${JSON.stringify(source)}.`,
  )
}
