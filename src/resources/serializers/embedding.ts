// Rows of other stores that are shown within rows: looked up for all of them at once.
import type { KeyedBy, Portion, RowKey, RowsByKey } from '../../core/ports/list-source.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import { type MaybePromise, allDone } from '../../core/std/after.ts'
import type { CheckedService, ParseOptions, Serializer } from '../../core/ports/serializer.ts'
import type { Settings } from '../../core/ports/settings/settings.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import type { RelationScope, Tenancy } from './tenant-references.ts'

/** The place of embedded rows, and their form. */
export interface Embeds {
  readonly store: RowsByKey | ((request: never) => MaybePromise<RowsByKey>)
  readonly scope: RelationScope | undefined
  readonly serializer: Serializer<unknown>
  /** The column of the embedded rows that holds the naming value; `null`: the key of the store. */
  readonly by: string | null
  /** The most embedded rows of one row; `null`: it is a single row. */
  readonly limit: number | null
  /** Do bodies give the embedded rows? */
  readonly writable?: true
}

type Row = Readonly<Record<string, unknown>>
type Shown = Record<string, unknown>

/** A field with the name that clients know. */
interface Named {
  readonly name: string
  readonly field: { readonly embeds?: Embeds; readonly options: { readonly nullable?: boolean } }
}

/** Shows rows with their embedded ones. */
type ShowRows = (
  portion: Portion,
  serializer: Serializer<unknown>,
  request: ApiRequest,
) => MaybePromise<readonly unknown[]>

/** Puts the embedded rows into the place of their keys: relations one beside the other. */
export function withEmbedded(
  objects: readonly Shown[],
  members: readonly Named[],
  request: ApiRequest,
  show: ShowRows,
): MaybePromise<readonly Shown[]> {
  if (objects.length === 0) return objects
  const [only, ...others] = members
  const done =
    others.length === 0
      ? embedIn(objects, only!, request, show)
      : allDone(members.map((member) => () => embedIn(objects, member, request, show)))
  return done.then(() => objects)
}

async function embedIn(
  objects: readonly Shown[],
  { name, field }: Named,
  request: ApiRequest,
  show: ShowRows,
): Promise<void> {
  const embeds = field.embeds!
  const keys = new Map<string, RowKey>()
  const keyOf = (object: Shown) => object[name] as RowKey | null
  for (const key of objects.map(keyOf)) if (key !== null) keys.set(String(key), key)
  const found = await foundBy(
    [...keys.values()],
    embeds,
    name,
    (rows) => show(rows, embeds.serializer, request),
    request,
  )
  let isLost = false
  for (const object of objects) {
    const key = keyOf(object)
    if (key === null) continue
    const rows = found.get(String(key))
    object[name] = embeds.limit === null ? (rows?.[0] ?? null) : (rows ?? [])
    if (embeds.limit === null && rows === undefined) isLost = true
  }
  if (isLost && !field.options.nullable) logLost(name, request)
}

/** It is shown as `null`, as any value that its field has no form for. */
function logLost(name: string, request: ApiRequest): void {
  request.logSeldom?.(`unshowable ${request.endpointName} ${name}`, {
    event: 'value.unshowable',
    id: request.id,
    endpoint: request.endpointName,
    field: name,
    error: 'The row that it names is not there for this request. Make the field nullable.',
  })
}

/** No database takes more values in one statement everywhere. */
const MOST_KEYS = 16_384

async function foundBy(
  keys: readonly RowKey[],
  embeds: Embeds,
  name: string,
  show: (portion: Portion) => MaybePromise<readonly unknown[]>,
  request: ApiRequest,
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const found = new Map<string, unknown[]>()
  if (keys.length === 0) return found
  const rows = await rowsFor(embeds, request, name)
  const by: KeyedBy = { column: embeds.by ?? rows.key, limit: embeds.limit ?? 1 }
  for (let at = 0; at < keys.length; at += MOST_KEYS) {
    const given = await rows.manyByKey(keys.slice(at, at + MOST_KEYS), by)
    const portion: Portion = Array.isArray(given) ? { rows: given } : (given as Portion)
    // The names are read before the rows are shown, because the table may be gone afterwards.
    const names = namesIn(portion, by.column, request, name)
    const shown = await show(portion)
    for (let place = 0; place < shown.length; place++) {
      const known = found.get(names[place]!)
      if (known === undefined) found.set(names[place]!, [shown[place]])
      else if (known.length < by.limit) known.push(shown[place])
    }
  }
  return found
}

/** The value by which each row is named, as text: a number and its digits are the same. */
function namesIn(
  portion: Portion,
  column: string,
  { endpointName }: ApiRequest,
  name: string,
): readonly string[] {
  const { table } = portion
  if (table !== undefined && table.columns.includes(column)) {
    const at = table.columns.lastIndexOf(column)
    const written = table.written?.[at] ?? null
    return table.values.map(({ [at]: value }) =>
      String(written === null ? value : written.read(value as string)),
    )
  }
  // Rows of a table become objects here, which are shown at a higher price.
  return portion.rows.map((row) => {
    const value = (row as Shown)[column] as RowKey | undefined
    if (value !== undefined) return String(value)
    throw new ConfigurationError(
      `endpoint ${endpointName}: the rows of the field "${name}" have no "${column}", by which they are looked up. Let manyByKey() give it.`,
    )
  })
}

/** Within the scope of the request, or the tenant of the row that they belong to: what its own resource hides in it is not embedded either. */
export async function rowsFor(
  { store, scope }: Embeds,
  request: ApiRequest,
  name: string,
  owner?: Row,
): Promise<RowsByKey> {
  const rows = typeof store === 'function' ? await store(request as never) : store
  const { '~tenancy': around }: ParseOptions = request['~around'] ?? {}
  const tenancy = around as Tenancy | undefined
  const values = (owner ? tenancy?.belonging(scope, owner) : tenancy?.shownIn(scope)) ?? {}
  if (Object.keys(values).length === 0) return rows
  const problem = storeProblem(name, rows, true)
  if (problem !== null) throw new ConfigurationError(`endpoint ${request.endpointName}: ${problem}`)
  return rows.within!(values)
}

/** The place in an input for the rows of embedded fields: a symbol, so that no store takes it for a column. */
export const GIVEN: unique symbol = Symbol('rows of embedded fields')

/** The rows of one embedded field as the body gives them; existing rows have their key. */
export interface GivenRows {
  readonly name: string
  readonly embeds: Embeds
  /** The column of the owner that the rows name. */
  readonly source: string
  readonly rows: readonly Row[]
}

/** Takes the embedded rows out of the input, so that only the row itself is left. */
export function takenRows(input: unknown): readonly GivenRows[] {
  const holder = input as { [GIVEN]?: readonly GivenRows[] } | null | undefined
  const rows = holder?.[GIVEN] ?? []
  if (rows.length > 0) delete holder![GIVEN]
  return rows
}

/** The fields of a serializer whose rows bodies write. */
export function writableIn(
  serializer: object,
): readonly (Pick<Embeds, 'scope'> & { readonly field: string; readonly store: object })[] {
  return embedsIn(serializer).flatMap(([field, { writable, store, scope }]) =>
    writable ? [{ field, store, scope }] : [],
  )
}

/** Rows within rows within rows: each level is one more statement for each of its relations. */
const DEEPEST = 4
/** Rows of all levels that one row may bring along. */
const MOST_ROWS = 1000

/** The problem with an embedded field in its serializer; `null`: none. */
export function embeddingProblem(
  name: string,
  { store, scope, serializer, limit, writable }: Embeds,
  settings: Settings,
  service: CheckedService,
): string | null {
  const { embedded = { path: [], rows: 1 }, isScoped = false } = service
  const path = [...embedded.path, name]
  const place = path.join('.')
  if (path.length > DEEPEST)
    return `The field "${place}" embeds rows ${path.length} levels deep, and ${DEEPEST} are the most. Leave it out there: omit(…, ['${name}']).`
  const rows = embedded.rows * (limit ?? 1)
  if (rows > MOST_ROWS)
    return `The field "${place}" would embed up to ${rows} rows in one, and ${MOST_ROWS} are the most. Give it a smaller limit, or leave it out there.`
  const isKnown = typeof store !== 'function'
  const problem = isKnown ? storeProblem(place, store, isScoped && scope !== null) : null
  if (writable && service.writesEmbedded === false)
    return `The field "${place}" is writable, and only the standard actions of a resource write its rows. Read it by a serializer without it: omit(…, ['${name}']).`
  return problem ?? serializer.check?.(settings, { ...service, embedded: { path, rows } }) ?? null
}

function storeProblem(place: string, rows: RowsByKey, isNarrowed: boolean): string | null {
  if (typeof (rows as Partial<RowsByKey>).manyByKey !== 'function')
    return `The field "${place}" has a store without manyByKey(values, { column, limit }), which finds the rows of a page together. Give it one.`
  if (!isNarrowed || rows.within !== undefined) return null
  return `The field "${place}" has a store without within(values), which cannot be narrowed to a tenant. Give it one, or let it show rows of every tenant (scope: null).`
}

/** The fields that embed rows, at all levels, if the rows are kept to a scope. */
export function embeddedIn(
  serializer: object,
  path: readonly string[] = [],
): readonly { readonly field: string; readonly store: object }[] {
  return embedsIn(serializer).flatMap(([name, { store, scope, serializer: inner }]) => {
    const place = [...path, name]
    const isKept = typeof store !== 'function' && scope !== null
    const own = isKept ? [{ field: place.join('.'), store }] : []
    return [...own, ...embeddedIn(inner, place)]
  })
}

/** The members of a serializer that hold rows of other stores. */
export function embedsIn(serializer: object): readonly (readonly [name: string, Embeds])[] {
  const { fields = {} } = serializer as { readonly fields?: Record<string, Named['field']> }
  return Object.entries(fields).flatMap(([name, { embeds }]) =>
    embeds === undefined ? [] : [[name, embeds] as const],
  )
}
