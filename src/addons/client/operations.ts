// The operations of a client as types: from an application, or from `colophon client generate`.
import type { DataShownBy } from '../../core/ports/serializer.ts'
import type { Fields } from '../../resources/serializers/declaration.ts'
import type { OptionsOf, ShownOf } from '../../resources/serializers/types.ts'
import type {
  AllVerbs,
  AnswersList,
  AnswersRow,
  AppFacts,
  AsJSON,
  AnswerData,
  ListAnswer,
} from '../../core/types/answers.ts'
import type { ParamsAt, Simplify } from '../../core/types/routes.ts'
import type { QueryValues } from './address.ts'
import type { CallOptions } from './exchange.ts'

/** The operations of one version. A generated client writes one; an application is one by itself. */
export interface Contract {
  readonly version: string | null
  /** The operations by the name of their endpoint. */
  readonly operations: object
}

/** The path parameters of an endpoint, and the input and output of each verb. */
export interface Operation {
  readonly params?: object
  readonly get?: Exchanged
  readonly post?: Exchanged
  readonly put?: Exchanged
  readonly patch?: Exchanged
  readonly delete?: Exchanged
}

/** One verb of an operation. A missing member means any type. */
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

/** The rows in the answer of a list; other answers have none. */
export type RowIn<Data> = unknown extends Data
  ? unknown
  : Data extends readonly (infer Row)[]
    ? Row
    : Data extends { readonly results: readonly (infer Row)[] }
      ? Row
      : never

// The operations of an application, by its endpoints.

/** The source of a client: an application, or a contract from a document. */
export type AnyService = Contract | AnyApp
interface AnyApp {
  readonly '~facts'?: AppFacts
}

type FactsOf<A> = A extends { readonly '~facts'?: infer F extends AppFacts } ? F : never

/** The versions that it has; `null`: none. */
export type VersionOf<A> = A extends Contract ? A['version'] : VersionIn<FactsOf<A>>
type VersionIn<F> = F extends AppFacts ? OneOf<F['versions']> | F['defaultVersion'] : never
type OneOf<W> = W extends readonly (infer V)[] ? V : never

/** The version that can be left out, because it is the only one. */
export type OnlyVersion<V> = [Exclude<V, null>] extends [never]
  ? V
  : IsOne<Exclude<V, null>> extends true
    ? Exclude<V, null>
    : never
type IsOne<T, U = T> = (T extends unknown ? ([U] extends [T] ? true : false) : never) extends true
  ? true
  : false

/** The operations in a version, by the name of their endpoint. */
export type OperationsOf<A, V> = A extends Contract
  ? A['operations']
  : HandedOver<InVersion<FactsOf<A>, V>>

// The names are worked out once, and not whenever the compiler is asked for one.
type HandedOver<O> = Flat<O, keyof O>
type Flat<O, N extends keyof O> = { readonly [K in N]: O[K] }

// The types below get only the facts that they need: the compiler would go through the union of all endpoints for every name.
type InVersion<F, V> = F extends AppFacts
  ? Named<F['routes'], ByName<F['endpoints']>, V, F['versions'], F['implied']>
  : never
/** The short names of the version's own namespace, without those of other versions. */
type Named<R, Known, V, W, Implied extends string> = {
  readonly [N in keyof R & string as LocalName<N, V, W>]: OperationAt<
    ParamsIn<R[N], Implied>,
    AnswersOf<Known, N>,
    V,
    W
  >
}
type LocalName<N, V, W> = N extends `${infer Head}:${infer Local}`
  ? Head extends V
    ? Local
    : Head extends OneOf<W>
      ? never
      : N
  : N

/** The answers of endpoints, as far as they are known, by name. */
type ByName<E> = (
  E extends { readonly name: infer N extends string; readonly '~answers'?: infer Answers }
    ? unknown extends Answers
      ? never
      : (known: { readonly [K in N]: Answers }) => void
    : never
) extends (known: infer All) => void
  ? All
  : unknown
/** An endpoint may serve the address of every namespace. */
type AnswersOf<Known, N> = N extends keyof Known
  ? Known[N]
  : N extends `${string}:${infer Local}`
    ? AnswersOf<Known, Local>
    : unknown

/** The parameters of any path of a name; the scheme fills in the version. */
type ParamsIn<Path, Implied extends string> = Path extends string
  ? Simplify<Omit<ParamsAt<Path>, Implied>>
  : never
type OperationAt<Params, Answers, V, W> = unknown extends Answers
  ? AnyOperation<Params>
  : { readonly params: Params } & (Answers extends AllVerbs ? unknown : AnyOperation<Params>) & {
        readonly [K in Exclude<keyof Answers, keyof AllVerbs>]: ExchangedBy<Answers[K], V, W>
      }

/** Verbs whose answers only the program knows. */
interface AnyOperation<Params> {
  readonly params: Params
  readonly get: Unknown
  readonly post: Unknown
  readonly put: Unknown
  readonly patch: Unknown
  readonly delete: Unknown
}
interface Unknown {
  readonly body: unknown
  readonly data: unknown
}

type ExchangedBy<Answer, V, W> =
  Answer extends AnswersList<infer Z, infer Row>
    ? { readonly data: ListAnswer<ShownIn<Z, Row, V, W>> }
    : Answer extends AnswersRow<infer Z, infer Row, infer Reads, infer Part>
      ? { readonly data: ShownIn<Z, Row, V, W> } & ([Reads] extends [never]
          ? unknown
          : { readonly body: SentIn<EditionOf<Reads, V>, V, W, Part> | FormData })
      : { readonly data: AsJSON<AnswerData<Answer>> }

/** The serializer that `byVersion` or a function chooses, or the serializer itself. */
type EditionOf<Z, V> = Z extends { readonly '~byVersion'?: infer Editions }
  ? V extends keyof Editions
    ? Editions[V]
    : never
  : Z extends (request: never) => infer One
    ? One
    : Z

type ShownIn<Z, Row, V, W> = unknown extends Z
  ? AsJSON<Row>
  : EditionOf<Z, V> extends infer S
    ? S extends { readonly fields: infer F extends Fields }
      ? Simplify<{ [K in keyof F as Seen<OptionsOf<F[K]>, K, V, W>]: AsJSON<ShownOf<F[K]>> }>
      : AsJSON<DataShownBy<S>>
    : never
type Seen<O, K, V, W> = O extends { readonly writeOnly: true }
  ? never
  : IsIn<O, V, W> extends true
    ? K
    : never

/** Does the version have a field that begins with `since` and ends with `until`? */
type IsIn<O, V, W> = O extends { readonly since: infer Since }
  ? V extends From<W, Since>
    ? IsBefore<O, V, W>
    : false
  : IsBefore<O, V, W>
type IsBefore<O, V, W> = O extends { readonly until: infer Until }
  ? V extends From<W, Until>
    ? false
    : true
  : true
/** A version and those behind it. */
type From<W, First> = W extends readonly [infer Head, ...infer Rest]
  ? Head extends First
    ? W[number]
    : From<Rest, First>
  : never

/** The sent form of a field: it reads what it shows. Files are sent in a form. */
type SentIn<S, V, W, Part> = S extends { readonly fields: infer F extends Fields }
  ? Part extends true
    ? {
        readonly [K in keyof F as Sends<F[K], V, W> extends 'never' ? never : K]?: Sent<F[K], V, W>
      }
    : Simplify<
        {
          readonly [K in keyof F as Sends<F[K], V, W> extends 'must' ? K : never]: Sent<F[K], V, W>
        } & {
          readonly [K in keyof F as Sends<F[K], V, W> extends 'may' ? K : never]?: Sent<F[K], V, W>
        }
      >
  : unknown
type Sent<Field, V, W> =
  OptionsOf<Field> extends { readonly '~written': infer S }
    ? readonly (SentIn<S, V, W, false> & Partial<AsJSON<DataShownBy<S>>>)[]
    : AsJSON<ShownOf<Field>>
type Sends<Field, V, W> = [ShownOf<Field>] extends [never]
  ? 'never'
  : OptionsOf<Field> extends infer O
    ? O extends { readonly readOnly: true }
      ? 'never'
      : IsIn<O, V, W> extends true
        ? O extends { readonly default: unknown } | { readonly required: false }
          ? 'may'
          : 'must'
        : 'never'
    : never
