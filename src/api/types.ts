import type { Behaviour, EndpointFacts, Handler, Verb } from '../contract/kernel.ts'
import type { NamedLayer } from '../settings/fold.ts'
import type { EndpointName, ServedBy } from '../types/routes.ts'
import type { Bag, Judged, LayerOf, RequestOf, Scope } from '../types/scope.ts'

/** What one endpoint declares beside its settings. */
export interface EndpointOptions {
  /** Name for people. @default made from the endpoint's name: `article-list` → `Article List` */
  readonly title?: string
  /** A sentence or more for people, shown by OPTIONS. @default '' */
  readonly description?: string
}

export type Answering<Rq> = Handler<Rq> | Behaviour<Rq>

/**
 * A named route with its policy. Each verb returns a new endpoint, so their order means nothing;
 * HEAD follows GET, and OPTIONS is always there.
 */
export interface Endpoint<in Rq, out Answers = unknown, out N extends string = string> {
  readonly name: N
  /** Type only: what each verb answers, where that is known: of resources, and of GET by `list` and `retrieve`. */
  readonly '~answers'?: Answers
  /** What the composition root reads; nothing for applications. */
  readonly '~definition': EndpointDefinition
  get(handler: Handler<Rq> | Behaviour<Rq, undefined>): Endpoint<Rq, Answers, N>
  // Inferring from functions too would cost an application of 250 endpoints half as many types again.
  get<T>(handler: Handler<Rq> | Behaviour<Rq, T>): Endpoint<Rq, Answers & { readonly get: T }, N>
  post(handler: Answering<Rq>): Endpoint<Rq, Answers, N>
  put(handler: Answering<Rq>): Endpoint<Rq, Answers, N>
  patch(handler: Answering<Rq>): Endpoint<Rq, Answers, N>
  delete(handler: Answering<Rq>): Endpoint<Rq, Answers, N>
}

/** What an endpoint is made of, before its layers are folded. */
export interface EndpointDefinition extends EndpointFacts {
  /** Layers of its groups, outermost first, and its own, last. */
  readonly layers: readonly NamedLayer[]
  readonly behaviours: Readonly<Partial<Record<Verb, Behaviour<never>>>>
  /** Verbs that copies of this endpoint have and it has not: where it is served itself, they were lost. */
  readonly copied: Set<Verb>
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
    layer: LayerOf<Bag<A, G, V, W, D, U, T>> & Judged<G, Bag<A, G, V, W, D, U, T>, R>,
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
    policy?: LayerOf<
      Bag<A, G, V, W, D, U, T>,
      RequestOf<Bag<A, G, V, W, D, U, T>, R, ServedBy<R, N>>
    > &
      EndpointOptions &
      Judged<G, Bag<A, G, V, W, D, U, T>, R, ServedBy<R, N>>,
  ): Endpoint<RequestOf<Bag<A, G, V, W, D, U, T>, R, ServedBy<R, N>>, unknown, N>
}
