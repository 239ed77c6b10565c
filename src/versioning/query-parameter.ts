import type { ApiRequest, Incoming } from '../contract/request.ts'
import type { Lookup, PlainReverse, VersioningScheme } from '../contract/versioning.ts'
import { withQuery } from '../std/http/with-query.ts'
import { type AllowedVersions, BaseVersioning, type DefaultVersion } from './base-versioning.ts'

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
> extends BaseVersioning<string, W, D> {
  declare readonly '~refusesUnversioned'?: true

  override determineVersion(request: Incoming): string | null {
    return this.allowed(this.find(request), request)
  }

  find(request: Incoming): string | null {
    return request.query.get(this.versionParam(request))
  }

  get uniformReverse(): VersioningScheme['reverse'] {
    return QueryParameterVersioning.prototype.reverse
  }

  reverse(lookup: Lookup, request: ApiRequest, next: PlainReverse): string {
    const url = next(lookup)
    if (lookup.version === null) return url
    return withQuery(url, this.versionParam(request), lookup.version)
  }
}
