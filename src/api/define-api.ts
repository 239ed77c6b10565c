import type { Verb } from '../contract/kernel.ts'
import type { Accounts } from '../accounts/create-accounts.ts'
import type { NamedLayer } from '../settings/fold.ts'
import type { RouteTable, UrlTable } from '../types/routes.ts'
import type {
  Bag,
  DefaultAuthentication,
  Defaults,
  Judged,
  LayerOf,
  Scope,
} from '../types/scope.ts'
import type { ImpliedUnder, PlacesOutside } from '../types/version-types.ts'
import { type ApiOptions, type App, type ServeOptions, createApp } from './app.ts'
import type { Answering, Endpoint, EndpointDefinition, EndpointOptions, Group } from './types.ts'

/** The application that an api makes, with the types that check `urlFor`. */
export type AppOf<S extends Scope, R, E = unknown> = App<
  R,
  ImpliedUnder<S['versioning']>,
  PlacesOutside<S['versioning'], S['allowedVersions'], S['defaultVersion']>,
  {
    routes: R
    endpoints: E
    versions: S['allowedVersions']
    defaultVersion: S['defaultVersion']
    implied: ImpliedUnder<S['versioning']>
  }
>

/** The api: the outermost group of endpoints, and what turns them into an application. */
export interface Api<S extends Scope, R> extends Group<S, R> {
  /**
   * Folds the layers, checks, compiles and freezes. What is wrong is refused now, not in an answer.
   *
   * @throws ConfigurationError it names the endpoint, the key, the layer and the fix
   */
  serve<const E extends readonly Endpoint<never>[]>(
    endpoints: E,
    options?: ServeOptions,
  ): AppOf<S, R, E[number]>
}

/**
 * Begins an api: its addresses, and the settings that hold for all of it.
 *
 * @example
 * const api = defineApi({ urls: { hello: '/hello/' } })
 * const hello = api.endpoint('hello').get(() => ({ hello: 'world' }))
 * export default api.serve([hello])
 */
export function defineApi<
  const T extends UrlTable,
  C extends Accounts | undefined = undefined,
  const A extends Scope['authentication'] = DefaultAuthentication<C>,
  const G extends Scope['permissions'] = Defaults['permissions'],
  const V extends Scope['versioning'] = null,
  const W extends Scope['allowedVersions'] = null,
  const D extends Scope['defaultVersion'] = null,
  U extends Scope['unauthenticatedUser'] = Defaults['unauthenticatedUser'],
  K extends Scope['unauthenticatedToken'] = null,
>(
  options: LayerOf<Bag<A, G, V, W, D, U, K>> &
    ApiOptions<T, C> &
    Judged<G, Bag<A, G, V, W, D, U, K>, RouteTable<T>>,
): Api<Bag<A, G, V, W, D, U, K>, RouteTable<T>> {
  const declared = new Set<string>()
  const serve = (endpoints: readonly Endpoint<never>[], serving?: ServeOptions): App =>
    createApp(options, { endpoints, declared }, serving)
  return { ...createGroup([], declared), serve } as unknown as Api<
    Bag<A, G, V, W, D, U, K>,
    RouteTable<T>
  >
}

/** The types work out what a request becomes; at run time a group is a list of layers. */
function createGroup(groups: readonly NamedLayer[], declared: Set<string>): object {
  return {
    group: (values: object) => createGroup([...groups, { name: 'group', values }], declared),
    endpoint(name: string, options: EndpointOptions & object = {}) {
      const { title = titleOf(name), description = '', ...values } = options
      const layers = [...groups, { name: `endpoint ${name}`, values }]
      declared.add(name)
      return toEndpoint({ name, title, description, layers, behaviours: {}, copied: new Set() })
    },
  }
}

function toEndpoint(definition: EndpointDefinition): Endpoint<never, never> {
  const on = (verb: Verb) => (handler: Answering<never>) => {
    const behaviour = typeof handler === 'function' ? { handle: handler } : handler
    const behaviours = { ...definition.behaviours, [verb]: behaviour }
    definition.copied.add(verb)
    return toEndpoint({ ...definition, behaviours, copied: new Set() })
  }
  return {
    name: definition.name,
    '~definition': definition,
    get: on('get'),
    post: on('post'),
    put: on('put'),
    patch: on('patch'),
    delete: on('delete'),
  }
}

/** `v1:article-list` → `Article List` (W4). */
function titleOf(name: string): string {
  const words = name.slice(name.lastIndexOf(':') + 1).split(/[-_]/)
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join(' ')
}
