import {
  AcceptHeaderVersioning,
  type ApiRequest,
  BaseVersioning,
  HostNameVersioning,
  type Incoming,
  type Lookup,
  NamespaceVersioning,
  Query,
  QueryParameterVersioning,
  URLPathVersioning,
  ValidationError,
  type VersioningScheme,
} from 'colophon'

/** The version travels in `X-Api-Version`, or in the parameter `api`, which generated URLs keep. */
class HeaderOrParamVersioning extends BaseVersioning {
  override determineVersion(request: Incoming): string | null {
    const found = request.header('x-api-version') ?? request.query.get('api')
    const version = found ?? this.defaultVersion(request)
    if (this.isAllowed(version, request)) return version
    throw new ValidationError({ version: ['There is no such version.'] })
  }

  reverse(lookup: Lookup, { version }: ApiRequest, next: (lookup: Lookup) => string): string {
    const url = next(lookup)
    return version === null ? url : `${url}?${Query.parse('').with({ api: version }).toString()}`
  }
}

/** The versioning schemes, by name; options as their constructors take them. */
export const versionings: Readonly<Record<string, (options: object) => VersioningScheme>> = {
  AcceptHeaderVersioning: (options) => new AcceptHeaderVersioning(options),
  HostNameVersioning: (options) => new HostNameVersioning(options),
  NamespaceVersioning: (options) => new NamespaceVersioning(options),
  QueryParameterVersioning: (options) => new QueryParameterVersioning(options),
  URLPathVersioning: (options) => new URLPathVersioning(options),
  HeaderOrParamVersioning: (options) => new HeaderOrParamVersioning(options),
}
