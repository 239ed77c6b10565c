import type { DoorRequest } from '../contract/door.ts'
import type { UrlForOptions } from '../types/reverse.ts'
import type { Match } from '../types/routes.ts'
import { ApiError } from '../errors/api-errors.ts'
import { ConfigurationError, NoReverseMatch } from '../errors/configuration-error.ts'
import { type CompiledEndpoint, Context, type Service } from '../pipeline/context.ts'
import { plainFor, throughScheme } from './through-scheme.ts'

type Params = Readonly<Record<string, unknown>>

/** What links outside of requests are made from. */
export interface LinkSources {
  readonly service: Service
  /** By full name of the route. */
  readonly endpoints: ReadonlyMap<string, CompiledEndpoint>
  /** What links begin with where nobody says otherwise. */
  readonly publicUrl: string | null
}

/**
 * `reverse` outside of every request. A link is made as it would be for a client that asks the endpoint
 * it leads to, at this origin, and names no version: so the scheme of that endpoint puts the version
 * where it keeps it, and its default stands in for one that is not said (U11).
 */
export function createUrlFor(
  sources: LinkSources,
): (name: string, params?: Params, options?: UrlForOptions) => string {
  return (name, params = {}, options = {}) => {
    const endpoint = endpointOf(name, options.version, sources.endpoints)
    if (endpoint === null) return sources.service.urls.reverse(name, params)
    const { format } = options
    const all = format === undefined ? params : { ...params, format }
    return urlTo(endpoint, name, all, options, sources)
  }
}

function urlTo(
  endpoint: CompiledEndpoint,
  name: string,
  params: Params,
  { origin, version }: UrlForOptions,
  { service, publicUrl }: LinkSources,
): string {
  const said = origin ?? publicUrl
  const from = said === null ? NOWHERE : originOf(said)
  const asking = (target: string, match: Match | null): Context =>
    new Context(doorOf(from, target), service, endpoint, match, from, '')
  const request = asking('/', null)
  request.version = versionOf(request)
  const lookup = { name, params, version: version ?? request.version }
  const url = throughScheme(lookup, request, plainFor(request))
  if (version !== undefined) checkVersion(name, version, url, endpoint, service)
  return said === null ? url.slice(from.length) : url
}

/** Stands for the origin of a link that is to be a path. No scheme reads a version from it. */
const NOWHERE = 'http://localhost'

/** The endpoint of a name; of a short name that of the version, or any: they are of one mind. */
function endpointOf(
  name: string,
  version: string | undefined,
  endpoints: LinkSources['endpoints'],
): CompiledEndpoint | null {
  const found = endpoints.get(name) ?? endpoints.get(`${version}:${name}`)
  if (found !== undefined) return found
  const full = [...endpoints.keys()].find((candidate) => candidate.endsWith(`:${name}`))
  return full === undefined ? null : endpoints.get(full)!
}

/** Scheme and host in their usual form, with or without a slash behind them. */
function originOf(text: string): string {
  const url = URL.parse(text)
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  if (isOrigin) return url.origin
  throw new ConfigurationError(
    `urlFor: "${text}" is no origin. Write scheme and host, such as "https://api.example.com".`,
  )
}

/** The version of a request that carries none: a default, or that of the host. */
function versionOf(request: Context): string | null {
  try {
    const version = request.settings.versioning?.determineVersion(request) ?? null
    return typeof version === 'string' ? version : null
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}

/** A scheme that keeps versions in addresses must find the one that was asked for in this one. */
function checkVersion(
  name: string,
  version: string,
  url: string,
  endpoint: CompiledEndpoint,
  service: Service,
): void {
  const { versioning } = endpoint.settings
  if (versioning?.reverse === undefined || versioning.find === undefined) return
  const { origin, pathname, search } = new URL(url)
  const match = service.urls.match(pathname)
  const following = new Context(
    doorOf(origin, pathname + search),
    service,
    endpoint,
    match,
    origin,
    '',
  )
  const found = versioning.find(following)
  if (found === version || found instanceof Promise) return
  const hint =
    found === null ? 'The address has no place for a version' : `It is of version "${found}"`
  throw new NoReverseMatch(`"${name}" has no address in version "${version}". ${hint}: ${url}`)
}

function doorOf(origin: string, target: string): DoorRequest {
  const { protocol, host } = new URL(origin)
  return {
    method: 'GET',
    target,
    scheme: protocol === 'https:' ? 'https' : 'http',
    environ: {},
    body: null,
    header: (name) => (name === 'host' ? host : null),
  }
}
