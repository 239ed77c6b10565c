import type { InputOf, InputSerializer, PatchOf, Serializer } from '../contract/serializer.ts'
import type { ListSource } from '../contract/list-source.ts'
import type { RowStore } from '../contract/list-source.ts'
import type { EndpointName, ServedBy } from './routes.ts'
import type { RequestOf, Scope } from './scope.ts'

/** What can be done with a resource without saying how. */
export type StandardAction = 'list' | 'create' | 'retrieve' | 'update' | 'partialUpdate' | 'destroy'

type Writing = 'create' | 'update' | 'partialUpdate'

/** Names of resources: an address `article-list` or `article-detail` makes `article` one. */
export type ResourceName<R> =
  EndpointName<R> extends infer N
    ? N extends `${infer Name}-list` | `${infer Name}-detail`
      ? Name
      : never
    : never

/** Names of what else is at addresses of a resource: `article-publish` makes `publish` one. */
export type ActionName<R, N extends string> =
  EndpointName<R> extends infer Full
    ? Full extends `${N}-${infer Name}`
      ? Exclude<Name, 'list' | 'detail'>
      : never
    : never

export type At<S extends Scope, R, Name extends string> = RequestOf<S, R, ServedBy<R, Name>>
export type ListRequest<S extends Scope, R, N extends string> = At<S, R, `${N}-list`>
export type DetailRequest<S extends Scope, R, N extends string> = At<S, R, `${N}-detail`>
/** Any request to the resource itself. */
export type ResourceRequest<S extends Scope, R, N extends string> = At<
  S,
  R,
  `${N}-${'list' | 'detail' | ActionName<R, N>}`
>

export type AnyStore = RowStore<unknown, never, never, never, ListSource>

/** Stands for a store that a function gives and the compiler has not looked at: it takes and gives all. */
export type StoreToCome = RowStore<never, never, unknown, unknown, never>

export type RowOfStore<T> = T extends RowStore<infer Row, never, never, never> ? Row : never
type ValuesOf<T> = T extends { readonly insert: (values: infer Values) => unknown } ? Values : never
type ChangesOf<T> = T extends { readonly update: (key: never, values: infer Changes) => unknown }
  ? Changes
  : never
export type SourceOf<T> = T extends { readonly source: infer Source extends ListSource }
  ? Source
  : never

/** Does what was read fit a store as it is? A member that the store does not know does not. */
type Fits<Given, Taken> = unknown extends Taken
  ? true
  : [Given] extends [never]
    ? true
    : [Given, keyof Given] extends [Taken, keyof Taken]
      ? true
      : false

type IsAmong<Action, A> = [Extract<A, Action>] extends [never] ? false : true

/** A serializer that reads something else than the store takes needs a function that keeps it. */
export type Performing<A, Z, Store> = Needed<
  'performCreate',
  IsAmong<'create', A>,
  Fits<InputOf<Z>, ValuesOf<Store>>
> &
  Needed<
    'performUpdate',
    IsAmong<'update' | 'partialUpdate', A>,
    Fits<InputOf<Z> | PatchOf<Z>, ChangesOf<Store>>
  >

type Needed<Name extends string, Happens, Fitting> = [Happens, Fitting] extends [true, false]
  ? { readonly [K in Name]: unknown }
  : unknown

/** It shows the rows of the store to these requests; where an action writes, it also reads bodies. */
export type SerializerFor<Rq, A, Store> =
  IsAmong<Writing, A> extends false
    ? Serializer<RowOfStore<Store>, unknown, Rq>
    : InputSerializer<RowOfStore<Store>, unknown, Rq>
