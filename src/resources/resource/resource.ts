import type { Behaviour, ShownFacts, Verb } from '../../core/ports/kernel.ts'
import type { QuerySource } from '../../core/ports/list-source.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import { contextOf } from '../../core/pipeline/context.ts'
import { type MaybePromise, after } from '../../core/std/after.ts'
import { attempt } from '../../core/std/attempt.ts'
import { oncePer } from '../../core/std/once.ts'
import type { InputSerializer } from '../../core/ports/serializer.ts'
import { retrieve } from '../endpoints/retrieve.ts'
import { type AnyAction, type ResourceAction, actionBehaviour } from '../endpoints/action.ts'
import { withErrors } from '../endpoints/own-errors.ts'
import { LIST_OPTIONS, list } from '../endpoints/list.ts'
import { OneByOne, writeRows } from '../serializers/embedded-writes.ts'
import { type GivenRows, embedsIn, takenRows, writableIn } from '../serializers/embedding.ts'
import {
  type DeclaredSerializer,
  choose,
  chooseFor,
  knownChoices,
} from '../serializers/serializer.ts'
import {
  type SerializerToCome,
  create,
  destroy,
  partialUpdate,
  update,
} from '../endpoints/writing.ts'
import { ValidationError } from '../../core/errors/api-errors.ts'
import { ConfigurationError, NoReverseMatch } from '../../core/errors/configuration-error.ts'
import { isPlain, refuseOthers } from '../../core/settings/options.ts'
import { ErrorDetail } from '../../core/errors/detail.ts'
import { LinkMaker, paramsBeside } from '../serializers/links.ts'
import type {
  AnyStore,
  KeyValue,
  ParentColumns,
  ResourceName,
  ResourceRequest,
  RowOfStore,
  ScopeIn,
  SerializerFor,
  StandardAction,
  StoreToCome,
  WriteScopeBeforePerformCreate,
} from '../../core/types/resources.ts'
import type { TypedSettings } from '../../core/types/typed-settings.ts'
import { rowFinder, ownParam, paramsOfOne, sourceOf } from './lookup.ts'
import {
  Nesting,
  type OfAll,
  type OfOne,
  type ResourceFacts,
  aboutAll,
  aboutOne,
  shortName,
} from './nested.ts'
import type {
  AnyResource,
  Inferring,
  KnownByVersion,
  EndpointsOf,
  Fitting,
  OwnPermissions,
  ParentKey,
  Resource,
  ResourceOptions,
  ResourceSpec,
  StandardEndpoints,
} from './resource-types.ts'
import {
  type AnyRow,
  type UntypedStore,
  parseFactsFor,
  scopedStores,
  lackingColumn,
  leavingBy,
  type Versions,
  unfilledColumn,
  type RelatedScopes,
  settledIn,
  storeProblem,
  tenantsOf,
} from './tenant-scope.ts'
import type { Answering, Endpoint, Group } from '../../core/app/group.ts'

/**
 * Declares all endpoints of a resource: `article-list` with GET (list) and POST (create), `article-detail`
 * with GET (retrieve), PUT (update), PATCH (partial update) and DELETE (destroy), and one for every more
 * action (X1–X4). Policy is that of the group.
 *
 * @throws ConfigurationError an option that there is not, an action without a verb, or one that is called `list` or `detail`
 * @example
 * const articles = sqlTable({ database, db, table: 'article', key: 'id' })
 * export default api.serve([...resource(api, 'article', { store: articles, serializer: article })])
 */
export function resource<
  S extends TypedSettings,
  R,
  const N extends ResourceName<R>,
  Z extends SerializerFor<A> = SerializerToCome<ResourceRequest<S, R, N>>,
  Store extends AnyStore = StoreToCome,
  const A extends StandardAction = StandardAction,
  V extends MaybePromise<ScopeIn<Store>> | WriteScopeBeforePerformCreate =
    WriteScopeBeforePerformCreate,
  P extends AnyResource | undefined = undefined,
  const B extends ParentColumns<RowOfStore<Store>, ParentKey<P>> = never,
  Given extends PropertyKey = never,
  E = unknown,
  I = unknown,
  O = unknown,
  const G extends OwnPermissions = {},
  const Q = unknown,
>(
  group: Group<S, R>,
  name: N & Fitting<A, NoInfer<Z>, NoInfer<Store>, NoInfer<V>, NoInfer<B>, Given>,
  spec: ResourceSpec<S, R, N, A, Z, Store, V, P, B, Given, I, O, G, Q> & Inferring<E, I, O, Q>,
): Resource<RowOfStore<Store>, KeyValue<Store>, EndpointsOf<A, N, KnownByVersion<Z, E>, I, O>> &
  StandardEndpoints<A, N, KnownByVersion<Z, E>> {
  // The types have checked it against the addresses and the store; from here on it is one of many.
  const begin = group as unknown as Beginning
  const parts = spec as unknown as UntypedSpec
  const facts = factsOf(name, parts)
  const { actions = {} } = parts
  const endpoints = [
    ...standardEndpoints(begin, facts, parts),
    ...Object.entries(actions).map(([action, { title, description, ...given }]) => {
      const { pagination = parts.pagination, filters = parts.filters, ...how } = given
      const policy = { title, description, pagination, filters }
      return actionEndpoint(begin.endpoint(checkedName(name, action), policy), how, facts)
    }),
  ]
  const at = (place: string) => endpoints.find((each) => each.name === `${facts.name}-${place}`)
  const places = { list: at('list'), detail: at('detail'), '~resource': facts }
  return Object.assign(endpoints, places) as never
}

interface Beginning {
  endpoint(name: string, options?: object): Endpoint<ApiRequest>
}

type UntypedAction = ResourceAction<ApiRequest, unknown, unknown, unknown>
type UntypedSpec = ResourceOptions<
  ApiRequest,
  ApiRequest,
  ApiRequest,
  StandardAction,
  InputSerializer<AnyRow>,
  UntypedStore,
  Readonly<Record<string, UntypedAction>>,
  unknown,
  Resource<AnyRow | undefined> | undefined,
  string,
  OwnPermissions
>
type UntypedSource = QuerySource<AnyRow, string>

interface Facts extends ResourceFacts {
  /** The parameters of the query that narrow single objects, too. */
  readonly narrowing: ReturnType<typeof paramsOfOne>
  readonly nesting: Nesting | null
  readonly lacks: (
    served: Versions,
    order?: ReturnType<NonNullable<Behaviour['~order']>>,
  ) => Promise<string | null>
  readonly shown: Pick<ShownFacts, 'store' | 'isScoped' | 'lookup'>
  /** Do requests concern all rows of the store? */
  readonly isWhole: boolean
}

const OPTIONS = [
  ...LIST_OPTIONS.filter((name) => name !== 'source'),
  'store',
  'scope',
  'tenant',
  'parent',
  'by',
  'parentParam',
  'only',
  'lookup',
  'permissions',
  'errors',
  'validateInTransaction',
  'performCreate',
  'performUpdate',
  'performDestroy',
  'actions',
]

function factsOf(name: string, parts: UntypedSpec): Facts {
  refuseOthers(`The resource ${name}`, parts, OPTIONS)
  const { store, scope, parent, by, parentParam, lookup } = parts
  const tenant = [parts.tenant ?? []].flat()
  const known = typeof store === 'function' ? null : store
  const isWhole = scope === undefined && parent === undefined && tenant.length === 0
  const problem = isWhole ? null : known && storeProblem(known)
  if (problem !== null) throw new ConfigurationError(`The resource ${name}: ${problem}`)
  const writesMore = (knownChoices(parts.serializer) ?? []).some(
    (each) => writableIn(each).length > 0,
  )
  if ((parts.validateInTransaction !== undefined || writesMore) && known !== null)
    transactionsOf(known, name, parts.validateInTransaction)
  if (parent !== undefined && by === undefined)
    throw new ConfigurationError(`The resource ${name} has a parent: name its column with "by".`)
  const nesting = parent === undefined ? null : new Nesting(parent['~resource'], by!, parentParam)
  const storeFor = scopedStores({ store, scope, tenant }, nesting)
  const find = rowFinder(parts, storeFor)
  const narrowing = paramsOfOne(parts)
  const around = isWhole ? null : parseFactsFor(storeFor, tenant, by)
  const isScoped =
    scope !== undefined || tenant.length > 0 || (parent?.['~resource'].isScoped ?? false)
  const rows = { name, lookup, key: known?.key, storeFor, find, tenant, around, isScoped }
  const related = known === null ? [] : relatedIn(known, parts)
  const fills = isWhole && !parts.performCreate && (parts.only?.includes('create') ?? true)
  const lacks: Facts['lacks'] = async (served, order) =>
    (await lackingColumn(parts, related, order)) ?? (fills ? unfilledColumn(parts, served) : null)
  const shown = { store: known, isScoped, lookup }
  return { ...rows, nesting, isWhole, narrowing, lacks, shown }
}

/** The behaviour of each standard action (X1). */
function behavioursOf(
  facts: Facts,
  parts: UntypedSpec,
): Readonly<Record<StandardAction, Behaviour>> {
  const { storeFor, find, around } = facts
  const { serializer } = parts
  const { creating, changing, removing } = writersOf(facts, parts)
  const read = { serializer, '~writesEmbedded': true, ...(around && { '~around': around }) }
  const tenants = tenantsOf(parts, around !== null)
  const change = { find, ...read, save: changing }
  const leading = leadingFrom(facts, serializer)
  return {
    list: { ...showing(listed(parts, facts), facts, serializer), leadsTo: leading(true) },
    create: { ...create({ ...read, before: storeFor, save: creating }), '~tenants': tenants },
    retrieve: {
      ...showing(retrieve({ find, serializer }), facts, serializer),
      leadsTo: leading(false),
    },
    update: { ...update(change), '~tenants': tenants },
    partialUpdate: { ...partialUpdate(change), '~tenants': tenants },
    destroy: destroy({ find, remove: removing }),
  }
}

/** Keeps embedded rows within the scope of the request, like the rows themselves. */
function showing(given: Behaviour, { around }: Facts, serializer: unknown): Behaviour {
  const embeds = knownChoices(serializer)?.some((each) => embedsIn(each).length > 0) ?? true
  if (around === null || !embeds) return given
  return { ...given, handle: (request) => after(around(request), () => given.handle(request)) }
}

/** The page of a row, and those of rows that its keys name, where another resource of this service shows them. */
function leadingFrom({ name, key }: Facts, serializer: unknown) {
  const pagesIn = oncePer(rowPages)
  return (isList: boolean): NonNullable<Behaviour['leadsTo']> =>
    (request) => {
      const { service, settings } = contextOf(request)
      const pages = pagesIn(service)
      const isAlone = ({ others }: RowPage): boolean =>
        others.every((each) => each === settings.versionParam)
      const { fields = {}, namedFields } = chooseFor(
        serializer,
        request,
      ) as Partial<DeclaredSerializer>
      const names = namedFields?.(request)
      const links = Object.entries(fields).flatMap(([member, { relation, hasAddress }]) => {
        const { column, problem } = names!.get(member)!
        if (problem !== undefined || hasAddress) return []
        const page =
          column === key
            ? pages.find(({ route }) => isList && route === shortName(`${name}-detail`))
            : pages.find((each) => each.store === relation?.store && isAlone(each))
        const maker = page && new LinkMaker(page)
        const link = (value: string | number): string | null =>
          attempt(NoReverseMatch, () => maker!.find(value, request))
        return maker ? [[member, link] as const] : []
      })
      return { isList, byMember: new Map(links) }
    }
}

interface RowPage {
  readonly store: object
  readonly route: string
  readonly param: string
  /** The other parameters of its address. */
  readonly others: readonly string[]
}

function rowPages({
  endpoints,
  urls,
}: ReturnType<typeof contextOf>['service']): readonly RowPage[] {
  return [...endpoints.values()].flatMap(({ facts, behaviours }): readonly RowPage[] => {
    const { store = null, lookup } = behaviours.get?.['~shows'] ?? {}
    if (store === null || !facts.name.endsWith('-detail')) return []
    const { route } = urls.templates.byName.get(facts.name)![0]!
    const { key } = store as UntypedStore
    const param = ownParam(route, { lookup, key })
    const others = route.parameters.filter((each) => each !== param)
    return [{ store, route: shortName(facts.name), param, others }]
  })
}

/** The functions that write to the store, within its scope. */
function writersOf({ name, storeFor }: Facts, parts: UntypedSpec) {
  const {
    performCreate = (input, _request, store) => store.insert(input),
    performUpdate = (row, input, _request, store) => store.update(row[store.key], input, row),
    performDestroy = (row, _request, store) => store.remove(row[store.key], row),
    validateInTransaction: rule,
  } = parts
  /** Writes; with a rule, rule and write are one transaction. `next`: the row after the write; `null`: it is deleted. */
  const perform = <T>(
    store: UntypedStore,
    { written, next, given = [], ...change }: Performed,
    write: (store: UntypedStore, transaction?: unknown) => MaybePromise<T>,
  ): MaybePromise<T> => {
    if (rule === undefined && given.length === 0) return write(store)
    const begin = transactionsOf(store, name, rule)
    const work = (together: boolean): Promise<T> =>
      begin(async (transaction, within) => {
        await rule?.({ ...change, next: next(), store: within, transaction } as never)
        const made = await write(within, transaction)
        if (made === null) return made
        const { request, row } = change
        const how = { isNew: row === null, request, transaction, together }
        for (const each of given) await writeRows(each, made as AnyRow, how)
        return made
      }, written)
    return work(true).catch((error: unknown) => {
      if (error instanceof OneByOne) return work(false)
      throw error
    })
  }
  const saving = (input: unknown, request: ApiRequest, row?: AnyRow) =>
    after(storeFor(request), (kept) => {
      checkKey(input, kept.store.key, `${name}-detail`, parts, request)
      if (row !== undefined) checkTenant(input, row, parts, request)
      const { parent } = kept
      const given = takenRows(input)
      const values = (input ?? {}) as AnyRow
      const written = { verb: row === undefined ? 'insert' : 'update', values } as const
      const next = () => overRow(input, row)
      const change = { written, next, row: row ?? null, request, parent, given }
      return perform(settledIn(kept, request, row), change, (store, transaction) =>
        row === undefined
          ? performCreate(input, request, store, parent, transaction as never)
          : performUpdate(row, input, request, store, parent, transaction as never),
      )
    })
  return {
    // `saving` gives `null` if the row was gone, which cannot happen to a new row.
    creating: (input: unknown, request: ApiRequest) =>
      saving(input, request) as MaybePromise<AnyRow>,
    changing: saving,
    removing: (row: AnyRow, request: ApiRequest) =>
      after(storeFor(request), ({ store: kept, parent }) => {
        const written = { verb: 'delete', values: {} } as const
        const change = { written, next: () => null, row, request, parent }
        return perform(kept, change, (store, transaction) =>
          performDestroy(row, request, store, parent, transaction as never),
        )
      }),
  }
}

interface Performed {
  readonly written: { readonly verb: 'insert' | 'update' | 'delete'; readonly values: AnyRow }
  readonly next: () => AnyRow | null
  readonly row: AnyRow | null
  readonly request: ApiRequest
  readonly parent: AnyRow | undefined
  /** Rows of embedded fields, which are written in the same transaction. */
  readonly given?: readonly GivenRows[]
}

/** The input over the row: columns that were not sent stay as they are. */
function overRow(input: unknown, row: AnyRow = {}): AnyRow {
  const given = Object.entries(input ?? {}).filter(([, value]) => value !== undefined)
  return { ...row, ...Object.fromEntries(given) }
}

type InTransaction = <T>(
  work: (transaction: unknown, store: UntypedStore) => MaybePromise<T>,
  written: Performed['written'],
) => Promise<T>

/** @throws ConfigurationError the store has no transactions, which `rule` or the writing of embedded rows needs */
function transactionsOf(
  store: UntypedStore & { readonly inTransaction?: InTransaction },
  name: string,
  rule: UntypedSpec['validateInTransaction'],
): InTransaction {
  if (store.inTransaction !== undefined)
    return (work, written) => store.inTransaction!(work, written)
  const needing = rule ? 'validateInTransaction needs' : 'embedded rows that clients write need'
  throw new ConfigurationError(
    `The resource ${name}: ${needing} a store with inTransaction(work), as sqlTable() makes it.`,
  )
}

/** A store that is there before any request is known at start-up, with its fields. */
function listed(parts: UntypedSpec, { storeFor, isWhole }: Facts): Behaviour {
  const { store } = parts
  const own = Object.entries(parts).filter(([name]) => LIST_OPTIONS.some((each) => each === name))
  const shared = Object.fromEntries(own) as UntypedSpec
  const narrowed = list<ApiRequest, AnyRow, UntypedSource>({
    ...shared,
    source: (request) => after(storeFor(request), (kept) => sourceOf(kept, parts.by)),
  })
  if (typeof store === 'function') return narrowed
  const given = list<ApiRequest, AnyRow, UntypedSource>({ ...shared, source: store.source })
  const shows = given['~shows']!
  const embeds = [...shows.embeds, ...relatedIn(store, parts)]
  const whole: Behaviour = { ...given, '~shows': { ...shows, embeds } }
  return isWhole ? whole : { ...whole, handle: narrowed.handle }
}

/** The related stores whose rows decide which rows are listed, and in which order. */
function relatedIn(
  { related = [] }: UntypedStore & { readonly related?: RelatedScopes },
  { searchFields, filterFields, orderingFields, ordering }: UntypedSpec,
): RelatedScopes {
  const named = JSON.stringify([searchFields, filterFields, orderingFields, ordering])
  return related.filter(({ field }) => named.includes(`${field}.`))
}

/** Refuses a key that no address can name (400 at the key's field): such a row could neither be read nor deleted. */
function checkKey(
  input: unknown,
  key: string,
  detail: string,
  { lookup = key, serializer }: UntypedSpec,
  request: ApiRequest,
): void {
  const value = (input as AnyRow | null | undefined)?.[key]
  if (typeof value !== 'string' && typeof value !== 'number') return
  const link = request.linker(detail, { params: paramsBeside(lookup, request) }).to(lookup)
  if (link === null || link(value) !== null) return
  const field = choose(serializer, request).nameOf?.(key, request) ?? key
  throw new ValidationError({ [field]: [ErrorDetail.of('invalid.address')] })
}

/** @throws ValidationError rows that bodies write with this one would stay in another tenant */
function checkTenant(
  input: unknown,
  row: AnyRow,
  { serializer }: UntypedSpec,
  request: ApiRequest,
): void {
  const column = leavingBy(input, row, { serializer }, request)
  if (column === undefined) return
  const { nonFieldErrorsKey } = request.settings
  const field = choose(serializer, request).nameOf?.(column, request) ?? nonFieldErrorsKey
  throw new ValidationError({ [field]: [ErrorDetail.of('other_tenant')] })
}

/** The places of the standard actions, and their verbs (X1). */
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
  facts: Facts,
  parts: UntypedSpec,
): readonly Endpoint<ApiRequest>[] {
  const { only } = parts
  const permissions = byAction(facts.name, 'permissions', parts, Array.isArray)
  const errors = byAction(facts.name, 'errors', parts, isPlain)
  const behaviours = behavioursOf(facts, parts)
  const wanted = STANDARD.filter(([action]) => only?.includes(action) ?? true)
  return [...Map.groupBy(wanted, ([, place]) => place)].map(([place, actions]) => {
    const name = `${facts.name}-${place}`
    const handlers = actions.map(([action, , verb]): [Verb, Behaviour] => {
      const own = permissions[action]
      const detail = place === 'detail'
      const given = behaviours[action]
      const shows = given['~shows']
      const shown = shows ? { ...given, '~shows': { ...shows, ...facts.shown } } : given
      // The parameters that narrow a list narrow single objects, too (G4, O6).
      const narrowed = detail ? { ...shown, parameters: facts.narrowing } : shown
      const behaviour = checked(narrowed, detail, facts)
      return [verb, withErrors({ ...behaviour, ...(own && { permissions: own }) }, errors[action])]
    })
    return withVerbs(begin.endpoint(name), handlers)
  })
}

/** Reads an option by action. @throws ConfigurationError an entry would be ignored */
function byAction<Option extends keyof typeof EXAMPLES>(
  name: string,
  option: Option,
  { [option]: given = {} }: UntypedSpec,
  fits: (own: unknown) => boolean,
): NonNullable<UntypedSpec[Option]> {
  const known = STANDARD.map(([action]) => action)
  const wrong = Object.entries(given ?? {}).find(
    ([action, own]) => !known.some((each) => each === action) || !(own === undefined || fits(own)),
  )
  if (isPlain(given) && !wrong) return given as NonNullable<UntypedSpec[Option]>
  const which = wrong === undefined ? '' : ` ("${wrong[0]}")`
  throw new ConfigurationError(
    `The resource ${name}: "${option}" must have ${EXAMPLES[option](which)} Actions are ${known.join(', ')}.`,
  )
}

const EXAMPLES = {
  permissions: (which: string) =>
    `lists by action${which}, such as { destroy: [new IsAdminUser()] }; for all of them, give a group permissions.`,
  errors: (which: string) =>
    `codes by action and status${which}, such as { destroy: { 409: ['billed'] } }.`,
}

const ACTION_OPTIONS = ['detail', 'queryParams', 'title', 'description', 'pagination', 'filters']
const VERBS: readonly Verb[] = ['get', 'post', 'put', 'patch', 'delete']

function actionEndpoint(
  endpoint: Endpoint<ApiRequest>,
  { detail, queryParams = [], ...verbs }: UntypedAction,
  facts: Facts,
): Endpoint<ApiRequest> {
  refuseOthers(`The action ${endpoint.name}`, verbs, [...VERBS, ...ACTION_OPTIONS])
  const handlers = Object.entries(verbs) as [Verb, (OfOne & OfAll) | AnyAction][]
  if (handlers.length === 0)
    throw new ConfigurationError(`The action ${endpoint.name} answers no verb: say get or post.`)
  return withVerbs(
    endpoint,
    handlers.map(([verb, handler]) => {
      const behaviour =
        'perform' in handler
          ? declared(handler, detail, facts, queryParams)
          : detail
            ? aboutOne(handler, facts, queryParams)
            : aboutAll(handler, facts)
      return [verb, checked(asking(queryParams, behaviour, facts), detail, facts)]
    }),
  )
}

/** An action with declared input and output works like the standard ones, within the same scope. */
function declared(
  spec: AnyAction,
  detail: boolean,
  { storeFor, find, around, shown }: Facts,
  read: readonly string[],
): Behaviour {
  const given = actionBehaviour(spec, {
    ...(detail ? { find: (request) => find(request, read) } : { before: storeFor }),
    ...(around && { '~around': around }),
    given: (request, row) =>
      after(storeFor(request), (kept) => {
        const store = settledIn(kept, request, row as AnyRow | undefined)
        return { store, parent: kept.parent, ...(detail && { row }) }
      }),
  })
  const store = shown.store as UntypedStore
  return {
    ...given,
    '~shows': { ...given['~shows']!, ...shown },
    ...(spec.input && {
      '~tenants': tenantsOf({ store, serializer: spec.input }, around !== null),
    }),
  }
}

/** Describes an action that reads only the parameters that it names, those of filters among them. */
function asking(names: readonly string[], given: Behaviour, { narrowing }: Facts): Behaviour {
  if (names.length === 0) return given
  return {
    ...given,
    parameters(request) {
      const known = narrowing(request).filter(({ name }) => names.includes(name))
      const others = names.filter((name) => !known.some((each) => each.name === name))
      const named = others.map((name) => ({ name, schema: { type: 'string' } }))
      return [...(given.parameters?.(request) ?? []), ...known, ...named]
    },
  }
}

/** Refuses addresses that do not say which row they are about, or which one it belongs to. */
function checked(given: Behaviour, detail: boolean, facts: Facts): Behaviour {
  const { nesting, isScoped } = facts
  const lacks = (served: Versions) => facts.lacks(served, given['~order']?.(served.settings))
  return {
    ...given,
    lacks,
    check(settings, service) {
      const { route, routes } = service
      const own = detail ? ownParam(route!, facts) : null
      const unclear =
        own !== null && !route!.parameters.includes(own)
          ? `"lookup" is "${own}", and the address ${route!.path} has no such parameter. Name one of its own (${route!.parameters.join(', ')}), or leave "lookup" out.`
          : (nesting?.problem(route!, own, routes) ?? null)
      return unclear ?? given.check?.(settings, { ...service, isScoped }) ?? null
    },
  }
}

function withVerbs(
  endpoint: Endpoint<ApiRequest>,
  handlers: readonly [Verb, Answering<ApiRequest>][],
): Endpoint<ApiRequest> {
  // The types of the resource already state the answers.
  const untyped = handlers as readonly [Verb, Behaviour<ApiRequest, undefined>][]
  return untyped.reduce((before, [verb, handler]) => before[verb](handler), endpoint)
}

/** The names of the standard addresses are taken (X4). */
function checkedName(name: string, action: string): string {
  if (action !== 'list' && action !== 'detail') return `${name}-${action}`
  throw new ConfigurationError(
    `The resource ${name} has an action "${action}", and its own address has that name. Give the action another one.`,
  )
}
