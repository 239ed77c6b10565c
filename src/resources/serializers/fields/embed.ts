import type { RowKey, RowsByKey } from '../../../core/ports/list-source.ts'
import type { ApiRequest } from '../../../core/ports/request.ts'
import type { MaybePromise } from '../../../core/std/after.ts'
import type { AnySerializer } from '../../../core/ports/serializer.ts'
import { ConfigurationError } from '../../../core/errors/configuration-error.ts'
import type { Shown } from '../../../core/types/resources.ts'
import type { Chosen, Field } from '../declaration.ts'
import { type Embeds, embeddingProblem } from '../embedding.ts'
import { unwritableReason, writtenParts } from '../embedded-writes.ts'
import { fieldOf } from '../field-of.ts'
import { MISSING } from '../read-object.ts'
import type { RelationScope } from '../tenant-references.ts'
import type { InputOf, OutputOf } from '../types.ts'
import type { IdentityOptions } from './computed.ts'

/** A store whose rows are embedded, with the name of its key. */
type Embedded<Row, Key extends string> = RowsByKey<Row> & { readonly key: Key }

/** The place of embedded rows. */
export interface EmbeddedIn<Row, Key extends string, Rq = ApiRequest> {
  /** The store, or a function that narrows it for the request. */
  readonly store: Embedded<Row, Key> | ((request: Rq) => MaybePromise<Embedded<Row, Key>>)
  /**
   * In a resource with `scope`, only rows with the same values in the same columns are embedded. Where a column has another
   * name, say it: `{ clinic: 'clinic_id' }`. `null` embeds rows of every tenant.
   *
   * @default the columns of the resource's scope
   */
  readonly scope?: RelationScope
}

/** The place of rows of which any number belongs to a row. */
export interface ManyEmbeddedIn<
  Row,
  Key extends string,
  By,
  Rq = ApiRequest,
  W extends boolean = boolean,
> extends EmbeddedIn<Row, Key, Rq> {
  /** Their column that holds the key of the row that they belong to. */
  readonly by: By
  /** The most rows that are shown, the first ones in the order of the store. @default 100 */
  readonly limit?: number
  /**
   * Bodies of POST, PUT and PATCH give all rows that there are to be, at most `limit`: one with the key of a row of this one
   * changes it, one without a key is added, and rows that are not among them are deleted, in one transaction with this
   * one. Of a serializer that shows the key. Left out in PATCH, rows stay as they are.
   *
   * @default false
   */
  readonly writable?: W
}

/** Embedded rows are only shown, and nothing goes by them. */
interface OnlyShown {
  readonly readOnly: true
  readonly '~embeds': true
}
type FromKey<O, W, S> = O &
  (W extends true ? Written<S> : OnlyShown) &
  (O extends { readonly source: string } ? unknown : ById)
/** The members of written rows, which stores do not have. */
interface Written<S> {
  readonly writes: '~rows'
  readonly '~embeds': true
  readonly '~written': S
}
interface ById {
  readonly source: 'id'
}

type Named<Row, Column> = Column extends keyof Row ? NonNullable<Row[Column]> : RowKey

/**
 * The row that a column names, shown by a serializer: `source` is the column, which holds a key of the store. All rows of a
 * page are looked up with one statement, not one each. A row that is not there, or not within the scope of the request,
 * is `null`: make the field `nullable` where that may be. At most four levels of rows are embedded in each other.
 *
 * @example
 * serializer({
 *   doctorId: field.related(doctors, { source: 'doctor' }),
 *   doctor: field.embed(doctors, pick(doctor, ['id', 'name']), { source: 'doctor' }),
 * })
 */
export function embed<
  Row,
  Key extends string,
  S extends AnySerializer,
  const O = unknown,
  Rq = ApiRequest,
>(
  from: Embedded<Row, Key> | EmbeddedIn<Row, Key, Rq>,
  serializer: S & Shown<NoInfer<S>, Row>,
  options?: Chosen<O, IdentityOptions>,
): Field<Named<Row, Key>, OutputOf<S>, never, O & OnlyShown> {
  const place = 'manyByKey' in from ? { store: from } : from
  const embeds = embedsOf({ ...place, by: null, limit: null }, serializer)
  const own = { ...options, readOnly: true } as unknown as O & OnlyShown
  return fieldOf('nested object', own, {
    ...partsOf(embeds),
    serializer: () => embeds.serializer,
    schema: (at) => at.refer(embeds.serializer, at),
  })
}

/**
 * The rows that name this one in their column `by`, shown by a serializer: the first `limit` of each, in the order of the
 * store. Those of all rows of a page are looked up with one statement. `source` is the column that they name.
 *
 * @default source: 'id'
 * @example serializer({ id: field.integer(), lines: field.embedMany({ store: lines, by: 'invoice' }, line) })
 */
export function embedMany<
  Row,
  Key extends string,
  const By extends keyof Row & string,
  S extends AnySerializer,
  const O = unknown,
  Rq = ApiRequest,
  const W extends boolean = false,
>(
  from: ManyEmbeddedIn<Row, Key, By, Rq, W> & WrittenIn<NoInfer<W>, NoInfer<S>>,
  serializer: S & Shown<NoInfer<S>, Row>,
  options?: Chosen<O, W extends true ? WrittenOptions : IdentityOptions>,
): Field<Named<Row, By>, OutputOf<S>[], never, FromKey<O, W, S>> {
  const embeds = embedsOf({ limit: 100, ...from }, serializer)
  const chosen = { source: 'id', ...options, ...(!embeds.writable && { readOnly: true }) }
  const own = chosen as unknown as FromKey<O, W, S>
  if (embeds.writable)
    return fieldOf('list', own, {
      ...writtenParts(embeds, chosen.source),
      ...checkOf(embeds),
    } as never)
  return fieldOf('list', own, {
    ...partsOf(embeds),
    inForms: 'all',
    child: fieldOf(
      'nested object',
      { readOnly: true },
      { serializer: () => embeds.serializer, read: () => MISSING },
    ),
    schema: (at) => ({
      type: 'array',
      items: at.refer(embeds.serializer, at),
      maxItems: embeds.limit!,
    }),
  })
}

/** The store that written rows need. The scope and `by` fill in the members that bodies do not give. */
type WrittenIn<W, S> = W extends true
  ? [InputOf<S>] extends [never]
    ? ThisSerializerOnlyShows
    : { readonly store: WrittenStore<InputOf<S>> }
  : unknown
interface ThisSerializerOnlyShows {
  readonly '~reads': 'what bodies give'
}
interface WrittenStore<Changes> {
  readonly insert: (values: never) => unknown
  readonly update: (key: never, changes: Changes, seen?: unknown) => unknown
  readonly remove: (key: never, seen?: unknown) => unknown
  in(transaction: never): unknown
}

/** Options of rows that bodies write. */
interface WrittenOptions extends IdentityOptions {
  /** Must a body give them? If it leaves them out, rows stay unchanged. @default true */
  readonly required?: boolean
}

interface Given {
  readonly writable?: boolean
  readonly store: object
  readonly scope?: RelationScope
  readonly by: string | null
  readonly limit: number | null
}

/** @throws ConfigurationError the limit is none */
function embedsOf({ scope, ...place }: Given, serializer: AnySerializer): Embeds {
  const { limit } = place
  if (limit !== null && !(Number.isSafeInteger(limit) && limit > 0))
    throw new ConfigurationError(
      `field.embedMany() has the limit ${limit}. Give a whole number from 1 on.`,
    )
  const embeds = { ...place, scope, serializer } as unknown as Embeds
  const problem = embeds.writable ? unwritableReason(embeds) : null
  if (problem !== null)
    throw new ConfigurationError(`field.embedMany() with "writable" needs ${problem}`)
  return embeds
}

function partsOf(embeds: Embeds) {
  return { ...checkOf(embeds), read: () => MISSING as never }
}

function checkOf(embeds: Embeds) {
  return {
    embeds,
    check: (...[settings, service, name]: Parameters<NonNullable<Field['check']>>) =>
      embeddingProblem(name, embeds, settings, service),
  }
}
