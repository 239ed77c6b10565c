import type { FilterBackend } from '../contract/filter.ts'
import type { Behaviour } from '../contract/kernel.ts'
import type { Paginator } from '../contract/pagination.ts'
import type { ApiRequest, MaybePromise } from '../contract/request.ts'
import type { InputSerializer, Serializer } from '../contract/serializer.ts'
import type { QuerySource } from '../contract/source.ts'
import type { RowStore } from '../contract/store.ts'
import { ValidationError } from '../errors/api-errors.ts'
import { ErrorDetail } from '../errors/detail.ts'
import { create } from './create.ts'
import { destroy } from './destroy.ts'
import { filtered } from './filtered.ts'
import { found } from './found.ts'
import { activeFilters, list } from './list.ts'
import { type FilteredFields, listFields } from './list-fields.ts'
import { retrieve } from './retrieve.ts'
import { type Choice, chosen } from './serializer-choice.ts'
import { partialUpdate, update } from './update.ts'

/** A row, whatever it holds. */
type AnyRow = Readonly<Record<string, unknown>>

/** A store of which nothing is known: the types of a resource are checked where it is declared. */
type UntypedStore = RowStore<AnyRow, unknown, unknown, unknown, QuerySource<AnyRow, string>>

/** What a resource is made of, once its types are checked. */
export interface ResourceParts extends FilteredFields {
  readonly store: UntypedStore | ((request: ApiRequest) => MaybePromise<UntypedStore>)
  readonly serializer: Choice<ApiRequest, Serializer<AnyRow>>
  readonly pagination?: Paginator | null
  readonly filters?: readonly FilterBackend[]
  readonly lookup?: string
  /** Name of the address of one object. */
  readonly detail: string
  readonly performCreate?: (
    input: unknown,
    request: ApiRequest,
    store: UntypedStore,
  ) => MaybePromise<AnyRow>
  readonly performUpdate?: (
    row: AnyRow,
    input: unknown,
    request: ApiRequest,
    store: UntypedStore,
  ) => MaybePromise<AnyRow | null>
  readonly performDestroy?: (row: AnyRow, request: ApiRequest, store: UntypedStore) => unknown
}

/** The standard actions of a resource, by name (X1), and the look-up that they share. */
export interface ResourceBehaviours {
  readonly list: () => Behaviour
  readonly create: () => Behaviour
  readonly retrieve: () => Behaviour
  readonly update: () => Behaviour
  readonly partialUpdate: () => Behaviour
  readonly destroy: () => Behaviour
  /** The row that a request of one object is about, permitted (Z3). */
  readonly object: (request: ApiRequest) => MaybePromise<AnyRow>
}

export function resourceBehaviours(parts: ResourceParts): ResourceBehaviours {
  const { serializer, performCreate, performUpdate, performDestroy } = parts
  const storeFor = oncePerRequest(parts.store)
  const find = finder(parts, storeFor)
  const reading = serializer as Choice<ApiRequest, InputSerializer<AnyRow>>
  const insert = async (input: unknown, request: ApiRequest): Promise<AnyRow> => {
    const store = await storeFor(request)
    checkKey(input, store.key, parts, request)
    return performCreate === undefined ? store.insert(input) : performCreate(input, request, store)
  }
  const save = async (input: unknown, request: ApiRequest, row: AnyRow): Promise<AnyRow | null> => {
    const store = await storeFor(request)
    checkKey(input, store.key, parts, request)
    return performUpdate === undefined
      ? store.update(row[store.key], input, row)
      : performUpdate(row, input, request, store)
  }
  const remove = async (row: AnyRow, request: ApiRequest): Promise<unknown> => {
    const store = await storeFor(request)
    return performDestroy === undefined
      ? store.remove(row[store.key], row)
      : performDestroy(row, request, store)
  }
  return {
    list: () =>
      list<ApiRequest, AnyRow, QuerySource<AnyRow, string>>({
        ...parts,
        source: sourceOf(parts.store, storeFor),
      }),
    create: () => create({ serializer: reading, save: insert }),
    retrieve: () => retrieve({ find, serializer }),
    update: () => update({ find, serializer: reading, save }),
    partialUpdate: () => partialUpdate({ find, serializer: reading, save }),
    destroy: () => destroy({ find, remove }),
    object: (request) => found(request, find(request)),
  }
}

/**
 * A row that its own address cannot name could neither be read nor deleted again.
 *
 * @throws ValidationError (400) at the field that clients write the key with
 */
function checkKey(
  input: unknown,
  key: string,
  { detail, lookup = key, serializer }: ResourceParts,
  request: ApiRequest,
): void {
  const value = (input as AnyRow | null | undefined)?.[key]
  if (typeof value !== 'string' && typeof value !== 'number') return
  const link = request.linker(detail).to(lookup)
  if (link === null || link(value) !== null) return
  const { nameOf } = chosen(serializer, request) as InputSerializer<AnyRow>
  const field = nameOf?.(key, request) ?? key
  throw new ValidationError({ [field]: [ErrorDetail.of('invalid.address')] })
}

type StoreFor = (request: ApiRequest) => MaybePromise<UntypedStore>

/** A store that was there before any request is known at start-up, with its fields. */
function sourceOf(store: ResourceParts['store'], storeFor: StoreFor) {
  return typeof store === 'function'
    ? async (request: ApiRequest) => (await storeFor(request)).source
    : store.source
}

/** Narrowing a store for a request is done once for it. */
function oncePerRequest(store: ResourceParts['store']): StoreFor {
  if (typeof store !== 'function') return () => store
  const known = new WeakMap<ApiRequest, MaybePromise<UntypedStore>>()
  return (request) => {
    const narrowed = known.get(request) ?? store(request)
    known.set(request, narrowed)
    return narrowed
  }
}

/** The row of the address: in the store, and among those that the filters leave (G4, Z6). */
function finder(
  parts: ResourceParts,
  storeFor: StoreFor,
): (request: ApiRequest) => Promise<AnyRow | null> {
  const fields = listFields(parts)
  const filtersUnder = activeFilters(parts.filters, fields)
  return async (request) => {
    const store = await storeFor(request)
    const { key, source } = store
    const row = await store.find(keyIn(request, parts.lookup ?? key))
    const filters = filtersUnder(request.settings).filter(({ narrows = true }) => narrows)
    if (row === null || filters.length === 0) return row
    const left = filtered(source, filters, fields, request) as typeof source
    if (left === source) return row
    const same = left.where([{ field: key, operator: 'equals', value: row[key] }])
    const rows = await same.slice(0, 1)
    return rows.length > 0 ? row : null
  }
}

/** The parameter of this name, else the last one of the address. */
function keyIn({ params }: ApiRequest, name: string): unknown {
  const last = Object.keys(params).findLast((each) => each !== 'format')
  return params[name] ?? (last === undefined ? undefined : params[last])
}
