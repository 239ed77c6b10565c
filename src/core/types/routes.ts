/** The value each converter gives to a handler, and takes when an address is built. */
export interface Converters {
  str: string
  int: number
  uuid: string
  slug: string
  path: string
}

/** The content of the brackets: a converter, choices (`de|en`), or one choice, which has a digit in it (`v1`). */
type Value<C extends string> = C extends keyof Converters
  ? Converters[C]
  : C extends `${string}|${string}`
    ? Choices<C>
    : C extends `${string}${Digit}${string}`
      ? C
      : never
type Choices<S extends string> = S extends `${infer A}|${infer B}` ? A | Choices<B> : S
type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9

type Segment<S extends string> = S extends `:${infer Name}<${infer C}>`
  ? { readonly [K in Name]: Value<C> }
  : S extends `:${infer Name}`
    ? { readonly [K in Name]: string }
    : string extends S
      ? Readonly<Record<string, unknown>>
      : unknown

/** `/users/:id<int>/` → `{ id: number }`; any parameters where the path is not known to the compiler. */
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

/** The table that `reverse` reads: every full name with its path or paths. */
export type RouteTable<T extends UrlTable> = Flat<Routes<T>, keyof Routes<T>>
// The names are a parameter, so that the compiler works them out once, and not with every look-up.
type Flat<R, Name extends keyof R> = { readonly [K in Name]: R[K] }

// Distributes over the table, so that errors show the names.
export type RouteName<R> = R extends unknown ? keyof R & string : never

/** A full name, or one without its first namespace. */
export type EndpointName<R> = R extends object ? RouteName<R> | WithoutFirst<RouteName<R>> : never
type WithoutFirst<Name> = Name extends `${string}:${infer Rest}` ? Rest : never
type FirstNamespace<Name> = Name extends `${infer First}:${string}` ? First : never

/**
 * `unknown` where the table has all of these names, alone or in a namespace; else the error of the compiler ends with
 * those that it lacks. For endpoints that come with a table of their own, which the application has to take in. It is a
 * condition, because a table with fewer names is assignable to one with more.
 *
 * @example function statusPages<S extends TypedSettings, R>(api: Group<S, R> & HasRoutes<R, 'status'>): readonly Endpoint<never>[]
 */
export type HasRoutes<R, Needed> = [Exclude<Needed, EndpointName<R>>] extends [never]
  ? unknown
  : { readonly '~needs': Exclude<Needed, EndpointName<R>> }

/** The full names that an endpoint serves: its own, or without a namespace, the address in every namespace. */
export type ServedBy<R, N extends string> =
  | Extract<N, keyof R>
  | Extract<`${FirstNamespace<RouteName<R>>}:${N}`, keyof R>

/** Parameters of a named route; a union where the name has several paths. */
export type ParamsFor<R, N extends keyof R> = ParamsAt<R[N]>
export type ParamsAt<Path> = Path extends string ? Simplify<ParamsOf<Path>> : never

/** One path of the table, as the matcher and `reverse` share it. */
export interface Route {
  /** `v1:report-list`. */
  readonly name: string
  /** `report-list`. */
  readonly localName: string
  /** Outermost first: `['v1']`. */
  readonly namespace: readonly string[]
  /** The path as written, prefixes included: `/v1/reports/:id<int>/`. */
  readonly path: string
  /** The names of the parameters, in path order. */
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
  /** The values of the address for its parameters (`format`: the suffix, if any). */
  readonly params: Readonly<Record<string, unknown>>
}

/** `'foreign'`: the address belongs to another scheme, host or port. `null`: it leads nowhere. */
export type Resolution = Resolved | 'foreign' | null
