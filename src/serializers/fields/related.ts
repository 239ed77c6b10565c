import type { ApiRequest, MaybePromise } from '../../contract/request.ts'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { Batch } from '../../std/batch.ts'
import { after } from '../../std/after.ts'
import { oncePer } from '../../std/once.ts'
import type { AnyField, Chosen, Field, FieldOptions, ReadContext } from '../declaration.ts'
import { fieldOf } from '../field-of.ts'
import { linkProblem, rowsAt } from '../links.ts'
import { Refused, refused } from '../refused.ts'
import type { GivenOf, RawOf, ShownOf } from '../types.ts'
import { integer } from './numbers.ts'

/** Where the row of a key is found: one by one, or all keys of a request at once. */
export type Finder<Key, Row> =
  | { readonly find: (key: Key, request: ApiRequest) => MaybePromise<Row | null | undefined> }
  | {
      readonly findAll: (
        keys: readonly Key[],
        request: ApiRequest,
      ) => MaybePromise<ReadonlyMap<Key, Row>>
    }

type Relation<K extends AnyField, Row> = Finder<GivenOf<K>, Row> & {
  /** The field that reads and shows keys. @default `field.integer()` */
  readonly key?: K
  /**
   * Name of the address that lists the rows, such as `author-list`: pages ask that list for what is typed, as any client
   * would. @default keys are typed by hand
   */
  readonly list?: string
  /** Member of what the list shows of a row that is its key. @default 'id' */
  readonly listKey?: string
}

/** The input holds the key; with `as: 'row'` it holds the row that was found. */
export interface AsRow {
  readonly as?: 'key' | 'row'
}

export type KeyOrRow<K, Row, O> = O extends { readonly as: 'row' } ? NonNullable<Row> : GivenOf<K>

export type WholeKey = Field<number, number, number>

/**
 * Another row, named by its key. A key of no row is `does_not_exist`, and what cannot be a key is
 * `incorrect_type` (E28). `findAll` looks up all keys of a body with one question.
 *
 * @example field.related({ find: (id) => authors.byId(id), list: 'author-list' })
 * @example field.related({ key: field.uuid(), findAll: async (ids) => teams.byIds(ids) }, { as: 'row' })
 */
export function related<Row, K extends AnyField = WholeKey, const O = unknown>(
  relation: Relation<K, Row>,
  options?: Chosen<O, FieldOptions<GivenOf<K> | Row> & AsRow>,
): Field<RawOf<K>, ShownOf<K>, KeyOrRow<K, Row, O>, O> {
  const key = (relation.key ?? integer()) as unknown as Field<RawOf<K>, ShownOf<K>, GivenOf<K>>
  const { list, listKey = 'id' } = relation
  return fieldOf('field', options, {
    show: key.show,
    ...(key.write && { write: key.write }),
    takesDigits: key.takesDigits ?? false,
    ...(key.schema && { schema: key.schema }),
    relates: true,
    meansNull: isEmpty,
    ...(list !== undefined && chosenFrom(list, listKey)),
    read: relatedReader<KeyOrRow<K, Row, O>>(key, relation, options?.as, INCORRECT_TYPE),
  })
}

function chosenFrom(route: string, member: string): Pick<AnyField, 'listed' | 'check'> {
  return {
    listed: (request) => rowsAt(route, member, request),
    check: (settings, service, name) =>
      linkProblem(name, { route, param: null }, settings, service),
  }
}

/** As a form says that no row is chosen. */
export const isEmpty = (value: unknown): boolean => value === ''

const INCORRECT_TYPE = refused('incorrect_type')
export const DOES_NOT_EXIST: Refused = refused('does_not_exist')

/** Gives the key once its row is there, or the row itself; without a finder, the key as it is. */
export function relatedReader<Given>(
  field: AnyField,
  finder: Finder<unknown, unknown> | object,
  as: AsRow['as'],
  noKey: Refused,
): (value: unknown, context: ReadContext) => MaybePromise<Given | Refused> {
  // Each of them may be there and `undefined`.
  const one = 'find' in finder ? finder.find : undefined
  const all = 'findAll' in finder ? finder.findAll : undefined
  const find = one ?? (all === undefined ? null : batched(all))
  // Only a link is known to lead somewhere: any other key would be taken unseen.
  if (find === null && (as === 'row' || noKey === INCORRECT_TYPE))
    throw new ConfigurationError('A relation that looks up rows needs "find" or "findAll".')
  return (value, context) =>
    after(field.read(value, context), (key) => {
      if (key instanceof Refused) return noKey
      if (find === null) return key as Given
      return after(find(key, context.request), (row = null) => {
        if (row === null) return DOES_NOT_EXIST
        return (as === 'row' ? row : key) as Given
      })
    })
}

/** Keys that a request asks for in one turn are looked up together. */
function batched<Key, Row>(
  findAll: (keys: readonly Key[], request: ApiRequest) => MaybePromise<ReadonlyMap<Key, Row>>,
): (key: Key, request: ApiRequest) => Promise<Row | null> {
  const batchOf = oncePer(
    (request: ApiRequest) => new Batch<Key, Row>(async (keys) => findAll(keys, request)),
  )
  return (key, request) => batchOf(request).lookUp(key)
}
