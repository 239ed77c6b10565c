import type { AnyInputSerializer, AnySerializer, InputOf, PatchOf } from '../ports/serializer.ts'
import type { ListSource, RowStore } from '../ports/list-source.ts'
import type { MaybePromise } from '../std/after.ts'
import type { EndpointName, ServedBy } from './routes.ts'
import type { Both, RequestOf, TypedSettings } from './typed-settings.ts'

/** The actions of a resource that need no description. */
export type StandardAction = 'list' | 'create' | 'retrieve' | 'update' | 'partialUpdate' | 'destroy'

type Writing = 'create' | 'update' | 'partialUpdate'

/** Names of resources: an address `article-list` or `article-detail` makes `article` one. */
export type ResourceName<R> =
  EndpointName<R> extends infer N
    ? N extends `${infer Name}-list` | `${infer Name}-detail`
      ? Name
      : never
    : never

/** Names of further actions at addresses of a resource: `article-publish` makes `publish` one. */
export type ActionName<R, N extends string> =
  EndpointName<R> extends infer Full
    ? Full extends `${N}-${infer Name}`
      ? Exclude<Name, 'list' | 'detail'>
      : never
    : never

export type At<S extends TypedSettings, R, Name extends string> = RequestOf<S, R, ServedBy<R, Name>>
export type ListRequest<S extends TypedSettings, R, N extends string> = At<S, R, `${N}-list`>
export type DetailRequest<S extends TypedSettings, R, N extends string> = At<S, R, `${N}-detail`>
/** Any request to the resource itself. */
export type ResourceRequest<S extends TypedSettings, R, N extends string> = At<
  S,
  R,
  `${N}-${'list' | 'detail' | ActionName<R, N>}`
>

export type AnyStore = RowStore<unknown, never, never, never, ListSource>

/** The type of a store that a function gives and that the compiler has not looked at: it takes and gives all types. */
export type StoreToCome = RowStore<never, never, unknown, unknown, never>

/** The compiler has not looked into the function that gives the store yet: it must complain of nothing that depends on it. */
type IsToCome<Store> = [RowOfStore<Store>] extends [never] ? true : false

export type RowOfStore<T> = T extends RowStore<infer Row, never, never, never> ? Row : never

/** By column, the value that all rows of a request have; of several values, each row has one. `Unset` is complained of later. */
export type ScopeOf<Row, Unset = never> = {
  readonly [K in keyof Row]?: Row[K] | readonly Row[K][] | Unset
}
/** The values that the scope of a resource may give. */
export type ScopeIn<Store> =
  IsToCome<Store> extends true ? object : ScopeOf<RowOfStore<Store>, undefined>

/**
 * Stands for a scope that the compiler has not looked into. It does so in the order of the options, and `performCreate`
 * wants to know what is filled in: an error that names this type is about the order.
 */
export interface WriteScopeBeforePerformCreate {
  readonly '~order': 'scope, performCreate'
}

/** A condition: `scope` gives columns of the store, and that can be narrowed to values, for `parent` too. */
export type Narrowing<V, Parent, Store> = [V, Parent] extends [
  WriteScopeBeforePerformCreate,
  undefined,
]
  ? unknown
  : IsToCome<Store> extends true
    ? unknown
    : Store extends { within(values: never): unknown }
      ? [Exclude<ColumnsIn<V>, keyof RowOfStore<Store>>] extends [never]
        ? unknown
        : { readonly scope: NoSuchColumn<Exclude<ColumnsIn<V>, keyof RowOfStore<Store>>> }
      : { readonly store: StoreWithoutWithin }
type ColumnsIn<V> = V extends WriteScopeBeforePerformCreate
  ? never
  : V extends PromiseLike<infer Values>
    ? ColumnsIn<Values>
    : keyof V
interface NoSuchColumn<Name> {
  readonly '~noSuchColumn': Name
}
interface StoreWithoutWithin {
  readonly '~storeNeeds': 'within'
}

/**
 * The columns that a scope gives every new row by itself: with one value, always. Before the compiler has looked
 * into the function, any.
 */
export type FilledBy<V, Given> = [V] extends [WriteScopeBeforePerformCreate]
  ? 'scope' extends Given
    ? string
    : never
  : Exclude<keyof Awaited<V>, OpenIn<Awaited<V>>>
type OpenIn<V> = V extends unknown
  ? {
      [K in keyof V]-?: {} extends Pick<V, K>
        ? K
        : [Extract<V[K], readonly unknown[] | undefined>] extends [never]
          ? never
          : K
    }[keyof V]
  : never

/** Columns of a scope that may have no value. One that may be left out as a whole restricts nothing then. */
export type UnsetBy<V> = [V] extends [WriteScopeBeforePerformCreate] ? never : UnsetIn<Awaited<V>>
type UnsetIn<V> = V extends unknown
  ? {
      [K in keyof V]-?: {} extends Pick<V, K> ? never : undefined extends V[K] ? K : never
    }[keyof V]
  : never

/** This type only helps to infer which options are given; once that is known, nothing is left of it. */
export type Giving<Given extends PropertyKey> = [Given] extends [PropertyKey]
  ? unknown
  : { readonly [K in Given]: unknown }

/** The value in a column that names a row of this store; `unknown`: the name of its key is not known. */
export type KeyValue<Store> = Store extends { readonly key: infer Name }
  ? Name extends keyof RowOfStore<Store>
    ? RowOfStore<Store>[Name]
    : unknown
  : unknown

/** The columns of a child that can hold a key of its parent: messages spell out what is taken from here. */
export type ParentColumns<Row, Key> = [Row] extends [never]
  ? string
  : {
      [C in keyof Row & string]: unknown extends Key
        ? C
        : [Key] extends [NonNullable<Row[C]>]
          ? C
          : never
    }[keyof Row & string]

/** The transaction that a store gives to work, as `inTransaction` of `sqlTable` does; `never`: none. */
export type TransactionOf<Store> = Store extends { inTransaction(work: infer Work): unknown }
  ? Work extends (transaction: infer Transaction, ...others: never) => unknown
    ? Transaction
    : never
  : never

/** A write of a resource, in its transaction and before anything is written. */
export type ChangeOf<Next, Store, Parent, ListRq, DetailRq> =
  | (InTransaction<Store, Parent, ListRq> & { readonly next: Next; readonly row: null })
  | (InTransaction<Store, Parent, DetailRq> & {
      readonly next: Next
      readonly row: RowOfStore<Store>
    })
  | (InTransaction<Store, Parent, DetailRq> & {
      readonly next: null
      readonly row: RowOfStore<Store>
    })

interface InTransaction<Store, Parent, Rq> {
  /** In which everything that must stay true is to be locked and read. */
  readonly transaction: TransactionOf<Store>
  /** The store within its scope and in the transaction. */
  readonly store: Store
  readonly request: Rq
  /** The row of the parent, if there is one. */
  readonly parent: Parent
}

/** The input over the current row, which fills in members that were not sent. */
export type OverRow<Input, Row> = {
  readonly [K in keyof Input]: Input[K] | (K extends keyof Row ? Row[K] : never)
}

type ValuesOf<T> = T extends { readonly insert: (values: infer Values) => unknown } ? Values : never
type ChangesOf<T> = T extends { readonly update: (key: never, values: infer Changes) => unknown }
  ? Changes
  : never
export type SourceOf<T> = T extends { readonly source: infer Source extends ListSource }
  ? Source
  : never

/** Does the input fit the store without changes? A member that the store does not know does not fit. */
type Fits<Given, Taken> = unknown extends Taken
  ? true
  : [Given] extends [never]
    ? true
    : [Given, keyof Given] extends [Taken, keyof Taken]
      ? true
      : false

type IsAmong<Action, A> = [Extract<A, Action>] extends [never] ? false : true

/** Demands a function that keeps the input, if a serializer reads something else than the store takes. */
export type Performing<A, Z, Store, Filled, Given> = Both<
  // If the function is given, the compiler works out nothing more.
  'performCreate' extends Given
    ? unknown
    : Kept<
        IsAmong<'create', A>,
        InputOf<Z>,
        WithoutFilled<ValuesOf<Store>, Filled>,
        'performCreate'
      >,
  'performUpdate' extends Given
    ? unknown
    : Kept<
        IsAmong<'update' | 'partialUpdate', A>,
        InputOf<Z> | PatchOf<Z>,
        ChangesOf<Store>,
        'performUpdate'
      >
>
type Kept<Happens, Input, Taken, Option> = [Happens, Fits<Input, Taken>] extends [true, false]
  ? ThisStoreTakesOther<Differences<Input, Taken>, Option>
  : unknown

/**
 * Shown in compiler errors: the input of the serializer lacks these columns of the store, has members that are not
 * columns, or holds other types in them. The option would convert the input.
 */
export interface ThisStoreTakesOther<Columns, Option> {
  readonly '~needs': [Columns, Option]
}
type Differences<Input, Taken> = Input extends unknown
  ?
      | Exclude<keyof Input, keyof Taken>
      | { [K in keyof Taken]-?: Differs<Input, Taken, K> }[keyof Taken]
  : never
type Differs<Input, Taken, K extends keyof Taken> = K extends keyof Input
  ? Pick<Input, K> extends Pick<Taken, K>
    ? never
    : K
  : {} extends Pick<Taken, K>
    ? never
    : K

/** The store of a request: new rows may leave out the values that are filled in. */
export type FillingStore<Store, Filled> = [Filled] extends [never]
  ? Store
  : Omit<Store, 'insert'> & {
      readonly insert: (
        values: WithoutFilled<ValuesOf<Store>, Filled>,
      ) => MaybePromise<RowOfStore<Store>>
    }

/** Values in which filled-in columns may be left out. */
type WithoutFilled<Values, Filled> = [Filled] extends [never]
  ? Values
  : unknown extends Values
    ? unknown
    : string extends Filled
      ? unknown
      : Omit<Values, Filled & keyof Values> & Partial<Pick<Values, Filled & keyof Values>>

export type Needed<Name extends string, Happens, Fitting> = [Happens, Fitting] extends [true, false]
  ? { readonly [K in Name]: unknown }
  : unknown

/** It shows rows; where an action writes, it also reads bodies. */
export type SerializerFor<A> =
  IsAmong<Writing, A> extends false ? AnySerializer : AnyInputSerializer

/**
 * `unknown` where a serializer, or any that is chosen, shows these rows. What else may be wrong the compiler says
 * in words of its own.
 */
export type Shown<Z, Row> = Z extends (request: never) => infer Chosen
  ? Shown<Chosen, Row>
  : [Z] extends [{ readonly represent: (row: infer Wanted, request: never) => unknown }]
    ? [Row] extends [Wanted]
      ? unknown
      : TheseRowsHaveOther<Lacking<Wanted, Row>>
    : unknown

/** `unknown` if a function that chooses by version takes each of these requests. */
export type Answered<Z, Rq> = Z extends (request: infer Needed) => unknown
  ? Needed extends { readonly version: infer Known }
    ? Rq extends { readonly version: infer Version }
      ? [Version] extends [Known]
        ? unknown
        : ThisVersionHasNoAnswer<Exclude<Version, Known>>
      : unknown
    : unknown
  : unknown

/** Shown in compiler errors: `byVersion` chooses nothing for a version that the endpoint allows. */
export interface ThisVersionHasNoAnswer<Version> {
  readonly '~version': Version
}

/** Stands in errors of the compiler: members that a serializer shows, and rows lack or have of another type. */
export interface TheseRowsHaveOther<Members> {
  readonly '~members': Members
}
type Lacking<Wanted, Row> = {
  [K in keyof Wanted]: K extends keyof Row ? (Row[K] extends Wanted[K] ? never : K) : K
}[keyof Wanted]
