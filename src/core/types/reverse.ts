import type { ParamsAt, ParamsFor, RouteName, Simplify } from './routes.ts'

/** The places in which a scheme looks for a short name, for one address: `['v2', 'library:v2']`; for several, a union. */
export type LinkPlaces = readonly string[]

/** The named facts that inference carries, in one bag. */
export interface Facts {
  user: unknown
  auth: unknown
  version: string | null
  params: Readonly<Record<string, unknown>>
  routes: unknown
  /** Name of the route parameter that the versioning scheme fills in by itself, or `never`. */
  implied: string
  /** Namespaces in which the versioning scheme looks for a short name, or `never`. */
  places: LinkPlaces
}

type NamesIn<Name, Namespace extends string> = Name extends `${Namespace}:${infer Local}`
  ? Local
  : never
/** The names of the places are in functions, so that they are intersected and not added up. */
type InEach<Name, P> = (
  P extends LinkPlaces ? (names: NamesIn<Name, P[number]>) => void : never
) extends (names: infer Names) => void
  ? Names
  : never
/** The short names that every place has. Where the places are not known: none. */
type ShortName<R, P extends LinkPlaces> = readonly [string] extends P
  ? never
  : InEach<RouteName<R>, P> & string

/** What `reverse` takes: every full name, and short ones where the scheme fills in the rest. */
// A conditional type is worked out once for its arguments, a union whenever a signature is looked at.
type LinkName<R, P extends LinkPlaces> = [P] extends [never]
  ? RouteName<R>
  : RouteName<R> | ShortName<R, P>

/** Paths of a short name in the namespaces of a place. */
type PathsIn<R, N extends string, In extends string> = In extends unknown
  ? `${In}:${N}` extends infer Full extends keyof R
    ? R[Full]
    : never
  : never
type ParamsIn<R, N extends string, P> = P extends LinkPlaces
  ? ParamsAt<PathsIn<R, N, P[number]>>
  : never

/** Does the given type fit one of these exactly? */
type Fits<Given, Taken> = Taken extends unknown
  ? [keyof Given, keyof Taken] extends [keyof Taken, keyof Given]
    ? Given extends Taken
      ? true
      : never
    : never
  : never
/** `true` for the places in which the name takes no such parameters. */
type Missing<R, N extends string, P, Given> = P extends LinkPlaces
  ? [Fits<Given, ParamsIn<R, N, P>>] extends [never]
    ? true
    : never
  : never
/** The parameters that a name takes in every place, out of all that it takes in any. */
type InEvery<R, N extends string, P, All> = All extends unknown
  ? [Missing<R, N, P, All>] extends [never]
    ? All
    : never
  : never
/** If all places agree, which is nearly always, there is nothing to compare. */
type Agreed<R, N extends string, P, All> = IsOne<All> extends true ? All : InEvery<R, N, P, All>
type IsOne<T, U = T> = [T] extends [never]
  ? false
  : (T extends unknown ? ([U] extends [T] ? true : false) : never) extends true
    ? true
    : false

/**
 * The parameters of a name. A short name has those that fit wherever the scheme may find it, a full name its own. A name
 * outside of all namespaces also has those of its namesakes inside, which are found first.
 */
type LinkParams<R, N extends string, P> = N extends keyof R
  ? ParamsFor<R, N> | (N extends `${string}:${string}` ? never : Namesakes<R, N, P>)
  : Agreed<R, N, P, ParamsIn<R, N, P>>
type Namesakes<R, N extends string, P> = [P] extends [never]
  ? never
  : InEvery<R, N, P, ParamsIn<R, N, P>>

/**
 * The parameters of a route beside `Implied`, which the scheme fills in (the version of a path). Just any `string`: the
 * scheme's part is not known, so all parameters are asked for.
 */
type Asked<P, Implied extends string> = P extends unknown
  ? keyof P extends never
    ? Nothing
    : string extends Implied
      ? P
      : Simplify<Omit<P, Implied> & Partial<Pick<P, Extract<keyof P, Implied>>>>
  : never
/** A type without members, because `{}` would take anything. */
type Nothing = Readonly<Record<string, never>>

type RequiredKeys<T> = T extends unknown
  ? { [K in keyof T]-?: {} extends Pick<T, K> ? never : K }[keyof T]
  : never
/** `true` when at least one path of the name needs no parameter. */
type NoneNeeded<P> = true extends (
  P extends unknown ? ([RequiredKeys<P>] extends [never] ? true : false) : never
)
  ? true
  : false

type LinkArguments<P, Options> =
  NoneNeeded<P> extends true ? [params?: P, options?: Options] : [params: P, options?: Options]
/** Options of a link beside its name and parameters. */
export interface LinkOptions {
  /** Format suffix, where routes have them: `'json'` makes `/items.json` of `/items/` (U4). */
  readonly format?: string
}

/**
 * Builds the absolute address of a named route, in the version of the request. The name and the type
 * of every parameter are checked. `Implied` names the parameters that the scheme fills in, `P` the
 * namespaces in which it looks for a name.
 */
export type Reverse<R, Implied extends string = never, P extends LinkPlaces = never> = MakeLink<
  R,
  Implied,
  P,
  LinkOptions
>

type MakeLink<R, Implied extends string, P extends LinkPlaces, Options> = <
  const N extends LinkName<R, P>,
>(
  name: N,
  ...rest: LinkArguments<Asked<LinkParams<R, N, P>, Implied>, Options>
) => string

/** Options of many links to one route. */
export interface LinkerOptions extends LinkOptions {
  /** Parameters that all links have; those that the path does not take are left out. */
  readonly params?: Readonly<Record<string, unknown>>
}

/** Options of a link that is made outside of every request. */
export interface UrlForOptions extends LinkOptions {
  /** `https://api.example.com`. @default `PUBLIC_URL`; without one, the link is a path */
  readonly origin?: string
  /** The version of the link. @default the default version of the endpoint that it leads to */
  readonly version?: string
}

/** Builds the address of a named route outside of every request. Checked like `reverse`. */
export type UrlFor<R, Implied extends string = never, P extends LinkPlaces = never> = MakeLink<
  R,
  Implied,
  P,
  UrlForOptions
>

/** A link with all parameters filled in but one. It gives the link with this value; `null`: no address holds it. */
export interface OpenLink {
  (value: unknown): string | null
  /** The part of the link before the value, and the part behind it. */
  readonly start: string
  readonly end: string
  /** The value as it stands between `start` and `end`; `null`: no address holds it. */
  readonly encode: (value: unknown) => string | null
  /** Is every whole number from 0 written as its digits? @default false */
  readonly takesDigits?: boolean
}

/** Links to one route from one request: what `reverse` gives, prepared for many of them. */
export interface Linker {
  /** @throws NoReverseMatch no path of the route takes these parameters */
  url(params: Readonly<Record<string, unknown>>): string
  /** `null` where `url` would throw, without the cost of an error. */
  find(params: Readonly<Record<string, unknown>>): string | null
  /**
   * Makes the links that differ in this one parameter, each for a concatenation. Numbers and long integers
   * fit where the address wants text; `null`: no address holds it, and for all: ask for each link.
   */
  to(param: string): OpenLink | null
}
