import {
  AcceptHeaderVersioning,
  type ApiRequest,
  BaseVersioning,
  HostNameVersioning,
  type Incoming,
  NamespaceVersioning,
  Query,
  QueryParameterVersioning,
  URLPathVersioning,
  ValidationError,
} from 'colophon'
import type { Lookup, VersioningScheme } from 'colophon/types'
import type { VersionCarrier } from 'colophon/openapi'
import type { Composers } from './composers.ts'

/** A version that is not allowed is an error of the field `version`. Generated URLs keep it in the parameter `api`. */
abstract class CustomVersioning extends BaseVersioning {
  abstract find(request: Incoming): string | null

  override determineVersion(request: Incoming): string | null {
    const version = this.find(request) ?? this.defaultVersion(request)
    if (this.isAllowed(version, request)) return version
    throw new ValidationError({ version: ['There is no such version.'] })
  }

  reverse(lookup: Lookup, { version }: ApiRequest, next: (lookup: Lookup) => string): string {
    const url = next(lookup)
    return version === null ? url : `${url}?${Query.parse('').with({ api: version }).toString()}`
  }
}

class HeaderVersioning extends CustomVersioning {
  carriers(): readonly VersionCarrier[] {
    return [{ in: 'header', name: 'X-API-Version' }]
  }

  override find(request: Incoming): string | null {
    return request.header('x-api-version')
  }
}

class ParamVersioning extends CustomVersioning {
  carriers(): readonly VersionCarrier[] {
    return [{ in: 'query', name: 'api' }]
  }

  override find({ query }: Incoming): string | null {
    return query.get('api')
  }
}

type Make = (options: object) => VersioningScheme

/** The versioning schemes, by name; options as their constructors take them. */
export const versioningsOf = ({
  firstOf,
}: Pick<Composers, 'firstOf'>): Readonly<Record<string, Make>> => ({
  AcceptHeaderVersioning: (options) => new AcceptHeaderVersioning(options),
  HostNameVersioning: (options) => new HostNameVersioning(options),
  NamespaceVersioning: (options) => new NamespaceVersioning(options),
  QueryParameterVersioning: (options) => new QueryParameterVersioning(options),
  URLPathVersioning: (options) => new URLPathVersioning(options),
  HeaderOrParamVersioning: (options) =>
    firstOf([new HeaderVersioning(options), new ParamVersioning(options)]),
})
