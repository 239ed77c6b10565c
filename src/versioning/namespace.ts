import type { ApiRequest, Incoming, VersioningFacts } from '../contract/request.ts'
import type { LinkForm } from '../contract/versioning.ts'
import { type AllowedVersions, type DefaultVersion, LinkedVersioning } from './base-versioning.ts'
import type { VersionCarrier } from '../types/documents.ts'

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
> extends LinkedVersioning<string, W, D> {
  declare readonly '~namespaced'?: true

  override determineVersion(request: Incoming): string | null {
    if (request.namespace.length === 0) return this.defaultVersion(request)
    const version = this.find(request)
    if (version === null) throw this.invalidVersion()
    return version
  }

  override find(request: Incoming): string | null {
    return request.namespace.find((name) => this.isAllowed(name, request)) ?? null
  }

  /** In `library:v1` or `v1:admin` a name of the same version may stand there too: innermost first. */
  protected override formsOf(version: string, request: ApiRequest): readonly LinkForm[] {
    const { namespace, version: current } = request
    const at = current === null ? -1 : namespace.indexOf(current)
    const path = at < 0 ? [] : namespace.with(at, version)
    const around = path.slice(at).map((_, behind) => path.slice(0, path.length - behind).join(':'))
    const all = version === current ? [version, ...around] : [...around, version]
    return [...new Set(all)].map((each): LinkForm => ({ namespace: each })).concat({})
  }

  carriers(): readonly VersionCarrier[] {
    return [{ in: 'namespace' }]
  }

  check({ routes }: VersioningFacts): string | null {
    if (routes.some(({ namespace }) => namespace.length > 0)) return null
    return 'needs namespaces in the address table: mount one for each version, `v1: include("/v1", { … })`.'
  }

  /** V42. An operator may switch versions off, so the code alone is judged. */
  doubt({ routes, endpointName, alone, inCode }: VersioningFacts): string | null {
    const { namespace = [], path } = routes.find(({ name }) => name === endpointName) ?? {}
    const settings = { settings: inCode }
    if (!alone || namespace.length === 0) return null
    if (namespace.some((name) => this.isAllowed(name, settings))) return null
    return `answers 404 to all of ${path}: ALLOWED_VERSIONS has no "${namespace.at(-1)}". Add it, or set versioning: null there.`
  }
}
