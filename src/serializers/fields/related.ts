import type { ApiRequest, MaybePromise } from '../../contract/request.ts'
import { Batch } from '../../std/batch.ts'
import type { Chosen, AnyField, Field, FieldOptions } from '../declaration.ts'
import { Refused, refused } from '../refused.ts'
import type { GivenOf, RawOf, ShownOf } from '../types.ts'
import { fieldOf } from './field-of.ts'
import { integer } from './numbers.ts'

type Whole = Field<number, number, number>

/** Rows by their keys. */
export type RowsByKey<Key, Row> = ReadonlyMap<Key, Row>

/** Where the row of a key is found: one by one, or all keys of a request at once. */
export type Finder<Key, Row> =
  | { readonly find: (key: Key, request: ApiRequest) => MaybePromise<Row | null | undefined> }
  | {
      readonly findAll: (
        keys: readonly Key[],
        request: ApiRequest,
      ) => MaybePromise<RowsByKey<Key, Row>>
    }

/** A relation by key: what it has beside the options of every field. */
export type RelatedOptions<K extends AnyField, Row> = Finder<GivenOf<K>, Row> & {
  /** The field that reads and shows keys. @default `field.integer()` */
  readonly key?: K
}

/** The input holds the key; with `as: 'row'` it holds the row that was found. */
interface AsRow {
  readonly as?: 'key' | 'row'
}

type Given<K, Row, O> = O extends { readonly as: 'row' } ? NonNullable<Row> : GivenOf<K>

/**
 * Another row, named by its key. A key of no row is `does_not_exist`, and what cannot be a key is
 * `incorrect_type` (E28). `findAll` looks up all keys of a body with one question.
 *
 * @example field.related({ find: (id) => authors.byId(id) })
 * @example field.related({ key: field.uuid(), findAll: async (ids) => teams.byIds(ids) }, { as: 'row' })
 */
export function related<Row, K extends AnyField = Whole, const O = unknown>(
  relation: RelatedOptions<K, Row>,
  options?: Chosen<O, FieldOptions<GivenOf<K> | Row> & AsRow>,
): Field<RawOf<K>, ShownOf<K>, Given<K, Row, O>, O> {
  const key = (relation.key ?? integer()) as unknown as Field<RawOf<K>, ShownOf<K>, GivenOf<K>>
  const find = finderOf<GivenOf<K>, Row>(relation)
  const { as = 'key' } = (options ?? {}) as AsRow
  return fieldOf<RawOf<K>, ShownOf<K>, Given<K, Row, O>, O>(
    {
      type: 'field',
      show: key.show,
      takesDigits: key.takesDigits ?? false,
      async read(value, context) {
        const read = await key.read(value, context)
        if (read instanceof Refused) return INCORRECT_TYPE
        const row = (await find(read, context.request)) ?? null
        if (row === null) return DOES_NOT_EXIST
        return (as === 'row' ? row : read) as Given<K, Row, O>
      },
    },
    options,
  )
}

const INCORRECT_TYPE = refused('incorrect_type')
const DOES_NOT_EXIST = refused('does_not_exist')

type Find<Key, Row> = (key: Key, request: ApiRequest) => MaybePromise<Row | null | undefined>

/** Asks one by one, or for all keys of a turn together. */
export function finderOf<Key, Row>(finder: Finder<Key, Row>): Find<Key, Row> {
  return 'find' in finder ? finder.find : batched(finder.findAll)
}

/** Keys that a request asks for in one turn are looked up together. */
function batched<Key, Row>(
  findAll: (keys: readonly Key[], request: ApiRequest) => MaybePromise<RowsByKey<Key, Row>>,
): Find<Key, Row> {
  const batches = new WeakMap<ApiRequest, Batch<Key, Row>>()
  return (key, request) => {
    const batch =
      batches.get(request) ?? new Batch<Key, Row>(async (keys) => findAll(keys, request))
    batches.set(request, batch)
    return batch.lookUp(key)
  }
}
