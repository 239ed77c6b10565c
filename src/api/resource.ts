import type { Behaviour, Verb } from '../contract/kernel.ts'
import type { QuerySource } from '../contract/list-source.ts'
import type { ApiRequest } from '../contract/request.ts'
import type { RowStore } from '../contract/list-source.ts'
import type { InputSerializer } from '../contract/serializer.ts'
import { filtered } from '../endpoints/filtered.ts'
import { found, retrieve } from '../endpoints/found.ts'
import { DeclaredFields } from '../endpoints/list-fields.ts'
import { list } from '../endpoints/list.ts'
import { chosen } from '../endpoints/serializer-choice.ts'
import type { SerializerToCome } from '../endpoints/writing.ts'
import { create, destroy, partialUpdate, update } from '../endpoints/writing.ts'
import { ValidationError } from '../errors/api-errors.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { ErrorDetail } from '../errors/detail.ts'
import { oncePer } from '../std/once.ts'
import type {
  AnyStore,
  ResourceName,
  ResourceRequest,
  SerializerFor,
  StandardAction,
  StoreToCome,
} from '../types/resources.ts'
import type { Scope } from '../types/scope.ts'
import type { ResourceAction, ResourceOptions, ResourceSpec } from './resource-types.ts'
import type { Answering, Endpoint, Group } from './types.ts'

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
  const { store, actions = {} } = parts
  // Narrowing a store for a request is done once for it.
  const storeFor = typeof store === 'function' ? oncePer(store) : () => store
  const find = finder(parts, storeFor)
  const behaviours = behavioursOf(name, parts, storeFor, find)
  return [
    ...standardEndpoints(begin, name, parts, behaviours),
    ...Object.entries(actions).map(([action, { title, description, ...how }]) =>
      actionEndpoint(begin.endpoint(checkedName(name, action), { title, description }), how, find),
    ),
  ]
}

interface Beginning {
  endpoint(name: string, options?: object): Endpoint<ApiRequest>
}

type AnyRow = Readonly<Record<string, unknown>>
type UntypedStore = RowStore<AnyRow, unknown, unknown, unknown, QuerySource<AnyRow, string>>
type UntypedAction = ResourceAction<ApiRequest, unknown>
type UntypedSpec = ResourceOptions<
  ApiRequest,
  ApiRequest,
  ApiRequest,
  StandardAction,
  InputSerializer<AnyRow>,
  UntypedStore,
  Readonly<Record<string, UntypedAction>>
>

type StoreFor = (request: ApiRequest) => UntypedStore
type Find = (request: ApiRequest) => Promise<AnyRow | null>

/** What each standard action does (X1). */
function behavioursOf(
  name: string,
  parts: UntypedSpec,
  storeFor: StoreFor,
  find: Find,
): Readonly<Record<StandardAction, Behaviour>> {
  const {
    performCreate = (input, _request, store) => store.insert(input),
    performUpdate = (row, input, _request, store) => store.update(row[store.key], input, row),
    performDestroy = (row, _request, store) => store.remove(row[store.key], row),
  } = parts
  const { store, serializer } = parts
  const writable = (input: unknown, request: ApiRequest): UntypedStore => {
    const narrowed = storeFor(request)
    checkKey(input, narrowed.key, `${name}-detail`, parts, request)
    return narrowed
  }
  const change = {
    find,
    serializer,
    save: (input: unknown, request: ApiRequest, row: AnyRow) =>
      performUpdate(row, input, request, writable(input, request)),
  }
  return {
    list: list<ApiRequest, AnyRow, QuerySource<AnyRow, string>>({
      ...parts,
      // A store that is there before any request is known at start-up, with its fields.
      source: typeof store === 'function' ? (request) => storeFor(request).source : store.source,
    }),
    create: create({
      serializer,
      save: (input, request: ApiRequest) => performCreate(input, request, writable(input, request)),
    }),
    retrieve: retrieve({ find, serializer }),
    update: update(change),
    partialUpdate: partialUpdate(change),
    destroy: destroy({
      find,
      remove: (row, request: ApiRequest) => performDestroy(row, request, storeFor(request)),
    }),
  }
}

/** A row that its own address cannot name could neither be read nor deleted again: 400 at the key's field. */
function checkKey(
  input: unknown,
  key: string,
  detail: string,
  { lookup = key, serializer }: UntypedSpec,
  request: ApiRequest,
): void {
  const value = (input as AnyRow | null | undefined)?.[key]
  if (typeof value !== 'string' && typeof value !== 'number') return
  const link = request.linker(detail).to(lookup)
  if (link === null || link(value) !== null) return
  const field = chosen(serializer, request).nameOf?.(key, request) ?? key
  throw new ValidationError({ [field]: [ErrorDetail.of('invalid.address')] })
}

/** The row of the address: in the store, and among those that the filters leave (G4, Z6). */
function finder(parts: UntypedSpec, storeFor: StoreFor): Find {
  const fields = new DeclaredFields(parts, parts.serializer)
  return async (request) => {
    const store = storeFor(request)
    const { key, source } = store
    const row = await store.find(keyIn(request, parts.lookup ?? key))
    if (row === null) return row
    const filters = parts.filters ?? request.settings.filters
    const narrowing = filters.filter(({ narrows = true }) => narrows)
    const named = fields.in(chosen(parts.serializer, request), request)
    const left = filtered(source, narrowing, named, request)
    if (left.source === source) return row
    const same = left.source.where([{ field: key, operator: 'equals', value: row[key] }])
    const rows = await same.slice(0, 1)
    return rows.length > 0 ? row : null
  }
}

/** The parameter of this name, else the last one of the address. */
function keyIn({ params }: ApiRequest, name: string): unknown {
  const last = Object.keys(params).findLast((each) => each !== 'format')
  return params[name] ?? params[last ?? name]
}

/** Where the standard actions are, and by which verb (X1). */
const STANDARD: readonly [action: StandardAction, place: 'list' | 'detail', verb: Verb][] = [
  ['list', 'list', 'get'],
  ['create', 'list', 'post'],
  ['retrieve', 'detail', 'get'],
  ['update', 'detail', 'put'],
  ['partialUpdate', 'detail', 'patch'],
  ['destroy', 'detail', 'delete'],
]

/** An address without any action is not served (X2). */
function standardEndpoints(
  begin: Beginning,
  name: string,
  { only, permissions = {} }: UntypedSpec,
  behaviours: Readonly<Record<StandardAction, Behaviour>>,
): readonly Endpoint<ApiRequest>[] {
  const wanted = STANDARD.filter(([action]) => only?.includes(action) ?? true)
  return [...Map.groupBy(wanted, ([, place]) => place)].map(([place, actions]) => {
    const handlers = actions.map(([action, , verb]): [Verb, Behaviour] => {
      const own = permissions[action]
      return [verb, { ...behaviours[action], ...(own && { permissions: own }) }]
    })
    return withVerbs(begin.endpoint(`${name}-${place}`), handlers)
  })
}

function actionEndpoint(
  endpoint: Endpoint<ApiRequest>,
  { detail, ...verbs }: UntypedAction,
  find: Find,
): Endpoint<ApiRequest> {
  const handlers = Object.entries(verbs) as [Verb, Answering<ApiRequest> & OfOne][]
  if (handlers.length === 0)
    throw new ConfigurationError(`The action ${endpoint.name} answers no verb: say get or post.`)
  return withVerbs(
    endpoint,
    handlers.map(([verb, handler]) => [verb, detail ? aboutOne(handler, find) : handler]),
  )
}

function withVerbs(
  endpoint: Endpoint<ApiRequest>,
  handlers: readonly [Verb, Answering<ApiRequest>][],
): Endpoint<ApiRequest> {
  return handlers.reduce((before, [verb, handler]) => before[verb](handler), endpoint)
}

type OfOne = (request: ApiRequest, row: unknown) => unknown

function aboutOne(handler: OfOne, find: Find): Answering<ApiRequest> {
  return async (request) => handler(request, await found(request, find(request)))
}

/** The names of the standard addresses are taken (X4). */
function checkedName(name: string, action: string): string {
  if (action !== 'list' && action !== 'detail') return `${name}-${action}`
  const problem = `has an action "${action}": that name belongs to its own address.`
  throw new ConfigurationError(`The resource ${name} ${problem}`)
}
