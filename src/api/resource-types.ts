import type { Verb } from '../contract/kernel.ts'
import type { FilterBackend, MaybePromise, Permission } from '../contract/request.ts'
import type { AnySerializer, InputOf, PatchOf } from '../contract/serializer.ts'
import type { FieldsOf, StyleFor } from '../endpoints/list.ts'
import type { FilteredFields, NamesBy, NamesOf } from '../endpoints/list-names.ts'
import type { Choice } from '../endpoints/serializer-choice.ts'
import type {
  ActionName,
  AnyStore,
  At,
  DetailRequest,
  ListRequest,
  Performing,
  ResourceRequest,
  RowOfStore,
  SourceOf,
  StandardAction,
} from '../types/resources.ts'
import type { Scope } from '../types/scope.ts'
import type { Answering, EndpointOptions } from './types.ts'

/** What a resource needs, beside what its actions need. */
export interface ResourceOptions<
  Rq,
  ListRq,
  DetailRq extends { readonly params: object },
  A extends StandardAction,
  Z extends AnySerializer,
  Store extends AnyStore,
  Actions,
> extends FilteredFields<
  NamesOf<NamesBy<NoInfer<Z>>, FieldsOf<SourceOf<NoInfer<Store>>>>,
  FieldsOf<SourceOf<NoInfer<Store>>>
> {
  /** Where it is kept, or a function that narrows that for the request: what is not in it is not there (Z6). */
  readonly store: Store | ((request: Rq) => Store)
  /** How rows are shown and bodies are read, or a function that chooses by the request. */
  readonly serializer: Choice<Rq, Z>
  /** The actions that there are. @default all */
  readonly only?: readonly A[]
  /** A style for the list. @default the setting `pagination` */
  readonly pagination?: StyleFor<
    SourceOf<NoInfer<Store>>,
    NamesOf<NamesBy<NoInfer<Z>>, FieldsOf<SourceOf<NoInfer<Store>>>>
  > | null
  /** Filters for the list; a single object has to be among what they leave (G4). @default the setting `filters` */
  readonly filters?: readonly FilterBackend[]
  /** The parameter of the address that an object is found by. @default that of the name of the key, else the last one */
  readonly lookup?: keyof DetailRq['params'] & string
  /** Permissions of single actions, asked beside those of the group. */
  readonly permissions?: { readonly [K in StandardAction]?: readonly Permission[] }
  /** Adds a row; needed where the store does not take what the serializer reads. @default `store.insert` */
  readonly performCreate?: (
    input: InputOf<NoInfer<Z>>,
    request: ListRq,
    store: NoInfer<Store>,
  ) => MaybePromise<RowOfStore<NoInfer<Store>>>
  /** Changes a row, for PUT and PATCH. @default `store.update` of what was seen */
  readonly performUpdate?: (
    row: RowOfStore<NoInfer<Store>>,
    input: InputOf<NoInfer<Z>> | PatchOf<NoInfer<Z>>,
    request: DetailRq,
    store: NoInfer<Store>,
  ) => MaybePromise<RowOfStore<NoInfer<Store>> | null>
  /** Deletes a row, or does what stands for it. @default `store.remove` */
  readonly performDestroy?: (
    row: RowOfStore<NoInfer<Store>>,
    request: DetailRq,
    store: NoInfer<Store>,
  ) => unknown
  /**
   * What else can be done, by the last part of the address's name: `publish` is at `article-publish`. With
   * `detail` handlers also get the row that the address is about, once the permissions have agreed to it.
   */
  readonly actions?: Actions
}

/** One more action: its verbs, and whether it is about one object: `detail` is always given. */
export type ResourceAction<Rq, Row> =
  | ActionOf<false, Answering<Rq>>
  | ActionOf<true, (request: Rq, row: Row) => unknown>

type ActionOf<Detail, Handler> = EndpointOptions & { readonly detail: Detail } & {
  readonly [V in Verb]?: Handler
}

type ActionsOf<S extends Scope, R, N extends string, Row> = {
  readonly [K in ActionName<R, N>]?: ResourceAction<At<S, R, `${N}-${K}`>, Row>
}

/** What a resource is declared with. */
export type ResourceSpec<
  S extends Scope,
  R,
  N extends string,
  A extends StandardAction,
  Z extends AnySerializer,
  Store extends AnyStore,
> = ResourceOptions<
  ResourceRequest<S, R, N>,
  ListRequest<S, R, N>,
  DetailRequest<S, R, N>,
  A,
  Z,
  Store,
  ActionsOf<S, R, N, RowOfStore<NoInfer<Store>>>
> &
  Performing<A, NoInfer<Z>, NoInfer<Store>>
