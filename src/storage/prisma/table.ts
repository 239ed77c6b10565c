// Models of Prisma as stores and lists: the client reads and writes, with its extensions and transactions.
import { isDeepStrictEqual } from 'node:util'
import type { KeyedBy, RowKey } from '../../core/ports/list-source.ts'
import { ChangedMeanwhile } from '../../core/errors/api-errors.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import type { MaybePromise } from '../../core/std/after.ts'
import type { ValueKind } from '../sql/dialect.ts'
import type { RelationNames } from '../sql/query/relations.ts'
import {
  type Scopes,
  type Values,
  outsideScope,
  scopeColumns,
  scopeConditions,
  rowsWithin,
  withinScopes,
} from '../sql/table/scopes.ts'
import {
  type Where,
  allWhere,
  checkDefined,
  checkInDatabase,
  checkRelation,
  narrowed,
  scopedFields,
  scopeWhere,
} from './conditions.ts'
import { type Attempted, checkSqlite, explainedError } from './errors.ts'
import { refusesValue, unlessAway, unlessGone } from './failures.ts'
import { PrismaModel } from './model.ts'
import { type ListedModel, ModelSource } from './source.ts'
import { checkOrdered } from './steps.ts'
import type {
  Delegate,
  KnownClient,
  PrismaInstance,
  PrismaModelName,
  PrismaRelation,
  PrismaRelations,
  PrismaRow,
  PrismaRowOf,
  PrismaTable,
  PrismaTableOptions,
} from './types.ts'
import { Beyond, exampleOf, firstOfEach, toPrisma, prismaValues } from './values.ts'

/**
 * A model of Prisma 7 as a store for resources. Every statement is one of the client, so its extensions, adapters and transactions hold;
 * SQL of ours only locks a row that is compared, and reads the catalogue.
 *
 * @throws ConfigurationError it is no client of Prisma 7 on SQLite, PostgreSQL or MySQL (MariaDB), or there is no such model, field or relation
 * @example
 * const tickets = prismaTable({ prisma, model: 'ticket', key: 'id' })
 * await tickets.insert({ title: 'Cold office' })
 */
export function prismaTable<
  Client extends PrismaInstance,
  const Model extends PrismaModelName<Client>,
  const Key extends keyof PrismaRowOf<Client, Model> & string,
  const Relations extends PrismaRelations = never,
>(
  options: PrismaTableOptions<Client, Model, Key, Relations>,
): PrismaTable<Client, Model, Key, RelationNames<Relations>> {
  const { prisma, model: name, key, only, relations = {} } = options
  const client = prisma as unknown as KnownClient
  const model = new PrismaModel(client, name)
  checkOrdered(model, key)
  checkDefined(model, only ?? {})
  for (const [relation, each] of Object.entries<PrismaRelation>(relations))
    checkRelation(model, relation, each)
  const store = new ModelStore({
    model,
    key,
    relations,
    client,
    root: client,
    only: only === undefined ? [] : [only],
    scopes: [],
    asked: new Map(),
  })
  return store as unknown as PrismaTable<Client, Model, Key, RelationNames<Relations>>
}

interface ModelParts extends Omit<ListedModel, 'delegate'> {
  /** The client, or its transaction. */
  readonly client: KnownClient
  readonly root: KnownClient
  readonly scopes: Scopes
}

class ModelStore {
  readonly key: string
  declare readonly source: ModelSource
  readonly #parts: ModelParts
  #source: ModelSource | null = null

  constructor(parts: ModelParts) {
    this.#parts = parts
    this.key = parts.key
    Object.defineProperty(this, 'source', ModelStore.#lazySource)
  }

  /** An own member of each store, so that copies by spread have it too. */
  static readonly #lazySource: ThisType<ModelStore> & PropertyDescriptor = {
    enumerable: true,
    get() {
      return (this.#source ??= rowsWithin(
        new ModelSource({ ...this.#parts, delegate: this.#delegate }),
        this.#parts.scopes,
      ))
    },
  }

  get #delegate(): Delegate {
    return this.#parts.model.in(this.#parts.client)
  }

  /** Checks at the start, with questions to the database. */
  async columns(scoped: readonly string[] = []): Promise<readonly string[]> {
    const { asked, key, model } = this.#parts
    const names = await scopedFields(model, scoped)
    for (const each of asked.values()) await checkInDatabase(...each)
    await checkSqlite(model, this.#parts.root)
    const isUnique = await model.takes({ cursor: { [key]: exampleOf(model, key) } })
    if (isUnique) return names
    throw new ConfigurationError(
      `prismaTable(): the key "${key}" of the model "${model.name}" has neither @id nor @unique.`,
    )
  }

  get related() {
    return Object.entries(this.#parts.relations)
      .filter(([, { scope }]) => scope !== null)
      .map(([field, { scope }]) => {
        const columns = (scoped: never) =>
          scopedFields(this.#parts.model.relations.get(field)!, scoped)
        return { field, store: { columns }, scope }
      })
  }

  readonly find = async (key: unknown): Promise<PrismaRow | null> => {
    const where = await this.#keyed(key)
    const asked = { where: allWhere([where ?? {}, ...(await this.#within())]) }
    return where && unlessGone(this.#delegate.findFirst(asked), refusesValue)
  }

  readonly manyByKey = async (
    values: readonly RowKey[],
    { column, limit }: KeyedBy,
  ): Promise<readonly PrismaRow[]> => {
    const field = this.#parts.model.field(column)
    const known = values
      .map((each) => toPrisma(field, each))
      .filter((each) => each !== undefined && !(each instanceof Beyond))
    const most = known.length * limit
    const read = async (where: Where, take: number) =>
      this.#delegate.findMany({
        where: allWhere([where, ...(await this.#within())]),
        orderBy: { [this.key]: 'asc' },
        take,
      })
    const found = await read({ [column]: { in: known } }, most + 1)
    if (found.length <= most) return firstOfEach(found, column, limit, known)
    const each = await Promise.all(known.map((value) => read({ [column]: value }, limit)))
    return firstOfEach(each.flat(), column, limit, known)
  }

  readonly insert = (given: Values): Promise<PrismaRow> =>
    this.#changing('insert', given, this.#isNarrowed, async (store, data) =>
      store.#still(await store.#delegate.create({ data })),
    )

  readonly update = async (
    key: unknown,
    given: Values,
    seen?: unknown,
  ): Promise<PrismaRow | null> => {
    const where = await this.#keyed(key)
    const needs = this.#isNarrowed || seen != null || Object.keys(given).length === 0
    return this.#changing('update', given, needs, async (store, data) => {
      if (where === null || !(await store.#isAs(where, seen))) return null
      if (Object.keys(data).length === 0) return store.find(key)
      const found = narrowed(where, await store.#within())
      const row = await unlessGone(store.#delegate.update({ where: found, data }))
      return row && store.#still(row)
    })
  }

  readonly remove = async (key: unknown, seen?: unknown): Promise<boolean> => {
    const where = await this.#keyed(key)
    return this.#changing('delete', {}, true, async (store) => {
      if (where === null || !(await store.#isAs(where, seen))) return false
      const found = narrowed(where, await store.#within())
      return (await unlessGone(store.#delegate.delete({ where: found }))) !== null
    })
  }

  only(where: Where): ModelStore {
    checkDefined(this.#parts.model, where)
    return this.#with({ only: [...this.#parts.only, where] })
  }

  within(values: Values): ModelStore {
    for (const [field, value] of Object.entries(values)) {
      this.#parts.model.field(field)
      if (value === undefined || (Array.isArray(value) && value.includes(undefined)))
        throw new ConfigurationError(
          `within(): "${field}" of the model "${this.#parts.model.name}" is undefined. Give a value, null, or [] for no rows.`,
        )
    }
    return this.#with({ scopes: [...this.#parts.scopes, values] })
  }

  in(transaction: unknown): ModelStore {
    return this.#with({ client: transaction as KnownClient })
  }

  async inTransaction<T>(
    work: (transaction: KnownClient, table: ModelStore) => MaybePromise<T>,
  ): Promise<T> {
    const { client, root } = this.#parts
    if (client !== root) return work(client, this)
    // A transaction has one connection: the catalogue is read before.
    await Promise.all([this.#parts.model.columns(), this.#parts.model.constraints()])
    return unlessAway(root.$transaction!(async (inside) => work(inside, this.in(inside))))
  }

  #with(parts: Partial<ModelParts>): ModelStore {
    return new ModelStore({ ...this.#parts, ...parts })
  }

  /** Must a row that was written be looked for? */
  get #isNarrowed() {
    return this.#parts.only.length > 0
  }

  /** `null`: no row can have it. */
  async #keyed(key: unknown): Promise<Where | null> {
    const { model, client } = this.#parts
    await model.learn(client)
    const field = model.field(this.key)
    const value = key == null ? undefined : toPrisma(field, key)
    if (value === undefined || value instanceof Beyond) return null
    return (await model.holds(field, value)) ? { [this.key]: value } : null
  }

  async #within(): Promise<readonly Where[]> {
    const { only, scopes, client, model } = this.#parts
    await model.learn(client)
    const each = scopeColumns(scopes).map(([field, value]) =>
      scopeWhere(model, scopeConditions(field, value)),
    )
    return [...only, ...(await Promise.all(each))]
  }

  /** @throws PermissionDenied `outside_scope`: it is not among the rows */
  async #still(row: PrismaRow): Promise<PrismaRow> {
    const found = this.#isNarrowed ? await this.find(row[this.key]) : row
    if (found === null) throw outsideScope()
    return found
  }

  /** Is it there? @throws ChangedMeanwhile it is another than the one that was seen */
  async #isAs(where: Where, seen: unknown): Promise<boolean> {
    if (seen == null) return true
    const { client, model, key } = this.#parts
    await model.lock(client, model.field(key), where[key])
    const now = await this.find(where[key])
    const isSame = (name: string) => isDeepStrictEqual(now?.[name], (seen as PrismaRow)[name])
    if (now !== null && ![...model.fields.keys()].every(isSame)) throw new ChangedMeanwhile()
    return now !== null
  }

  /** Runs a change in a transaction if it takes several statements, and explains refusals of the database. */
  async #changing<T>(
    verb: Attempted['verb'],
    given: Values,
    together: boolean,
    change: (store: ModelStore, data: Values) => Promise<T>,
  ): Promise<T> {
    const { scopes, client, model } = this.#parts
    const kindOf = (column: string) =>
      ({ meant: (value: unknown) => toPrisma(model.field(column), value) }) as ValueKind
    const options = { inserted: verb === 'insert', kindOf }
    const placed = withinScopes(given, verb === 'delete' ? [] : scopes, options)
    const values = prismaValues(model, placed)
    await model.learn(client)
    try {
      if (!together) return await change(this, values)
      return await this.inTransaction((_transaction, store) => change(store, values))
    } catch (error) {
      const within: Attempted['within'] = (work) => this.inTransaction(work)
      throw await explainedError(error, { verb, model, values, client, within })
    }
  }
}
