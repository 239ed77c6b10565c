// Each answer is one walk over the fields, made when it is needed.
import type { Simplify } from '../../core/types/routes.ts'
import type { Serializer } from '../../core/ports/serializer.ts'
import type { Field, Fields } from './declaration.ts'

export type { InputOf, PatchOf } from '../../core/ports/serializer.ts'

/** A condition on the result of a function: no promise, which would be shown or stored as `{}`. */
export type AtOnce<Given> = 0 extends 1 & Given
  ? unknown
  : [Extract<Given, PromiseLike<unknown>>] extends [never]
    ? unknown
    : ValuesAreGivenAtOnce
interface ValuesAreGivenAtOnce {
  readonly '~awaited': 'before the row is shown or stored'
}

type Nullable<T, O> = O extends { readonly nullable: true } ? T | null : T

/** `'author.name'` → `{ author: { name: V } }`; `'*'` is the row itself. What leads to a null may be null. */
type At<Path extends string, V> = Path extends '*'
  ? V
  : Path extends `${infer Head}.${infer Rest}`
    ? { readonly [K in Head]: At<Rest, V> | (null extends V ? null : never) }
    : { readonly [K in Path]: V }

type Need<F, Name extends string> =
  F extends Field<infer Raw, unknown, unknown, infer O, unknown>
    ? O extends { readonly writeOnly: true }
      ? unknown
      : O extends { readonly source: infer Path extends string }
        ? At<Path, Nullable<Raw, O>>
        : { readonly [K in Name]: Nullable<Raw, O> }
    : never

export type RowFor<F extends Fields> = {
  [K in keyof F]: (row: Need<F[K], K & string>) => void
}[keyof F] extends (row: infer Row) => void
  ? { [K in keyof Row]: Row[K] }
  : never

type Versioned = { readonly since: string } | { readonly until: string }

/** The options that a field was declared with: `OptionsOf<typeof title>`. */
export type OptionsOf<F> = F extends Field<never, unknown, unknown, infer O, unknown> ? O : never

type Showing<O> = O extends { readonly writeOnly: true }
  ? 'never'
  : O extends Versioned
    ? 'sometimes'
    : 'always'

/** The type that clients see of a field: `ShownOf<typeof title>` is `string`. */
export type ShownOf<F> =
  F extends Field<never, infer S, unknown, infer O, unknown> ? Nullable<S, O> : never

/** The type that clients see. Fields of some versions only may be absent. */
export type OutputFor<F extends Fields> = Simplify<
  { [K in keyof F as Showing<OptionsOf<F[K]>> extends 'always' ? K : never]: ShownOf<F[K]> } & {
    [K in keyof F as Showing<OptionsOf<F[K]>> extends 'sometimes' ? K : never]?: ShownOf<F[K]>
  }
>

type Giving<O> = O extends { readonly readOnly: true }
  ? 'never'
  : O extends { readonly default: unknown }
    ? InVersions<O>
    : O extends { readonly required: false }
      ? 'sometimes'
      : InVersions<O>
type InVersions<O> = O extends Versioned ? 'in some versions' : 'always'

type GivingOf<F> = Giving<OptionsOf<F>>

/** The name of a field in the input. */
type Key<F, Name> =
  OptionsOf<F> extends { readonly writes: infer W extends string }
    ? W
    : OptionsOf<F> extends { readonly source: infer S extends string }
      ? S
      : Name

/** Fields that are converted give members that other versions have fields for, with their types. */
type OwnKey<F, Name> = OptionsOf<F> extends { readonly writes: string } ? never : Key<F, Name>

export type GivenOf<F> =
  F extends Field<never, unknown, infer G, infer O, unknown> ? Nullable<G, O> : never

type Patch<F> = F extends Field<never, unknown, unknown, infer O, infer P> ? Nullable<P, O> : never

export type RawOf<F> =
  F extends Field<infer Raw, unknown, unknown, infer O, unknown> ? Nullable<Raw, O> : never

export type InputFor<F extends Fields> = Simplify<
  { [K in keyof F as Placed<F, K, 'always'>]: GivenOf<F[K]> } & {
    [K in keyof F as Placed<F, K, 'sometimes'>]?: GivenOf<F[K]>
  }
>

type Placed<F extends Fields, K extends keyof F, Wanted> =
  PresenceOf<F, GivingOf<F[K]>, OwnKey<F[K], K>> extends Wanted ? OwnKey<F[K], K> : never
type PresenceOf<F extends Fields, How, Name> = How extends 'in some versions'
  ? Renamed<Bounds<F, Name>>
  : How

/** The versions in which fields that write one member of the input begin and end. */
type Bounds<F extends Fields, Name> = {
  [K in keyof F]: GivingOf<F[K]> extends 'in some versions'
    ? Name extends Key<F[K], K>
      ? { since: Bound<OptionsOf<F[K]>, 'since'>; until: Bound<OptionsOf<F[K]>, 'until'> }
      : never
    : never
}[keyof F]
type Bound<O, End extends string> = O extends { readonly [K in End]: infer V } ? V : null
/** A field that is renamed ends where its new name begins, so that each version has one of them. */
type Renamed<B extends { since: unknown; until: unknown }> = [B['since'], B['until']] extends [
  B['until'],
  B['since'],
]
  ? null extends B['since']
    ? 'always'
    : 'sometimes'
  : 'sometimes'

export type PatchFor<F extends Fields> = {
  [K in keyof F as GivingOf<F[K]> extends 'never' ? never : OwnKey<F[K], K>]?: Patch<F[K]>
}

/** The names that lists can go by: a field that is only read, or made of the whole row, stands for no field of it. */
// Distributes over the fields, so that errors show the names.
export type NamesFor<F extends Fields> = F extends unknown
  ? {
      [K in keyof F & string]: OptionsOf<F[K]> extends
        | { readonly writeOnly: true }
        | { readonly source: '*' }
        | { readonly '~embeds': true }
        ? never
        : K
    }[keyof F & string]
  : never

/** The type of the rows that a serializer shows: `RowOf<typeof article>`. */
export type RowOf<S> = S extends Serializer<infer Row, unknown, never> ? Row : never

/** The type of the data that a serializer shows: `OutputOf<typeof article>`. */
export type OutputOf<S> = S extends Serializer<never, infer Output, never> ? Output : never
