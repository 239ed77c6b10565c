// A request, the policies that look at it, and the settings that hold these: each names the others, and so they
// share a file. What settings hold beside policies, which knows no request, is in settings/.
import type { MaybePromise } from '../std/after.ts'
import type { Query } from '../std/http/query.ts'
import type {
  JSONSchema,
  OperationPlaceUnder,
  ParameterFacts,
  SchemaPlaceUnder,
  SecurityFacts,
  VersionCarrier,
} from '../types/documents.ts'
import type { Facts, Linker, LinkerOptions, Reverse } from '../types/reverse.ts'
import type { Resolution } from '../types/routes.ts'
import type { StandardSchema } from '../types/standard-schema.ts'
import type { Bytes, ContentType, Environ } from './door.ts'
import type { AnyQuery, FilterControl, ListFields, ListSource, SortKey } from './list-source.ts'
import type { KnownList, ListView, Page, PageBounds } from './pagination.ts'
import type { BrowserAccess, PageFacts, Prepared } from './page.ts'
import type { Identity, Opinion, Reply } from './answers.ts'
import type { Seals, ServiceFacts } from './service-facts.ts'
import type { PlainSettings } from './settings/plain.ts'
import type { Admission, Counters, Guesses, Limit } from './throttling.ts'
import type { LinkForm, Lookup, PlainReverse } from './versioning.ts'

export type { MaybePromise } from '../std/after.ts'
export type { Identity, Opinion, Refusal, Reply } from './answers.ts'

/** A request before its user is known: all that authenticators and versioning may see. */
export interface Incoming<Params = Readonly<Record<string, unknown>>> {
  /** Sent back as `X-Request-Id`, and the thread through the logs. */
  readonly id: string
  /** Full name of the address that was asked for: `v1:article-list`. */
  readonly endpointName: string
  readonly method: string
  /** The path as sent, still percent-encoded, without the query. */
  readonly path: string
  /** It remembers what was read of it: cursors are bound to that. */
  readonly query: Query
  /** Scheme and host that generated links begin with: `https://api.example.com`. */
  readonly origin: string
  /** Origins beside it whose pages may make a browser send what changes something: `CSRF_TRUSTED_ORIGINS`. */
  readonly trustedOrigins: readonly string[]
  readonly url: URL
  readonly params: Params
  /** The path ended in a format suffix (`/articles.json`), which is `params.format`. */
  readonly suffixed: boolean
  /** Namespaces of the route that matched, outermost first: `['v1']`. */
  readonly namespace: readonly string[]
  readonly environ: Environ
  /** Who counts as one client: the address, of IPv6 its network (I8, `ipv6Prefix`); with `numProxies`, what the forwarded headers say (T20). */
  readonly client: string
  /** Counts against limits of your own. */
  readonly counters: Counters
  /** Limits wrong credentials; `null`: `credentialFailures` is off. */
  readonly guesses: Guesses | null
  /** Has the client closed its connection? As of now: work for an answer that goes nowhere need not begin. */
  readonly gone: boolean
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
   * given the status, and is awaited before the answer is sent; what it throws is logged.
   * @example request.onEnd((status) => (status < 400 ? undefined : bucket.remove(key)))
   */
  onEnd(task: (status: number) => unknown): void
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
   * @throws PermissionDenied, or NotAuthenticated where no scheme named a user (A42)
   */
  checkObjectPermissions(target: unknown): MaybePromise<void>
  readonly reverse: Reverse<F['routes'], F['implied'], F['places']>
  /**
   * Many links to one route, as fields of serializers want them; its name is looked up with each. A request
   * for a format suffix (`/articles.json`) has links with it (U28), or with `format` in its place.
   *
   * @example
   * request.linker('article-detail').url({ id: 7 }) // 'https://api.example.com/articles/7/'
   */
  linker(name: string, options?: LinkerOptions): Linker
  /** Logs each kind once a second at most, with how often it happened. Absent where there is no log. */
  readonly logSeldom?: (kind: string, record: Readonly<Record<string, unknown>>) => void
  /**
   * The way back: the route of an absolute address, or of a path. The query does not matter. Never throws.
   *
   * @example
   * const found = request.resolve('https://api.example.com/articles/7/')
   * if (found !== null && found !== 'foreign') found.params['id'] // 7
   */
  resolve(url: string): Resolution
}

/** A way to find out who is asking. */
export interface Authenticator<out User = unknown, out Auth = unknown> {
  /** `null`: not attempted, the next scheme is tried. Throws `AuthenticationFailed`, answered at once. */
  readonly authenticate: (request: Incoming) => MaybePromise<Identity<User, Auth> | null>
  /** Value of `WWW-Authenticate`. A first scheme without one turns 401 into 403. */
  authenticateHeader?(request: Incoming): string | null
  /** How clients send it, for documents. @default something in `Authorization` */
  security?(): SecurityFacts
  /** For a scheme that browsers send by themselves: what pages need in order to log in, and to send forms. */
  readonly browser?: BrowserAccess<Incoming>
  /** Asked when the service starts: what it misses, as the rest of a sentence (`needs …`). `null`: nothing. */
  check?(service: ServiceFacts): string | null
}

/** Decides whether a request may go on, of which it needs to know `Rq` (`RequestWith<{ user: User }>`). */
// oxlint-disable-next-line no-explicit-any -- a permission without object rules fits any target
export interface Permission<in Target = any, out Grant = unknown, Rq = ApiRequest> {
  /** Body of the refusal, where the asker is known. */
  readonly message?: string | object
  readonly code?: string
  /** Asked for every request, before the handler. */
  hasPermission?(request: Rq): MaybePromise<Opinion>
  /** Asked where an endpoint has found its object: `request.checkObjectPermissions`, `retrieve`, `found`. */
  hasObjectPermission?(request: Rq, target: Target): MaybePromise<Opinion>
  /**
   * For documents: does it refuse every request of this method without a user? Absent: it is not known, and
   * clients may try without.
   */
  needsUser?(method: string): boolean
  /** Type only: what is known about `request.user` once this permission has agreed. */
  readonly '~grants'?: Grant
}

/**
 * Decides whether a request comes too soon. The limits of all throttles of a request are decided in one step: they
 * count it where every one of them, and every decision of its own, lets it on (I7).
 */
export interface Throttle<Rq = ApiRequest> {
  /** What the request counts against; `null`: nothing. */
  limits?(request: Rq): MaybePromise<readonly Limit[] | null>
  /** A decision without counters, asked first (T15). `null`: no opinion. */
  admit?(request: Rq): MaybePromise<Admission | null>
  /** Asked when the service starts: what is wrong, as the rest of a sentence (`has no rate …`). `null`: nothing. */
  check?(settings: Settings): string | null
  /** Does it let everything pass under these settings, such as a rate of `null`? For `colophon doctor`. @default false */
  isIdle?(settings: Settings): boolean
}

/** Where a request says which version it wants, and how links stay in it. */
export interface VersioningScheme<out Implied extends string = string> {
  /** `null`: the request carries no version and there is no default. Throws where the version is not allowed. */
  readonly determineVersion: (request: Incoming) => MaybePromise<string | null>
  /** The version that the request carries, allowed or not; `null`: none. What `firstOf` goes by. */
  find?(request: Incoming): MaybePromise<string | null>
  /**
   * Wraps the plain reverse, as `super` would: change the lookup before it, or the absolute URL after it.
   * `next` throws `NoReverseMatch` where no route fits; the plain reverse is tried then.
   */
  reverse?(lookup: Lookup, request: ApiRequest, next: PlainReverse): string
  /**
   * What `reverse` does, as data, and asked in its place. The forms are tried in order, and behind them the
   * plain link. They must follow from the request and the version alone: a request asks for them once.
   */
  readonly linkForms?: ((version: string, request: ApiRequest) => readonly LinkForm[]) | undefined
  queryParams?(settings: Settings): readonly string[]
  /** Where requests carry the version, the first place that counts first, for documents. @default null: it is not known */
  carriers?(settings: Settings): readonly VersionCarrier[] | null
  /** The versions there are under these settings; `null`: they are not known, any may be one. */
  versions?(settings: Settings): readonly string[] | null
  /** Asked when the service starts: what is wrong, as the rest of a sentence (`needs …`). `null`: nothing. */
  check?(facts: VersioningFacts): string | null
  /** Asked then too: what looks like a mistake and may not be one, as the rest of a sentence too. It is logged. */
  doubt?(facts: VersioningFacts): string | null
  /** Type only: the route parameter that `reverse` fills in by itself. */
  readonly '~implied'?: Implied
}

/** Where a scheme is to work: what it may look at when the service starts. */
export interface VersioningFacts
  extends Pick<ServiceFacts, 'routes'>, Pick<Incoming, 'endpointName' | 'settings'> {
  /** What generated links begin with, whatever the request says. */
  readonly publicUrl: string | null
  /** `false`: other schemes are asked where this one finds no version. */
  readonly alone: boolean
  /** The settings without what the operator says, who may switch versions off. */
  readonly inCode: Settings
}

/**
 * Narrows or orders a list by what the request asks for, before it is split into pages. Cursors are bound to
 * whatever it reads of `request.query`.
 */
export interface FilterBackend {
  /** Has it anything to do where these fields are declared? Absent: always. */
  readonly applies?: (fields: ListFields) => boolean
  /** Does it look for texts in rows, which reads every row until it has found enough? @default false */
  readonly searches?: (fields: ListFields) => boolean
  /** Does it leave rows out? Only of such filters it is asked whether a single object is among the rows (G4). @default true */
  readonly narrows?: boolean
  readonly filter: (source: AnyQuery, request: Incoming, fields: ListFields) => AnyQuery
  /** The parameters of the query that it reads where these fields are declared (`strictQuery`). @default none */
  readonly queryParams?: (settings: Settings, fields: ListFields) => readonly string[]
  /** The same with what they may be, for documents. @default any text */
  readonly parameters?: (settings: Settings, fields: ListFields) => readonly ParameterFacts[]
  /** The order that the request, or the endpoint, asks for; `null`: none. Styles that need an order ask (C20). */
  readonly ordering?: (request: Incoming, fields: ListFields) => readonly SortKey[] | null
  /** What a page for people offers where these fields are declared (W10). @default nothing */
  readonly controls?: (request: Incoming, fields: ListFields) => readonly FilterControl[]
}

/** Splits a list into pages. */
export interface Paginator<
  in Source extends ListSource = ListSource,
  // oxlint-disable-next-line no-explicit-any -- the page is the paginator's own affair
  in out P extends Page = any,
> {
  /** Takes the whole result set, returns the requested page; `null` when this request is not paginated. */
  readonly paginate: (list: Source, request: ApiRequest, view?: ListView) => MaybePromise<P | null>
  respond(page: P, results: readonly unknown[]): Reply
  queryParams?(settings: Settings): readonly string[]
  /** The same with what they may be, for documents. @default any text */
  parameters?(settings: Settings): readonly ParameterFacts[]
  /** What `respond` makes of results of this schema, for documents (O3, O10). @default the results as they are */
  schema?(results: JSONSchema, settings: Settings): JSONSchema
  /** How much one request can ask for. Asked when the service starts in production (I20). @default it is not known */
  bounds?(settings: Settings): PageBounds
  /** Like a scheme's; asked for the service alone, and again for each list that is known by then. */
  check?(service: ServiceFacts, list?: KnownList): string | null
}

/** Understands bodies of one media type. */
export interface Parser {
  readonly mediaType: string
  /** @throws ParseError (400) */
  parse(bytes: Uint8Array, type: ContentType, request: Incoming): MaybePromise<unknown>
  /**
   * Called in place of `parse` where it is there: reads the body as it comes in, also an empty one. Reading throws
   * `PayloadTooLarge` beyond `maxBodySize`, and `ParseError` where the client goes away.
   */
  parseStream?(chunks: Chunks, type: ContentType, request: Incoming): MaybePromise<unknown>
}

type Chunks = AsyncIterable<Uint8Array>

/** What a renderer learns about the answer beside its data. */
export interface RenderContext {
  readonly request: Incoming
  readonly endpointName: string
  /** Renderers of the endpoint, in order: what an HTML page borrows to show the data. */
  readonly renderers: readonly Renderer[]
  /** Response headers, as name and value in turn; without those that only tell browsers how to treat a page. */
  readonly headers: readonly string[]
  /** What `prepare` gave; `null`: nothing, or the renderer has no such method. */
  readonly prepared: Prepared | null
}

/** Turns the data of an answer into bytes. */
export interface Renderer {
  /** `application/json`; parameters in it must be asked for (N14). */
  readonly mediaType: string
  /** Value of `Content-Type` where it says more than `mediaType`: `text/html; charset=utf-8`. */
  readonly contentType?: string
  /** Name for `?format=` and path suffixes: `json`. */
  readonly format: string
  /** Unless the answer has one. @default the service's: nothing inline, no frames, no forms to elsewhere */
  readonly contentSecurityPolicy?: string
  /** Parameters of the query that it reads (`strictQuery`). @default none */
  readonly queryParams?: readonly string[]
  /** Does the body add sentences of the catalogue? Then `Content-Language` names their language (`wordsFor`). */
  hasWords?(reply: Reply): boolean
  /** Called before `render` and awaited: for what has to be loaded or asked first. `render` finds it in its context. */
  prepare?(reply: Reply, page: PageFacts<ApiRequest>): MaybePromise<Prepared>
  render(reply: Reply, context: RenderContext): Bytes
}

/** Outcome of content negotiation. */
export interface Accepted {
  readonly renderer: Renderer
  /** The media type agreed on, without parameters. */
  readonly mediaType: string
  /** Parameters of the range that won, names in lower case, without `q`. */
  readonly parameters: Readonly<Record<string, string>>
}

/** What OPTIONS answers; `actions` are the input fields by method, where a handler knows them. */
export interface Metadata {
  describe(endpoint: {
    readonly title: string
    readonly description: string
    readonly renderers: readonly Renderer[]
    readonly parsers: readonly Parser[]
    readonly actions: Readonly<Record<string, object>> | null
  }): object
}

/** One vocabulary for every layer: defaults ◁ api ◁ configuration keys ◁ group ◁ endpoint. `null` switches off. */
export interface Settings extends PlainSettings {
  /** Tried in order; the first one's challenge decides between 401 and 403. */
  readonly authentication: readonly Authenticator[]
  /** All must agree. */
  readonly permissions: readonly Permission[]
  readonly throttles: readonly Throttle[]
  readonly versioning: VersioningScheme | null
  // oxlint-disable-next-line no-explicit-any -- any style; serve checks that it fits the source
  readonly pagination: Paginator<any, any> | null
  /** What narrows and orders lists before they are split into pages, in this order (P2). */
  readonly filters: readonly FilterBackend[]
  readonly renderers: readonly Renderer[]
  readonly parsers: readonly Parser[]
  readonly metadata: Metadata | null
  /** Makes `request.user` where no scheme named one; `null` makes it `null`. */
  readonly unauthenticatedUser: (() => unknown) | null
  readonly unauthenticatedToken: (() => unknown) | null
  /** Turns an error into an answer; `null`: unforeseen, answered with 500 and logged. */
  readonly exceptionHandler: (error: unknown, request: Incoming) => Reply | null
}

/** Where a schema is to stand in a document. */
export type SchemaPlace = SchemaPlaceUnder<Settings>

/** Where an operation is described in a document. */
export type OperationPlace = OperationPlaceUnder<Settings>
