import type { Accounts } from '../accounts/create-accounts.ts'
import { type BaseApp, type BaseOptions, createApp } from '../core/app/app.ts'
import { type Endpoint, type Group, createGroup } from '../core/app/group.ts'
import type { Layer } from '../core/settings/fold.ts'
import { type Configuration, readConfiguration } from '../core/settings/configuration.ts'
import type { LinkPlaces } from '../core/types/reverse.ts'
import type { RouteTable, UrlTable } from '../core/types/routes.ts'
import type {
  Bag,
  DefaultAuthentication,
  Defaults,
  Judged,
  LayerOf,
  TypedSettings,
} from '../core/types/typed-settings.ts'
import type { ImpliedUnder, PlacesOutside } from '../core/types/version-types.ts'
import { noteSessions, presetFor } from './built-in.ts'

/**
 * An application, compiled and frozen: pass it to a server adapter, or send it requests directly. `R` is its address table,
 * `Implied` and `P` what its versioning scheme fills in: what `urlFor` goes by.
 */
export interface App<
  R = unknown,
  Implied extends string = string,
  P extends LinkPlaces = never,
  Facts = unknown,
> extends BaseApp<R, Implied, P, Facts> {
  readonly accounts: Accounts | null
}

/** The parts of the whole api, beside its settings. */
export interface ApiOptions<T extends UrlTable, C = Accounts> extends BaseOptions<T> {
  /**
   * Users, tokens and sessions, from `defineAccounts`. With them, the schemes are sessions and then Basic
   * credentials where no layer names others, and configuration keys may name all that need accounts.
   */
  readonly accounts?: C
}

/** Options for making an application of an api. */
export interface ServeOptions {
  /** The configuration of the operator. @default `readConfiguration()`: `colophon.json`, then the environment */
  readonly configuration?: Configuration
}

/** The application that an api makes, with the types that check `urlFor`. */
export type AppOf<S extends TypedSettings, R, E = unknown> = App<
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
export interface Api<S extends TypedSettings, R> extends Group<S, R> {
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
  const A extends TypedSettings['authentication'] = DefaultAuthentication<C>,
  const G extends TypedSettings['permissions'] = Defaults['permissions'],
  const V extends TypedSettings['versioning'] = null,
  const W extends TypedSettings['allowedVersions'] = null,
  const D extends TypedSettings['defaultVersion'] = null,
  U extends TypedSettings['unauthenticatedUser'] = Defaults['unauthenticatedUser'],
  K extends TypedSettings['unauthenticatedToken'] = null,
>(
  options: LayerOf<Bag<A, G, V, W, D, U, K>> &
    ApiOptions<T, C> &
    Judged<G, Bag<A, G, V, W, D, U, K>, RouteTable<T>>,
): Api<Bag<A, G, V, W, D, U, K>, RouteTable<T>> {
  const declared = new Set<string>()
  const { accounts = null } = options as ApiOptions<T>
  const serve = (endpoints: readonly Endpoint<never>[], serving: ServeOptions = {}): App => {
    const { configuration = readConfiguration() } = serving
    const preset = presetFor(accounts, configuration)
    const app = createApp(
      options as BaseOptions & Layer,
      { endpoints, declared },
      configuration,
      preset,
    )
    noteSessions(accounts, app)
    return Object.freeze({ ...app, accounts })
  }
  return { ...createGroup([], declared), serve } as unknown as Api<
    Bag<A, G, V, W, D, U, K>,
    RouteTable<T>
  >
}
