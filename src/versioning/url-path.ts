import type { Incoming, VersioningFacts, Settings } from '../contract/request.ts'
import type { LinkForm } from '../contract/versioning.ts'
import { isDots } from '../links/encoding.ts'
import { type AllowedVersions, type DefaultVersion, LinkedVersioning } from './base-versioning.ts'
import type { VersionCarrier } from '../types/documents.ts'

/**
 * The version is a parameter of the path: `/:version<v1|v2>/articles/` (V30–V33). A path without it
 * has the default version. Links stay in the version of the request (U5), unless the caller names
 * another (U9).
 *
 * @example
 * defineApi({ urls, versioning: new URLPathVersioning(), allowedVersions: ['v1', 'v2'] })
 */
export class URLPathVersioning<
  const Param extends string = 'version',
  const W extends AllowedVersions = AllowedVersions,
  const D extends DefaultVersion = DefaultVersion,
> extends LinkedVersioning<Param, W, D> {
  declare readonly '~implied'?: Param
  declare readonly '~refusesUnversioned'?: true

  override find(request: Incoming): string | null {
    const found = request.params[this.versionParam(request)]
    return typeof found === 'string' ? found : null
  }

  carriers(settings: Settings): readonly VersionCarrier[] {
    return [{ in: 'path', name: this.versionParam({ settings }) }]
  }

  protected override formsOf(version: string, request: Incoming): readonly LinkForm[] {
    return [{ param: [this.versionParam(request), version] }, {}]
  }

  check(facts: VersioningFacts): string | null {
    const param = this.versionParam(facts)
    const paths = facts.routes.filter(({ name }) => name === facts.endpointName)
    if (!facts.alone || paths.some(({ parameters }) => parameters.includes(param))) return null
    if (this.isAllowed(this.defaultVersion(facts), facts)) return null
    return `would answer 404 to everything: no path of this endpoint has the parameter ":${param}", and there is no default version.`
  }

  /** No link could carry `..`: clients take it out of an address. */
  protected override isAllowed(
    version: string | null,
    request: Pick<Incoming, 'settings'>,
  ): boolean {
    return super.isAllowed(version, request) && (version === null || !isDots(version))
  }
}
