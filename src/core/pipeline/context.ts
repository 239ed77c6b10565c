import type { ActedFor, Authenticator, Identity } from '../ports/policies/authentication.ts'
import type { Accepted } from '../ports/representations.ts'
import type { Follower } from '../ports/policies/observing.ts'
import type { ApiRequest, Incoming } from '../ports/request.ts'
import type { Settings } from '../ports/settings/settings.ts'
import type { MaybePromise } from '../std/after.ts'
import type { Body, PlainReply, PlainRequest, Environ, Kernel } from '../ports/http-adapter.ts'
import type { Behaviour, ListsForTwo, Logger, ServedEndpoint } from '../ports/kernel.ts'
import type { Described, Gauge, Seals } from '../ports/service-facts.ts'
import type { StandardSchema } from '../types/standard-schema.ts'
import type { Database } from '../ports/database.ts'
import type {
  Counted,
  CounterStore,
  Counters,
  Guesses,
  Limit,
  Rate,
} from '../ports/policies/throttling.ts'
import type { Reverse } from '../types/reverse.ts'
import type { Match, Route } from '../types/routes.ts'
import { ApiError, ParseError, UnsupportedMediaType } from '../errors/api-errors.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { readBySchema } from '../errors/standard-schema.ts'
import { type Negotiation, findParser, selectParser } from '../representations/negotiate.ts'
import { requestChannels } from '../std/channels.ts'
import { Form } from '../std/http/form.ts'
import { Query } from '../std/http/query.ts'
import type { MadeOnce } from '../std/once.ts'
import { withFreshReads } from '../std/statements.ts'
import type { TimeZone, TimeZones } from '../std/time-zone.ts'
import type { Urls } from '../urls/compile-urls.ts'
import { RequestLinks } from '../urls/links.ts'
import type { AfterAnswers, Task } from './after-answer.ts'
import type { VersionLives } from '../versions/life.ts'
import type { LinkContext } from '../versions/link-in-version.ts'
import { clientOf } from '../std/http/forwarded.ts'
import { Message } from '../messages/message.ts'
import { isOfForm } from '../std/http/media-type.ts'

/** One step of a request, which returns a promise only when it has to wait. */
export type Slot = (request: Context) => Promise<void> | void

export type ObjectCheck = (request: Context, target: unknown) => Promise<void> | void

/** An endpoint ready to answer: every decision that does not need the request is made. */
export interface CompiledEndpoint extends Omit<ServedEndpoint, 'versions'>, VersionLives {
  /** Value of `Allow` (R40, R41). */
  readonly allow: string
  /** The renderer of answers if negotiation failed or has not happened (E15). */
  readonly firstAccepted: Accepted
  readonly negotiation: Negotiation
  // `null`: there is nothing to do.
  readonly checkPermissions: Slot | null
  readonly checkObjectPermissions: ObjectCheck | null
  readonly checkThrottles: Slot | null
  /** By method. */
  readonly handlers: ReadonlyMap<string, AskedBehaviour>
  readonly cors: Cors | null
  /** Value of `Cross-Origin-Resource-Policy`. */
  readonly resourcePolicy: string
}

/** The part of a behaviour that the pipeline needs for a request. */
export type AskedBehaviour = Pick<Behaviour<Context>, 'handle'>

/** The limits of a request, and the standing of the request with each limit. */
export interface CountedLimits extends Counted {
  readonly limits: readonly Limit[]
}

/** The rights of pages of other origins at an endpoint (I21). */
export interface Cors {
  /** Headers for every answer except that to a preflight; none if the origin is not admitted. */
  readonly headersFor: (request: Context) => Readonly<Record<string, string>>
  /** The answer to a preflight; `null`: the request is not one. */
  readonly preflight: (request: Context) => PlainReply | null
}

/** The common parts of an application's endpoints. */
export interface Service extends Described {
  readonly urls: Urls
  /** By full name of the route. */
  readonly endpoints: ReadonlyMap<string, CompiledEndpoint>
  readonly trustedOrigins: readonly string[]
  /** Names that the service answers to, as the operator lists them. */
  readonly hosts: readonly string[]
  /** Value of `Strict-Transport-Security`. */
  readonly transportSecurity: string | null
  readonly logger: Logger
  /** Logs events that may happen any number of times: once a second for each kind, with a count. */
  readonly logSeldom: NonNullable<ApiRequest['logSeldom']>
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly seals: Seals
  readonly zones: TimeZones
  readonly counters: Counters
  readonly guessLimits: { of(request: Context, rate: Rate): Guesses }
  readonly afterAnswers: AfterAnswers<Context>
  /** The databases of the application, that of its accounts first. */
  readonly databases: readonly Database[]
  /** The store that counts requests; `counters` stand in for it while it is away. */
  readonly counterStore: CounterStore
  /** The gauges of the service's parts, for metrics. */
  readonly gauges: () => readonly Gauge[]
  /** Does the service stop? `app.drain()` was called, or one of its servers is closing. */
  readonly isDraining: () => boolean
  /** Answers a request from the beginning. */
  readonly handle: Kernel['handle']
}

/** Another endpoint, about which a copy of the request asks. */
type Elsewhere = Pick<Context, 'endpoint' | 'params' | 'query' | 'queryText'>

/** Headers about the body of a request, about its trace, and about what a client has already: answers do not vary by them. */
const NEVER_VARIES: ReadonlySet<string> = new Set([
  'content-disposition',
  'content-length',
  'content-type',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'range',
  'traceparent',
  'tracestate',
])

/** One request; each step adds its results. */
export class Context implements LinkContext {
  /** The outermost request; a copy that `as` made for another method of the same endpoint shares it. */
  readonly root: Context = this
  readonly id: string
  readonly method: string
  readonly path: string
  readonly queryText: string
  readonly query: Query
  /** The header `Accept`, which `Vary` has a rule of its own for. */
  readonly accept: string | null
  /** The format that the path's suffix names, or else the format parameter (N2). */
  readonly format: string | null
  readonly vouchedFor: Identity | null
  readonly params: Readonly<Record<string, unknown>>
  readonly namespace: readonly string[]
  /** The path ended in a format suffix, which is `params.format`. */
  readonly suffixed: boolean
  readonly endpoint: CompiledEndpoint
  readonly endpointName: string
  readonly settings: Settings
  readonly service: Service
  readonly seals: Seals
  readonly trustedOrigins: readonly string[]
  readonly urls: Urls
  readonly logSeldom: Service['logSeldom']
  readonly origin: string
  user: unknown = null
  auth: unknown = null
  authenticator: Authenticator | null = null
  authenticatedAt: Date | null = null
  /** The user whose view is shown; `null`: the request's own. */
  acting: ActedFor | null = null
  '~lists'?: ListsForTwo
  '~around'?: object | undefined
  '~made': MadeOnce['~made'] = null
  '~trace': string | null = null
  version: string | null = null
  accepted: Accepted
  /** `null`: it counts against no limit, or the store of counters is away. */
  counted: CountedLimits | null = null
  /** Names of the headers that were read: what `Vary` lists (I11). */
  readonly consulted: string[] = []
  readonly #plain: PlainRequest
  readonly #match: Match | null
  #guesses: Guesses | null = null
  #url: URL | null = null
  #zone: { readonly clocks: TimeZone | null } | null = null
  #signal: AbortSignal | null = null
  #body: Promise<unknown> | null = null
  /** The request that the client sent; copies for other methods or endpoints refer to it. */
  readonly original: Context = this
  /** The error that made the answer. */
  failure: unknown = undefined
  /** When the request came, by `performance.now()`; 0 if no one needs to know. */
  readonly began: number
  /** Work before the answer is sent; `null`: none. */
  endings: ((status: number) => unknown)[] | null = null
  /** Work after the answer is sent; `null`: none. */
  tasks: Task[] | null = null
  /** The follower that hears about the steps of this request. */
  follower: Follower | null = null
  /** The answer has left. */
  isAnswered = false
  /**
   * The place up to which its handler has written, for reads of replicas; `null`: it wrote nothing, or replicas are not
   * used.
   */
  written: string | null = null
  /** The object of the request, after the permissions for it were checked; `undefined`: no object. */
  target: unknown = undefined
  #links: RequestLinks | null = null

  constructor(
    plain: PlainRequest,
    service: Service,
    endpoint: CompiledEndpoint,
    match: Match | null,
    origin: string,
    id: string,
  ) {
    this.#plain = plain
    this.#match = match
    this.id = id
    this.method = plain.method
    const { target } = plain
    const cut = target.indexOf('?')
    this.path = cut < 0 ? target : target.slice(0, cut)
    this.queryText = cut < 0 ? '' : target.slice(cut + 1)
    this.query = Query.parse(this.queryText)
    this.accept = plain.header('accept')
    this.vouchedFor = plain.identity ?? null
    this.params = match?.params ?? {}
    this.namespace = match?.route.namespace ?? []
    this.suffixed =
      this.params['format'] !== undefined && !match!.route.parameters.includes('format')
    this.endpoint = endpoint
    this.endpointName = endpoint.facts.name
    this.settings = endpoint.settings
    const isSeen = endpoint.settings.observe !== null || requestChannels.end.hasSubscribers
    this.began = isSeen ? (plain.began ?? performance.now()) : 0
    this.service = service
    this.seals = service.seals
    this.trustedOrigins = service.trustedOrigins
    this.urls = service.urls
    this.logSeldom = service.logSeldom
    this.origin = origin
    this.accepted = endpoint.firstAccepted
    const { urlFormatOverride } = this.settings
    if (this.suffixed) this.format = this.params['format'] as string
    else this.format = urlFormatOverride === null ? null : this.query.get(urlFormatOverride)
  }

  /** A copy of the request with another method, or at another endpoint, to find out how that one would be answered. */
  as(method: string, elsewhere?: Elsewhere): Context {
    const { user, auth, authenticator, authenticatedAt, version, accepted, consulted } = this
    const { body, original, id, root } = this
    const { endpoint, ...place } = elsewhere ?? { endpoint: this.endpoint, root }
    const other = new Context(this.#plain, this.service, endpoint, this.#match, this.origin, id)
    const identity = { user, auth, authenticator, authenticatedAt }
    const known = { method, ...identity, version, accepted, consulted }
    // The copy shares the body, so that the body is not read twice.
    return Object.assign(other, { ...known, ...place, body, original, '~trace': this['~trace'] })
  }

  /** Would the permissions let the client use this method here? The method's handler is not asked. */
  async permits(method: string): Promise<boolean> {
    try {
      await this.endpoint.checkPermissions?.(this.as(method))
      return true
    } catch (error) {
      if (error instanceof ApiError) return false
      throw error
    }
  }

  /**
   * The answer to a GET elsewhere in this service, as a part of a page for the same client. The schemes and permissions
   * there are asked again. `headers` replace those of the request.
   */
  ask(target: string, headers: Readonly<Record<string, string>>): MaybePromise<PlainReply> {
    const { scheme, environ, vouched, identity, gone } = this.#plain
    const header = (name: string): string | null => {
      if (Object.hasOwn(headers, name)) return headers[name]!
      return NEVER_VARIES.has(name) ? null : this.#plain.header(name)
    }
    const plain = { method: 'GET', target, scheme, environ, body: null, header }
    return this.service.handle({
      ...plain,
      vouched: vouched ?? false,
      gone: gone ?? false,
      signal: this.signal,
      forPage: true,
      ...(identity && { identity }),
    })
  }

  /** `null`: there is no such address. */
  get route(): Route | null {
    return this.#match?.route ?? null
  }

  get environ(): Environ {
    return this.#plain.environ
  }

  // The forwarded headers are not noted for `Vary`: they decide whether an answer is given, not how it looks.
  get client(): string {
    const peer = this.#plain.environ['REMOTE_ADDR'] ?? ''
    return clientOf(this.#plain, peer, this.settings, () =>
      this.logSeldom('forwarded', untrusted(peer)),
    )
  }

  get counters(): Counters {
    const { counters } = this.service
    const { onStoreError } = this.settings
    return {
      hit: (limits, options) => counters.hit(limits, { onStoreError, ...options }),
      withdraw: (limits, counted) => counters.withdraw(limits, counted),
    }
  }

  get guesses(): Guesses | null {
    const { credentialFailures } = this.settings
    if (credentialFailures === null) return null
    return (this.#guesses ??= this.service.guessLimits.of(this, credentialFailures))
  }

  /** Will a person see the answer, whatever its format? */
  get isForPage(): boolean {
    return this.accepted.renderer.prepare !== undefined || (this.#plain.forPage ?? false)
  }

  get gone(): boolean {
    return this.#plain.gone ?? false
  }

  get signal(): AbortSignal {
    return (this.#signal ??= this.#plain.signal ?? new AbortController().signal)
  }

  get timeZone(): string {
    return this['~zone']?.name ?? 'UTC'
  }

  get '~zone'(): TimeZone | null {
    return (this.#zone ??= { clocks: this.#findZone() }).clocks
  }

  get url(): URL {
    // Handlers may read any parameter of this URL, so all names count as read.
    this.query.names()
    return (this.#url ??= new URL(this.origin + this.#plain.target))
  }

  get reverse(): Reverse<unknown> {
    return (this.#links ??= new RequestLinks(this)).reverse
  }

  get linker(): RequestLinks['linker'] {
    return (this.#links ??= new RequestLinks(this)).linker
  }

  get resolve(): RequestLinks['resolve'] {
    return (this.#links ??= new RequestLinks(this)).resolve
  }

  // Handlers take requests apart, `({ header, body }) => …`: what they take must work alone.
  readonly header = (name: string): string | null => {
    if (!NEVER_VARIES.has(name) && !this.consulted.includes(name)) this.consulted.push(name)
    return this.#plain.header(name)
  }

  readonly body: Incoming['body'] = (schema?: StandardSchema): Promise<never> => {
    this.#body ??= this.#readBody()
    if (schema === undefined) return this.#body as Promise<never>
    const { nonFieldErrorsKey } = this.settings
    return this.#body.then((body) =>
      readBySchema(schema, body, nonFieldErrorsKey),
    ) as Promise<never>
  }

  // Made when it is asked for: few requests do.
  get onEnd(): Incoming['onEnd'] {
    const { original } = this
    return (task) => {
      original.endings ??= []
      original.endings.push(task)
    }
  }

  get afterAnswer(): Incoming['afterAnswer'] {
    const { original } = this
    return (task) => {
      if (original.isAnswered) original.service.afterAnswers.begin([task], original)
      else (original.tasks ??= []).push(task)
    }
  }

  readonly checkObjectPermissions = (target: unknown): Promise<void> | void => {
    this.target = target
    return withFreshReads(() => this.endpoint.checkObjectPermissions?.(this, target))
  }

  #findZone(): TimeZone | null {
    const { timeZone } = this.settings
    // The function may give no text: users of another endpoint may lack the member that it reads, or a claim may have
    // another type.
    const given: unknown = typeof timeZone === 'string' ? timeZone : (timeZone(this) ?? 'UTC')
    const name = typeof given === 'string' ? given : typeof given
    if (name === 'UTC') return null
    const zone = this.service.zones.named(name)
    if (zone === null) this.logSeldom('zone', unknownZone(name))
    return zone
  }

  async #readBody(): Promise<unknown> {
    try {
      return await readBody(this.#plain, this)
    } catch (error) {
      // Showing the error reads the body again, and finds an empty form (R33).
      this.#body = Promise.resolve(new Form())
      throw error
    }
  }
}

/**
 * A request as the kernel has it: its endpoint, the other endpoints and addresses of the service, and the same request as
 * another method would have it. For pages and documents, which ask more than handlers do.
 *
 * @example const { routes } = contextOf(request).urls
 */
export function contextOf(request: Incoming): Context {
  return request as unknown as Context
}

/**
 * The record about a peer that is not trusted. The peer may be a stranger who makes the header up, or a server in front,
 * whose clients all count as one client then.
 */
function untrusted(peer: string): Readonly<Record<string, unknown>> {
  const error =
    'X-Forwarded-For of a peer that is not trusted was ignored, so that all who come through it count as one client. ' +
    'If it is a server of yours, name it in TRUSTED_PROXIES: its address, its network or "unix".'
  return { event: 'client.untrusted_proxy', peer, error }
}

function unknownZone(name: string): Readonly<Record<string, unknown>> {
  const error = 'The function timeZone gave a name that is no time zone, so that UTC is shown.'
  return { event: 'time_zone.unknown', zone: name.slice(0, SHOWN), error }
}

/** Reads and parses the body: type first (415), then bytes (413), then meaning (400). */
export async function readBody(plain: PlainRequest, request: Incoming): Promise<unknown> {
  const { parsers, maxBodySize: limit } = request.settings
  const contentType = plain.header('content-type')
  if (plain.body !== null) refuseEncoded(plain.header('content-encoding'))
  const streams = parsers.some(({ parseStream }) => parseStream !== undefined)
  const found = streams ? findParser(parsers, contentType) : null
  if (found?.parser.parseStream !== undefined)
    return found.parser.parseStream(piecesOf(plain.body, limit), found.type, request)
  if (plain.body === null) return emptyBody(contentType)
  // A body of no stated length may turn out to be empty, and an empty body cannot have a wrong type (R34).
  const early = plain.body.length === null ? await allOf(plain.body, limit) : null
  if (early?.length === 0) return emptyBody(contentType)
  const { parser, type } = selectParser(parsers, contentType)
  const bytes = early ?? (await allOf(plain.body, limit))
  return bytes.length === 0 ? emptyBody(contentType) : parser.parse(bytes, type, request)
}

/**
 * Refuses compressed bodies (RFC 9110 §15.5.16). Unpacked, a body may be a thousand times as long as any limit; read without
 * unpacking, its bytes may mean something else.
 */
function refuseEncoded(header: string | null): void {
  const codings = (header ?? '').split(',').map((coding) => coding.trim().toLowerCase())
  if (codings.every((coding) => coding === '' || coding === 'identity')) return
  const encoding = header!.slice(0, SHOWN)
  const detail = Message.of('unsupported_media_type.encoding', { encoding })
  throw new UnsupportedMediaType(encoding, detail, { 'Accept-Encoding': 'identity' })
}

/** Characters of a header in a message. */
const SHOWN = 100

/** The data of a missing body: an empty form if a form was announced, else an empty object (R34). */
function emptyBody(contentType: string | null): object {
  return isOfForm(contentType) ? new Form() : {}
}

async function allOf(body: Body, limit: number): Promise<Uint8Array> {
  try {
    return await body.bytes(limit)
  } catch (error) {
    throw refusalOf(error)
  }
}

async function* piecesOf(body: Body | null, limit: number): AsyncGenerator<Uint8Array> {
  if (body === null) return
  try {
    yield* body.chunks(limit)
  } catch (error) {
    throw refusalOf(error)
  }
}

/**
 * The error of a body that broke off. A client that goes away in the middle causes no failure of ours; a surrounding server
 * that has already read the body does.
 */
function refusalOf(error: unknown): Error {
  if (error instanceof ApiError || error instanceof ConfigurationError) return error
  return new ParseError(Message.of('parse_error.incomplete'))
}
