// Drizzle tables as stores and lists: `sqlTable` with the names and values of Drizzle.
import { isDeepStrictEqual } from 'node:util'
import type { InferInsertModel, InferSelectModel, SQL, Table } from 'drizzle-orm'
import type { Executor } from '../../core/ports/database.ts'
import type { KeyedBy, Portion, RowKey, RowStore, RowsByKey } from '../../core/ports/list-source.ts'
import { ChangedMeanwhile } from '../../core/errors/api-errors.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { ConstraintViolation } from '../../core/errors/storage-errors.ts'
import type { MaybePromise } from '../../core/std/after.ts'
import type { ScopeOf } from '../../core/types/resources.ts'
import type { AnyRows, AnyTables, AttemptedWrite } from '../sql/dialect.ts'
import type { RelationNames } from '../sql/query/relations.ts'
import type { SqlDatabase, SqlSource, SqlTransaction } from '../sql/sql-database.ts'
import {
  type RelatedStores,
  type StoredTable,
  type TableDatabase,
  relatedStores,
  storedTable,
} from '../sql/table/sql-table.ts'
import type { Values } from '../sql/table/scopes.ts'
import { TableMapping } from './mapping.ts'
import type { DrizzleInstance } from './queries.ts'
import {
  MappedSource,
  type MappedRelation,
  type RelatedDrizzle,
  type RelatedMappings,
  mapPortion,
  storedRelation,
} from './source.ts'

type Property<T extends Table> = keyof InferSelectModel<T> & string

type RelatedTables<T extends Table> = Readonly<Record<string, RelatedDrizzle<Property<T>>>>

/** Options for a Drizzle table. */
export interface DrizzleTableOptions<
  T extends Table,
  Key extends Property<T>,
  Relations extends RelatedTables<T> = RelatedTables<T>,
> {
  /** The database with the table, from `colophon/sql`. */
  readonly database: TableDatabase & Pick<SqlDatabase, 'kysely'>
  /** The result of `drizzle()`, which knows the names of columns (`casing`). No statement runs on it. */
  readonly db: DrizzleInstance
  readonly table: T
  /** A property whose values are unique. */
  readonly key: Key
  /** A condition for the rows of the table: `eq(tickets.deleted, false)`. @default all */
  readonly only?: SQL
  /** As for `sqlTable`: rows of other tables for searching, filtering and ordering lists. @default none */
  readonly relations?: Relations
}

/** A key, or the text that stands for it in an address. */
type KeyOf<T extends Table, Key extends Property<T>> = InferSelectModel<T>[Key] | string

/** A Drizzle table, for resources and for code of your own. */
export interface DrizzleTable<
  T extends Table,
  Key extends Property<T>,
  Related extends string = never,
> extends RowStore<
  InferSelectModel<T>,
  KeyOf<T, Key>,
  InferInsertModel<T>,
  Partial<InferInsertModel<T>>,
  SqlSource<InferSelectModel<T>, Property<T> | Related>
> {
  readonly key: Key
  readonly find: (key: KeyOf<T, Key>) => Promise<InferSelectModel<T> | null>
  /** Finds rows to embed in others, as for `sqlTable`. */
  readonly manyByKey: RowsByKey<InferSelectModel<T>>['manyByKey']
  /** The same table with fewer rows, as for `sqlTable`: written rows must be among them. */
  only(condition: SQL): DrizzleTable<T, Key, Related>
  /** The same table within a transaction of `database`. */
  in(transaction: Executor): DrizzleTable<T, Key, Related>
  /** Works on the same table in a transaction of its own, as for `sqlTable`. */
  inTransaction<Result>(
    work: (
      transaction: SqlTransaction,
      table: DrizzleTable<T, Key, Related>,
    ) => MaybePromise<Result>,
    change?: AttemptedWrite,
  ): Promise<Result>
  /** The rows with these values, as for `sqlTable`: a list means "one of these". */
  within<V extends ScopeOf<InferSelectModel<T>>>(values: V): DrizzleTable<T, Key, Related>
}

/**
 * A Drizzle ORM table as a store for resources, with all that `sqlTable` has. Rows have the values of Drizzle's selects,
 * and writes are those of Drizzle: names, `mode`, custom types, `$defaultFn` and `$onUpdate` apply.
 *
 * @throws ConfigurationError the values of a column cannot be those of Drizzle, or `database` is of another kind than the table
 * @example
 * const tickets = drizzleTable({ database, db, table: schema.tickets, key: 'id' })
 * await tickets.insert({ title: 'Cold office' })
 */
export function drizzleTable<
  T extends Table,
  const Key extends Property<T>,
  const Relations extends RelatedTables<T> = never,
>(options: DrizzleTableOptions<T, Key, Relations>): DrizzleTable<T, Key, RelationNames<Relations>> {
  const { database, db, table, key, only, relations = {} } = options
  const columns = TableMapping.of(table, db, database)
  columns.checkKey(key)
  const known: RelatedMappings = new Map(
    Object.entries<RelatedDrizzle>(relations).map(([name, each]) => [
      name,
      { ...each, ...tableOf(name, each.store) },
    ]),
  )
  const stored = storedTable({
    database,
    db: database.kysely<AnyTables>(),
    table: columns.table,
    key: columns.nameOf(key),
    columns: columns.names,
    relations: Object.fromEntries(
      [...known].map(([name, each]) => [name, storedRelation(name, each, columns)]),
    ),
  })
  const whole = new MappedTable({ stored, columns, related: known, key, filled: {} })
  const narrowed = only === undefined ? whole : whole.only(only)
  return narrowed as unknown as DrizzleTable<T, Key, RelationNames<Relations>>
}

/** @throws ConfigurationError the store does not come from `drizzleTable` */
function tableOf(name: string, store: unknown): Pick<MappedRelation, 'mapping' | 'stored'> {
  if (store instanceof MappedTable) return { mapping: store.mapping, stored: store.stored }
  throw new ConfigurationError(
    `drizzleTable(): the relation "${name}" needs the store that drizzleTable() gave, or only() of it.`,
  )
}

/** Rows as the database had them, by the rows of Drizzle: a change compares the row that was seen with the current one. */
const seenAs = new WeakMap<object, Values>()

interface MappedParts {
  readonly stored: StoredTable
  readonly columns: TableMapping
  readonly related: RelatedMappings
  readonly key: string
  /** Values that scopes fill in, which Drizzle must not replace by defaults. */
  readonly filled: Values
}

class MappedTable {
  readonly key: string
  declare readonly source: MappedSource
  readonly #parts: MappedParts
  #source: MappedSource | null = null

  constructor(parts: MappedParts) {
    this.#parts = parts
    this.key = parts.key
    Object.defineProperty(this, 'source', MappedTable.#lazySource)
  }

  /** An own member of each table, so that copies by spread have it too. */
  static readonly #lazySource: ThisType<MappedTable> & PropertyDescriptor = {
    enumerable: true,
    get() {
      const { stored, columns, related } = this.#parts
      return (this.#source ??= new MappedSource(stored.source, columns, related))
    },
  }

  get stored(): StoredTable {
    return this.#parts.stored
  }

  get mapping(): TableMapping {
    return this.#parts.columns
  }

  get related(): RelatedStores {
    return relatedStores(Object.fromEntries(this.#parts.related))
  }

  /** With `only`, a table has fewer rows, but the same columns. */
  async columns(): Promise<readonly string[]> {
    await this.stored.columns()
    await this.mapping.check()
    return this.mapping.properties
  }

  readonly find = async (key: unknown): Promise<Values | null> => {
    const own = this.mapping.key(this.key, key)
    return own === undefined ? null : this.#row(await this.stored.find(own))
  }

  readonly manyByKey = async (
    values: readonly RowKey[],
    { column, limit }: KeyedBy,
  ): Promise<Portion<Values>> => {
    const own = values.map((value) => this.mapping.key(column, value)) as RowKey[]
    const by = { column: this.mapping.nameOf(column), limit }
    return mapPortion(await this.stored.manyByKey(own, by), this.mapping)
  }

  readonly insert = async (given: Values): Promise<Values> =>
    this.#row(await this.#explained(() => this.stored.insert(this.#inserted(given))))!

  async insertAll(given: readonly Values[]): Promise<void> {
    const rows = given.map((each) => this.#inserted(each))
    await this.#explained(() => this.stored.insertAll(rows))
  }

  readonly update = async (key: unknown, given: Values, seen?: unknown): Promise<Values | null> => {
    const own = this.mapping.key(this.key, key)
    if (own === undefined) return null
    const values = this.mapping.changed(given)
    const before = await this.#seen(key, seen)
    return this.#row(await this.#explained(() => this.stored.update(own, values, before)))
  }

  readonly remove = async (key: unknown, seen?: unknown): Promise<boolean> => {
    const own = this.mapping.key(this.key, key)
    if (own === undefined) return false
    const before = await this.#seen(key, seen)
    return this.#explained(() => this.stored.remove(own, before))
  }

  only(condition: SQL): MappedTable {
    const expression = this.mapping.expression(condition)
    return this.#with(this.stored.only((query: AnyRows) => query.where(expression)))
  }

  within(values: Values): MappedTable {
    const single = Object.entries(values).filter(([, value]) => !Array.isArray(value))
    const filled = { ...this.#parts.filled, ...Object.fromEntries(single) }
    const stored = this.stored.within(this.mapping.scope(values))
    return new MappedTable({ ...this.#parts, stored, filled })
  }

  in(transaction: Executor): MappedTable {
    return this.#with(this.stored.in(transaction))
  }

  inTransaction<T>(
    work: (transaction: SqlTransaction, table: MappedTable) => MaybePromise<T>,
    change?: AttemptedWrite,
  ): Promise<T> {
    const within = (transaction: SqlTransaction, table: StoredTable) =>
      work(transaction, this.#with(table))
    return this.stored.inTransaction(within, change)
  }

  #with(stored: StoredTable): MappedTable {
    return new MappedTable({ ...this.#parts, stored })
  }

  #inserted(given: Values): Values {
    return this.mapping.inserted(given, this.#parts.filled)
  }

  #row(found: Values | null): Values | null {
    if (found === null) return null
    const row = this.mapping.row(found)
    seenAs.set(row, found)
    return row
  }

  /** The seen row as the database had it. A copy is compared with the current row. @throws ChangedMeanwhile they differ */
  async #seen(key: unknown, seen: unknown): Promise<unknown> {
    if (typeof seen !== 'object' || seen === null) return seen
    const known = seenAs.get(seen)
    if (known !== undefined) return known
    const now = await this.find(key)
    if (now !== null && !isDeepStrictEqual(now, { ...seen })) throw new ChangedMeanwhile()
    return now && seenAs.get(now)
  }

  /** Renames columns to properties in errors of the database. */
  async #explained<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ConstraintViolation)) throw error
      const { kind, table, referring, cause } = error
      const columns = error.columns.map((name) => this.mapping.propertyOf(name))
      const facts = { table, columns, referring: referring ?? undefined, cause }
      throw new ConstraintViolation(kind, facts)
    }
  }
}
