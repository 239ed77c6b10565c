import type { AnonymousUser } from '../contract/credentials.ts'
import type { ApiRequest, Settings } from '../contract/request.ts'
import type { ParamsOf, RouteTable, Simplify, UrlTable } from '../types/routes.ts'
import { defineApi } from '../api/define-api.ts'
import { configurationOf } from '../settings/configuration.ts'
import { type RequestOptions, toRequest } from './client.ts'

/** What a request of a test is made of, beside its path. */
export interface MadeRequest<
  Path extends string,
  User,
  Auth,
  Version extends string | null,
  T extends UrlTable,
> extends RequestOptions {
  /** @default 'GET' */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Who asks. @default the anonymous user, or what `unauthenticatedUser` of `settings` makes */
  readonly as?: User
  readonly auth?: Auth
  /** Values for the parameters of the path. */
  readonly params?: Simplify<ParamsOf<PathIn<Path>>>
  /** `request.version`, as it is without a scheme; what a scheme of `settings` finds must be the same. @default null, or what it finds */
  readonly version?: Version
  /** The addresses that `request.reverse` and hyperlinks know; the path is then one of them. @default the path alone */
  readonly urls?: T
  /** The policy of its endpoint; permissions and throttles in it are not asked. */
  readonly settings?: Partial<Settings>
}

/** `'/notes/:id<int>/?page=2'` without its query. */
type PathIn<Target extends string> = Target extends `${infer Path}?${string}` ? Path : Target

/** The request that `requestFor` makes. */
export type RequestMade<
  Path extends string,
  User,
  Auth,
  Version extends string | null,
  T extends UrlTable,
> = ApiRequest<{
  user: User
  auth: Auth
  version: Version
  params: Simplify<ParamsOf<PathIn<Path>>>
  routes: RouteTable<T>
  implied: never
  places: never
}>

/**
 * A request as handlers get it, for tests of a serializer, a permission, a throttle, a paginator or a filter, without an
 * endpoint around them. It is a real one: it has been through an application that is made for it, whose only policy is
 * `settings`. `ALLOWED_HOSTS` admits every host.
 *
 * @throws Error no address fits the path, or the settings refuse the request
 * @example
 * const request = await requestFor('/notes/:id<int>/', { params: { id: 7 }, as: ada, version: 'v2' })
 * note.represent(row, request)
 * await new IsOwner().hasObjectPermission(request, row)
 */
export async function requestFor<
  const Path extends string = '/',
  User = AnonymousUser,
  Auth = null,
  const Version extends string | null = string | null,
  const T extends UrlTable = { readonly request: '/' },
>(
  path: Path = '/' as Path,
  options: MadeRequest<Path, User, Auth, Version, T> = {},
): Promise<RequestMade<Path, User, Auth, Version, T>> {
  const { method = 'GET', params = {}, ...sent } = options
  const [pattern = '/'] = path.split('?', 1)
  const target = filled(pattern, params) + path.slice(pattern.length)
  const { app, seen } = listener({ urls: { request: pattern as `/${string}` }, ...options })
  const answer = await app.handle(await toRequest(method, target, sent))
  const [request] = seen
  const { version = request?.version } = options
  if (request === undefined)
    throw new Error(`requestFor(): ${method} ${target} was refused: ${refusal(answer)}`)
  if (request.version !== version)
    throw new Error(`requestFor(): ${target} is of version ${request.version}, not ${version}.`)
  return request as RequestMade<Path, User, Auth, Version, T>
}

type Listening = Pick<
  MadeRequest<string, unknown, unknown, string | null, UrlTable>,
  'settings'
> & {
  readonly urls: UrlTable
  readonly version?: string | null
}

/** An application that keeps what its handlers get. */
function listener({ urls, settings = {}, version }: Listening) {
  const { permissions: _, throttles: __, ...policy } = settings
  const stated = version === undefined ? {} : { versioning: { determineVersion: () => version } }
  const api = defineApi({ authentication: [], ...stated, ...policy, urls })
  const seen: ApiRequest[] = []
  const keep = (request: ApiRequest): null => {
    seen.push(request)
    return null
  }
  const endpoints = namesIn(urls).map((name) =>
    api
      .endpoint(name as never)
      .get(keep)
      .post(keep)
      .put(keep)
      .patch(keep)
      .delete(keep),
  )
  const configuration = configurationOf({ ALLOWED_HOSTS: ['*'] })
  return { app: api.serve(endpoints, { configuration }), seen }
}

/** Every name of the table, with its namespaces. */
function namesIn(urls: UrlTable, namespace = ''): string[] {
  return Object.entries(urls).flatMap(([name, entry]) =>
    typeof entry === 'object' && 'table' in entry
      ? namesIn(entry.table, `${namespace}${name}:`)
      : [`${namespace}${name}`],
  )
}

function filled(pattern: string, params: object): string {
  const values = new Map(Object.entries(params).map(([name, value]) => [name, String(value)]))
  return pattern.replace(/:(\w+)(?:<[^>]*>)?/g, (all, name: string) => {
    const value = values.get(name)
    return value === undefined ? all : encodeURIComponent(value)
  })
}

function refusal({ status, body }: { readonly status: number; readonly body: unknown }): string {
  return `${status}${typeof body === 'string' ? ` ${body}` : ''}`
}
