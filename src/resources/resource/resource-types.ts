import type { FilterBackend } from '../../core/ports/policies/filters.ts'
import type { MaybePromise } from '../../core/std/after.ts'
import type { Permission } from '../../core/ports/policies/permissions.ts'
import type { AnySerializer, InputOf, PatchOf } from '../../core/ports/serializer.ts'
import type { FieldsOf, StyleFor } from '../endpoints/list.ts'
import type { FilteredFields, NamesBy, NamesOf } from '../endpoints/list-names.ts'
import type { ErrorCodes } from '../endpoints/own-errors.ts'
import type { ActionEndpoints, ActionsOf } from '../endpoints/action.ts'
import type { Choice } from '../serializers/serializer.ts'
import type {
  ChangeOf,
  AnyStore,
  DetailRequest,
  FilledBy,
  UnsetBy,
  FillingStore,
  Giving,
  ListRequest,
  Needed,
  OverRow,
  Performing,
  ResourceRequest,
  RowOfStore,
  Narrowing,
  Shown,
  SourceOf,
  StandardAction,
  TransactionOf,
  WriteScopeBeforePerformCreate,
} from '../../core/types/resources.ts'
import type { AllVerbs, AnswersList, AnswersRow } from '../../core/types/answers.ts'
import type { Misjudged, ToPerform, TypedSettings } from '../../core/types/typed-settings.ts'
import type { ResourceFacts } from './nested.ts'
import type { Endpoint } from '../../core/app/group.ts'

/** The parts of a resource, beside those of its actions. */
export interface ResourceOptions<
  Rq,
  ListRq,
  DetailRq extends { readonly params: object },
  A extends StandardAction,
  Z extends AnySerializer,
  Store extends AnyStore,
  Actions,
  V = WriteScopeBeforePerformCreate,
  P extends AnyResource | undefined = undefined,
  B = never,
  G extends OwnPermissions = {},
> extends FilteredFields<
  NamesOf<NamesBy<NoInfer<Z>>, FieldsOf<SourceOf<NoInfer<Store>>>>,
  FieldsOf<SourceOf<NoInfer<Store>>>
> {
  /** The store of the rows, or a function that narrows it for the request: other rows are not found (Z6). */
  readonly store: Store | ((request: Rq) => MaybePromise<Store>)
  /**
   * The values that all rows of this request have, by column: `({ user }) => ({ organisation: user.organisation })`.
   * Rows with others are not there: in no list, and 404. A single value is filled in where a row is created; of a
   * list, which is "one of these", the body must name one. Writing any other value is 403 (`outside_scope`).
   * `{}` restricts nothing, an empty list everything. A value `undefined`, and anything but a plain object, is an error
   * of the program: 500. It stands before `performCreate`, whose store knows what is filled in.
   * @default none: all rows of the store
   */
  readonly scope?: (request: Rq, parent: ParentRow<P>) => V
  /**
   * The columns that tell tenants apart, where `scope` restricts nothing for some requests (`{}`): what an administrator
   * writes must not refer from one tenant to another either.
   * @default the columns that `scope` gives for the request
   */
  readonly tenant?: ColumnOf<NoInfer<Store>> | readonly ColumnOf<NoInfer<Store>>[]
  /**
   * The resource whose rows these belong to. The row that the address names is looked up first, as for GET of its
   * own address: in its store and scope, under its permissions; 404 where there is none.
   * @default none
   */
  readonly parent?: P
  /** The column that holds the key of the parent: it is compared, filled in, and cannot be changed. */
  readonly by?: B
  /** The parameter of the address that names the parent. @default the one named like `by`, else like the parent */
  readonly parentParam?: string
  /** The serializer of rows and bodies, or a function that chooses by the request. */
  readonly serializer: Choice<Rq, Z>
  /** The actions that there are. @default all */
  readonly only?: readonly A[]
  /** A style for the list. @default the setting `pagination` */
  readonly pagination?: StyleFor<
    SourceOf<NoInfer<Store>>,
    NamesOf<NamesBy<NoInfer<Z>>, FieldsOf<SourceOf<NoInfer<Store>>>>
  > | null
  /** Filters of the list; a single object must also pass them (G4). @default the setting `filters` */
  readonly filters?: readonly FilterBackend[]
  /** The parameter of the address that an object is found by. @default that of the name of the key, else the last one */
  readonly lookup?: keyof DetailRq['params'] & string
  /** Permissions of single actions, asked after those of the group. The functions that perform them know the results. */
  readonly permissions?: G & Judging<G, ListRq, DetailRq>
  /** Codes of the errors that its functions throw, by action and status, for documents: `{ destroy: { 409: ['billed'] } }`. @default none */
  readonly errors?: { readonly [K in StandardAction]?: ErrorCodes }
  /**
   * A rule that looks at other rows, such as "no two visits of a doctor overlap". It is asked in the transaction that
   * then writes, for POST, PUT, PATCH and DELETE: lock a row that all requests share which could break the rule, look,
   * and throw a `ValidationError` (400) or a `Conflict` (409). `next` is what was read, over the row as it is for PATCH
   * (`null`: it is deleted), and `row` the row as it was found (`null`: it is new). The functions that perform the write
   * have their store in that transaction, and get it as their last argument. All of it runs again where the database gives
   * the transaction up.
   *
   * @default none: every write is a transaction of its own
   * @example
   * async validateInTransaction({ next, transaction, store }) {
   *   if (next === null) return
   *   await transaction.lock(doctors, next.doctor)
   *   const others = store.only((query) => query.where('doctor', '=', next.doctor).where('day', '=', next.day))
   *   if ((await others.source.count()) >= 8) throw new ValidationError({ day: ['The doctor has no time then.'] })
   * }
   */
  readonly validateInTransaction?: (
    change: ChangeOf<
      OverRow<InputOf<NoInfer<Z>>, RowOfStore<NoInfer<Store>>>,
      NoInfer<Store>,
      ParentRow<P>,
      ListRq,
      DetailRq
    >,
  ) => unknown
  /** Adds a row; required if the store does not take the serializer's input. @default `store.insert` */
  readonly performCreate?: (
    input: InputOf<NoInfer<Z>>,
    request: ToPerform<ListRq, G, 'create'>,
    store: FillingStore<NoInfer<Store>, NoInfer<B> | FilledBy<NoInfer<V>, never>>,
    parent: ParentRow<P>,
    transaction?: TransactionOf<NoInfer<Store>>,
  ) => MaybePromise<RowOfStore<NoInfer<Store>>>
  /** Changes a row, for PUT and PATCH. @default `store.update` of what was seen */
  readonly performUpdate?: (
    row: RowOfStore<NoInfer<Store>>,
    input: InputOf<NoInfer<Z>> | PatchOf<NoInfer<Z>>,
    request: ToPerform<DetailRq, G, Extract<A, 'update' | 'partialUpdate'>>,
    store: NoInfer<Store>,
    parent: ParentRow<P>,
    transaction?: TransactionOf<NoInfer<Store>>,
  ) => MaybePromise<RowOfStore<NoInfer<Store>> | null>
  /** Deletes a row, or does what stands for it. @default `store.remove` */
  readonly performDestroy?: (
    row: RowOfStore<NoInfer<Store>>,
    request: ToPerform<DetailRq, G, 'destroy'>,
    store: NoInfer<Store>,
    parent: ParentRow<P>,
    transaction?: TransactionOf<NoInfer<Store>>,
  ) => unknown
  /**
   * Further actions, by the last part of the address's name: `publish` is at `article-publish`. With `detail`, handlers also
   * get the row of the address, once the permissions have agreed to it. Then come the store, within its scope, and the row of
   * the parent.
   *
   * @example
   * close: { detail: true, post: (_request, row, store) => store.update(row.id, { closed: true }, row) }
   */
  readonly actions?: Actions
}

/** Lists of permissions by action. */
export type OwnPermissions = { readonly [K in StandardAction]?: readonly Permission[] }
/** Complaints about permissions that cannot judge an action, and about actions that do not exist. */
type Judging<G, ListRq, DetailRq> = {
  readonly [K in keyof G]: K extends StandardAction
    ? Misjudged<G[K], K extends 'list' | 'create' ? ListRq : DetailRq>
    : never
}
type ColumnOf<Store> = keyof RowOfStore<Store> & string

/** The endpoints of a resource, for `serve`; other resources may name it as their `parent`. */
export interface Resource<
  out Row = unknown,
  out Key = unknown,
  out E extends Endpoint<never> = Endpoint<never>,
> extends ReadonlyArray<E> {
  /** Type only, but for what nested resources read. */
  readonly '~resource': ResourceFacts & {
    readonly '~types'?: { readonly row: Row; readonly key: Key }
  }
}

/** Only for inference: serializers that `byVersion` chooses, and the types of actions' input and output, by action and verb. */
export interface Inferring<E, I, O, Q> {
  readonly serializer: { readonly '~byVersion'?: E }
  readonly actions?: {
    readonly [K in keyof I]: { readonly [V in keyof I[K]]: { readonly input?: I[K][V] } }
  } & {
    readonly [K in keyof O]: { readonly [V in keyof O[K]]: { readonly output?: O[K][V] } }
  } & {
    readonly [K in keyof Q]: { readonly [V in keyof Q[K]]: { readonly permissions?: Q[K][V] } }
  }
}
/** A serializer, with those for each version if they are known. */
export type KnownByVersion<Z, E> = unknown extends E ? Z : Z & { readonly '~byVersion'?: E }

/** The endpoints of a resource by name, for tests: they know their answers. */
export type StandardEndpoints<A, N extends string, Z> = Served<
  'list',
  Extract<A, 'list' | 'create'>,
  ListEndpoint<A, N, Z>
> &
  Served<'detail', Exclude<A, 'list' | 'create'>, DetailEndpoint<A, N, Z>>
type Served<Name extends string, Actions, E> = [Actions] extends [never]
  ? unknown
  : { readonly [K in Name]: E }
type ListEndpoint<A, N extends string, Z> = Endpoint<never, VerbsOf<A, OfList<Z>>, `${N}-list`>
type DetailEndpoint<A, N extends string, Z> = Endpoint<
  never,
  VerbsOf<A, OfDetail<Z>>,
  `${N}-detail`
>

/** The answers of the standard actions, by action and verb. */
interface OfList<Z> {
  list: { get: AnswersList<Z> }
  create: { post: AnswersRow<Z, unknown, Z> }
}
interface OfDetail<Z> {
  retrieve: { get: AnswersRow<Z> }
  update: { put: AnswersRow<Z, unknown, Z> }
  partialUpdate: { patch: AnswersRow<Z, unknown, Z, true> }
  destroy: { delete: null }
}
type VerbsOf<A, All> = AllVerbs &
  Flat<{
    [K in keyof All as K extends A ? K : never]: (verbs: All[K]) => void
  }>
type Flat<Verbs> = Verbs[keyof Verbs] extends (verbs: infer Each) => void ? Each : never

/** The endpoints that a resource has in `serve`: the standard ones, and its actions, as far as their answers are known. */
export type EndpointsOf<A, N extends string, Z, I, O> =
  | ListEndpoint<A, N, Z>
  | DetailEndpoint<A, N, Z>
  | ActionEndpoints<N, I, O>
  | Endpoint<never>
/** A resource of any rows. */
export type AnyResource = Resource

/** The row that a nested resource belongs to. */
export type ParentRow<P> = P extends Resource<infer Row> ? Row : undefined
/** The value that names the parent's row in a column. */
export type ParentKey<P> = P extends Resource<unknown, infer Key> ? Key : never

/** `unknown` if serializer and store fit. Complaints are at the name of the resource, where they are short. */
export type Fitting<A, Z, Store, V, B, Given extends PropertyKey> = [
  'parent',
  Given & 'by',
] extends [Given, never]
  ? ThisParentNeeds<'by'>
  : [UnsetBy<V>] extends [never]
    ? Shown<Z, RowOfStore<Store>> & Performing<A, Z, Store, FilledBy<V, NoInfer<Given>> | B, Given>
    : ThisScopeMayBeUndefined<UnsetBy<V>>
interface ThisScopeMayBeUndefined<Column> {
  readonly '~undefined': Column
}
interface ThisParentNeeds<Option> {
  readonly '~parentNeeds': Option
}

/** The declaration of a resource. */
export type ResourceSpec<
  S extends TypedSettings,
  R,
  N extends string,
  A extends StandardAction,
  Z extends AnySerializer,
  Store extends AnyStore,
  V = WriteScopeBeforePerformCreate,
  P extends AnyResource | undefined = undefined,
  B = never,
  Given extends PropertyKey = never,
  I = unknown,
  O = unknown,
  G extends OwnPermissions = {},
  Q = unknown,
> = ResourceOptions<
  ResourceRequest<S, R, N>,
  ListRequest<S, R, N>,
  DetailRequest<S, R, N>,
  A,
  Z,
  Store,
  ActionsOf<
    S,
    R,
    N,
    RowOfStore<NoInfer<Store>>,
    FillingStore<NoInfer<Store>, NoInfer<B>>,
    ParentRow<P>,
    I,
    O,
    Q
  >,
  V,
  P,
  B,
  G
> &
  Giving<Given> &
  Narrowing<NoInfer<V>, NoInfer<P>, NoInfer<Store>> &
  Needed<'by', P extends undefined ? false : true, [B] extends [never] ? false : true>
