import type { Authenticator } from '../ports/policies/authentication.ts'
import type { Wrapper } from '../ports/policies/observing.ts'
import type { Permission } from '../ports/policies/permissions.ts'
import type { ApiRequest } from '../ports/request.ts'
import type { Settings } from '../ports/settings/settings.ts'
import type { Throttle } from '../ports/policies/throttling.ts'
import type { VersioningScheme } from '../ports/policies/versioning.ts'
import type { AnonymousUser, User } from '../ports/credentials.ts'
import type { Facts } from './reverse.ts'
import type { ParamsFor } from './routes.ts'
import type { ImpliedUnder, PlacesUnder, VersionUnder } from './version-types.ts'

/**
 * The request with these known facts, for permissions, throttles and functions of your own. Endpoints whose requests lack
 * the facts do not take them.
 *
 * @example
 * const hasPaid = ({ user }: RequestWith<{ user: { paid: boolean } }>) => user.paid
 */
export type RequestWith<Known extends Partial<Facts>> = ApiRequest<WithRest<Known>>
type WithRest<Known> = {
  [Name in keyof Facts]: Name extends keyof Known ? Extract<Known[Name], Facts[Name]> : Facts[Name]
}

/** The part of the settings that the type checker follows. */
export interface TypedSettings {
  authentication: readonly Authenticator[]
  permissions: readonly Permission[]
  versioning: VersioningScheme | null
  allowedVersions: readonly (string | null)[] | null
  defaultVersion: string | null
  unauthenticatedUser: (() => unknown) | null
  unauthenticatedToken: (() => unknown) | null
}

/** The defaults. */
export type Defaults = Bag<readonly [], readonly [], null, null, null, () => AnonymousUser, null>

/** The schemes of an api that sets none: those of its accounts, if it has any. */
export type DefaultAuthentication<C> = C extends undefined
  ? Defaults['authentication']
  : readonly Authenticator<C extends { readonly '~user'?: infer U } ? NonNullable<U> : User, null>[]

/** The seven settings that carry types, gathered in one named bag. */
export interface Bag<A, G, V, W, D, U, T> {
  authentication: A
  permissions: G
  versioning: V
  allowedVersions: W
  defaultVersion: D
  unauthenticatedUser: U
  unauthenticatedToken: T
}

/** The settings of a layer: others come from the layer around it. */
export type LayerOf<
  S extends TypedSettings,
  Rq = RequestWith<{ user: UserOf<S>; auth: AuthOf<S> }>,
> = {
  readonly [K in keyof S]?: S[K]
} & Policy & {
    readonly throttles?: readonly ThrottleFor<Rq>[]
    readonly around?: Wrapper<Rq> | null
    readonly timeZone?: string | ((request: Rq) => string | null)
  }
type Policy = {
  readonly [
    K in Exclude<keyof Settings, keyof TypedSettings | 'throttles' | 'around' | 'timeZone'>
  ]?: Settings[K]
}

/** A throttle that needs to know no more of a request. In functions, because methods are compared less strictly. */
export interface ThrottleFor<Rq> extends Omit<Throttle, 'limits' | 'admit'> {
  readonly limits?: (request: Rq) => ReturnType<NonNullable<Throttle['limits']>>
  readonly admit?: (request: Rq) => ReturnType<NonNullable<Throttle['admit']>>
}

// oxlint-disable no-explicit-any -- each `any` stands for the half of a pair that is not asked for
type UserFrom<S> = S extends Authenticator<infer U, any> ? U : never
type CredentialFrom<S> = S extends Authenticator<any, infer T> ? T : never
type Made<F> = F extends () => infer T ? T : null

/** Each possible user as the permissions leave it: as it is where it fits, narrowed where it may fit, else out. */
type Granted<U, G> = U extends G
  ? U
  : unknown extends U
    ? G
    : keyof G extends keyof U
      ? U & G
      : never

/** The users of a request: those of the schemes and the anonymous one, narrowed by the permissions. */
type UserOf<S extends TypedSettings> = Granted<
  UserFrom<S['authentication'][number]> | Made<S['unauthenticatedUser']>,
  Grants<S['permissions']>
>
type AuthOf<S extends TypedSettings> =
  | CredentialFrom<S['authentication'][number]>
  | Made<S['unauthenticatedToken']>
/** The request as a handler of the addresses `F` sees it. */
export type RequestOf<S extends TypedSettings, R, F extends keyof R> = ApiRequest<{
  user: UserOf<S>
  auth: AuthOf<S>
  version: VersionUnder<S['versioning'], S['allowedVersions'], S['defaultVersion'], F>
  params: ParamsFor<R, F>
  routes: R
  implied: ImpliedUnder<S['versioning']>
  places: PlacesUnder<S['versioning'], S['allowedVersions'], S['defaultVersion'], F>
}>

/** The facts about the request that a permission needs. */
type NeedOf<P> = (P extends { hasPermission?(request: infer Rq): unknown } ? Rq : unknown) &
  (P extends { hasObjectPermission?(request: infer Rq, target: never): unknown } ? Rq : unknown)

/** All of these, one after the other: each is asked about what those before it have let through. */
export interface AllOf<L> extends Permission<Targets<L>, Grants<L>> {
  /** Type only. */
  readonly '~all'?: L
}
/** One of these: each is asked about what came to the first. */
export interface AnyOf<L> extends Permission<
  Targets<L>,
  L extends readonly unknown[] ? GrantOf<L[number]> : never
> {
  /** Type only. */
  readonly '~any'?: L
}

/** Shown in compiler errors: the permission needs to know more about requests than is known here. */
export interface ThisPermissionNeeds<Known, P> {
  readonly '~needs': [Known, P]
}

/**
 * `unknown` where each permission can judge what it is asked about: a request whose user is what the schemes
 * give and the permissions before it have proved. In a group, it must be able to for each address.
 */
export type Judged<
  G,
  S extends TypedSettings,
  R,
  F extends keyof R = keyof R,
> = G extends readonly [unknown, ...unknown[]]
  ? Misjudged<G, RequestOf<AskedOf<S>, R, F>> extends infer Complaint
    ? unknown extends Complaint
      ? unknown
      : { readonly permissions: Complaint }
    : never
  : unknown
/** The check for a list of permissions that are asked about this request. */
export type Misjudged<L, Rq> = L extends readonly [infer P, ...infer Rest]
  ? P extends { readonly '~all'?: infer All extends readonly unknown[] }
    ? Misjudged<[...All, ...Rest], Rq>
    : Both<
        P extends { readonly '~any'?: infer Any } ? MisjudgedEach<Any, Rq> : MisjudgedOne<P, Rq>,
        Misjudged<Rest, Permitted<Rq, readonly [P]>>
      >
  : unknown
type MisjudgedEach<L, Rq> = L extends readonly [infer P, ...infer Rest]
  ? Both<Misjudged<[P], Rq>, MisjudgedEach<Rest, Rq>>
  : unknown
type MisjudgedOne<P, Rq> =
  ApiRequest extends NeedOf<P>
    ? unknown
    : Rq extends NeedOf<P>
      ? unknown
      : Lacking<NeedOf<P>, Rq> extends infer L
        ? ThisPermissionNeeds<L, P>
        : never
/** The first of two complaints. */
export type Both<One, Other> = unknown extends One ? Other : One

/** The request once these permissions have agreed to it, too. */
export type Permitted<Rq, L> =
  unknown extends Grants<L> ? Rq : Rq & { readonly user: Granted<Rq['user' & keyof Rq], Grants<L>> }
/** The permitted request by action; either one, if a function performs two of them. */
export type ToPerform<Rq, G, Action> = Action extends keyof G ? Permitted<Rq, G[Action]> : Rq

/** The facts of a request that differ from the needed ones. It is a condition, so that errors show the facts. */
type Lacking<Needed, Given> = Needed extends unknown
  ? {
      [
        K in 'user' | 'auth' | 'version' | 'params' as K extends keyof Needed & keyof Given
          ? Given[K] extends Needed[K]
            ? never
            : K
          : never
      ]: K extends keyof Needed ? Needed[K] : never
    }
  : never
/** The settings of an endpoint, as its first permission finds them. */
type AskedOf<S extends TypedSettings> = Omit<S, 'permissions'> & { permissions: readonly [] }

/** The proof of a permission about the user; of several, that of any of them. */
export type GrantOf<P> = P extends Permission<any, infer G, never> ? G : never

/** The proof of a list of permissions together. */
export type Grants<L> = L extends readonly [infer H, ...infer T] ? GrantOf<H> & Grants<T> : unknown

/** The objects that all permissions of a list can judge. */
export type Targets<L> = L extends readonly [infer H, ...infer T]
  ? (H extends Permission<infer X, any, never> ? X : unknown) & Targets<T>
  : unknown
// oxlint-enable no-explicit-any
