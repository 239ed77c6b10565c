// What a client can ask, as types: made of an application, or written by `colophon client generate`.
import type { QueryValues } from './address.ts'
import type { CallOptions } from './exchange.ts'

/** The operations of one version. A generated client writes one; an application is one by itself. */
export interface Contract {
  readonly version: string | null
  /** By name of the endpoint. */
  readonly operations: object
}

/** What an endpoint takes in its path, and for each verb what it takes and gives. */
export interface Operation {
  readonly params?: object
  readonly get?: Exchanged
  readonly post?: Exchanged
  readonly put?: Exchanged
  readonly patch?: Exchanged
  readonly delete?: Exchanged
}

/** One verb of an operation. What is not there may be anything. */
export interface Exchanged {
  readonly query?: object
  readonly body?: unknown
  readonly data: unknown
}

/** Names of the operations that have the verb. */
// A conditional type is worked out once for its arguments, a union whenever a signature is looked at.
export type NameOf<O, V> = O extends unknown
  ? { [N in keyof O]: O[N] extends { readonly [W in V & string]: unknown } ? N : never }[keyof O] &
      string
  : never

/**
 * By name of the endpoint, what a call of the verb says and gets. A table, and no conditions on the name: while a call
 * is typed, the name may still be any of hundreds.
 */
export type CallsOf<O, V extends string, N extends keyof O = NameOf<O, V> & keyof O> = {
  readonly [K in N]: O[K] extends { readonly [W in V]: infer E } ? Called<ParamsOf<O[K]>, E> : never
}
interface Called<P, E> {
  readonly asked: P & QueryOf<E> & BodyOf<E>
  readonly options: Options<P & QueryOf<E> & BodyOf<E> & CallOptions>
  readonly data: DataIn<E>
}
export type AskedIn<Call> = Call extends { readonly asked: infer Asked } ? Asked : never
export type OptionsIn<Call> = Call extends { readonly options: infer O extends readonly unknown[] }
  ? O
  : never
export type DataIn<E> = E extends { readonly data: infer Data } ? Data : unknown

type ParamsOf<Op> = [Op] extends [{ readonly params: infer P }]
  ? {} extends P
    ? { readonly params?: P }
    : { readonly params: P }
  : { readonly params?: Readonly<Record<string, never>> }
type QueryOf<E> = [E] extends [{ readonly query: infer Q }]
  ? { readonly query?: Q }
  : { readonly query?: QueryValues }
type BodyOf<E> = [E] extends [{ readonly body: infer B }]
  ? undefined extends B
    ? { readonly body?: B }
    : { readonly body: B }
  : { readonly body?: undefined }

/** The options of a call, which may be left out where none must be there. */
export type Options<Needed> = {} extends Needed ? [options?: Needed] : [options: Needed]

/** The rows of what a list answers; of what is no list, none. */
export type RowIn<Data> = unknown extends Data
  ? unknown
  : Data extends readonly (infer Row)[]
    ? Row
    : Data extends { readonly results: readonly (infer Row)[] }
      ? Row
      : never
