import { type App, defineApi } from '../../preset/define-api.ts'
import type { Endpoint } from '../../core/app/group.ts'
import type {
  PlainReply,
  PlainRequest,
  Kernel,
  Body,
  Environ,
} from '../../core/ports/http-adapter.ts'
import { routesOf } from '../../addons/client/address.ts'
import type { ContractJudge } from '../../addons/openapi/judge.ts'
import type { AsJSON, AnswerData } from '../../core/types/answers.ts'
import { PayloadTooLarge } from '../../core/errors/api-errors.ts'
import type { AnonymousUser } from '../../core/ports/credentials.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { Settings } from '../../core/ports/settings/settings.ts'
import type { ParamsOf, RouteTable, Simplify, UrlTable } from '../../core/types/routes.ts'
import { configurationOf } from '../../core/settings/configuration.ts'

/** The parts of a test's request beside method and path. */
export interface RequestOptions {
  /** The user of the request, without asking a scheme. `auth` stands beside it. */
  readonly as?: unknown
  /** `request.auth` of the user given by `as`. @default null */
  readonly auth?: unknown
  /** Facts that a server would set: `{ REMOTE_USER: 'ada' }`. `REMOTE_ADDR` is 127.0.0.1 by default. */
  readonly environ?: Environ
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as the header `Cookie`: `response.cookies` of the login, for instance. */
  readonly cookies?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>
  /**
   * Sent as `multipart/form-data`, in this order: texts, and files of `File`, whose name and type are sent with them. A list
   * is sent under one name.
   */
  readonly multipart?: Readonly<Record<string, Part | readonly Part[]>>
  /** Sent as it is; give a `content-type` header with it. */
  readonly body?: string | Uint8Array
}

/** One value of a form with files. */
export type Part = string | Blob

/** The answer to a test. */
export interface TestResponse<Data = unknown> {
  readonly status: number
  /** Value of a header; `null` when it was not sent. */
  header(name: string): string | null
  /** Cookies that it sets, by name; `''` for one that it takes away. */
  readonly cookies: Readonly<Record<string, string>>
  readonly text: string
  /** The body read as JSON. */
  readonly data: Data
}

/** The target of a request to an endpoint. */
export interface EndpointTarget extends RequestOptions {
  /** Values for the parameters of its path. */
  readonly params?: Readonly<Record<string, string | number>>
  /** Behind the `?`. */
  readonly query?: Readonly<Record<string, string | number>>
  /** The version that the path, the query or the host name carries. @default as `app.urlFor` has it */
  readonly version?: string
}

type DataFrom<Answers, Verb extends string> =
  Answers extends Readonly<Record<Verb, infer Answer>> ? AsJSON<AnswerData<Answer>> : unknown

/** Sends one kind of request: to a path, or to an endpoint, whose answers then give `data` its type. */
export interface Send<Verb extends string> {
  (path: string, options?: RequestOptions): Promise<TestResponse>
  <Answers>(
    endpoint: Endpoint<never, Answers>,
    options?: EndpointTarget,
  ): Promise<TestResponse<DataFrom<Answers, Verb>>>
}

/** Asks an application without a socket. */
export type TestClient = { readonly [V in (typeof VERBS)[number]]: Send<V> } & {
  request(method: string, path: string, options?: RequestOptions): Promise<TestResponse>
  /**
   * From now on each answer that this client gets is held to the OpenAPI document of its version: status, required
   * headers, media type and body. One that is otherwise rejects, with a sentence that says where. So does an answer
   * with 2XX to a request that the document does not allow: an unknown parameter of the query, a body that does not
   * fit. Refusals of such requests are as they should be. What stands in no document is not judged. `npm install
   * --save-dev ajv ajv-formats` has the validator: without it the next request rejects.
   *
   * @throws TypeError the application was not made by `api.serve()`
   * @example
   * const { get } = client(app).expectContract()
   * await get('/v2/cities/') // rejects where a city is otherwise than its serializer says
   */
  expectContract(): TestClient
}

const VERBS = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete'] as const

/**
 * A client for tests: straight into the application, no server and no port. It does not open the application: tasks do not
 * start, and no tables are checked. `await app.open()` does that, and `await app.close()` ends it.
 *
 * @example
 * const { status, data } = await client(app).get('/articles/', { as: user })
 * const { data: me } = await client(app).get(meEndpoint, { as: user })
 */
export function client(app: TestedApp): TestClient {
  let judge: Promise<ContractJudge> | null = null
  const request: TestClient['request'] = async (method, path, options = {}) => {
    const held = await judge
    const plain = await toRequest(method, path, options)
    const answer = await toResponse(await app.handle(plain), method)
    if (held !== null) await hold(held, plain, answer)
    return answer
  }
  const send =
    (method: string) =>
    (target: string | Endpoint<never>, options: EndpointTarget = {}): Promise<TestResponse> =>
      request(method, typeof target === 'string' ? target : pathOf(app, target, options), options)
  const asks = VERBS.map((verb) => [verb, send(verb.toUpperCase())] as const)
  const expectContract = (): TestClient => {
    judge = judgeOf(app)
    // Requests say what went wrong; without one, it does not matter.
    judge.catch(() => undefined)
    return asking
  }
  const verbs = Object.fromEntries(asks) as Pick<TestClient, (typeof VERBS)[number]>
  const asking: TestClient = { request, expectContract, ...verbs }
  return asking
}

/** The parts of an application that a client asks; `api.serve()` makes the optional ones. */
type TestedApp = Kernel & Partial<Pick<App, 'urlFor' | 'describe' | 'service' | 'rehearse'>>

function judgeOf(app: TestedApp): Promise<ContractJudge> {
  if (app.describe === undefined || app.service === undefined || app.rehearse === undefined)
    throw new TypeError('expectContract(): documents are made of what api.serve() has made.')
  return import('../../addons/openapi/judge.ts').then(({ contractJudge }) =>
    contractJudge(app as App),
  )
}

async function hold(
  judge: ContractJudge,
  plain: PlainRequest,
  answer: TestResponse,
): Promise<void> {
  const { problem, misfit } = await judge.judge(plain, answer)
  const wrong = problem ?? (answer.status < 300 ? misfit : null)
  if (wrong !== null) throw new Error(wrong)
}

function pathOf(
  { urlFor }: Partial<Pick<App, 'urlFor'>>,
  { name }: Endpoint<never>,
  { params = {}, query = {}, version }: EndpointTarget,
): string {
  if (urlFor === undefined)
    throw new TypeError('client(): an endpoint has a path only in what api.serve() has made.')
  const path = urlFor(name as never, params as never, { ...(version !== undefined && { version }) })
  const text = new URLSearchParams(
    Object.entries(query).map(([key, value]) => [key, String(value)]),
  )
  return text.size === 0 ? path : `${path}?${text}`
}

/** The request that an adapter would make of the options. */
export async function toRequest(
  method: string,
  target: string,
  options: RequestOptions,
): Promise<PlainRequest> {
  const { as: user, auth = null, cookies, environ } = options
  const [type, payload] = await payloadOf(options)
  const headers = new Map<string, string>([['host', 'localhost']])
  if (type !== null) headers.set('content-type', type)
  if (cookies !== undefined) headers.set('cookie', cookieHeader(cookies))
  for (const [name, value] of Object.entries(options.headers ?? {}))
    headers.set(name.toLowerCase(), value)
  return {
    method,
    target,
    scheme: 'http',
    environ: { REMOTE_ADDR: '127.0.0.1', ...environ },
    ...(user !== undefined && { identity: { user, auth } }),
    body: payload === undefined ? null : bodyOf(payload),
    header: (name) => headers.get(name) ?? null,
  }
}

type Payload = readonly [type: string | null, payload: string | Uint8Array | undefined]

async function payloadOf({ json, form, multipart, body }: RequestOptions): Promise<Payload> {
  if (json !== undefined) return ['application/json', JSON.stringify(json)]
  if (form !== undefined)
    return ['application/x-www-form-urlencoded', new URLSearchParams(form).toString()]
  if (multipart === undefined) return [null, body?.length ? body : undefined]
  const encoded = new Response(formData(multipart))
  return [encoded.headers.get('content-type'), await encoded.bytes()]
}

function formData(parts: Required<RequestOptions>['multipart']): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(parts))
    for (const each of [value].flat() as readonly Part[])
      if (typeof each === 'string') data.append(name, each)
      else data.append(name, each)
  return data
}

/** Bytes that a parser of streams is given at once, as of a socket. */
const PIECE = 65_536

function bodyOf(payload: string | Uint8Array): Body {
  const bytes = Buffer.from(payload)
  const { length } = bytes
  const checked = (limit: number): Uint8Array => {
    if (length > limit) throw new PayloadTooLarge(limit)
    return bytes
  }
  return {
    length,
    bytes: async (limit) => checked(limit),
    async *chunks(limit) {
      for (let at = 0; at < length; at += PIECE) yield checked(limit).subarray(at, at + PIECE)
    },
  }
}

async function toResponse(reply: PlainReply, method: string): Promise<TestResponse> {
  const { status, headers, body, ended } = reply
  const text = method === 'HEAD' || body === null ? '' : await new Response(body as BodyInit).text()
  ended?.({ bytes: Buffer.byteLength(text), aborted: false })
  return {
    status,
    header: (name) => valueOf(headers, name.toLowerCase()),
    cookies: cookiesIn(headers),
    text,
    get data() {
      return JSON.parse(text) as unknown
    },
  }
}

function valueOf(headers: readonly string[], name: string): string | null {
  const found = headers.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === name)
  return found < 0 ? null : headers[found + 1]!
}

function cookieHeader(cookies: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(cookies).filter(([, value]) => value !== '')
  return pairs.map(([name, value]) => `${name}=${value}`).join('; ')
}

function cookiesIn(headers: readonly string[]): Readonly<Record<string, string>> {
  const pairs = headers
    .filter((_, i) => headers[i - 1]?.toLowerCase() === 'set-cookie')
    .map((line) => line.split(';', 1)[0]!)
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )
}

/** The parts of a test's request beside its path. */
export interface MadeRequest<
  Path extends string,
  User,
  Auth,
  Version extends string | null,
  T extends UrlTable,
> extends RequestOptions {
  /** @default 'GET' */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The user. @default the anonymous user, or the result of `unauthenticatedUser` of `settings` */
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
  const endpoints = Object.keys(routesOf(urls)).map((name) =>
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

function filled(pattern: string, params: object): string {
  const values = new Map(Object.entries(params).map(([name, value]) => [name, String(value)]))
  return pattern.replace(/(?<=\/):(\w+)(?:<[^>]*>)?/g, (all, name: string) => {
    const value = values.get(name)
    return value === undefined ? all : encodeURIComponent(value)
  })
}

function refusal({ status, body }: { readonly status: number; readonly body: unknown }): string {
  return `${status}${typeof body === 'string' ? ` ${body}` : ''}`
}

/** A clock that stands still until it is advanced. */
export interface FakeClock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number
  /** Moves on by so many milliseconds. */
  advance(milliseconds: number): void
}

/**
 * Makes a clock for tests.
 *
 * @example
 * const clock = fakeClock(new Date('2026-01-01T00:00:00Z'))
 * clock.advance(60_000)
 */
export function fakeClock(start: Date | number = 0): FakeClock {
  let time = Number(start)
  return {
    now: () => time,
    advance: (milliseconds) => {
      time += milliseconds
    },
  }
}
