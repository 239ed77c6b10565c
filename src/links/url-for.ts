import type { DoorRequest } from '../contract/door.ts'
import type { UrlForOptions } from '../types/reverse.ts'
import type { Match } from '../types/routes.ts'
import { ApiError } from '../errors/api-errors.ts'
import { ConfigurationError, NoReverseMatch } from '../errors/configuration-error.ts'
import { attempt } from '../std/attempt.ts'
import type { Urls } from './compile-urls.ts'
import type { Params } from './templates.ts'
import { type LinkContext, versionedLink } from './link-in-version.ts'

interface LinkSources<Endpoint> {
  readonly urls: Urls
  /** By full name of the route. */
  readonly endpoints: ReadonlyMap<string, Endpoint>
  /** A request to an endpoint, as it would come in. */
  readonly contextOf: (
    door: DoorRequest,
    endpoint: Endpoint,
    match: Match | null,
    origin: string,
  ) => LinkContext & { version: string | null }
  readonly publicUrl: string | null
}

/**
 * `reverse` outside of every request. A link is made as it would be for a client that asks the endpoint
 * it leads to, at this origin, and names no version: so the scheme of that endpoint puts the version
 * where it keeps it, and its default stands in for a missing one (U11).
 */
export function createUrlFor<E>(
  sources: LinkSources<E>,
): (name: string, params?: Params, options?: UrlForOptions) => string {
  return (name, params = {}, options = {}) => {
    const endpoint = endpointOf(name, options.version, sources.endpoints)
    if (endpoint === null) return sources.urls.reverse(name, params)
    const { format } = options
    const all = format === undefined ? params : { ...params, format }
    return urlTo(endpoint, name, all, options, sources)
  }
}

function urlTo<E>(
  endpoint: E,
  name: string,
  params: Params,
  { origin, version }: UrlForOptions,
  sources: LinkSources<E>,
): string {
  const given = origin ?? sources.publicUrl
  const from = given === null ? NOWHERE : originOf(given)
  const request = sources.contextOf(doorOf(from, '/'), endpoint, null, from)
  request.version = versionOf(request)
  const url = versionedLink({ name, params, version: version ?? request.version }, request)
  if (version !== undefined) {
    const found = versionIn(url, endpoint, request, sources)
    // A scheme that keeps versions in addresses must find the requested one in its own address.
    if (found !== undefined && found !== version) throw notInVersion(name, version, url, found)
  }
  return given === null ? url.slice(from.length) : url
}

/** Stands for the origin of a link that is to be a path. No scheme reads a version from it. */
const NOWHERE = 'http://localhost'

/** The endpoint of a name; of a short name that of the version, or any: they all make the same link. */
function endpointOf<E>(
  name: string,
  version: string | undefined,
  endpoints: ReadonlyMap<string, E>,
): E | null {
  return (
    endpoints.get(name) ??
    endpoints.get(`${version}:${name}`) ??
    [...endpoints].find(([full]) => full.endsWith(`:${name}`))?.[1] ??
    null
  )
}

function originOf(text: string): string {
  const url = URL.parse(text)
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  if (isOrigin) return url.origin
  throw new ConfigurationError(
    `urlFor: "${text}" is no origin. Write scheme and host, such as "https://api.example.com".`,
  )
}

/** The version of a request that carries none: a default, or that of the host. */
function versionOf(request: LinkContext): string | null {
  const { versioning } = request.settings
  const version = attempt(ApiError, () => versioning?.determineVersion(request))
  return typeof version === 'string' ? version : null
}

/** The version of a request that follows a link; `undefined`: links do not show it, or finding it takes time. */
function versionIn<E>(
  url: string,
  endpoint: E,
  { settings: { versioning } }: LinkContext,
  { urls, contextOf }: LinkSources<E>,
): string | null | undefined {
  if (versioning?.reverse === undefined || versioning.find === undefined) return undefined
  const { origin, pathname, search } = new URL(url)
  const door = doorOf(origin, pathname + search)
  const found = versioning.find(contextOf(door, endpoint, urls.match(pathname), origin))
  return found instanceof Promise ? undefined : found
}

function notInVersion(name: string, version: string, url: string, found: string | null): Error {
  const hint =
    found === null ? 'The address has no place for a version' : `It is of version "${found}"`
  return new NoReverseMatch(`"${name}" has no address in version "${version}". ${hint}: ${url}`)
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
