/** The value each converter gives to a handler, and takes when an address is built. */
export interface Converters {
  str: string
  int: number
  uuid: string
  slug: string
  path: string
}

type SplitUnion<S extends string> = S extends `${infer A}|${infer B}` ? A | SplitUnion<B> : S

type Segment<S extends string> = S extends `:${infer Name}<${infer C}>`
  ? { readonly [K in Name]: C extends keyof Converters ? Converters[C] : SplitUnion<C> }
  : S extends `:${infer Name}`
    ? { readonly [K in Name]: string }
    : string extends S
      ? Readonly<Record<string, unknown>>
      : unknown

/**
 * Parameter names and types of one path: `/users/:id<int>/` → `{ id: number }`. Of a path that is only
 * known when the program runs, any.
 */
export type ParamsOf<Path extends string> = Path extends `${infer Head}/${infer Tail}`
  ? Segment<Head> & ParamsOf<Tail>
  : Segment<Path>

/** Shows the members of an intersection as one flat object. */
export type Simplify<T> = { [K in keyof T]: T[K] } & {}

/** A path of the table, or several that answer to the same name (the first that fits is built). */
export type Address = `/${string}` | readonly `/${string}`[]

/** A tree of named paths; a nested table is a namespace. */
export interface UrlTable {
  readonly [name: string]: Address | Include<string, UrlTable>
}

/** A table mounted under a prefix; its name in the outer table is its namespace. */
export interface Include<Prefix extends string, Table extends UrlTable> {
  readonly prefix: Prefix
  readonly table: Table
}

type Paths<A> = A extends readonly (infer P extends string)[] ? P : A extends string ? A : never
type Join<A extends string, B extends string> = A extends `${infer H}/`
  ? B extends `/${string}`
    ? `${H}${B}`
    : `${A}${B}`
  : `${A}${B}`
type UnionToIntersection<U> = (U extends unknown ? (u: U) => void : never) extends (
  i: infer I,
) => void
  ? I
  : never
type Nested<M> = keyof M extends never ? unknown : UnionToIntersection<M[keyof M]>

/** Every reversible name with its full path: `{ 'user-list': '/users/', 'v1:user-list': '/v1/users/' }`. */
export type Routes<T extends UrlTable, Ns extends string = '', Prefix extends string = ''> = {
  readonly [K in keyof T & string as T[K] extends Address ? `${Ns}${K}` : never]: Join<
    Prefix,
    Paths<T[K]>
  >
} & Nested<{
  [K in keyof T & string as T[K] extends Address ? never : K]: T[K] extends Include<
    infer P,
    infer C
  >
    ? Routes<C, `${Ns}${K}:`, Join<Prefix, P>>
    : never
}>

/**
 * The table that `reverse` reads: every full name, and every name without its first namespace. A name
 * that is both, or stands in several namespaces, has the paths of all.
 */
export type RouteTable<T extends UrlTable, R = Routes<T>> = {
  readonly [K in keyof R as K | (K extends `${string}:${infer Rest}` ? Rest : never)]: R[K]
}

export type RouteName<R> = keyof R & string

/** Parameters of a named route; a union where the name has several paths. */
export type ParamsFor<R, N extends keyof R> = R[N] extends infer P extends string
  ? P extends unknown
    ? Simplify<ParamsOf<P>>
    : never
  : never

/**
 * What a route asks for once the scheme has filled in `Implied` (the version of a path) by itself.
 * Just any `string`: nobody knows what the scheme fills in, so everything is asked for.
 */
type Asked<P, Implied extends string> = P extends unknown
  ? keyof P extends never
    ? Nothing
    : string extends Implied
      ? P
      : Simplify<Omit<P, Implied> & Partial<Pick<P, Extract<keyof P, Implied>>>>
  : never
/** `{}` would take anything. */
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

/**
 * Builds the address of a named route, in the version of the current request.
 * Absolute with a request. The name and the type of every parameter are checked.
 */
export type Reverse<R, Implied extends string = never> = <const N extends RouteName<R>>(
  name: N,
  ...params: NoneNeeded<Asked<ParamsFor<R, N>, Implied>> extends true
    ? [params?: Asked<ParamsFor<R, N>, Implied>]
    : [params: Asked<ParamsFor<R, N>, Implied>]
) => string

/** One path of the table, as the matcher and `reverse` share it. */
export interface Route {
  /** Full name, namespaces included: `v1:report-list`. */
  readonly name: string
  /** Name without namespaces: `report-list`. */
  readonly localName: string
  /** Outermost first: `['v1']`. */
  readonly namespace: readonly string[]
  /** The path as written, prefixes included: `/v1/reports/:id<int>/`. */
  readonly path: string
  /** Names of its parameters, in path order. */
  readonly parameters: readonly string[]
}

/** A route that fits a path, and what the path says for its parameters (`params.format`: the suffix, if any). */
export interface Match {
  readonly route: Route
  readonly params: Readonly<Record<string, unknown>>
}

/** The route that an address leads to. */
export interface Resolved {
  /** Full name, namespaces included: `v1:report-detail`. */
  readonly name: string
  /** Outermost first: `['v1']`. */
  readonly namespace: readonly string[]
  /** What the address says for its parameters (`format`: the suffix, if any). */
  readonly params: Readonly<Record<string, unknown>>
}

/** `'foreign'`: the address belongs to another scheme, host or port. `null`: it leads nowhere. */
export type Resolution = Resolved | 'foreign' | null

/** Both sides of an address table: which route a path is, and which path a route is. */
export interface Urls {
  readonly routes: readonly Route[]
  /** `null`: no such path. Throws `ParseError` where the percent-encoding is broken. */
  match(path: string): Match | null
  /** The path of a name; throws `NoReverseMatch`, which names what is missing or what the name could have meant. */
  reverse(name: string, params?: Readonly<Record<string, unknown>>): string
  /** The same path, or `null` where `reverse` would throw: looking for one costs no message. */
  find(name: string, params?: Readonly<Record<string, unknown>>): string | null
}
