import type { Query } from '../std/http/query.ts'
import type { Accepted } from './rendering.ts'
import type { Authenticator } from './authentication.ts'
import type { Linker, LinkOptions, Reverse } from '../types/reverse.ts'
import type { Resolution } from '../types/routes.ts'
import type { Seals } from './seals.ts'
import type { Settings } from './settings.ts'

/** A value, or a promise of it. Only real promises are awaited. */
export type MaybePromise<T> = T | Promise<T>

/** Facts that the door sets and a client never can: `REMOTE_ADDR`, `REMOTE_USER`. */
export type Environ = Readonly<Record<string, string | undefined>>

/** A request nobody has been named for yet: all that authenticators and versioning may see. */
export interface Incoming<Params = Readonly<Record<string, unknown>>> {
  /** Sent back as `X-Request-Id`, and the thread through the logs. */
  readonly id: string
  /** Full name of the address that was asked for: `v1:article-list`. */
  readonly endpointName: string
  readonly method: string
  /** The path as sent, still percent-encoded, without the query. */
  readonly path: string
  /** The query, parsed when first touched. */
  readonly query: Query
  /** Scheme and host that generated links begin with: `https://api.example.com`. */
  readonly origin: string
  /** Origins beside it whose pages may make a browser send what changes something: `CSRF_TRUSTED_ORIGINS`. */
  readonly trustedOrigins: readonly string[]
  /** The whole address, made when first touched. */
  readonly url: URL
  readonly params: Params
  /** Namespaces of the route that matched, outermost first: `['v1']`. */
  readonly namespace: readonly string[]
  readonly environ: Environ
  /** Has the client closed its connection? As of now: work for an answer that nobody reads need not begin. */
  readonly gone: boolean
  readonly settings: Settings
  /** Seals of the service, for texts that go out and come back, such as cursors. */
  readonly seals: Seals
  /** Outcome of content negotiation. */
  readonly accepted: Accepted
  /** Value of a header, name in lower case; `null` when it was not sent. */
  header(name: string): string | null
  /**
   * The parsed body, read when first asked for: a value of JSON, or a `Form`. No body is `{}`.
   *
   * @throws ParseError (400), UnsupportedMediaType (415), PayloadTooLarge (413)
   */
  body(): Promise<unknown>
}

/** The named facts that inference carries, in one bag. */
export interface Facts {
  user: unknown
  auth: unknown
  version: string | null
  params: Readonly<Record<string, unknown>>
  routes: unknown
  /** Name of the route parameter that the versioning scheme fills in by itself, or `never`. */
  implied: string
  /** Namespaces in which the versioning scheme looks for a short name, or `never`. */
  places: string
}

/** The same request once version and identity are known: what permissions, throttles and handlers see. */
export interface ApiRequest<F extends Facts = Facts> extends Incoming<F['params']> {
  readonly user: F['user']
  readonly auth: F['auth']
  /** The scheme that named the user; `null` when none did. */
  readonly authenticator: Authenticator | null
  readonly version: F['version']
  /**
   * Asks every permission of the endpoint about an object, in order; the first refusal raises (Z3).
   * Await it: a permission may have to look something up. `retrieve` and `found` ask by themselves.
   *
   * @throws PermissionDenied, or NotAuthenticated where nobody was named (A42)
   */
  checkObjectPermissions(target: unknown): MaybePromise<void>
  readonly reverse: Reverse<F['routes'], F['implied'], F['places']>
  /**
   * Many links to one route, as fields of serializers want them. The name is looked up when a link is
   * made. A request for a format suffix (`/articles.json`) has links with it (U28); `format` puts
   * another in its place.
   *
   * @example
   * const link = request.linker('article-detail')
   * link.url({ id: 7 }) // 'https://api.example.com/articles/7/'
   */
  linker(name: string, options?: LinkOptions): Linker
  /**
   * Tells the log of what may happen any number of times: each kind once a second at most, with how often
   * it happened. Absent where nobody listens, as in requests that tests make up.
   */
  readonly logSeldom?: (kind: string, record: Readonly<Record<string, unknown>>) => void
  /**
   * The way back: which route an absolute address of this service is, or a path of it. The query and the
   * fragment say nothing. Never throws, whatever the text is.
   *
   * @example
   * const found = request.resolve('https://api.example.com/articles/7/')
   * if (found !== null && found !== 'foreign') found.params['id'] // 7
   */
  resolve(url: string): Resolution
}
