import type { Incoming, Settings } from '../contract/request.ts'
import type { LinkForm } from '../contract/versioning.ts'
import { type AllowedVersions, type DefaultVersion, LinkedVersioning } from './base-versioning.ts'
import type { VersionCarrier } from '../types/documents.ts'

/**
 * The version is a parameter of the query: `/articles/?version=v2`; of several the last (V60). Every
 * link carries it, whatever it leads to (U7).
 *
 * @example
 * defineApi({ urls, versioning: new QueryParameterVersioning({ versionParam: 'v' }) })
 */
export class QueryParameterVersioning<
  const W extends AllowedVersions = AllowedVersions,
  const D extends DefaultVersion = DefaultVersion,
> extends LinkedVersioning<string, W, D> {
  declare readonly '~refusesUnversioned'?: true

  override find(request: Incoming): string | null {
    return request.query.get(this.versionParam(request))
  }

  queryParams(settings: Settings): readonly string[] {
    return [this.versionParam({ settings })]
  }

  carriers(settings: Settings): readonly VersionCarrier[] {
    return [{ in: 'query', name: this.versionParam({ settings }) }]
  }

  protected override formsOf(version: string, request: Incoming): readonly LinkForm[] {
    return [{ query: [this.versionParam(request), version] }]
  }
}
