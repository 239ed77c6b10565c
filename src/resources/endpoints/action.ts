import type { Behaviour } from '../../core/ports/kernel.ts'
import type { Permission } from '../../core/ports/policies/permissions.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { Settings } from '../../core/ports/settings/settings.ts'
import type {
  AnyInputSerializer,
  InputOf,
  InputSerializer,
  RowShownBy,
  Serializer,
} from '../../core/ports/serializer.ts'
import { type MaybePromise, after } from '../../core/std/after.ts'
import { attempt } from '../../core/std/attempt.ts'
import type { EndpointOptions, Endpoint } from '../../core/app/group.ts'
import type { AnswersRow } from '../../core/types/answers.ts'
import type { ActionName, At } from '../../core/types/resources.ts'
import type { Misjudged, Permitted, TypedSettings } from '../../core/types/typed-settings.ts'
import type { Choice } from '../serializers/serializer.ts'
import type { MayThrow } from './own-errors.ts'
import { type AnyWriting, writeBehaviour } from './writing.ts'
import type { EndpointName } from '../../core/types/routes.ts'
import { refuseOthers } from '../../core/settings/options.ts'
import { explainName } from '../../core/urls/explain-no-link.ts'
import { NoReverseMatch } from '../../core/errors/configuration-error.ts'

/** The input, output, permissions and work of an action. `I`, `O`, `Q`: the serializers and permissions, by verb. */
export interface ActionSpec<Rq, Given, I, O, Q = unknown, Verb = 'post'> extends MayThrow {
  /** The serializer of the body, or a function that chooses by the request. @default no body is read */
  readonly input?: Choice<Rq, InputSerializer<never, unknown, Rq>> & MemberOf<I, Verb>
  /** The serializer of the result, or a function that chooses by the request. @default the answer has no body */
  readonly output?: Choice<Rq, Serializer<never, unknown, Rq>> & MemberOf<O, Verb>
  /** Asked beside those of the endpoint, about the request and, in a resource, about the row. @default none */
  readonly permissions?: readonly Permission[] & Misjudged<MemberOf<Q, Verb>, Rq>
  /** The status of the answer. @default 200, and 204 without `output` */
  readonly status?: unknown extends MemberOf<O, Verb> ? 201 | 202 | 204 : 200 | 201 | 202
  /**
   * Does it, and gives what `output` shows; `null`: that is not there any more, 404. `input` is what was read. An
   * action of a resource is also given the `store` within the scope of the request, the row of the `parent`, and with
   * `detail` the `row`, which has been found and permitted.
   */
  readonly perform: (
    given: {
      readonly request: Permitted<Rq, MemberOf<Q, Verb>>
      readonly input: ReadBy<MemberOf<I, Verb>>
    } & Given,
  ) => MaybePromise<MadeFor<MemberOf<O, Verb>>>
}

type ReadBy<I> = unknown extends I
  ? undefined
  : I extends AnyInputSerializer
    ? InputOf<I>
    : I extends (request: never) => infer Each
      ? InputOf<Each>
      : never
type MadeFor<O> = unknown extends O
  ? unknown
  : RowShownBy<O extends (request: never) => infer Each ? Each : O> | null

/** The answer of an action, for clients: `null` without `output`. */
export type AnswersAction<I, O> = AnswersRow<
  O,
  unknown extends O ? null : unknown,
  unknown extends I ? never : I
>

/**
 * One more action: its verbs, and whether it is about one object: `detail` is always given. `I` and `O` are what each verb
 * reads and shows that says so.
 */
export type ResourceAction<
  Rq,
  Row,
  Store,
  Parent = undefined,
  I = unknown,
  O = unknown,
  Q = unknown,
> =
  | ActionOf<
      Rq,
      false,
      ((request: Rq, store: Store, parent: Parent) => unknown) | Behaviour<Rq>,
      GivenAll<Store, Parent>,
      I,
      O,
      Q
    >
  | ActionOf<
      Rq,
      true,
      (request: Rq, row: Row, store: Store, parent: Parent) => unknown,
      GivenOne<Row, Store, Parent>,
      I,
      O,
      Q
    >

interface GivenAll<Store, Parent> {
  readonly store: Store
  readonly parent: Parent
}
interface GivenOne<Row, Store, Parent> extends GivenAll<Store, Parent> {
  readonly row: Row
}

interface ActionOf<Rq, Detail, Plain, Given, I, O, Q> extends EndpointOptions {
  readonly detail: Detail
  /** A style for `paginated` and `list` in it. @default that of the resource, else the setting `pagination` */
  readonly pagination?: Settings['pagination']
  /** Filters for `paginated` and `list` in it. @default those of the resource, else the setting `filters` */
  readonly filters?: Settings['filters']
  /**
   * Parameters of the query that the action reads. Those of the list's filters then narrow it, too: with `['status']`,
   * `?status=open` is 404 where the row has another one. @default none
   */
  readonly queryParams?: readonly string[]
  readonly get?: Plain | BodylessSpec<Rq, Given, O, Q, 'get'>
  readonly post?: Plain | ActionSpec<Rq, Given, I, O, Q, 'post'>
  readonly put?: Plain | ActionSpec<Rq, Given, I, O, Q, 'put'>
  readonly patch?: Plain | ActionSpec<Rq, Given, I, O, Q, 'patch'>
  readonly delete?: Plain | BodylessSpec<Rq, Given, O, Q, 'delete'>
}
/**
 * The options of GET and DELETE, whose bodies mean nothing (RFC 9110, 9.3.1 and 9.3.5) and may be refused by servers in
 * front.
 */
type BodylessSpec<Rq, Given, O, Q, Verb> = ActionSpec<Rq, Given, unknown, O, Q, Verb> & {
  readonly input?: never
}
type MemberOf<All, K> = K extends keyof All ? All[K] : unknown

/** The actions of a resource. */
export type ActionsOf<S extends TypedSettings, R, N extends string, Row, Store, Parent, I, O, Q> = {
  readonly [K in ActionName<R, N>]?: ResourceAction<
    At<S, R, `${N}-${K}`>,
    Row,
    Store,
    Parent,
    MemberOf<I, K>,
    MemberOf<O, K>,
    MemberOf<Q, K>
  >
}

/** The endpoints of its actions, as far as their answers are known. */
export type ActionEndpoints<N extends string, I, O> = {
  [K in keyof I & string]: Endpoint<
    never,
    AnswersOf<I[K], MemberOf<O, K>, DeclaredVerbs<I[K], MemberOf<O, K>>>,
    `${N}-${K}`
  >
}[keyof I & string]
/** The verbs of an action that declare their input or output. */
type DeclaredVerbs<I, O> = {
  [V in keyof I]: unknown extends I[V] & MemberOf<O, V> ? never : V
}[keyof I]
type AnswersOf<I, O, Verbs extends keyof I> = [Verbs] extends [never]
  ? unknown
  : { readonly [V in Verbs]: AnswersAction<I[V], MemberOf<O, V>> }

/**
 * A handler that says what it reads and answers: its body is read and checked as that of `create`, and documents, forms
 * and clients know it. Without `input` no body is read, without `output` the answer has none (204). In a resource, the
 * options stand among its `actions` by themselves.
 *
 * @throws ValidationError (400) everything that is wrong with the body; NotFound: `perform` gave `null`
 * @throws ConfigurationError at start: GET or DELETE has an `input`, or `errors` is no status with codes
 * @example
 * api
 *   .endpoint('quote')
 *   .post(action({ input: basket, output: price, perform: ({ input, request }) => priceOf(input, request.user) }))
 */
export function action<Rq extends ApiRequest, I = unknown, O = unknown, const L = unknown>(
  spec: { readonly input?: I; readonly output?: O; readonly permissions?: L } & ActionSpec<
    NoInfer<Rq>,
    unknown,
    { readonly post: NoInfer<I> },
    { readonly post: NoInfer<O> },
    { readonly post: NoInfer<L> }
  >,
): Behaviour<Rq, AnswersAction<I, O>> {
  return actionBehaviour(spec as unknown as AnyAction, {}) as Behaviour<Rq, AnswersAction<I, O>>
}

/** An action as declared, once its types are checked. */
export interface AnyAction extends Partial<Pick<AnyWriting, 'output' | 'errors'>> {
  readonly input?: AnyWriting['serializer']
  readonly permissions?: readonly Permission[]
  readonly status?: number
  readonly perform: (given: object) => unknown
}

const OPTIONS = ['input', 'output', 'permissions', 'status', 'errors', 'perform']

/** The place of an action: the look-up before the body is read, and the members that `perform` gets from it. */
interface ActionPlace extends Pick<AnyWriting, 'before' | 'find' | '~around'> {
  readonly given?: (request: ApiRequest, row: unknown) => MaybePromise<object>
}

/** The behaviour of an action, in its place. */
export function actionBehaviour(spec: AnyAction, { given, ...place }: ActionPlace): Behaviour {
  refuseOthers('An action', spec, OPTIONS)
  const { input: serializer = null, output = null, permissions, errors, perform } = spec
  const { status = output === null ? 204 : 200 } = spec
  const save: AnyWriting['save'] = (input, request, row) =>
    after(given?.(request, row), (more) => perform({ request, input, ...more }))
  const behaviour = writeBehaviour({ ...place, serializer, output, save, errors }, { status })
  return {
    ...behaviour,
    ...(permissions && { permissions }),
    check: (settings, service) =>
      (serializer && bodyProblem(service.verb)) ?? behaviour.check!(settings, service),
  }
}

function bodyProblem(verb: string | undefined): string | null {
  if (verb !== 'get' && verb !== 'delete') return null
  return `"input" reads a body, and requests with ${verb.toUpperCase()} have none. Let the action answer post, or read the query (queryParams).`
}

type RoutesOf<Rq> = Rq extends ApiRequest<infer F> ? F['routes'] : never

/**
 * GET of a root page: an object of absolute addresses, by names of your choice (X5). They stay in the
 * version of the request and keep its format; within a namespace, names are looked for there first (X6).
 * What is not there, in this version, is left out.
 *
 * @example
 * api.endpoint('api-root').get(apiRoot({ articles: 'article-list', authors: 'author-list' }))
 */
export function apiRoot<Rq extends ApiRequest>(links: {
  readonly [member: string]: EndpointName<RoutesOf<NoInfer<Rq>>>
}): Behaviour<Rq> {
  const properties = Object.keys(links).map((member) => [member, { type: 'string', format: 'uri' }])
  const schema = { type: 'object', properties: Object.fromEntries(properties) }
  return {
    check: (_settings, { routes }) => {
      const names = [...new Set(routes.map(({ name }) => name))]
      const isThere = (wanted: string): boolean =>
        names.some((name) => name === wanted || name.endsWith(`:${wanted}`))
      const lost = Object.entries<string>(links).find(([, name]) => !isThere(name))
      return lost === undefined ? null : `Its link "${lost[0]}": ${explainName(lost[1], names)}`
    },
    operation: () => ({ body: null, answers: [{ status: 200, schema }] }),
    handle(request) {
      const urls = Object.entries<string>(links).map(([member, name]) => [
        member,
        linkTo(name, request),
      ])
      return Object.fromEntries(urls.filter(([, url]) => url !== null))
    },
  }
}

function linkTo(name: string, request: ApiRequest): string | null {
  const { namespace, params } = request
  const reverse = request.reverse as (name: string, params?: object) => string
  for (const each of namesOf(name, namespace)) {
    // The parameters under which the root itself is mounted: a version, a suffix.
    for (const given of [params, {}]) {
      const url = attempt(NoReverseMatch, () => reverse(each, given))
      if (url !== null) return url
    }
  }
  return null
}

/** The namespaces in which a name is looked for: those of the request, the innermost first, then outside. */
export function namesOf(name: string, namespace: readonly string[]): readonly string[] {
  const depths = [...namespace.keys(), namespace.length].toReversed()
  return depths.map((depth) => [...namespace.slice(0, depth), name].join(':'))
}
