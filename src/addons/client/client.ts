import { type Addresses, type QueryValues, pathTo, pathWithin } from './address.ts'
import { type Given, valueOf } from './auth.ts'
import { type Answer, type CallOptions, Exchange, type ExchangeOptions } from './exchange.ts'
import { toJson } from './json.ts'
import type {
  AnyService,
  AskedIn,
  CallsOf,
  DataIn,
  OnlyVersion,
  OperationsOf,
  Options,
  OptionsIn,
  RowIn,
  VersionOf,
} from './operations.ts'
import {
  type PageOf,
  type PageReader,
  type Rows,
  Walk,
  type WalkOptions,
  standardPage,
} from './rows.ts'

/** Options of a client. */
export interface ClientOptions<V extends string | null = string | null> extends ExchangeOptions {
  /**
   * Scheme and host of the service, and the path that it is mounted under, if any. A version in the host name stands
   * here too: `https://v2.example.com`.
   */
  readonly baseUrl: string
  /** Addresses by name: `routesOf(urls)`, or a function that gives them, which is asked once. */
  readonly routes: Given<Addresses>
  /** The version of requests; `null`: the service has none. */
  readonly version: V
  /**
   * The place of the version. `'path'`: a namespace of an address or a parameter of its path, if the address has one;
   * `'accept'` and `'query'`: a parameter; `'header'`: a header of its own. @default 'path'
   */
  readonly versionIn?: 'path' | 'accept' | 'query' | 'header'
  /** Name of that parameter or header. @default 'version' */
  readonly versionParam?: string
  /** Finds rows and the next page in answers of a style of your own. @default the styles of the service, and `Link` */
  readonly page?: PageReader
}

/** Options of a list beside those of its endpoint. */
export interface PageOptions {
  /** `next` of the page before this one. @default the first page */
  readonly next?: string | null
}

/** Shown in compiler errors: the answer of this endpoint has no rows. */
export interface ThisIsNoList {
  readonly '~noList': true
}
type IfList<Data> = [RowIn<Data>] extends [never] ? ThisIsNoList : unknown

/** Verbs of a client, by method. */
type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The operations of a client, by verb and name. */
interface Asked {
  readonly '~calls': object
}
// The operations of the verb alone: those of other verbs are made when they are needed.
type CallsIn<C extends Asked, V extends Verb> = C['~calls'][V & keyof C['~calls']]
type CallOf<C extends Asked, V extends Verb, N extends keyof CallsIn<C, V> & string> = CallsIn<
  C,
  V
>[N]

/**
 * Asks for an endpoint by its name, and gives what it answers. What can be asked is found by `this`: the compiler goes
 * through whatever a signature has within it for each name, and would go through all endpoints of the application.
 */
type Ask<V extends Verb> = <C extends Asked, const N extends keyof CallsIn<C, V> & string>(
  this: C,
  name: N,
  ...options: OptionsIn<CallOf<C, V, N>>
) => Promise<DataIn<CallOf<C, V, N>>>

/** A service, by the names of its endpoints. Calls reject with `ApiError` or `ConnectionError`. */
export interface Client<O> extends Verbs, Further {
  /** Type only. */
  readonly '~calls': { readonly [V in Verb]: CallsOf<O, V> }
}
type Verbs = { readonly [V in Verb]: Ask<V> }

interface Further {
  /** Calls an endpoint, and gives status and headers too. */
  ask<C extends Asked, const V extends Verb, const N extends keyof CallsIn<C, V> & string>(
    this: C,
    verb: V,
    name: N,
    ...options: OptionsIn<CallOf<C, V, N>>
  ): Promise<Answer<DataIn<CallOf<C, V, N>>>>
  /**
   * The answer as it came, its body not read, for files and streams. Errors reject as elsewhere. `timeout` and
   * `deadline` end where the body begins; `signal` ends that too.
   *
   * @example
   * const { body } = await client.response('get', 'export', { signal })
   */
  response<C extends Asked, const V extends Verb, const N extends keyof CallsIn<C, V> & string>(
    this: C,
    verb: V,
    name: N,
    ...options: OptionsIn<CallOf<C, V, N>>
  ): Promise<Response>
  /**
   * All rows of a list, whatever its style of pages.
   *
   * @throws TypeError while it is walked: an answer has no rows, or its next page is on another origin
   * @example
   * for await (const city of client.rows('city-list', { query: { country: 'NO' } })) console.log(city.name)
   */
  rows<C extends Asked, const N extends keyof CallsIn<C, 'get'> & string, Row>(
    this: C,
    name: N,
    options: AskedIn<CallOf<C, 'get', N>> &
      CallOptions &
      WalkOptions<Row> & { readonly page: PageReader<Row> },
  ): Rows<Row>
  rows<C extends Asked, const N extends keyof CallsIn<C, 'get'> & string>(
    this: C,
    name: N & IfList<DataIn<CallOf<C, 'get', N>>>,
    ...options: Options<
      AskedIn<CallOf<C, 'get', N>> & CallOptions & WalkOptions<RowIn<DataIn<CallOf<C, 'get', N>>>>
    >
  ): Rows<RowIn<DataIn<CallOf<C, 'get', N>>>>
  /** One page of a list, for callers who turn pages themselves. */
  page<C extends Asked, const N extends keyof CallsIn<C, 'get'> & string>(
    this: C,
    name: N & IfList<DataIn<CallOf<C, 'get', N>>>,
    ...options: Options<AskedIn<CallOf<C, 'get', N>> & CallOptions & PageOptions>
  ): Promise<PageOf<RowIn<DataIn<CallOf<C, 'get', N>>>>>
}

/**
 * A client of one version of a service. `A` is the application (`typeof app`) or a contract that
 * `colophon client generate` has written, and `V` the version, which is pinned: what another one has does not compile.
 *
 * @example
 * import type app from '../service/app.ts'
 * import { urls } from '../service/urls.ts'
 * const client = createClient<typeof app, 'v2'>({
 *   baseUrl: 'https://api.example.com',
 *   routes: routesOf(urls),
 *   version: 'v2',
 *   auth: { token },
 * })
 * const city = await client.get('city-detail', { params: { id: 7 } })
 */
export function createClient<
  A extends AnyService,
  const V extends VersionOf<A> = OnlyVersion<VersionOf<A>>,
>(options: ClientOptions<V>): Client<OperationsOf<A, V>> {
  return new Caller(options) as unknown as Client<OperationsOf<A, V>>
}

/** A call of any operation. */
interface AnyCall extends CallOptions, PageOptions, WalkOptions<unknown> {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: QueryValues
  readonly body?: unknown
  readonly page?: PageReader
  readonly isRaw?: boolean
}

/** Sends the calls of a client. The types have checked the calls, so every endpoint is treated alike here. */
class Caller {
  readonly #options: ClientOptions
  readonly #exchange: Exchange
  readonly #base: URL
  #routes: Promise<Addresses> | null = null
  readonly get = this.#asking('get')
  readonly post = this.#asking('post')
  readonly put = this.#asking('put')
  readonly patch = this.#asking('patch')
  readonly delete = this.#asking('delete')

  constructor(options: ClientOptions) {
    this.#options = options
    this.#exchange = new Exchange(options)
    this.#base = new URL(options.baseUrl)
  }

  async ask(verb: string, name: string, call: AnyCall = {}): Promise<Answer> {
    return this.#send(verb.toUpperCase(), name, await this.#pathOf(name, call), call)
  }

  #asking(verb: Verb) {
    return async (name: string, call?: AnyCall): Promise<unknown> =>
      (await this.ask(verb, name, call)).data
  }

  async response(verb: string, name: string, call: AnyCall = {}): Promise<unknown> {
    return (await this.ask(verb, name, { ...call, isRaw: true })).data
  }

  rows(name: string, call: AnyCall = {}): Rows<unknown> {
    const { params = {}, query = {}, signal } = call
    const source = {
      list: `${name} ${toJson([params, query])}`,
      signal,
      first: () => this.#pathOf(name, call),
      load: (at: string, stop: AbortSignal) =>
        this.#page(name, at, {
          ...call,
          signal: signal === undefined ? stop : AbortSignal.any([signal, stop]),
        }),
    }
    return new Walk(source, call)
  }

  async page(name: string, call: AnyCall = {}): Promise<PageOf<unknown>> {
    const at = call.next ?? (await this.#pathOf(name, call))
    return this.#page(name, at, call)
  }

  async #page(name: string, at: string, call: AnyCall): Promise<PageOf<unknown>> {
    const { data, headers } = await this.#send('GET', name, at, call)
    const read = call.page ?? this.#options.page ?? standardPage
    const { rows, next } = read(data, headers)
    return { rows, next: next === null ? null : pathWithin(this.#base, next, at) }
  }

  /** Path and query of a call. The version goes into the path if that has a place for it. */
  async #pathOf(name: string, call: AnyCall): Promise<string> {
    const { routes, version, versionIn, versionParam = 'version' } = this.#options
    const table = await (this.#routes ??= valueOf(routes))
    const carried = version === null ? {} : { [versionParam]: version }
    const place = {
      name,
      version,
      params: call.params ?? {},
      carried,
      query: { ...(versionIn === 'query' && carried), ...call.query },
    }
    return this.#base.pathname.replace(/\/$/, '') + pathTo(table, place)
  }

  #send(method: string, name: string, at: string, call: AnyCall): Promise<Answer> {
    const { version, versionIn, versionParam = 'version' } = this.#options
    const parameter =
      versionIn === 'accept' && version !== null ? `; ${versionParam}=${version}` : ''
    const accept = `application/json${parameter}, application/problem+json${parameter}`
    // A checkpoint or a page may come from anywhere.
    const url = new URL(pathWithin(this.#base, at, at), this.#base)
    const operation = `${method} ${name}`
    const named = versionIn === 'header' && version !== null ? { [versionParam]: version } : {}
    const headers = { ...named, ...call.headers }
    return this.#exchange.send({ ...call, method, url, accept, headers, operation })
  }
}
