import type { ApiRequest, Incoming } from '../contract/request.ts'
import type { Lookup } from '../contract/versioning.ts'
import { BaseVersioning } from './base-versioning.ts'

/**
 * The version is a parameter of the path: `/:version<v1|v2>/articles/` (V30–V33). A path without it
 * has the default version. Links stay in the version of the request (U5), unless the caller names
 * another (U9).
 */
export class URLPathVersioning<
  const Param extends string = 'version',
> extends BaseVersioning<Param> {
  declare readonly '~implied'?: Param

  override determineVersion(request: Incoming): string | null {
    const found = request.params[this.versionParam(request)]
    return this.allowed(typeof found === 'string' ? found : null, request)
  }

  reverse(lookup: Lookup, request: ApiRequest, next: (lookup: Lookup) => string): string {
    const param = this.versionParam(request)
    if (request.version === null || lookup.params[param] !== undefined) return next(lookup)
    return next({ ...lookup, params: { ...lookup.params, [param]: request.version } })
  }
}
