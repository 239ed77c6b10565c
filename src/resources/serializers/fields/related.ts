import type { ApiRequest } from '../../../core/ports/request.ts'
import { type MaybePromise, after } from '../../../core/std/after.ts'
import { ConfigurationError } from '../../../core/errors/configuration-error.ts'
import { Batch } from '../../../core/std/batch.ts'
import { oncePerRequest } from '../../../core/std/once.ts'
import type {
  AnyField,
  AnyFieldOptions,
  Chosen,
  Field,
  FieldOptions,
  ReadContext,
} from '../declaration.ts'
import { fieldOf } from '../field-of.ts'
import { linkProblem, rowsAt } from '../links.ts'
import { Refused, refused } from '../refused.ts'
import {
  type RelatedRows,
  type RelatedPlace,
  type RelationScope,
  relationProblem,
} from '../tenant-references.ts'
import type { GivenOf, RawOf, ShownOf } from '../types.ts'
import { integer } from './numbers.ts'

/**
 * Finds the row of a key: in a store; one by one; or all keys of a request at once. Annotate the parts of the request that you
 * use (`RequestWith<{ user: User }>`): a serializer does not know its endpoints, so the compiler takes your word.
 */
export type Finder<Key, Row, Rq = ApiRequest> = (
  | { readonly store: RelatedRows<Key, Row> }
  | { readonly find: (key: Key, request: Rq) => MaybePromise<Row | null | undefined> }
  | {
      readonly findAll: (keys: readonly Key[], request: Rq) => MaybePromise<ReadonlyMap<Key, Row>>
    }
) &
  Crossing

/** Whether rows of other tenants can be referred to. */
export interface Crossing {
  /**
   * In a resource with `scope`, the row has to have the same values in the same columns. Where a column has another name,
   * say it: `{ clinic: 'clinic_id' }`, or `{ clinic: 'id' }` for the row of the tenant itself. A column with `null` need
   * not be the same; `null` in place of all lets the field refer to rows of every tenant.
   *
   * @default the columns of the resource's scope
   */
  readonly scope?: RelationScope
}

interface Keyed<K extends AnyField> {
  /** The field that reads and shows keys. @default `field.integer()` */
  readonly key?: K
  /**
   * The name of the address that lists the rows, such as `author-list`: pages search that list for typed text, as any client
   * would. @default keys are typed by hand
   */
  readonly list?: string
  /** The member of the list's rows with their key. @default 'id' */
  readonly listKey?: string
}

type RelationTo<K extends AnyField, Row, Rq> = Finder<GivenOf<K>, Row, Rq> & Keyed<K>

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
 * In a resource with `scope`, rows outside of it are not there, and all rows that a body refers to belong to the tenant of
 * the row that refers to them (`other_tenant`). Rows that all tenants share need `scope: null`.
 *
 * @example field.related(patients)
 * @example field.related({ store: countries, scope: null, list: 'country-list' })
 * @example field.related({ find: (id) => authors.byId(id), list: 'author-list' })
 * @example field.related({ key: field.uuid(), findAll: async (ids) => teams.byIds(ids) }, { as: 'row' })
 */
export function related<Row, const O = unknown>(
  store: RelatedRows<number, Row>,
  options?: Chosen<O, FieldOptions<number | Row> & AsRow>,
): Field<number, number, KeyOrRow<WholeKey, Row, O>, O>
export function related<Row, K extends AnyField = WholeKey, const O = unknown, Rq = ApiRequest>(
  relation: RelationTo<K, Row, Rq>,
  options?: Chosen<O, FieldOptions<GivenOf<K> | Row> & AsRow>,
): Field<RawOf<K>, ShownOf<K>, KeyOrRow<K, Row, O>, O>
export function related(given: object, options?: AnyFieldOptions & AsRow): AnyField {
  const target = toTarget(given)
  const key: AnyField = target.key ?? integer()
  const { list, listKey = 'id' } = target
  const relation = relationOf(target)
  const link = list === undefined ? null : { route: list, param: null }
  return fieldOf('field', options, {
    own: ['as'],
    show: key.show,
    takesDigits: key.takesDigits ?? false,
    ...(key.schema && { schema: key.schema }),
    ...(key.normalForm && { normalForm: key.normalForm }),
    meansNull: isEmpty,
    relation,
    ...(link && { listed: (request: ApiRequest) => rowsAt(link.route, listKey, request) }),
    check: (settings, service, name) =>
      (options?.readOnly ? null : relationProblem(name, relation, service)) ??
      (link && linkProblem(name, link, settings, service)),
    read: relatedReader(key, relation, options?.as, INCORRECT_TYPE),
  })
}

type AnyTarget = Partial<Keyed<AnyField> & Crossing> & { readonly store?: RelatedRows }

/** A store may be given in place of a relation to it; its `key` is a name. */
function toTarget(given: object): AnyTarget {
  const isStore = 'key' in given && typeof given.key === 'string'
  return isStore ? { store: given as RelatedRows } : given
}

export function relationOf(target: object): RelatedPlace {
  // Each option may be present but `undefined`.
  const { store, find, findAll, scope } = target as AnyTarget & Untyped
  const inStore = store && ((key: never) => store.find(key))
  return { store, find: inStore ?? find ?? (findAll ? batched(findAll) : null), scope }
}

interface Untyped {
  readonly find?: (key: never, request: never) => MaybePromise<unknown>
  readonly findAll?: (
    keys: readonly never[],
    request: ApiRequest,
  ) => MaybePromise<ReadonlyMap<never, unknown>>
}

/** A form sends this if no row is chosen. */
export const isEmpty = (value: unknown): boolean => value === ''

const INCORRECT_TYPE = refused('incorrect_type')
export const DOES_NOT_EXIST: Refused = refused('does_not_exist')

/** Gives the key once its row is found, or the row itself; without a finder, the key unchecked. */
export function relatedReader<Given>(
  field: AnyField,
  relation: RelatedPlace,
  as: AsRow['as'],
  noKey: Refused,
): (value: unknown, context: ReadContext) => MaybePromise<Given | Refused> {
  const { find } = relation
  // Only a link proves that its row has an address: any other key would be accepted unchecked.
  if (find === null && (as === 'row' || noKey === INCORRECT_TYPE))
    throw new ConfigurationError(
      'A relation that looks up rows needs a store, "find" or "findAll".',
    )
  return (value, context) =>
    after(field.read(value, context), (key) => {
      if (key instanceof Refused) return noKey
      const { tenancy, request } = context
      if (find === null && !tenancy) return key as Given
      const row = tenancy
        ? tenancy.find(key, relation, request)
        : find!(key as never, request as never)
      return after(row, (there = null) => {
        if (there === null) return DOES_NOT_EXIST
        return (as === 'row' || there instanceof Refused ? there : key) as Given
      })
    })
}

/** Keys that a request asks for in one turn are looked up together. */
function batched<Key, Row>(
  findAll: (keys: readonly Key[], request: ApiRequest) => MaybePromise<ReadonlyMap<Key, Row>>,
): (key: Key, request: ApiRequest) => Promise<Row | null> {
  const batchOf = oncePerRequest(
    (request: ApiRequest) => new Batch<Key, Row>(async (keys) => findAll(keys, request)),
  )
  return (key, request) => batchOf(request).lookUp(key)
}
