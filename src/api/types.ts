import type { Authenticator } from '../contract/authentication.ts'
import type { AnonymousUser, User } from '../contract/credentials.ts'
import type { Behaviour, Handler, Verb } from '../contract/kernel.ts'
import type { Permission } from '../contract/permission.ts'
import type { ApiRequest } from '../contract/request.ts'
import type { EndpointName, ParamsFor, ServedBy } from '../types/routes.ts'
import type { Settings } from '../contract/settings.ts'
import type { ImpliedUnder, PlacesUnder, VersionUnder } from '../types/version-types.ts'
import type { VersioningScheme } from '../contract/versioning.ts'
import type { Grants } from '../permissions/composition.ts'

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

/** Settings that no type depends on. */
export type Policy = { readonly [K in Exclude<keyof Settings, keyof Scope>]?: Settings[K] }

/** What a layer may set: everything is optional, and what it leaves out comes from the layer around it. */
export type LayerOf<S extends Scope> = { readonly [K in keyof S]?: S[K] } & Policy

/** What one endpoint declares beside its settings. */
export interface EndpointOptions {
  /** Name for people. @default made from the endpoint's name: `article-list` → `Article List` */
  readonly title?: string
  /** A sentence or more for people, shown by OPTIONS. @default '' */
  readonly description?: string
}

// oxlint-disable no-explicit-any -- each `any` stands for the half of a pair that is not asked for
type UserFrom<S> = S extends Authenticator<infer U, any> ? U : never
type CredentialFrom<S> = S extends Authenticator<any, infer T> ? T : never
type Made<F> = F extends () => infer T ? T : null
// oxlint-enable no-explicit-any
/** Each possible user as the permissions leave it: as it is where it fits, narrowed where it may fit, else out. */
type Granted<U, G> = U extends G
  ? U
  : unknown extends U
    ? G
    : keyof G extends keyof U
      ? U & G
      : never

/** Who a request may be from: the users of the schemes and the anonymous one, narrowed by the permissions. */
export type UserOf<S extends Scope> = Granted<
  UserFrom<S['authentication'][number]> | Made<S['unauthenticatedUser']>,
  Grants<S['permissions']>
>
export type AuthOf<S extends Scope> =
  | CredentialFrom<S['authentication'][number]>
  | Made<S['unauthenticatedToken']>
/** `null` without a scheme; else the versions that are allowed at these addresses, and `null` where none may be named. */
export type VersionOf<S extends Scope, F> = VersionUnder<
  S['versioning'],
  S['allowedVersions'],
  S['defaultVersion'],
  F
>

/** The request as a handler of an endpoint sees it that serves the addresses `F`. */
export type RequestOf<S extends Scope, R, F extends keyof R> = ApiRequest<{
  user: UserOf<S>
  auth: AuthOf<S>
  version: VersionOf<S, F>
  params: ParamsFor<R, F>
  routes: R
  implied: ImpliedUnder<S['versioning']>
  places: PlacesUnder<S['versioning'], S['allowedVersions'], S['defaultVersion'], F>
}>

/** Something that answers a verb. */
export type Answering<Rq> = Handler<Rq> | Behaviour<Rq>

/**
 * A named route with its policy. Each verb returns a new endpoint, so their order means nothing;
 * HEAD follows GET, and OPTIONS is always there.
 */
export interface Endpoint<in Rq> {
  readonly name: string
  /** What the composition root reads; nothing for applications. */
  readonly '~definition': EndpointDefinition
  get(handler: Answering<Rq>): Endpoint<Rq>
  post(handler: Answering<Rq>): Endpoint<Rq>
  put(handler: Answering<Rq>): Endpoint<Rq>
  patch(handler: Answering<Rq>): Endpoint<Rq>
  delete(handler: Answering<Rq>): Endpoint<Rq>
}

/** What an endpoint is made of, before its layers are folded. */
export interface EndpointDefinition {
  readonly name: string
  readonly title: string
  readonly description: string
  /** Layers of its groups, outermost first, and its own, last. */
  readonly layers: readonly { readonly name: string; readonly values: object }[]
  readonly behaviours: Readonly<Partial<Record<Verb, Behaviour<never>>>>
}

/** Endpoints that share one more layer. */
export interface Group<S extends Scope, R> {
  /** Type only. */
  readonly '~facts'?: { readonly scope: S; readonly routes: R }

  /** One layer further in: the same vocabulary, for the endpoints made from it. */
  group<
    const A extends Scope['authentication'] = S['authentication'],
    const G extends Scope['permissions'] = S['permissions'],
    const V extends Scope['versioning'] = S['versioning'],
    const W extends Scope['allowedVersions'] = S['allowedVersions'],
    const D extends Scope['defaultVersion'] = S['defaultVersion'],
    U extends Scope['unauthenticatedUser'] = S['unauthenticatedUser'],
    T extends Scope['unauthenticatedToken'] = S['unauthenticatedToken'],
  >(
    layer: LayerOf<Bag<A, G, V, W, D, U, T>>,
  ): Group<Bag<A, G, V, W, D, U, T>, R>

  /**
   * Declares the endpoint of an address. A name without its first namespace (`report-list`) serves
   * the address of every namespace that has it and no endpoint of its own.
   */
  endpoint<
    const N extends EndpointName<R>,
    const A extends Scope['authentication'] = S['authentication'],
    const G extends Scope['permissions'] = S['permissions'],
    const V extends Scope['versioning'] = S['versioning'],
    const W extends Scope['allowedVersions'] = S['allowedVersions'],
    const D extends Scope['defaultVersion'] = S['defaultVersion'],
    U extends Scope['unauthenticatedUser'] = S['unauthenticatedUser'],
    T extends Scope['unauthenticatedToken'] = S['unauthenticatedToken'],
  >(
    name: N,
    policy?: LayerOf<Bag<A, G, V, W, D, U, T>> & EndpointOptions,
  ): Endpoint<RequestOf<Bag<A, G, V, W, D, U, T>, R, ServedBy<R, N>>>
}
