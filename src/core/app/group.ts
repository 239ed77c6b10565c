import type { Behaviour, EndpointFacts, Handler, Verb } from '../ports/kernel.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import type { NamedLayer } from '../settings/fold.ts'
import type { EndpointName, ServedBy } from '../types/routes.ts'
import type { Bag, Judged, LayerOf, RequestOf, TypedSettings } from '../types/typed-settings.ts'

/** The declarations of an endpoint beside its settings. */
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
  /** Type only: what each verb answers, where its behaviour says so: those of resources, `list`, `retrieve` and `action`. */
  readonly '~answers'?: Answers
  /** The composition root reads this; applications have no use for it. */
  readonly '~definition': EndpointDefinition
  get(handler: Handler<Rq> | Behaviour<Rq, undefined>): Endpoint<Rq, Answers, N>
  // Inferring the answers of functions too would cost an application of 250 endpoints half as many types again.
  get<T>(handler: Handler<Rq> | Behaviour<Rq, T>): Endpoint<Rq, Answers & { readonly get: T }, N>
  post(handler: Handler<Rq> | Behaviour<Rq, undefined>): Endpoint<Rq, Answers, N>
  post<T>(handler: Handler<Rq> | Behaviour<Rq, T>): Endpoint<Rq, Answers & { readonly post: T }, N>
  put(handler: Handler<Rq> | Behaviour<Rq, undefined>): Endpoint<Rq, Answers, N>
  put<T>(handler: Handler<Rq> | Behaviour<Rq, T>): Endpoint<Rq, Answers & { readonly put: T }, N>
  patch(handler: Handler<Rq> | Behaviour<Rq, undefined>): Endpoint<Rq, Answers, N>
  patch<T>(
    handler: Handler<Rq> | Behaviour<Rq, T>,
  ): Endpoint<Rq, Answers & { readonly patch: T }, N>
  delete(handler: Handler<Rq> | Behaviour<Rq, undefined>): Endpoint<Rq, Answers, N>
  delete<T>(
    handler: Handler<Rq> | Behaviour<Rq, T>,
  ): Endpoint<Rq, Answers & { readonly delete: T }, N>
}

/** The parts of an endpoint before its layers are folded. */
export interface EndpointDefinition extends EndpointFacts {
  /** The layers of its groups, outermost first, and then the endpoint's own layer. */
  readonly layers: readonly NamedLayer[]
  readonly behaviours: Readonly<Partial<Record<Verb, Behaviour<never>>>>
  /** Verbs that copies of this endpoint have and this one lacks: if this one is served, these verbs are lost. */
  readonly copied: Set<Verb>
}

/** Endpoints that share one more layer. */
export interface Group<S extends TypedSettings, R> {
  /** Type only. */
  readonly '~facts'?: { readonly scope: S; readonly routes: R }

  /** Makes a group one layer further in, with the same vocabulary, for the endpoints made from it. */
  group<
    const A extends TypedSettings['authentication'] = S['authentication'],
    const G extends TypedSettings['permissions'] = S['permissions'],
    const V extends TypedSettings['versioning'] = S['versioning'],
    const W extends TypedSettings['allowedVersions'] = S['allowedVersions'],
    const D extends TypedSettings['defaultVersion'] = S['defaultVersion'],
    U extends TypedSettings['unauthenticatedUser'] = S['unauthenticatedUser'],
    T extends TypedSettings['unauthenticatedToken'] = S['unauthenticatedToken'],
  >(
    layer: LayerOf<Bag<A, G, V, W, D, U, T>> & Judged<G, Bag<A, G, V, W, D, U, T>, R>,
  ): Group<Bag<A, G, V, W, D, U, T>, R>

  /**
   * Declares the endpoint of an address. A name without its first namespace (`report-list`) serves
   * the address of every namespace that has it and no endpoint of its own.
   */
  endpoint<
    const N extends EndpointName<R>,
    const A extends TypedSettings['authentication'] = S['authentication'],
    const G extends TypedSettings['permissions'] = S['permissions'],
    const V extends TypedSettings['versioning'] = S['versioning'],
    const W extends TypedSettings['allowedVersions'] = S['allowedVersions'],
    const D extends TypedSettings['defaultVersion'] = S['defaultVersion'],
    U extends TypedSettings['unauthenticatedUser'] = S['unauthenticatedUser'],
    T extends TypedSettings['unauthenticatedToken'] = S['unauthenticatedToken'],
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

/** Makes a group. The types work out how a request looks to its endpoints; at run time a group is only a list of layers. */
export function createGroup(groups: readonly NamedLayer[], declared: Set<string>): object {
  return {
    group: (values: object) => createGroup([...groups, { name: 'group', values }], declared),
    endpoint(name: string, options: EndpointOptions & object = {}) {
      const { title = titleOf(name), description = '', ...values } = options
      const layers = [...groups, { name: `endpoint ${name}`, values }]
      declared.add(name)
      return toEndpoint({ name, title, description, layers, behaviours: {}, copied: new Set() })
    },
  }
}

function toEndpoint(definition: EndpointDefinition): Endpoint<never, never> {
  const on = (verb: Verb) => (handler: Answering<never>) => {
    const behaviour = typeof handler === 'function' ? { handle: handler } : handler
    if (typeof behaviour?.handle !== 'function')
      throw new ConfigurationError(
        `endpoint ${definition.name}: ${verb}() takes a function, or what list(), retrieve() and others return.`,
      )
    const behaviours = { ...definition.behaviours, [verb]: behaviour }
    definition.copied.add(verb)
    return toEndpoint({ ...definition, behaviours, copied: new Set() })
  }
  return {
    name: definition.name,
    '~definition': definition,
    get: on('get'),
    post: on('post'),
    put: on('put'),
    patch: on('patch'),
    delete: on('delete'),
  }
}

/** `v1:article-list` → `Article List` (W4). */
function titleOf(name: string): string {
  const words = name.slice(name.lastIndexOf(':') + 1).split(/[-_]/)
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join(' ')
}
