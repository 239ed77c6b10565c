// What a client can ask, as types: made of an application, or written by `colophon client generate`.
import type { QueryValues } from './address.ts'

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
export type NameOf<O, V> = { [N in keyof O]: V extends keyof O[N] ? N : never }[keyof O] & string

type At<O, N, V> = N extends keyof O ? (V extends keyof O[N] ? O[N][V] : never) : never

/** What the verb answers. */
export type DataOf<O, N, V> = At<O, N, V> extends { readonly data: infer Data } ? Data : unknown

/** What a call of it says; options that must be there are those of the path and of the body. */
export type Asked<O, N, V> = ParamsOf<O, N> & QueryOf<At<O, N, V>> & BodyOf<At<O, N, V>>

type ParamsOf<O, N> = N extends keyof O
  ? O[N] extends { readonly params: infer P }
    ? {} extends P
      ? { readonly params?: P }
      : { readonly params: P }
    : { readonly params?: Readonly<Record<string, never>> }
  : never
type QueryOf<E> = E extends { readonly query: infer Q }
  ? { readonly query?: Q }
  : { readonly query?: QueryValues }
type BodyOf<E> = E extends { readonly body: infer B }
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
