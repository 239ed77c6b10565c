import type { Logger } from '../contract/kernel.ts'
import type { Accounts } from '../accounts/create-accounts.ts'
import type { RouteTable, UrlTable } from '../types/routes.ts'
import type { ImpliedUnder, PlacesOutside } from '../types/version-types.ts'
import type { Configuration } from '../settings/configuration.ts'
import type { FormatSuffixes } from '../links/compile-urls.ts'
import { type App, createApp } from './app.ts'
import { createEndpoint } from './endpoint.ts'
import type {
  Bag,
  DefaultAuthentication,
  Defaults,
  Endpoint,
  Group,
  LayerOf,
  Scope,
} from './types.ts'

/** What belongs to the whole api, beside its settings. */
export interface ApiOptions<T extends UrlTable, C = Accounts> {
  /** The address table, from `defineUrls`. */
  readonly urls: T
  /**
   * Users, tokens and sessions, from `defineAccounts`. With them, the schemes are sessions and then Basic
   * credentials where nobody says others, and configuration keys may name all that need accounts.
   */
  readonly accounts?: C
  /** Classes and functions of the application that configuration keys may name. */
  readonly classes?: Readonly<Record<string, unknown>>
  /** Suffixes such as `/articles.json` (N5). @default false */
  readonly formatSuffixes?: FormatSuffixes
  /** Where unforeseen errors are told, and what happens to accounts. @default lines of JSON on standard error */
  readonly logger?: Logger
  /** Milliseconds since 1970: says when a version is switched off. @default Date.now */
  readonly now?: () => number
}

/** What may be said when an api becomes an application. */
export interface ServeOptions {
  /** What the operator said. @default `readConfiguration()`: `colophon.json`, then the environment */
  readonly configuration?: Configuration
}

/** The application of an api: what links outside of requests are checked by. */
export type AppOf<S extends Scope, R> = App<
  R,
  ImpliedUnder<S['versioning']>,
  PlacesOutside<S['versioning'], S['allowedVersions'], S['defaultVersion']>
>

/** The api: the outermost group of endpoints, and what turns them into an application. */
export interface Api<S extends Scope, R> extends Group<S, R> {
  /**
   * Folds the layers, checks, compiles and freezes. What is wrong is said now, not to a client.
   *
   * @throws ConfigurationError it names the endpoint, the key, the layer and the fix
   */
  serve(endpoints: readonly Endpoint<never>[], options?: ServeOptions): AppOf<S, R>
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
  options: LayerOf<Bag<A, G, V, W, D, U, K>> & ApiOptions<T, C>,
): Api<Bag<A, G, V, W, D, U, K>, RouteTable<T>> {
  const { urls, accounts, classes, formatSuffixes, logger, now, ...values } = options
  const layer = { name: 'api', values }
  const group = createGroup([])
  const serve = (
    endpoints: readonly Endpoint<never>[],
    { configuration }: ServeOptions = {},
  ): App =>
    createApp({
      urls,
      accounts,
      classes,
      formatSuffixes,
      logger,
      now,
      layer,
      endpoints,
      configuration,
    })
  return { ...group, serve } as unknown as Api<Bag<A, G, V, W, D, U, K>, RouteTable<T>>
}

interface Named {
  readonly name: string
  readonly values: object
}

/** The types say what a request becomes; at run time a group is a list of layers. */
function createGroup(layers: readonly Named[]): object {
  return {
    group: (values: object) => createGroup([...layers, { name: 'group', values }]),
    endpoint: (name: string, policy: object = {}) => createEndpoint(name, layers, policy),
  }
}
