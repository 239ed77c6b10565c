// A request, before and after its user is known.
import type { Environ } from './http-adapter.ts'
import type { ListsForTwo } from './kernel.ts'
import type { Authenticator } from './policies/authentication.ts'
import type { Counters, Guesses } from './policies/throttling.ts'
import type { Accepted } from './representations.ts'
import type { Seals } from './service-facts.ts'
import type { Settings } from './settings/settings.ts'
import type { MaybePromise } from '../std/after.ts'
import type { Query } from '../std/http/query.ts'
import type { MadeOnce } from '../std/once.ts'
import type { TimeZone } from '../std/time-zone.ts'
import type { Facts, Linker, LinkerOptions, Reverse } from '../types/reverse.ts'
import type { Resolution } from '../types/routes.ts'
import type { StandardSchema } from '../types/standard-schema.ts'

/** A request before its user is known: all that authenticators and versioning may see. */
export interface Incoming<Params = Readonly<Record<string, unknown>>> {
  /** The request's id, which is sent back as `X-Request-Id` and appears in the logs. */
  readonly id: string
  /** Full name of the address that was asked for: `v1:article-list`. */
  readonly endpointName: string
  readonly method: string
  /** The path as sent, still percent-encoded, without the query. To decide, read `endpointName`: `/%61` is the address `/a`, too. */
  readonly path: string
  /** The query. It remembers which names were read, because cursors are bound to them. */
  readonly query: Query
  /** Scheme and host that generated links begin with: `https://api.example.com`. */
  readonly origin: string
  /** Further origins whose pages may make a browser send requests that change something: `CSRF_TRUSTED_ORIGINS`. */
  readonly trustedOrigins: readonly string[]
  readonly url: URL
  readonly params: Params
  /** The path ended in a format suffix (`/articles.json`), which is `params.format`. */
  readonly suffixed: boolean
  /** Namespaces of the route that matched, outermost first: `['v1']`. */
  readonly namespace: readonly string[]
  readonly environ: Environ
  /** The name of one client: the address, or the network of IPv6 (I8, `ipv6Prefix`); with `numProxies`, from the forwarded
   *  headers (T20). */
  readonly client: string
  /** Counts against limits of your own. */
  readonly counters: Counters
  /** Limits wrong credentials; `null`: `credentialFailures` is off. */
  readonly guesses: Guesses | null
  /** Has the client closed its connection? As of now: work for an answer that goes nowhere need not begin. */
  readonly gone: boolean
  /**
   * Aborted when the client is gone before its answer was sent: for `fetch`, timers and everything else that can be
   * broken off. What a handler throws because of it is not logged. It costs nothing until it is asked for.
   * @example await fetch(url, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(5000)]) })
   */
  readonly signal: AbortSignal
  readonly settings: Settings
  readonly seals: Seals
  readonly accepted: Accepted
  /** By name in lower case. */
  header(name: string): string | null
  /**
   * The parsed body: what the parser makes of it, a value of JSON or a `Form`; `{}` without one.
   * @throws ParseError (400), UnsupportedMediaType (415), PayloadTooLarge (413)
   */
  body(): Promise<unknown>
  /**
   * The body as a schema of another library gives it (standardschema.dev), with its type; a form as an object.
   * @throws ValidationError (400) everything that the schema finds wrong, by field
   * @example const { email } = await request.body(z.object({ email: z.email() }))
   */
  body<Output>(schema: StandardSchema<unknown, Output>): Promise<Output>
  /**
   * Has something done when the answer is made, or the client has gone: to let go of what the request held. It is
   * given the status; what it throws is logged. It is awaited, and the answer is sent afterwards, so it is no place for
   * work that takes long, such as a mail or a webhook.
   * @example request.onEnd((status) => (status < 400 ? undefined : bucket.remove(key)))
   */
  onEnd(task: (status: number) => unknown): void
  /**
   * Has something done once the answer is on its way: a mail, a webhook, a message to a queue. The client does not wait
   * for it, and never hears of it: what it throws is logged (`task.failed`). Tasks of a request run one after the other;
   * a server that stops waits for them, until its `gracePeriod` is over. They are kept in memory: what must survive a crash belongs
   * into a table, in the transaction of the write.
   *
   * @example request.afterAnswer(() => mail.send(confirmation))
   */
  afterAnswer(task: () => unknown): void
}

/** The request with its version and identity: permissions, throttles and handlers see this. */
export interface ApiRequest<F extends Facts = Facts> extends Incoming<F['params']> {
  readonly user: F['user']
  readonly auth: F['auth']
  /** The scheme that named the user; `null` when none did. */
  readonly authenticator: Authenticator | null
  /** When the user proved who they are: see `Identity`. `null`: that is not known, as of tokens. */
  readonly authenticatedAt?: Date | null
  readonly version: F['version']
  /**
   * Asks every permission of the endpoint about an object, in order; the first refusal raises (Z3).
   * Await it: a permission may have to look something up. `retrieve` and `found` ask by themselves.
   *
   * @throws PermissionDenied, or NotAuthenticated where no scheme named a user (A42)
   */
  checkObjectPermissions(target: unknown): MaybePromise<void>
  readonly reverse: Reverse<F['routes'], F['implied'], F['places']>
  /** The zone that the setting `timeZone` names for this request; `UTC` where it names none, or one that does not exist. */
  readonly timeZone: string
  /** The clocks of this zone; `null`: UTC. */
  readonly '~zone'?: TimeZone | null
  /** The facts with which a resource's actions parse bodies. */
  '~around'?: object | undefined
  /** Cuts the lists of the request in place of their style. */
  '~lists'?: ListsForTwo
  /** The values that `oncePerRequest` makes once for the request. */
  '~made'?: MadeOnce['~made']
  /** The place of its span, as `traceparent` says it. */
  '~trace'?: string | null
  /**
   * Many links to one route, as fields of serializers want them; its name is looked up with each. A request
   * for a format suffix (`/articles.json`) has links with it (U28), or with `format` in its place.
   *
   * @example
   * request.linker('article-detail').url({ id: 7 }) // 'https://api.example.com/articles/7/'
   */
  linker(name: string, options?: LinkerOptions): Linker
  /** Logs each kind once a second at most, with how often it happened; `level` is `error` by default. Absent where there is no log. */
  readonly logSeldom?: (
    kind: string,
    record: Readonly<Record<string, unknown>>,
    level?: 'error' | 'info',
  ) => void
  /**
   * The way back: the route of an absolute address, or of a path. The query does not matter. Never throws.
   *
   * @example
   * const found = request.resolve('https://api.example.com/articles/7/')
   * if (found !== null && found !== 'foreign') found.params['id'] // 7
   */
  resolve(url: string): Resolution
}
