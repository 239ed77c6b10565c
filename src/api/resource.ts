import type { Behaviour, Verb } from '../contract/kernel.ts'
import type { Permission } from '../contract/permission.ts'
import type { ApiRequest } from '../contract/request.ts'
import type { SerializerToCome } from '../endpoints/serializer-choice.ts'
import {
  type ResourceBehaviours,
  type ResourceParts,
  resourceBehaviours,
} from '../endpoints/resource-behaviours.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import type {
  AnyStore,
  ResourceAction,
  ResourceName,
  ResourceRequest,
  ResourceSpec,
  SerializerFor,
  StandardAction,
  StoreToCome,
} from './resource-types.ts'
import type { Answering, Endpoint, Group, Scope } from './types.ts'

/**
 * Declares all endpoints of a resource: `article-list` with GET (list) and POST (create), `article-detail`
 * with GET (retrieve), PUT (update), PATCH (partial update) and DELETE (destroy), and one for every more
 * action (X1–X4). Policy is that of the group.
 *
 * @throws ConfigurationError an action without a verb, or one that is called `list` or `detail`
 * @example
 * const articles = sqlTable({ database, db, table: 'article', key: 'id' })
 * export default api.serve([...resource(api, 'article', { store: articles, serializer: article })])
 */
export function resource<
  S extends Scope,
  R,
  const N extends ResourceName<R>,
  Z extends SerializerFor<ResourceRequest<S, R, N>, A, Store> = SerializerToCome<
    ResourceRequest<S, R, N>
  >,
  Store extends AnyStore = StoreToCome,
  const A extends StandardAction = StandardAction,
>(
  group: Group<S, R>,
  name: N,
  spec: ResourceSpec<S, R, N, A, Z, Store>,
): readonly Endpoint<never>[] {
  // The types have checked it against the addresses and the store; from here on it is one of many.
  const begin = group as unknown as Beginning
  const parts = spec as unknown as UntypedSpec
  const behaviours = resourceBehaviours({ ...parts, detail: addressOf(name, 'detail') })
  return [
    ...standardEndpoints(begin, name, parts, behaviours),
    ...Object.entries(parts.actions ?? {}).map(([action, { title, description, ...how }]) => {
      const options = { ...(title && { title }), ...(description && { description }) }
      return actionEndpoint(begin.endpoint(checkedName(name, action), options), how, behaviours)
    }),
  ]
}

interface Beginning {
  endpoint(name: string, options?: object): Endpoint<ApiRequest>
}

type UntypedAction = ResourceAction<ApiRequest, unknown>

interface UntypedSpec extends Omit<ResourceParts, 'detail'> {
  readonly only?: readonly StandardAction[]
  readonly permissions?: Readonly<Partial<Record<StandardAction, readonly Permission[]>>>
  readonly actions?: Readonly<Record<string, UntypedAction>>
}

/** Where the standard actions are (X1). */
const PLACES: readonly (readonly [
  place: 'list' | 'detail',
  verbs: readonly (readonly [Verb, StandardAction])[],
])[] = [
  [
    'list',
    [
      ['get', 'list'],
      ['post', 'create'],
    ],
  ],
  [
    'detail',
    [
      ['get', 'retrieve'],
      ['put', 'update'],
      ['patch', 'partialUpdate'],
      ['delete', 'destroy'],
    ],
  ],
]

/** X2: an address without any action is not served. */
function standardEndpoints(
  begin: Beginning,
  name: string,
  { only, permissions = {} }: UntypedSpec,
  behaviours: ResourceBehaviours,
): readonly Endpoint<ApiRequest>[] {
  return PLACES.flatMap(([place, verbs]) => {
    const wanted = verbs.filter(([, action]) => only?.includes(action) ?? true)
    if (wanted.length === 0) return []
    return wanted.reduce(
      (endpoint, [verb, action]) => {
        const own = permissions[action]
        const behaviour: Behaviour = behaviours[action]()
        return endpoint[verb](own === undefined ? behaviour : { ...behaviour, permissions: own })
      },
      begin.endpoint(addressOf(name, place)),
    )
  })
}

const addressOf = (name: string, place: 'list' | 'detail'): string => `${name}-${place}`

function actionEndpoint(
  endpoint: Endpoint<ApiRequest>,
  { detail, ...verbs }: UntypedAction,
  { object }: ResourceBehaviours,
): Endpoint<ApiRequest> {
  const handlers = Object.entries(verbs) as [Verb, Answering<ApiRequest> & OfOne][]
  if (handlers.length === 0)
    throw new ConfigurationError(`The action ${endpoint.name} answers no verb: say get or post.`)
  return handlers.reduce(
    (before, [verb, handler]) => before[verb](detail ? aboutOne(handler, object) : handler),
    endpoint,
  )
}

type OfOne = (request: ApiRequest, row: unknown) => unknown

function aboutOne(handler: OfOne, object: ResourceBehaviours['object']): Answering<ApiRequest> {
  return async (request) => handler(request, await object(request))
}

/** X4: these names are taken. */
function checkedName(name: string, action: string): string {
  if (action !== 'list' && action !== 'detail') return `${name}-${action}`
  throw new ConfigurationError(
    `The resource ${name} has an action "${action}": that name belongs to its own address.`,
  )
}
