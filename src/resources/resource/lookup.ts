// The row that an address is about: its parameter, and what filters leave of it.
import type { ListFields } from '../../core/ports/list-source.ts'
import type { FilterBackend } from '../../core/ports/policies/filters.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { Serializer } from '../../core/ports/serializer.ts'
import { contextOf } from '../../core/pipeline/context.ts'
import { isPromise } from '../../core/std/after.ts'
import type { ParameterFacts } from '../../core/types/documents.ts'
import type { Route } from '../../core/types/routes.ts'
import { filterParameters } from '../endpoints/list-description.ts'
import { DeclaredFields } from '../endpoints/list-fields.ts'
import type { FilteredFields } from '../endpoints/list-names.ts'
import { applyFilters } from '../endpoints/list.ts'
import { type Choice, choose, chooseFor } from '../serializers/serializer.ts'
import type { AnyRow, StoreFor, ScopedStore, UntypedStore } from './tenant-scope.ts'

type Source = UntypedStore['source'] & { relating?(values: AnyRow): UntypedStore['source'] }

/** The list of the store. It sees only those related rows that are within the scope, as embedded rows are. */
export function sourceOf({ store, scope, tenant }: ScopedStore, by = ''): UntypedStore['source'] {
  const { [by]: _, ...own } = scope
  return (store.source as Source).relating?.({ ...tenant, ...own }) ?? store.source
}

/** The facts that decide which row an address names. */
interface Finding extends FilteredFields {
  readonly by?: string | undefined
  readonly lookup?: string | undefined
  readonly filters?: readonly FilterBackend[] | undefined
  readonly serializer: Choice<ApiRequest, Serializer>
}

/**
 * Finds the row of the address, which must be in the store and among the rows that the filters leave (G4, Z6). `read`: the
 * parameters that an action lets filters see; absent: all.
 */
export function rowFinder(
  parts: Finding,
  storeFor: StoreFor,
): (request: ApiRequest, read?: readonly string[]) => Promise<AnyRow | null> {
  const fields = new DeclaredFields(parts, parts.serializer)
  return async (request, read) => {
    const kept = storeFor(request)
    const all = isPromise(kept) ? await kept : kept
    const { key } = all.store
    const row = await all.store.find(keyIn(request, parts.lookup ?? key, all.above))
    const filters = narrowing(parts, request)
    if (row === null || filters.length === 0) return row
    const source = sourceOf(all, parts.by)
    const named = (): ListFields => fields.in(choose(parts.serializer, request), request)
    const asked = read === undefined ? request : askingOnly(read, request)
    const left = applyFilters(source, filters, named, asked)
    if (left.source === source) return row
    const same = left.source.where([{ field: key, operator: 'equals', value: row[key] }])
    return (await same.slice(0, 1)).length > 0 ? row : null
  }
}

/** A copy of the request with these parameters only: filters that look at the user hold for actions, too. */
function askingOnly(names: readonly string[], request: ApiRequest): ApiRequest {
  const { endpoint, params, method, query: sent } = contextOf(request)
  const others = sent.unknown(new Set(names)).map((name) => [name, null])
  const query = sent.with(Object.fromEntries(others))
  const asked = { endpoint, params, query, queryText: String(query) }
  return contextOf(request).as(method, asked)
}

function narrowing({ filters }: Finding, { settings }: ApiRequest): readonly FilterBackend[] {
  return (filters ?? settings.filters).filter(({ narrows = true }) => narrows)
}

/** The query parameters that narrow single objects, too. */
export function paramsOfOne(parts: Finding): (request: ApiRequest) => readonly ParameterFacts[] {
  const fields = new DeclaredFields(parts, parts.serializer)
  return (request) => {
    const named = fields.in(chooseFor(parts.serializer, request), request)
    return filterParameters(narrowing(parts, request), named, request.settings)
  }
}

/** The parameter of this name, else the last one of the address; parameters that name rows above do not count. */
function keyIn({ params }: ApiRequest, name: string, above: readonly string[]): unknown {
  const isOwn = (each: string): boolean => each !== 'format' && !above.includes(each)
  const named = above.includes(name) ? undefined : params[name]
  return named ?? params[Object.keys(params).findLast(isOwn) ?? name]
}

/** The lookup of a resource's rows. */
export interface Known {
  readonly lookup: string | undefined
  /** The name of the key, where the store is known before any request. */
  readonly key: string | undefined
}

/** The parameter that a row is found by. */
export function ownParam(
  { parameters }: Pick<Route, 'parameters'>,
  { lookup, key }: Known,
): string {
  if (lookup !== undefined) return lookup
  return key !== undefined && parameters.includes(key) ? key : parameters.at(-1)!
}

export function othersOf(route: Route, parent: Known): readonly string[] {
  const own = ownParam(route, parent)
  return route.parameters.filter((name) => name !== own)
}
