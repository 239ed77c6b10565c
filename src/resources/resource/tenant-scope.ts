// The rows that a request has to do with: the store within its scope.
import type { ServedEndpoint, TenantFacts } from '../../core/ports/kernel.ts'
import type { QuerySource, RowStore } from '../../core/ports/list-source.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import { type MaybePromise, after } from '../../core/std/after.ts'
import type { ParseOptions, Serializer } from '../../core/ports/serializer.ts'
import {
  type Choice,
  choose,
  chooseAt,
  knownChoices,
  type DeclaredSerializer,
} from '../serializers/serializer.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { writableIn } from '../serializers/embedding.ts'
import {
  type RelatedPlace,
  type RelationScope,
  Tenancy,
  theirColumn,
} from '../serializers/tenant-references.ts'
import { isObject } from '../../core/settings/options.ts'
import { oncePerRequest } from '../../core/std/once.ts'
import { withFreshReads } from '../../core/std/statements.ts'
import { didYouMean } from '../../core/std/text/nearest.ts'

export type AnyRow = Readonly<Record<string, unknown>>
export type UntypedStore = RowStore<AnyRow, unknown, unknown, unknown, QuerySource<AnyRow, string>>

/** The rows that a request concerns: the store within its scope, and the parent's row. */
export interface ScopedStore {
  readonly store: UntypedStore
  readonly parent: AnyRow | undefined
  /** The values that every row of the request has. */
  readonly scope: AnyRow
  /** The store without the scope. */
  readonly all: UntypedStore
  /** The parameters of the address that name the rows above. */
  readonly above: readonly string[]
  /** The keys of the rows above, by the columns that name them. */
  readonly keys: AnyRow
  /** The values of the rows above in columns that distinguish tenants. */
  readonly tenant: AnyRow
  /** Does the scope restrict nothing for this request, while no column is named that distinguishes tenants? */
  readonly isOpen: boolean
}
export type StoreFor = (request: ApiRequest) => MaybePromise<ScopedStore>

/** The parent's row that the address names, with the values that it gives all rows of the request. */
export interface Belongs extends Omit<ScopedStore, 'store' | 'parent' | 'all'> {
  readonly row: AnyRow
}
interface Above {
  belongs(request: ApiRequest): Promise<Belongs>
}

/** The options that decide which rows a request concerns. */
export interface Scoping {
  readonly store: UntypedStore | ((request: ApiRequest) => MaybePromise<UntypedStore>)
  readonly scope?:
    | ((request: ApiRequest, parent: AnyRow | undefined) => MaybePromise<unknown>)
    | undefined
  /** Columns that tell tenants apart, for every client. */
  readonly tenant: readonly string[]
}

/** The store of each request, narrowed once for it; one that is always the same costs nothing. */
export function scopedStores({ store, scope, tenant }: Scoping, nesting: Above | null): StoreFor {
  if (typeof store !== 'function' && scope === undefined && nesting === null) {
    const kept = { ...NOTHING_ABOVE, store, parent: undefined, all: store }
    return () => kept
  }
  const base = typeof store === 'function' ? store : () => store
  const keep: StoreFor = (request) =>
    after(nesting?.belongs(request), (belongs) =>
      after(base(request), (all) => {
        const { row: parent, ...around } = belongs ?? { ...NOTHING_ABOVE, row: undefined }
        const inside = belongs === undefined ? all : narrow(all, around.scope, request)
        if (scope === undefined) return { ...around, store: inside, parent, all }
        return after(scope(request, parent), (values) => ({
          ...around,
          store: narrow(inside, values, request),
          parent,
          all,
          scope: { ...around.scope, ...(values as AnyRow) },
          isOpen: around.isOpen || (tenant.length === 0 && Object.keys(values!).length === 0),
        }))
      }),
    )
  return oncePerRequest((request: ApiRequest) => withFreshReads(() => keep(request)))
}

const NOTHING_ABOVE = { scope: {}, above: [], keys: {}, tenant: {}, isOpen: false }

/** Narrows a store. @throws ConfigurationError the values would not narrow, and must never be taken for everything */
function narrow(store: UntypedStore, values: unknown, { endpointName }: ApiRequest): UntypedStore {
  const problem = isBare(values) ? (unsetIn(values) ?? storeProblem(store)) : NO_VALUES
  if (problem !== null) throw new ConfigurationError(`endpoint ${endpointName}: ${problem}`)
  return store.within!(values as AnyRow)
}

const NO_VALUES = 'its scope is no object of values. Give a plain one, such as { organisation: 7 }.'

function unsetIn(values: AnyRow): string | null {
  const unset = Object.entries(values).find(([, value]) => [value].flat().includes(undefined))
  if (unset === undefined) return null
  return `its scope gives undefined for "${unset[0]}". Give a value, null, or [] for no rows; leave the column out where any row will do.`
}

/** Is it a plain object? The columns of a class instance may be getters, so that it would seem to have none. */
function isBare(values: unknown): values is AnyRow {
  const above = (of: unknown): unknown => Object.getPrototypeOf(of)
  return isObject(values) && (above(values) === null || above(above(values)) === null)
}

export function storeProblem(store: UntypedStore): string | null {
  if (typeof store.within === 'function') return null
  return 'scope and parent need a store with within(values), as sqlTable() makes it.'
}

/** Gives the facts about a request that serializers of a resource need; these show nothing of other tenants' rows. */
export type FactsFor = (request: ApiRequest, row?: AnyRow) => MaybePromise<ParseOptions>

/**
 * The facts are made anew for each attempt to write. Handlers of actions, which parse bodies themselves, find them at the
 * request.
 */
export function parseFactsFor(
  storeFor: StoreFor,
  tenant: readonly string[],
  by: string | undefined,
): FactsFor {
  return (request, row) =>
    after(storeFor(request), ({ scope, store, all, isOpen, keys, tenant: above }) => {
      const { [by ?? '']: _, ...own } = scope
      const tenancy = new Tenancy({ scope: own, above, keys, tenant, row: row ?? null, isOpen })
      const narrowed = <Rows extends object>(rows: Rows): Rows =>
        (rows as object) === all ? (store as unknown as Rows) : rows
      return (request['~around'] = { scope, narrowed, '~tenancy': tenancy })
    })
}

/** The store, narrowed to the tenant of the rows that the body refers to. `seen` is the row that is changed. */
export function settledIn(
  { store }: Pick<ScopedStore, 'store'>,
  { '~around': around }: ApiRequest,
  seen: AnyRow = {},
): UntypedStore {
  const { '~tenancy': tenancy }: ParseOptions = around ?? {}
  const common = Object.entries((tenancy as Tenancy | undefined)?.common ?? {})
  if (common.length === 0) return store
  const values = common.map(([column, value]) => [
    column,
    seen[column] === undefined ? value : [seen[column], value],
  ])
  return store.within!(Object.fromEntries(values) as AnyRow)
}

/**
 * The column by which a row would leave those that bodies write with it: they are looked for in its tenant, and so would
 * belong to a row that does not show them. `undefined`: it stays.
 */
export function leavingBy(
  input: unknown,
  row: AnyRow,
  { serializer }: Pick<Naming, 'serializer'>,
  request: ApiRequest,
): string | undefined {
  const { '~tenancy': tenancy }: ParseOptions = request['~around'] ?? {}
  const moving = (tenancy as Tenancy | undefined)?.moving(Object(input) as AnyRow, row) ?? []
  if (moving.length === 0) return undefined
  const all = [choose(serializer, request), ...(knownChoices(serializer) ?? [])]
  const kept = all.flatMap(writableIn).filter(({ scope }) => scope !== null)
  return moving.find((column) => kept.some(({ scope }) => scope?.[column] !== null))
}

/** The stores of relations that lists of a resource name, with their scopes. */
export type RelatedScopes = readonly {
  readonly field: string
  readonly store: object
  readonly scope?: RelationScope | undefined
}[]

/** The names in a resource that its tables may lack. */
interface Naming {
  readonly serializer: Choice<ApiRequest, Serializer>
  readonly store: Scoping['store']
  readonly by?: string | undefined
  readonly tenant?: string | readonly string[] | undefined
  readonly validateInTransaction?: unknown
}

/** The stores to which bodies refer outside of a scope. */
export function tenantsOf(naming: Naming, isScoped: boolean): TenantFacts {
  const { store, serializer, validateInTransaction } = naming
  const relations = relationsIn(serializer).map(([, relation]) => relation)
  const crossing = relations.filter(({ scope }) => scope === null || !isScoped)
  return {
    store: typeof store === 'function' ? null : store,
    isScoped,
    refersTo: crossing.flatMap(({ store: rows }) => rows ?? []),
    refersAnywhere: !isScoped && relations.some(({ scope }) => scope === undefined),
    writes: (knownChoices(serializer) ?? []).flatMap(writableIn),
    isRuled: validateInTransaction !== undefined,
  }
}

function declaredIn(choice: unknown): readonly DeclaredSerializer[] {
  const known = (knownChoices(choice) ?? []) as readonly DeclaredSerializer[]
  return known.filter((each) => each.columns !== undefined)
}

/** The relations among the fields that clients write, by name. */
function relationsIn(choice: unknown): readonly (readonly [name: string, RelatedPlace])[] {
  return declaredIn(choice).flatMap(({ fields }) =>
    Object.entries(fields).flatMap(([name, { relation, options }]) =>
      relation === undefined || options.readOnly ? [] : [[name, relation] as const],
    ),
  )
}

/** A sentence about a misspelt column of a resource; `null`: none is known. */
export async function lackingColumn(
  { store, serializer, by, tenant }: Naming,
  related: RelatedScopes,
  order: Names = [],
): Promise<string | null> {
  const tenants = [tenant ?? []].flat()
  const shown = declaredIn(serializer).flatMap((each) => each.columns())
  const narrowing = [
    ...[by ?? []].flat().map((column) => ['"by"', column] as const),
    ...tenants.map((column) => ['"tenant"', column] as const),
  ]
  const named = shown.map(
    ({ name, column }) => [`The field "${name}" of the serializer`, column] as const,
  )
  const own = await misspelt(store as Partial<UntypedStore>, narrowing, [...named, ...order])
  if (own !== null || tenants.length === 0) return own
  const referred = relationsIn(serializer).map(([field, each]) => ({ ...each, field, is: 'field' }))
  const listed = related.map((each) => ({ ...each, is: 'relation' }))
  for (const { is, field, store: rows, scope } of [...referred, ...listed]) {
    if (rows === undefined || scope === null) continue
    const theirs = tenants.flatMap((column) => theirColumn(column, scope) ?? [])
    const asked = theirs.map((column) => [`The scope of the ${is} "${field}"`, column] as const)
    const problem = await misspelt(rows as Partial<UntypedStore>, asked)
    if (problem !== null)
      return `${problem} Say which it is (scope: { ${tenants[0]}: '…' }), or let it take any row (scope: null).`
  }
  return null
}

/** An endpoint with its versions, which may have fields of their own. */
export type Versions = Pick<ServedEndpoint, 'settings' | 'versions'>

/** A sentence about a column that every row needs and nothing fills in; `null`: none is known. */
export async function unfilledColumn(
  { store, serializer }: Naming,
  { settings, versions }: Versions,
): Promise<string | null> {
  const { '~needed': needed } = store as { '~needed'?(): Promise<readonly string[]> }
  const columns = (await needed?.call(store)) ?? []
  const served = versions?.filter((each) => settings.versions?.[each]?.gone !== true) ?? [null]
  for (const version of served) {
    const at = { settings, version }
    const chosen = chooseAt(serializer, at) as Partial<DeclaredSerializer> | undefined
    const names = chosen?.['~fills']?.(at)?.map((name) => name.toLowerCase())
    const column = names && columns.find((each) => !names.includes(each.toLowerCase()))
    if (column === undefined) continue
    const where = version === null ? '' : ` of version "${version}"`
    return `no field of the serializer fills the column "${column}", which is NOT NULL and has no default: each POST${where} would fail. Add a field for it, fill it in performCreate, give the column a default, or leave out "create" with "only".`
  }
  return null
}

/** Columns, each with the place that names it. */
type Names = readonly (readonly [where: string, column: string])[]

async function misspelt(
  rows: Partial<UntypedStore>,
  narrowing: Names,
  others: Names = [],
): Promise<string | null> {
  const asked = [...narrowing, ...others]
  const known = (await rows.columns?.(narrowing.map(([, column]) => column))) ?? null
  // Some databases take any capitals.
  const names = known?.map((name) => name.toLowerCase())
  const lacking = names && asked.find(([, column]) => !names.includes(column.toLowerCase()))
  if (lacking == null) return null
  const [where, column] = lacking
  return `${where} names the column "${column}", which the table does not have.${didYouMean(column, known!)}`
}
