// Rows that a body gives for an embedded field: read, and written with the row that they belong to.
import type { KeyedBy, Portion, RowKey, RowsByKey } from '../../core/ports/list-source.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { InputSerializer } from '../../core/ports/serializer.ts'
import type { SchemaPlace } from '../../core/ports/settings/settings.ts'
import { ChangedMeanwhile, Conflict, ValidationError } from '../../core/errors/api-errors.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { ConstraintViolation } from '../../core/errors/storage-errors.ts'
import { Message } from '../../core/messages/message.ts'
import { type MaybePromise, after } from '../../core/std/after.ts'
import { withViolations } from '../endpoints/violations.ts'
import type { AnyField, ReadContext } from './declaration.ts'
import { type Embeds, type GivenRows, rowsFor, writableIn } from './embedding.ts'
import { fieldOf } from './field-of.ts'
import { list, wholeIn } from './fields/collections.ts'
import { Refused, refused } from './refused.ts'

type Row = Readonly<Record<string, unknown>>

/** A store whose rows are written with those that they belong to. */
interface WritableRows extends RowsByKey<Row> {
  in(transaction: unknown): WritableRows
  insert(values: Row): MaybePromise<unknown>
  insertAll?(values: readonly Row[]): MaybePromise<unknown>
  update(key: unknown, values: Row, seen: unknown): MaybePromise<unknown>
  remove(key: unknown, seen: unknown): MaybePromise<unknown>
}

/** The rows that belong to this row, from the store or from a transaction; one more than the limit, if more exist. */
export async function rowsOf(
  { name, embeds, source }: Omit<GivenRows, 'rows'>,
  owner: Row,
  request: ApiRequest,
  within: (rows: RowsByKey) => RowsByKey = (rows) => rows,
): Promise<{ readonly store: RowsByKey; readonly rows: readonly Row[] }> {
  const store = within(await rowsFor(embeds, request, name, owner))
  const by: KeyedBy = { column: embeds.by!, limit: embeds.limit! + 1 }
  const found = await store.manyByKey([owner[source] as RowKey], by)
  return { store, rows: (Array.isArray(found) ? found : (found as Portion).rows) as Row[] }
}

interface HowToWriteRows {
  /** Has the row just been added? */
  readonly isNew: boolean
  readonly request: ApiRequest
  readonly transaction: unknown
  /** Are new rows added by one statement? */
  readonly together: boolean
}

/**
 * Makes the rows that belong to this one those that the body gave: others go first, and new ones are added last, so that what was held is free.
 *
 * @throws OneByOne rows that were added together were refused
 * @throws ValidationError what the database refuses, at the place of the row
 * @throws ChangedMeanwhile a row has gone since the body was read
 * @throws Conflict there are rows that the field does not show
 */
export async function writeRows(
  given: GivenRows,
  owner: Row,
  { isNew, request, transaction, together }: HowToWriteRows,
): Promise<void> {
  const { name, embeds, source, rows } = given
  if (isNew && rows.length === 0) return
  const within = (all: RowsByKey): RowsByKey => (all as WritableRows).in(transaction)
  const found = isNew ? null : await rowsOf(given, owner, request, within)
  if (found !== null && found.rows.length > embeds.limit!)
    throw new Conflict(Message.of('conflict.more_rows', { count: embeds.limit! }))
  const store = (found?.store ??
    within(await rowsFor(embeds, request, name, owner))) as WritableRows
  const { key } = store
  const before = new Map(found?.rows.map((row) => [textOf(row[key]), row]))
  const [old, added] = [new Map<string, number>(), new Map<number, Row>()]
  // A body cannot move a row to another owner.
  const place = { [embeds.by!]: owner[source] }
  for (const [at, { [key]: own, ...values }] of rows.entries())
    if (own === undefined) added.set(at, { ...values, ...place })
    else old.set(textOf(own), at)
  for (const each of old.keys()) if (!before.has(each)) throw new ChangedMeanwhile()
  for (const [each, row] of before) if (!old.has(each)) await store.remove(row[key], row)
  const inPlace = (at: number, work: () => MaybePromise<unknown>): Promise<void> =>
    reported({ name, at, embeds }, request, work)
  const changes = [...old].map(([each, at]): Change => {
    const { [key]: own, ...values } = { ...rows[at], ...place }
    return { at, own, values, row: before.get(each)! }
  })
  for (const { at, own, values, row } of freeingFirst(changes.filter(isChange)))
    await inPlace(at, async () => {
      if ((await store.update(own, values, row)) === null) throw new ChangedMeanwhile()
    })
  if (together && added.size > 1 && store.insertAll !== undefined) {
    await orOneByOne(() => store.insertAll!([...added.values()]))
    const { rows: all } = await rowsOf(given, owner, request, within)
    if (all.length !== rows.length) throw new OneByOne()
  } else for (const [at, values] of added) await inPlace(at, () => store.insert(values))
}

/** Rows were added together and refused: adding them one by one shows which row the database refuses. */
export class OneByOne extends Error {
  override readonly name = 'OneByOne'
}

async function orOneByOne(work: () => MaybePromise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    throw error instanceof ConstraintViolation ? new OneByOne() : error
  }
}

/** An existing row, and what the body makes of it. */
interface Change {
  /** Its place in the body. */
  readonly at: number
  readonly own: unknown
  readonly row: Row
  readonly values: Row
}

function isChange({ row, values }: Change): boolean {
  return Object.entries(values).some(([column, value]) => row[column] !== value)
}

/** The changes in the order of the body, but each behind the one that still has a value that it gets. */
function freeingFirst(changes: readonly Change[]): ReadonlySet<Change> {
  const columns = new Set(changes.flatMap(({ values }) => Object.keys(values)))
  const holders = [...columns].map((column) => holdersIn(column, changes))
  const [met, ordered] = [new Set<Change>(), new Set<Change>()]
  const add = (change: Change | undefined): void => {
    if (change === undefined || met.has(change)) return
    met.add(change)
    for (const each of holders) add(each.get(change))
    ordered.add(change)
  }
  for (const change of changes) add(change)
  return ordered
}

/** For each change, the one that still has its value. Values that are there twice or go around in a circle do not count. */
function holdersIn(column: string, changes: readonly Change[]): ReadonlyMap<Change, Change> {
  const moved = changes.filter(
    ({ row, values }) => column in values && row[column] !== values[column],
  )
  const by = (side: 'row' | 'values') => new Map(moved.map((each) => [each[side][column], each]))
  const [had, got] = [by('row'), by('values')]
  const found = new Map<Change, Change>()
  if (had.size < moved.length || got.size < moved.length) return found
  // Chains begin with values that no other row gets, so they never meet a circle.
  for (const first of moved.filter(({ row }) => !got.has(row[column])))
    for (let one = first, next; (next = had.get(one.values[column])); one = next)
      found.set(one, next)
  return found
}

/** Reports errors of a row at its place in the body. */
async function reported(
  { name, at, embeds }: { name: string; at: number; embeds: Embeds },
  request: ApiRequest,
  work: () => MaybePromise<unknown>,
): Promise<void> {
  try {
    await withViolations(request, embeds.serializer as InputSerializer<unknown>, work)
  } catch (error) {
    if (error instanceof ValidationError)
      throw new ValidationError({ [name]: { [at]: error.detail } })
    if (!(error instanceof ConstraintViolation)) throw error
    const problem = `endpoint ${request.endpointName}: a row of the field "${name}" cannot be stored: ${error.message}`
    throw new ConfigurationError(problem, { cause: error })
  }
}

/** The reason why rows cannot be written, as the rest of a sentence; `null`: none. */
export function unwritableReason({ store, serializer }: Embeds): string | null {
  const writes = ['in', 'insert', 'update', 'remove'].every((each) => each in store)
  if (!writes)
    return 'the store itself, with insert, update, remove and in(transaction), as sqlTable() makes it.'
  const { '~keyedBy': keyedBy } = serializer as Partial<KeyedSerializer>
  if (keyedBy === undefined) return 'a serializer that is made of fields, which reads the rows.'
  const { key } = store as { readonly key: string }
  if (keyedBy(key) === null)
    return `a serializer that shows the key "${key}", so that bodies can say which row they mean.`
  const inner = writableIn(serializer)[0]
  return inner === undefined
    ? null
    : `a serializer without "${inner.field}", which is writable, too: bodies write one level.`
}

/** A serializer that is made of fields. */
type Reads = InputSerializer<never> & {
  readonly read: (data: unknown, context: ReadContext) => MaybePromise<unknown>
}
interface KeyedSerializer {
  readonly '~keyedBy': (column: string) => Reads | null
}

/** The parts of a field that reads the embedded rows of a body. */
export function writtenParts(embeds: Embeds, source: string): Partial<AnyField> {
  const { key } = embeds.store as { readonly key: string }
  let made: Reads | null = null
  const reads = (): Reads =>
    (made ??= (embeds.serializer as unknown as KeyedSerializer)['~keyedBy'](key)!)
  const item = (found: ReadonlyMap<string, unknown>) =>
    fieldOf('nested object', {}, { serializer: reads, read: readingAmong(found, reads(), key) })
  const listOf = (found: ReadonlyMap<string, unknown>) =>
    list(item(found), { maxLength: embeds.limit! })
  return {
    ...listOf(new Map()),
    show: null,
    schema: (at: SchemaPlace) => {
      const serializer = at.direction === 'output' ? embeds.serializer : reads()
      return { type: 'array', items: at.refer(serializer, wholeIn(at)), maxItems: embeds.limit! }
    },
    read: (value: unknown, context: ReadContext) =>
      !Array.isArray(value) || value.length === 0
        ? listOf(new Map()).read(value, context)
        : after(foundFor(embeds, source, context), ({ found, narrowed }) =>
            after(listOf(found).read(value, { ...context, narrowed }), (rows) =>
              twice(rows as Row[], key, reads(), context),
            ),
          ),
  }
}

interface Found extends Required<Pick<ReadContext, 'narrowed'>> {
  /** The existing rows, by their keys. */
  readonly found: ReadonlyMap<string, Row>
}

/** Finds the existing rows. Validators compare with the rows that the request concerns. */
async function foundFor(
  embeds: Embeds,
  source: string,
  { existing, request, narrowed: around }: ReadContext,
): Promise<Found> {
  const given = { name: '', embeds, source }
  const { store, rows } =
    existing != null
      ? await rowsOf(given, existing as Row, request)
      : { store: await rowsFor(embeds, request, ''), rows: [] }
  const narrowed = <Rows extends object>(all: Rows): Rows =>
    (all as object) === embeds.store ? (store as unknown as Rows) : (around?.(all) ?? all)
  return { found: new Map(rows.map((row) => [textOf(row[store.key]), row])), narrowed }
}

/** Reads an object; if it has a key, it is about the row with that key. */
function readingAmong(found: ReadonlyMap<string, unknown>, reads: Reads, key: string) {
  return (value: unknown, context: ReadContext) => {
    const name = nameOfKey(reads, key, context.request)
    const isNamed = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    const own = isNamed ? (value as Row)[name] : undefined
    const existing = found.get(textOf(own)) ?? null
    return after(reads.read(value, { ...context, existing }), (given) => {
      const isKnown =
        given instanceof Refused || (given as Row)[key] === undefined || existing !== null
      return isKnown ? given : new Refused({ [name]: NOT_THERE.detail })
    })
  }
}

const NOT_THERE = refused('does_not_exist')
const TWICE = refused('unique')

/** Refuses two objects with the same key, which cannot both describe one row. */
function twice(
  rows: readonly Row[] | Refused,
  key: string,
  reads: Reads,
  { request }: ReadContext,
): readonly Row[] | Refused {
  if (rows instanceof Refused) return rows
  const seen = new Set<string>()
  for (const [at, { [key]: own }] of rows.entries()) {
    if (own === undefined) continue
    if (seen.has(textOf(own)))
      return new Refused({ [at]: { [nameOfKey(reads, key, request)]: TWICE.detail } })
    seen.add(textOf(own))
  }
  return rows
}

function nameOfKey(reads: Reads, key: string, request: ApiRequest): string {
  return reads.nameOf?.(key, request) ?? key
}

/** A key as text: a number and its digits are the same key. A value that is neither text nor number gives an empty text. */
function textOf(key: unknown): string {
  return typeof key === 'string' || typeof key === 'number' || typeof key === 'bigint'
    ? `${key}`
    : ''
}
