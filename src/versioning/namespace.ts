import type { ApiRequest, Incoming } from '../contract/request.ts'
import type {
  Lookup,
  PlainReverse,
  VersioningFacts,
  VersioningScheme,
} from '../contract/versioning.ts'
import { type AllowedVersions, BaseVersioning, type DefaultVersion } from './base-versioning.ts'

/**
 * The version is a namespace of the address: the first one that is allowed, so `library:v2` is `v2`
 * (V40–V43). An address outside of all namespaces has the default version, and no list is asked.
 * `reverse('report-list')` means that of the same version, or else the one without a version (U5).
 *
 * @example
 * const urls = defineUrls({
 *   v1: include('/v1', { 'report-list': '/reports/' }),
 *   v2: include('/v2', { 'report-list': '/reports/' }),
 * })
 * defineApi({ urls, versioning: new NamespaceVersioning(), allowedVersions: ['v1', 'v2'] })
 */
export class NamespaceVersioning<
  const W extends AllowedVersions = AllowedVersions,
  const D extends DefaultVersion = DefaultVersion,
> extends BaseVersioning<string, W, D> {
  declare readonly '~namespaced'?: true

  override determineVersion(request: Incoming): string | null {
    if (request.namespace.length === 0) return this.defaultVersion(request)
    const version = this.find(request)
    if (version === null) throw this.invalidVersion()
    return version
  }

  find(request: Incoming): string | null {
    return request.namespace.find((name) => this.isAllowed(name, request)) ?? null
  }

  get uniformReverse(): VersioningScheme['reverse'] {
    return NamespaceVersioning.prototype.reverse
  }

  reverse(lookup: Lookup, request: ApiRequest, next: PlainReverse): string {
    const { params, version } = lookup
    if (version === null) return next(lookup)
    const name = localName(lookup, request)
    const find = (namespace: string): string | null =>
      next.find({ name: `${namespace}:${name}`, params })
    const url =
      version === request.version
        ? (find(version) ?? around(version, request, find))
        : (around(version, request, find) ?? find(version))
    return url ?? next(lookup)
  }

  check({ routes }: VersioningFacts): string | null {
    if (routes.some(({ namespace }) => namespace.length > 0)) return null
    return 'needs namespaces in the address table: mount one for each version, `v1: include("/v1", { … })`.'
  }
}

/** In another version, the full name of the request's own resource leads to its counterpart. */
function localName({ name, version }: Lookup, { namespace, version: current }: ApiRequest): string {
  const own = `${namespace.join(':')}:`
  return version !== current && name.startsWith(own) ? name.slice(own.length) : name
}

/**
 * Where the request itself is in `library:v1` or `v1:admin`, a name of the same version may stand
 * there: the innermost namespace first, none without the version.
 */
function around(
  version: string,
  { namespace, version: current }: ApiRequest,
  find: (namespace: string) => string | null,
): string | null {
  const at = current === null ? -1 : namespace.indexOf(current)
  if (at < 0) return null
  const path = namespace.with(at, version)
  for (let end = path.length; end > at; end -= 1) {
    const url = find(path.slice(0, end).join(':'))
    if (url !== null) return url
  }
  return null
}
