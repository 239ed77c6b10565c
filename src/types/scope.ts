import type {
  Authenticator,
  Permission,
  ApiRequest,
  Settings,
  VersioningScheme,
} from '../contract/request.ts'
import type { AnonymousUser, User } from '../contract/credentials.ts'
import type { ParamsFor } from './routes.ts'
import type { ImpliedUnder, PlacesUnder, VersionUnder } from './version-types.ts'

/** The part of the settings that the type checker follows. */
export interface Scope {
  authentication: readonly Authenticator[]
  permissions: readonly Permission[]
  versioning: VersioningScheme | null
  allowedVersions: readonly (string | null)[] | null
  defaultVersion: string | null
  unauthenticatedUser: (() => unknown) | null
  unauthenticatedToken: (() => unknown) | null
}

/** What holds where no layer sets anything else. */
export interface Defaults extends Scope {
  authentication: readonly []
  permissions: readonly []
  versioning: null
  allowedVersions: null
  defaultVersion: null
  unauthenticatedUser: () => AnonymousUser
  unauthenticatedToken: null
}

/** The schemes of an api that sets none: those of its accounts, if it has any. */
export type DefaultAuthentication<C> = C extends undefined
  ? Defaults['authentication']
  : readonly Authenticator<User, null>[]

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

/** What a layer may set: what it leaves out comes from the layer around it. */
export type LayerOf<S extends Scope> = { readonly [K in keyof S]?: S[K] } & Policy
type Policy = { readonly [K in Exclude<keyof Settings, keyof Scope>]?: Settings[K] }

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

/** Who a request may be from: the users of the schemes and the anonymous one, narrowed by the permissions. */
type UserOf<S extends Scope> = Granted<
  UserFrom<S['authentication'][number]> | Made<S['unauthenticatedUser']>,
  Grants<S['permissions']>
>
type AuthOf<S extends Scope> =
  | CredentialFrom<S['authentication'][number]>
  | Made<S['unauthenticatedToken']>
/** The request as a handler of the addresses `F` sees it. */
export type RequestOf<S extends Scope, R, F extends keyof R> = ApiRequest<{
  user: UserOf<S>
  auth: AuthOf<S>
  version: VersionUnder<S['versioning'], S['allowedVersions'], S['defaultVersion'], F>
  params: ParamsFor<R, F>
  routes: R
  implied: ImpliedUnder<S['versioning']>
  places: PlacesUnder<S['versioning'], S['allowedVersions'], S['defaultVersion'], F>
}>

/** What a permission proves about the user; of several, what any of them proves. */
export type GrantOf<P> = P extends Permission<any, infer G> ? G : never

/** What a list of permissions proves together. */
export type Grants<L> = L extends readonly [infer H, ...infer T] ? GrantOf<H> & Grants<T> : unknown

/** The objects that all permissions of a list can judge. */
export type Targets<L> = L extends readonly [infer H, ...infer T]
  ? (H extends Permission<infer X, any> ? X : unknown) & Targets<T>
  : unknown
// oxlint-enable no-explicit-any
