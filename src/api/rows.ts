// The rows that a request has to do with: the store within its scope, and the one of the address.
import type { ListFields, QuerySource, RowStore } from '../contract/list-source.ts'
import type { ApiRequest, FilterBackend, MaybePromise } from '../contract/request.ts'
import type { ParseOptions, Serializer } from '../contract/serializer.ts'
import type { OperationPlace } from '../contract/request.ts'
import type { ParameterFacts } from '../types/documents.ts'
import { filterParameters, filterParams, filtered } from '../endpoints/filtered.ts'
import { DeclaredFields } from '../endpoints/list-fields.ts'
import type { FilteredFields } from '../endpoints/list-names.ts'
import { type Choice, chosen, chosenAt } from '../endpoints/serializer-choice.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { after, isPromise } from '../std/after.ts'
import { oncePer } from '../std/once.ts'

export type AnyRow = Readonly<Record<string, unknown>>
export type UntypedStore = RowStore<AnyRow, unknown, unknown, unknown, QuerySource<AnyRow, string>>

/** What a request has to do with: the store within its scope, and the row that it belongs to. */
export interface Kept {
  readonly store: UntypedStore
  readonly parent: AnyRow | undefined
  /** What every row of the request has. */
  readonly scope: AnyRow
  /** The store without that. */
  readonly all: UntypedStore
  /** The parameters of the address that name the rows above. */
  readonly above: readonly string[]
}
export type Keep = (request: ApiRequest) => MaybePromise<Kept>

/** The row that the address names as the parent, and what that makes all rows of the request have. */
export interface Belongs extends Pick<Kept, 'scope' | 'above'> {
  readonly row: AnyRow
}
interface Above {
  belongs(request: ApiRequest): Promise<Belongs>
}

/** What decides where the rows of a request are. */
export interface Keeping {
  readonly store: UntypedStore | ((request: ApiRequest) => MaybePromise<UntypedStore>)
  readonly scope?:
    | ((request: ApiRequest, parent: AnyRow | undefined) => MaybePromise<unknown>)
    | undefined
}

/** The store of each request, narrowed once for it; one that is always the same costs nothing. */
export function keeper({ store, scope }: Keeping, nesting: Above | null): Keep {
  if (typeof store !== 'function' && scope === undefined && nesting === null) {
    const kept = { store, parent: undefined, scope: {}, all: store, above: [] }
    return () => kept
  }
  const base = typeof store === 'function' ? store : () => store
  return oncePer((request) =>
    after(nesting?.belongs(request), (belongs) =>
      after(base(request), (all) => {
        const { row: parent, scope: given = {}, above = [] } = belongs ?? {}
        const inside = belongs === undefined ? all : within(all, given, request)
        if (scope === undefined) return { store: inside, parent, scope: given, all, above }
        return after(scope(request, parent), (values) => ({
          store: within(inside, values, request),
          parent,
          scope: { ...given, ...(values as AnyRow) },
          all,
          above,
        }))
      }),
    ),
  )
}

/** @throws ConfigurationError what would not narrow: it must never be taken for everything */
function within(store: UntypedStore, values: unknown, { endpointName }: ApiRequest): UntypedStore {
  if (!isBare(values))
    throw new ConfigurationError(
      `endpoint ${endpointName}: its scope is no object of values. Give a plain one, such as { organisation: 7 }.`,
    )
  for (const [column, value] of Object.entries(values)) {
    if (![value].flat().includes(undefined)) continue
    const fix = 'Give a value, null, or [] for no rows; leave the column out where any row will do.'
    throw new ConfigurationError(
      `endpoint ${endpointName}: its scope gives undefined for "${column}". ${fix}`,
    )
  }
  const problem = storeProblem(store)
  if (problem !== null) throw new ConfigurationError(`endpoint ${endpointName}: ${problem}`)
  return store.within!(values)
}

/** No instance of a class either: its columns may be getters, and it would seem to have none. */
function isBare(values: unknown): values is AnyRow {
  if (typeof values !== 'object' || values === null) return false
  const parent: unknown = Object.getPrototypeOf(values)
  return parent === null || Object.getPrototypeOf(parent) === null
}

export function storeProblem(store: UntypedStore): string | null {
  if (typeof store.within === 'function') return null
  return 'scope and parent need a store with within(values), as sqlTable() makes it.'
}

/** What validators are to know: of other tenants' rows, nothing. */
export function aroundOf(keep: Keep): (request: ApiRequest) => MaybePromise<ParseOptions> {
  return (request) =>
    after(keep(request), ({ scope, store, all }) => ({
      scope,
      narrowed: <Rows extends object>(rows: Rows) =>
        (rows as object) === all ? (store as unknown as Rows) : rows,
    }))
}

/** What decides which row an address is about. */
interface Finding extends FilteredFields {
  readonly lookup?: string | undefined
  readonly filters?: readonly FilterBackend[] | undefined
  readonly serializer: Choice<ApiRequest, Serializer>
}

/** The row of the address: in the store, and among those that the filters leave (G4, Z6). */
export function finder(
  parts: Finding,
  keep: Keep,
): (request: ApiRequest) => Promise<AnyRow | null> {
  const fields = new DeclaredFields(parts, parts.serializer)
  return async (request) => {
    const kept = keep(request)
    const { store, above } = isPromise(kept) ? await kept : kept
    const { key, source } = store
    const row = await store.find(keyIn(request, parts.lookup ?? key, above))
    if (row === null) return row
    const named = (): ListFields => fields.in(chosen(parts.serializer, request), request)
    const left = filtered(source, narrowing(parts, request), named, request)
    if (left.source === source) return row
    const same = left.source.where([{ field: key, operator: 'equals', value: row[key] }])
    const rows = await same.slice(0, 1)
    return rows.length > 0 ? row : null
  }
}

function narrowing(
  { filters }: Finding,
  { settings }: Pick<ApiRequest, 'settings'>,
): readonly FilterBackend[] {
  return (filters ?? settings.filters).filter(({ narrows = true }) => narrows)
}

/** The parameters of the query that narrow single objects, too. */
export function paramsOfOne(parts: Finding) {
  const fields = new DeclaredFields(parts, parts.serializer)
  return {
    names(request: ApiRequest): readonly string[] {
      const named = fields.in(chosen(parts.serializer, request), request)
      return filterParams(narrowing(parts, request), named, request.settings)
    },
    parameters(at: OperationPlace): readonly ParameterFacts[] {
      const named = fields.in(chosenAt(parts.serializer, at), at)
      return filterParameters(narrowing(parts, at), named, at.settings)
    },
  }
}

/** The parameter of this name, else the last one of the address, of those that name no row above. */
function keyIn({ params }: ApiRequest, name: string, above: readonly string[]): unknown {
  const isOwn = (each: string): boolean => each !== 'format' && !above.includes(each)
  const named = above.includes(name) ? undefined : params[name]
  return named ?? params[Object.keys(params).findLast(isOwn) ?? name]
}
