import type { Authenticator, Accepted, Incoming, Settings, Identity } from '../contract/request.ts'
import type { MaybePromise } from '../std/after.ts'
import type { DoorReply, DoorRequest, Environ, Kernel } from '../contract/door.ts'
import type { Behaviour, ForTwo, Logger, ServedEndpoint } from '../contract/kernel.ts'
import type { ActedFor } from '../contract/answers.ts'
import type { InputForm } from '../contract/page.ts'
import type { Seals } from '../contract/service-facts.ts'
import type { StandardSchema } from '../types/standard-schema.ts'
import type { Counted, Counters, Guesses, Limit, Rate } from '../contract/throttling.ts'
import type { Reverse } from '../types/reverse.ts'
import type { Match } from '../types/routes.ts'
import { readBySchema } from '../errors/standard-schema.ts'
import type { Negotiation } from '../negotiation/negotiate.ts'
import { Form } from '../std/http/form.ts'
import { Query } from '../std/http/query.ts'
import type { Urls } from '../links/compile-urls.ts'
import { RequestLinks } from '../links/request-links.ts'
import type { LinkContext } from '../links/link-in-version.ts'
import { readBody } from './body.ts'
import { networkOfClient } from '../std/http/network.ts'

/** One step of a request, which returns a promise only when it has to wait. */
export type Slot = (request: Context) => Promise<void> | void

export type ObjectCheck = (request: Context, target: unknown) => Promise<void> | void

/** Of a request as the method would have it, and the object that it is about. */
export type FormOf = (request: Context, row: unknown) => MaybePromise<InputForm | null>

/** An endpoint ready to answer: every decision that does not need the request is made. */
export interface CompiledEndpoint extends ServedEndpoint {
  /** Value of `Allow` (R40, R41). */
  readonly allow: string
  /** What an answer is shown in where negotiation failed or has not happened (E15). */
  readonly firstAccepted: Accepted
  readonly negotiation: Negotiation
  // `null`: there is nothing to do.
  /** Refuses versions that are switched off. */
  readonly refuseGone: ((request: Context) => void) | null
  readonly checkPermissions: Slot | null
  readonly checkObjectPermissions: ObjectCheck | null
  readonly checkThrottles: Slot | null
  /** By method. */
  readonly handlers: ReadonlyMap<string, Answering>
  /** By method: what a page with a form for it shows. */
  readonly forms: ReadonlyMap<string, FormOf>
  readonly cors: Cors | null
  /** Value of `Cross-Origin-Resource-Policy`. */
  readonly resourcePolicy: string
  readonly versionHeaders: ((request: Context) => Readonly<Record<string, string>>) | null
}

/** What the pipeline asks of a behaviour at a request. */
export type Answering = Pick<
  Behaviour<Context>,
  'handle' | 'filterControls' | 'presentation' | 'takesPasswords'
>

/** The limits of a request, and how it stands with each. */
export interface CountedLimits extends Counted {
  readonly limits: readonly Limit[]
}

/** What pages of other origins may do with an endpoint (I21). */
export interface Cors {
  /** For every answer but that to a preflight; none where the origin is not admitted. */
  readonly headersFor: (request: Context) => Readonly<Record<string, string>>
  /** The answer to a preflight; `null`: the request is none. */
  readonly preflight: (request: Context) => DoorReply | null
}

/** What all endpoints of an application share. */
export interface Service {
  readonly urls: Urls
  /** By full name of the route. */
  readonly endpoints: ReadonlyMap<string, CompiledEndpoint>
  readonly trustedOrigins: readonly string[]
  /** Names that the service answers to, as the operator lists them. */
  readonly hosts: readonly string[]
  /** Value of `Strict-Transport-Security`. */
  readonly transportSecurity: string | null
  readonly logger: Logger
  /** What may happen any number of times is logged once a second for each kind, with a count. */
  readonly logSeldom: (kind: string, record: Readonly<Record<string, unknown>>) => void
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly seals: Seals
  readonly counters: Counters
  readonly guessLimits: { of(request: Context, rate: Rate): Guesses }
  /** Answers a request from the beginning. */
  readonly handle: Kernel['handle']
}

/** Another endpoint that a request may be thought to be about. */
type Elsewhere = Pick<Context, 'endpoint' | 'params' | 'query' | 'queryText'>

/** Headers about the body of a request, and about what a client has already: answers do not vary by them. */
const NEVER_VARIES: ReadonlySet<string> = new Set([
  'content-disposition',
  'content-length',
  'content-type',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'range',
])

/** One request; each step fills in what it finds out. */
export class Context implements LinkContext {
  /** The request that came, where this one only asks what another method would meet. */
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
  /** Whose view the user wants to see; `null`: their own. */
  acting: ActedFor<Context> | null = null
  readonly forTwo: ForTwo | null = null
  version: string | null = null
  accepted: Accepted
  /** `null`: it counts against no limit, or the store of counters is away. */
  counted: CountedLimits | null = null
  /** Names of the headers that were read: what `Vary` lists (I11). */
  readonly consulted: string[] = []
  readonly #door: DoorRequest
  readonly #match: Match | null
  #guesses: Guesses | null = null
  #url: URL | null = null
  #body: Promise<unknown> | null = null
  /** The request that came, wherever this one is thought to be about. */
  readonly came: Context = this
  /** What is to be done when the answer is made; `null`: nothing. */
  endings: ((status: number) => unknown)[] | null = null
  /** The object that it is about, once permissions were asked about it; `undefined`: none. */
  target: unknown = undefined
  #links: RequestLinks | null = null

  constructor(
    door: DoorRequest,
    service: Service,
    endpoint: CompiledEndpoint,
    match: Match | null,
    origin: string,
    id: string,
  ) {
    this.#door = door
    this.#match = match
    this.id = id
    this.method = door.method
    const { target } = door
    const cut = target.indexOf('?')
    this.path = cut < 0 ? target : target.slice(0, cut)
    this.queryText = cut < 0 ? '' : target.slice(cut + 1)
    this.query = Query.parse(this.queryText)
    this.accept = door.header('accept')
    this.vouchedFor = door.identity ?? null
    this.params = match?.params ?? {}
    this.namespace = match?.route.namespace ?? []
    this.suffixed =
      this.params['format'] !== undefined && !match!.route.parameters.includes('format')
    this.endpoint = endpoint
    this.endpointName = endpoint.facts.name
    this.settings = endpoint.settings
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

  /** The same request, as it were with another method, or elsewhere: to find out what that one would meet. */
  as(method: string, elsewhere?: Elsewhere): Context {
    const { user, auth, authenticator, version, accepted, consulted, body, came, id, root } = this
    const { endpoint, ...place } = elsewhere ?? { endpoint: this.endpoint, root }
    const other = new Context(this.#door, this.service, endpoint, this.#match, this.origin, id)
    const known = { method, user, auth, authenticator, version, accepted, consulted }
    // No body is read twice.
    return Object.assign(other, { ...known, ...place, body, came })
  }

  /**
   * The answer to a GET elsewhere in this service, as a part of a page for the same client: who asks, and what that one
   * may do, is found out again. `headers` take the place of those that came.
   */
  ask(target: string, headers: Readonly<Record<string, string>>): MaybePromise<DoorReply> {
    const { scheme, environ, vouched, identity, gone } = this.#door
    const header = (name: string): string | null => {
      if (Object.hasOwn(headers, name)) return headers[name]!
      return NEVER_VARIES.has(name) ? null : this.#door.header(name)
    }
    const door = { method: 'GET', target, scheme, environ, body: null, header }
    return this.service.handle({
      ...door,
      vouched: vouched ?? false,
      gone: gone ?? false,
      forPage: true,
      ...(identity && { identity }),
    })
  }

  get environ(): Environ {
    return this.#door.environ
  }

  get client(): string {
    return clientOf(this.#door, this)
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

  /** A person will see the answer, whatever it is rendered as. */
  get isForPage(): boolean {
    return this.accepted.renderer.prepare !== undefined || (this.#door.forPage ?? false)
  }

  get gone(): boolean {
    return this.#door.gone ?? false
  }

  get url(): URL {
    // What is read of it there is not known.
    this.query.names()
    return (this.#url ??= new URL(this.origin + this.#door.target))
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
    if (!this.consulted.includes(name) && !NEVER_VARIES.has(name)) this.consulted.push(name)
    return this.#door.header(name)
  }

  readonly body: Incoming['body'] = (schema?: StandardSchema): Promise<never> => {
    this.#body ??= this.#readBody()
    const body = schema === undefined ? this.#body : this.#bodyAs(schema, this.#body)
    return body as Promise<never>
  }

  // Made when it is asked for: few requests do.
  get onEnd(): Incoming['onEnd'] {
    const { came } = this
    return (task) => {
      came.endings ??= []
      came.endings.push(task)
    }
  }

  readonly checkObjectPermissions = (target: unknown): Promise<void> | void => {
    this.target = target
    return this.endpoint.checkObjectPermissions?.(this, target)
  }

  async #bodyAs(schema: StandardSchema, body: Promise<unknown>): Promise<unknown> {
    return readBySchema(schema, await body, this.settings.nonFieldErrorsKey)
  }

  async #readBody(): Promise<unknown> {
    try {
      return await readBody(this.#door, this)
    } catch (error) {
      // Showing the error reads the body again, and finds an empty form (R33).
      this.#body = Promise.resolve(new Form())
      throw error
    }
  }
}

/**
 * Who counts as one client. What the header says does not count among the headers that an answer varies by: it
 * decides whether there is an answer, not which.
 */
function clientOf(door: DoorRequest, { settings, logSeldom }: Context): string {
  const { numProxies: proxies, ipv6Prefix } = settings
  const forwarded = proxies === 0 ? null : door.header('x-forwarded-for')
  if (proxies === 'peer') {
    const peer = peerOf(door)
    if (forwarded !== null && !door.vouched) logSeldom('forwarded', untrusted(peer))
    return networkOfClient(peer, ipv6Prefix)
  }
  if (forwarded === null) return peerOf(door)
  if (proxies === null) return forwarded.replace(/\s/g, '')
  const hops = forwarded.split(',')
  return (hops.at(-proxies) ?? hops[0]!).trim()
}

function peerOf({ environ }: DoorRequest): string {
  return environ['REMOTE_ADDR'] ?? ''
}

/** It may be a stranger who makes it up, or a server in front, whose clients then all count as one. */
function untrusted(peer: string): Readonly<Record<string, unknown>> {
  const error =
    'X-Forwarded-For of a peer that is not trusted was ignored, so that all who come through it count as one client. ' +
    'If it is a server of yours, name it in TRUSTED_PROXIES: its address, its network or "unix".'
  return { event: 'client.untrusted_proxy', peer, error }
}
