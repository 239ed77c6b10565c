import type { Behaviour } from '../../core/ports/kernel.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import { namesOf } from '../endpoints/action.ts'
import { found } from '../endpoints/retrieve.ts'
import { withViolations } from '../endpoints/violations.ts'
import { type Context, contextOf } from '../../core/pipeline/context.ts'
import { after } from '../../core/std/after.ts'
import { Query } from '../../core/std/http/query.ts'
import { oncePerRequest } from '../../core/std/once.ts'
import type { Route } from '../../core/types/routes.ts'
import { type Known, othersOf, ownParam } from './lookup.ts'
import type { AnyRow, FactsFor, Belongs, StoreFor } from './tenant-scope.ts'

/** The facts about a resource that resources nested in it need. */
export interface ResourceFacts extends Known {
  readonly name: string
  readonly storeFor: StoreFor
  readonly find: (request: ApiRequest, read?: readonly string[]) => Promise<AnyRow | null>
  /** The columns that distinguish tenants, for every client. */
  readonly tenant: readonly string[]
  /** Do its rows, or the rows above them, have a scope? */
  readonly isScoped: boolean
  /** Gives serializers the tenants of a request; `null`: the resource has no tenants. */
  readonly around: FactsFor | null
}

/** The place of a resource in another one. */
export class Nesting {
  readonly #parent: ResourceFacts
  readonly #by: string
  readonly #param: string | undefined
  /** One look-up of the parent's row serves OPTIONS with all verbs that it asks about, and every attempt to write. */
  readonly #rowOf = oncePerRequest((request: Context) => this.#lookUp(request))

  constructor(parent: ResourceFacts, by: string, param: string | undefined) {
    this.#parent = parent
    this.#by = by
    this.#param = param
  }

  /** The parent's row that the address names, with the values that it gives all rows of the request. */
  belongs(request: ApiRequest): Promise<Belongs> {
    return this.#rowOf(contextOf(request).root)
  }

  /** The unclear part of an address of the resource; `null`: none. `own` is the parameter of its own row. */
  problem(route: Route, own: string | null, routes: readonly Route[]): string | null {
    const detail = `${this.#parent.name}-detail`
    const above = namesOf(detail, route.namespace)
      .map((name) => routes.find((each) => each.name === name))
      .find((each) => each !== undefined)
    if (above === undefined)
      return `its parent has no address ${detail}, whose permissions would hold. Add one.`
    const param = this.#paramAmong(route.parameters)
    if (param === null || param === own) return this.#unclear(route)
    const missing = othersOf(above, this.#parent).find(
      (name) => name === own || !route.parameters.includes(name),
    )
    return missing === undefined
      ? null
      : `${route.path} needs the parameter "${missing}" of the address of its parent, ${above.path}.`
  }

  #unclear({ path }: Route): string {
    const parent = shortName(this.#parent.name)
    const names = this.#param ?? [...new Set([this.#by, parent])].join(' or ')
    return `${path} needs a parameter ${names} for the key of its parent ${parent}, beside that of its own row. Add it, or name another with parentParam.`
  }

  #paramAmong(names: readonly string[]): string | null {
    const { name } = this.#parent
    const wanted = this.#param === undefined ? [this.#by, shortName(name)] : [this.#param]
    return wanted.find((each) => names.includes(each)) ?? null
  }

  /** Looks the parent up as a GET of its own address would, but without the query, which is about the children. */
  async #lookUp(request: Context): Promise<Belongs> {
    const parent = this.#parent
    const { params, namespace, service, urls } = request
    const endpoint = namesOf(`${parent.name}-detail`, namespace)
      .map((name) => service.endpoints.get(name))
      .find((each) => each !== undefined)!
    const { route } = urls.templates.byName.get(endpoint.facts.name)![0]!
    const param = this.#paramAmong(Object.keys(params))!
    const theirs = othersOf(route, parent).filter((name) => params[name] !== undefined)
    const about = request.as('GET', {
      endpoint,
      params: {
        ...Object.fromEntries(theirs.map((name) => [name, params[name]])),
        [ownParam(route, parent)]: params[param],
      },
      query: Query.parse(''),
      queryText: '',
    })
    await endpoint.checkPermissions?.(about)
    const asked = about as unknown as ApiRequest
    const row = await found(asked, parent.find(asked))
    const { store, scope, tenant, keys, isOpen } = await parent.storeFor(asked)
    const columns = Object.keys(scope).filter((column) => !Object.hasOwn(keys, column))
    const shared = [...columns, ...parent.tenant].filter((column) => row[column] !== undefined)
    return {
      row,
      scope: { [this.#by]: row[store.key] },
      above: [param, ...theirs],
      keys: { ...keys, [this.#by]: row[store.key] },
      tenant: { ...tenant, ...Object.fromEntries(shared.map((column) => [column, row[column]])) },
      isOpen,
    }
  }
}

export type OfOne = (request: ApiRequest, row: unknown, store: unknown, parent: unknown) => unknown
export type OfAll = (request: ApiRequest, store: unknown, parent: unknown) => unknown

export function aboutOne(
  handler: OfOne,
  { find, storeFor, around }: Pick<ResourceFacts, 'find' | 'storeFor' | 'around'>,
  read: readonly string[],
): Behaviour {
  return {
    async handle(request) {
      const row = await found(request, find(request, read))
      const { store, parent } = await storeFor(request)
      await around?.(request, row)
      return withViolations(request, {}, () => handler(request, row, store, parent))
    },
  }
}

/** Wraps an action on all rows: only the parent's row has to exist. */
export function aboutAll(
  acting: OfAll | Behaviour,
  { storeFor, around }: Pick<ResourceFacts, 'storeFor' | 'around'>,
): Behaviour {
  if (typeof acting === 'function')
    return {
      handle: (request) =>
        after(storeFor(request), ({ store, parent }) =>
          after(around?.(request), () =>
            withViolations(request, {}, () => acting(request, store, parent)),
          ),
        ),
    }
  if (around === null) return acting
  return {
    ...acting,
    looksUp: (request) => after(storeFor(request), () => acting.looksUp?.(request)),
    handle: (request) =>
      after(storeFor(request), () => after(around(request), () => acting.handle(request))),
  }
}

export const shortName = (name: string): string => name.slice(name.lastIndexOf(':') + 1)
