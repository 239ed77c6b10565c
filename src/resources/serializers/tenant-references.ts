// The rows that a body may refer to if the rows of a resource belong to tenants.
import type { ApiRequest } from '../../core/ports/request.ts'
import { type MaybePromise, after } from '../../core/std/after.ts'
import type { CheckedService } from '../../core/ports/serializer.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { refused } from './refused.ts'

type Row = Readonly<Record<string, unknown>>

/** The rows of a relation: a store, or a part of one. */
export interface RelatedRows<in Key = never, out Related = unknown> {
  readonly key: string
  readonly find: (key: Key) => MaybePromise<Related | null | undefined>
  within?(values: Readonly<Record<string, unknown>>): RelatedRows<Key, Related>
}

/**
 * By column of the resource's scope, the column of the related rows that has to hold the same, or `null`: it need not.
 * `null` in place of all: rows of every tenant can be referred to.
 */
export type RelationScope = Readonly<Record<string, string | null>> | null

/** The column of the related rows that has to hold the same; `null`: none. */
export function theirColumn(ours: string, scope: RelationScope | undefined): string | null {
  return scope?.[ours] === undefined ? ours : scope[ours]
}

/** The place where the row of a key is looked for. */
export interface RelatedPlace {
  readonly store?: RelatedRows | undefined
  /** `null`: nowhere. */
  readonly find: ((key: never, request: never) => MaybePromise<unknown>) | null
  readonly scope: RelationScope | undefined
}

/** A column of the resource, and that of the related rows. */
type Pair = readonly [ours: string, theirs: string]

interface Found {
  /** The member of the body that names the row. */
  readonly place: string
  /** The number of members that were read before that one. */
  readonly order: number
  /** The values of the row, by column of the resource. */
  readonly values: Row
}

/** The values that the rows of a request have in common. */
interface TenantValues {
  readonly scope: Row
  /** The values of the rows above in columns that distinguish tenants. */
  readonly above: Row
  /** The keys of the rows above, by their columns; related rows may have no such columns. */
  readonly keys: Row
  /** Columns that tell tenants apart, for every client. */
  readonly tenant: readonly string[]
  /** The row that an action concerns: bodies that the action parses are of the same tenant, unless they name another. */
  readonly row: Row | null
  /** Does the scope restrict nothing, so that it names no column? */
  readonly isOpen: boolean
}

/** The rows that a body refers to: each within the scope of the request, and those of one object in one tenant. */
export class Tenancy {
  readonly #values: TenantValues
  readonly #outer: Tenancy | null
  readonly #place: string
  readonly #order: number
  readonly #found: Found[]
  #members = 0

  constructor(values: TenantValues, outer: Tenancy | null = null, object?: Tenancy, place = '') {
    this.#values = values
    this.#outer = outer
    this.#found = object === undefined ? [] : object.#found
    this.#place = place
    this.#order = object === undefined ? 0 : object.#members++
  }

  /** The references of an object within the body, or of the body itself. */
  ofObject(): Tenancy {
    return new Tenancy(this.#values, this)
  }

  /** The references at a member of the object. */
  at(place: string): Tenancy {
    return new Tenancy(this.#values, this.#outer, this, place)
  }

  /**
   * The row of the key; `null`: there is none for this request; refused where neither the scope of the request nor the
   * resource names the columns that tell tenants apart.
   *
   * @throws ConfigurationError the row lacks a column that tells tenants apart
   */
  find(key: unknown, relation: RelatedPlace, request: ApiRequest): MaybePromise<unknown> {
    if (relation.scope === null) return rowOf(key, relation, {}, request)
    const problem = relationProblem(this.#place, relation, { keepsTenants: true })
    if (problem !== null)
      throw new ConfigurationError(`endpoint ${request.endpointName}: ${problem}`)
    const { scope, isOpen } = this.#values
    const columns = this.#columnsOf(relation)
    if (isOpen && columns.length === 0) return TENANT_UNKNOWN
    const pairs = pairsOf(columns, relation.scope)
    const wanted = pairs.filter(([ours]) => Object.hasOwn(scope, ours))
    return after(rowOf(key, relation, asked(wanted, scope), request), (row = null) => {
      if (row === null) return null
      const values = this.#valuesOf(row as Row, pairs, request)
      // A store has already compared these values, as its database does.
      const isOurs = relation.store ?? wanted.every(([ours]) => isAmong(values[ours], scope[ours]))
      if (!isOurs || !this.#isBelow(row as Row, relation, request)) return null
      this.#note(values)
      return row
    })
  }

  /** Notes the values for the object, and for each object around it, at the member where it stands. */
  #note(values: Row): void {
    this.#found.push({ place: this.#place, order: this.#order, values })
    if (this.#outer !== null) this.#outer.#note(values)
  }

  /**
   * The found rows in the order of the members. They are looked up at the same time and sorted at the end, because a list
   * may hold hundreds of thousands of keys.
   */
  #inOrder(): readonly Found[] {
    return this.#found.toSorted((one, other) => one.order - other.order)
  }

  /** The values that embedded rows of another store must have, by their columns: those that restrict the request. */
  shownIn(named: RelationScope | undefined): Row {
    if (named === null) return {}
    const { scope, above } = this.#values
    const values = { ...above, ...scope }
    return asked(pairsOf(Object.keys(values), named), values)
  }

  /** The values that rows must have in order to belong to this row: those of its tenant. */
  belonging(named: RelationScope | undefined, row: Row): Row {
    if (named === null) return {}
    const { scope, above, tenant } = this.#values
    const values = { ...above, ...scope }
    const columns = [...new Set([...Object.keys(values), ...tenant])]
    const own = columns.map((column) => [column, row[column] ?? values[column]])
    return asked(pairsOf(columns, named), Object.fromEntries(own) as Row)
  }

  #columnsOf({ scope: named }: RelatedPlace): readonly string[] {
    const { scope, tenant } = this.#values
    return [...new Set([...Object.keys(scope), ...tenant, ...Object.keys(named ?? {})])]
  }

  #valuesOf(row: Row, pairs: readonly Pair[], { endpointName }: ApiRequest): Row {
    const lacking = pairs.find(([, theirs]) => row[theirs] === undefined)
    if (lacking !== undefined)
      throw new ConfigurationError(
        `endpoint ${endpointName}: the row at "${this.#place}" has no "${lacking[1]}", so its tenant is not known. ${HOW}`,
      )
    return Object.fromEntries(pairs.map(([ours, theirs]) => [ours, row[theirs]]))
  }

  /** Has the row the values of the rows above? */
  #isBelow(row: Row, { scope }: RelatedPlace, request: ApiRequest): boolean {
    const { above, keys } = this.#values
    const known = Object.keys(keys).filter(
      (column) => (scope?.[column] ?? row[column]) !== undefined,
    )
    const pairs = pairsOf([...known, ...Object.keys(above)], scope)
    const wanted = { ...keys, ...above }
    const values = Object.entries(this.#valuesOf(row, pairs, request))
    return values.every(([column, value]) => isAmong(value, wanted[column]))
  }

  /** The members that refer to another tenant than that of the object, once the whole object is read. */
  strays(input: Row, existing: Row | null): readonly string[] {
    const found = this.#inOrder()
    const known = [input, existing, this.#values.row, found[0]?.values]
    const own = (column: string): unknown =>
      known.map((row) => row?.[column]).find((value) => value !== undefined)
    const strays = found.filter(({ values }) =>
      Object.entries(values).some(([column, value]) => !isSame(value, own(column))),
    )
    return [...new Set(strays.map(({ place }) => place))]
  }

  /** The columns by which the object changes its tenant. */
  moving(input: Row, existing: Row | null): readonly string[] {
    const { scope, tenant } = this.#values
    if (existing === null) return []
    return [...new Set([...Object.keys(scope), ...tenant])].filter(
      (column) => input[column] !== undefined && !isSame(input[column], existing[column]),
    )
  }

  /** The values that the related rows have in common: the tenant of the row that refers to them. */
  get common(): Row {
    const [first, ...others] = this.#inOrder()
    const all = Object.entries(first?.values ?? {}).filter(([column, value]) =>
      others.every(({ values }) => isSame(values[column], value)),
    )
    return Object.fromEntries(all)
  }
}

const TENANT_UNKNOWN = refused('tenant_unknown')
const HOW =
  "Say which column it is (scope: { organisation: 'organisation_id' }), or that any row will do (scope: null)."

function rowOf(
  key: unknown,
  { store, find }: RelatedPlace,
  wanted: Row,
  request: ApiRequest,
): MaybePromise<unknown> {
  // A link that need not be looked up stands for its row.
  if (store === undefined) return find === null ? key : find(key as never, request as never)
  const rows = Object.keys(wanted).length === 0 ? store : store.within!(wanted)
  return rows.find(key as never)
}

function pairsOf(columns: readonly string[], named: RelationScope | undefined): readonly Pair[] {
  return columns.flatMap((ours): Pair[] => {
    const theirs = theirColumn(ours, named)
    return theirs === null ? [] : [[ours, theirs]]
  })
}

function asked(pairs: readonly Pair[], scope: Row): Row {
  return Object.fromEntries(pairs.map(([ours, theirs]) => [theirs, scope[ours]]))
}

function isAmong(value: unknown, scope: unknown): boolean {
  return Array.isArray(scope) ? scope.some((each) => isSame(each, value)) : isSame(scope, value)
}

function isSame(first: unknown, second: unknown): boolean {
  return meaning(first) === meaning(second)
}

/**
 * The meaning of a value: a text stands for the number that it writes, as in a scope, and some databases keep booleans as
 * numbers.
 */
function meaning(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (typeof value === 'number' || typeof value === 'bigint') return `${value}`
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}

/** Why the rows of a relation cannot be kept to tenants, as a sentence; `null`: they can. */
export function relationProblem(
  name: string,
  { store, find, scope }: RelatedPlace,
  { keepsTenants = false }: Pick<CheckedService, 'keepsTenants'>,
): string | null {
  if (!keepsTenants || scope === null) return null
  const or = 'or let it take rows of every tenant (scope: null).'
  if (store === undefined && find === null)
    return `The field "${name}" does not look its rows up, so it could lead to another tenant. Give it a store or find, ${or}`
  if (store === undefined || store.within !== undefined) return null
  return `The field "${name}" has a store without within(values), which cannot be narrowed to a tenant. Give it find, ${or}`
}
