import type { VersioningScheme } from '../ports/policies/versioning.ts'

/** Facts about a scheme for the compiler beside its methods, which do not exist at run time. */
export interface VersioningMarks {
  /** A request without a version is refused, unless there is a default or `null` is allowed (V10). */
  readonly '~refusesUnversioned'?: true
  /** The version is a namespace of the address, and `reverse` looks for names in it. */
  readonly '~namespaced'?: true
  /** A variant's own options, in place of the settings of the same names. */
  readonly '~own'?: Own
  /** Several schemes that are asked in order. */
  readonly '~schemes'?: readonly VersioningScheme[]
}

/** `undefined`: none, so that the settings hold. */
interface Own {
  readonly allowedVersions: readonly (string | null)[] | null | undefined
  readonly defaultVersion: string | null | undefined
}

type MarkOf<V, K extends keyof VersioningMarks> = K extends keyof V
  ? Exclude<V[K], undefined>
  : never
type OwnOf<V, K extends keyof Own, Setting> = [MarkOf<V, '~own'>] extends [never]
  ? Setting
  : MarkOf<V, '~own'> extends Readonly<Record<K, infer Given>>
    ? undefined extends Given
      ? Setting
      : Given
    : Setting

/** V3: an empty list allows every version, as no list does. */
type Listed<W> = W extends readonly [] | null ? string : W extends readonly (infer V)[] ? V : never

/** The versions that a request to the addresses `F` may be of, under a scheme and its settings. */
export type VersionUnder<V, W, D, F> = V extends null
  ? null
  : [MarkOf<V, '~schemes'>] extends [never]
    ? VersionBy<V, OwnOf<V, 'allowedVersions', W>, OwnOf<V, 'defaultVersion', D>, F>
    : VersionOfSeveral<MarkOf<V, '~schemes'>, W, D>

type VersionBy<V, W, D, F> = [MarkOf<V, '~namespaced'>, F] extends [never, unknown]
  ? VersionAnywhere<V, W, D>
  : string extends F
    ? VersionAnywhere<V, W, D>
    : VersionAt<F, W, D>

type VersionAnywhere<V, W, D> =
  | Listed<W>
  | Exclude<D, null>
  | (null extends D ? Unversioned<V, W> : never)
/** A list that is not known to hold anything may be empty, and then admits every version (V3). */
type Unversioned<V, W> = [MarkOf<V, '~refusesUnversioned'>] extends [never]
  ? null
  : W extends readonly [unknown, ...unknown[]]
    ? never
    : null

/** The scheme that finds a version decides with its own list; where none does, the first with its default. */
type VersionOfSeveral<S, W, D> = S extends readonly [infer First, ...unknown[]]
  ? Exclude<EachVersion<S, W, D>, null> | Extract<VersionUnder<First, W, D, string>, null>
  : S extends readonly (infer Some)[]
    ? VersionUnder<Some, W, D, string>
    : never
type EachVersion<S, W, D> = S extends readonly (infer Each)[]
  ? VersionUnder<Each, W, D, string>
  : never

/** The version of an address by its namespaces: the first of them that is allowed (V40–V43). */
type VersionAt<F, W, D> = F extends `${string}:${string}` ? PlaceAt<F, W, D>[0] : D
/** A list that is read when the program runs: any namespace may be the first that it allows. */
type IsOpen<W> = W extends readonly (infer V)[] ? (string extends V ? true : false) : false

/**
 * A place: the namespaces in which a scheme looks for a short name before it takes the name as it is, for
 * one address of an endpoint. `['v1']`, or `['v2', 'library:v2']`; `[]` outside of all versions.
 */
type PlaceAt<F, W, D> = F extends `${string}:${string}`
  ? PlaceFrom<F, Exclude<Listed<W> | D, null>, IsOpen<W>, ''>
  : D extends string
    ? [D]
    : []
type PlaceFrom<F, Allowed, Open, Before extends string> = F extends `${infer Head}:${infer Rest}`
  ? Head extends Allowed
    ?
        | (Before extends '' ? Around<Head, Rest> : [Head, ...Around<`${Before}${Head}`, Rest>])
        | (Open extends true ? PlaceFrom<Rest, Allowed, Open, `${Before}${Head}:`> : never)
    : PlaceFrom<Rest, Allowed, Open, `${Before}${Head}:`>
  : never
/** The namespaces from the one of the version to the innermost. */
type Around<Namespace extends string, Rest> = Rest extends `${infer Head}:${infer Further}`
  ? [Namespace, ...Around<`${Namespace}:${Head}`, Further>]
  : [Namespace]
/** The places in which the scheme looks for a short name, for each address of an endpoint; `never`: none. */
export type PlacesUnder<V, W, D, F> = [MarkOf<V, '~namespaced'>] extends [never]
  ? never
  : string extends F
    ? never
    : PlaceAt<F, OwnOf<V, 'allowedVersions', W>, OwnOf<V, 'defaultVersion', D>>

/** The places for a short name in links without a request: any of the scheme's versions. */
export type PlacesOutside<V, W, D> = [MarkOf<V, '~namespaced'>] extends [never]
  ? never
  : PlaceOf<VersionAnywhere<V, OwnOf<V, 'allowedVersions', W>, OwnOf<V, 'defaultVersion', D>>>
type PlaceOf<Version> = Version extends string ? [Version] : never

/** The route parameters that the scheme, or any of several, fills in by itself when a link is built. */
export type ImpliedUnder<V> = V extends unknown
  ? '~implied' extends keyof V
    ? Extract<V['~implied'], string>
    : never
  : never
