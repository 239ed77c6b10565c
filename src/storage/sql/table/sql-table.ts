import { isDeepStrictEqual } from 'node:util'
import type {
  Compilable,
  Insertable,
  Kysely,
  OperationNodeSource,
  SelectQueryBuilder,
  Selectable,
  Updateable,
} from 'kysely'
import type { Executor, Statement } from '../../../core/ports/database.ts'
import type {
  KeyedBy,
  Portion,
  RowKey,
  RowStore,
  Rows,
  RowsByKey,
} from '../../../core/ports/list-source.ts'
import { ChangedMeanwhile } from '../../../core/errors/api-errors.ts'
import { ConfigurationError } from '../../../core/errors/configuration-error.ts'
import { NotMigrated } from '../../../core/errors/storage-errors.ts'
import { type MaybePromise, after, recoverFrom } from '../../../core/std/after.ts'
import { portionOf, toRowObjects } from '../../../core/std/row-objects.ts'
import type { ScopeOf } from '../../../core/types/resources.ts'
import type { AnyRows, AnyTables, Attempt, Reader, AttemptedWrite } from '../dialect.ts'
import type { RelationScope } from '../../../resources/serializers/tenant-references.ts'
import type {
  KnownRelation,
  KnownScope,
  RelationNames,
  SqlRelation,
  SqlRelations,
} from '../query/relations.ts'
import { sqlSource } from '../query/sql-source.ts'
import type { ListDatabase, SqlDatabase, SqlSource, SqlTransaction } from '../sql-database.ts'
import { readMany } from './many-by-key.ts'
import { toViolation, storable } from './constraints.ts'
import { type Scopes, type Values, outsideScope, rowsWithin, withinScopes } from './scopes.ts'
import { type TableOptions, TableStatements, allRows, tableName } from './statements.ts'

/** The table, its database and its key. */
export interface SqlTableOptions<
  Tables,
  Table extends keyof Tables & string,
  Key extends keyof Selectable<Tables[Table]> & string,
  Relations extends TableRelations<Tables, Table> = TableRelations<Tables, Table>,
> {
  readonly database: TableDatabase
  /** The tables with their columns: `database.kysely<Tables>()`. */
  readonly db: Kysely<Tables>
  readonly table: Table
  /** A column whose values are unique, and not NULL: SQLite takes NULL in a PRIMARY KEY of texts that is not NOT NULL. */
  readonly key: Key
  /** Narrows or orders the rows that are listed and found. */
  readonly only?: Narrow<Tables, Table>
  /**
   * Rows of other tables: lists can be searched and filtered by them (`comments.body`), and ordered by a relation that has at
   * most one row (`doctor.name`).
   */
  readonly relations?: Relations & ColumnsOfStores<NoInfer<Relations>>
}

/** The rows that belong to those of a table, by their names in lists. */
export type TableRelations<Tables, Table extends keyof Tables & string> = Readonly<
  Record<string, RelatedTable<Tables, Table> | RelatedStore<ColumnOf<Tables[Table]>>>
>

/** All rows of a table, of which any number belongs to a row. */
type RelatedTable<Tables, Table extends keyof Tables & string> = {
  [Other in keyof Tables & string]: {
    readonly table: Other
    readonly on: readonly [theirs: ColumnOf<Tables[Other]>, ours: ColumnOf<Tables[Table]>]
    readonly columns: readonly ColumnOf<Tables[Other]>[]
    readonly scope?: RelationScope
  }
}[keyof Tables & string]

/** The rows of a store of `sqlTable`, as `field.embed` and `field.embedMany` name them. */
export interface RelatedStore<Ours extends string = string, Scope = RelationScope> {
  /** A store of `sqlTable`; its `only` applies. */
  readonly store: Pick<RowsByKey, 'key' | 'manyByKey'>
  /** Their column that names a row of this table, so that many belong to it. @default none: `source` names one by its key */
  readonly by?: string
  /** The column of this table that they name, or that names one of them. @default the key of this table, with `by` */
  readonly source?: Ours
  /** Their columns that a list may name. */
  readonly columns: readonly string[]
  /** The scope, as of `field.embed`. @default the columns of the scope of the resource */
  readonly scope?: Scope
}

/** A relation whose scope has another library's names of columns. */
export type StoredRelation = RelatedStore<string, KnownScope>

/** Relations with the columns of their stores. */
type ColumnsOfStores<Relations> = {
  readonly [Name in keyof Relations]: Relations[Name] extends {
    readonly store: Pick<RowsByKey<infer Theirs>, 'manyByKey'>
  }
    ? {
        readonly columns: readonly (keyof Theirs & string)[]
        readonly by?: keyof Theirs & string
      } & ('by' extends keyof Relations[Name] ? unknown : { readonly source: string })
    : unknown
}

type ColumnOf<T> = keyof Selectable<T> & string

/** Narrows or orders the query of a table: `(query) => query.where('deleted', '=', false)`. */
export type Narrow<Tables, Table extends keyof Tables & string> = (
  query: SelectQueryBuilder<Tables, Table, Selectable<Tables[Table]>>,
) => WholeRows<Selectable<Tables[Table]>>

/** A query that still selects all columns. */
interface WholeRows<T> extends Compilable<T>, OperationNodeSource {
  execute(): Promise<T[]>
}

/** A key, or the text that stands for it in an address. */
type KeyOf<T, Key extends keyof T> = T[Key] | string

/** A table of an SQL database, for resources and for code of your own. */
export interface SqlTable<
  Tables,
  Table extends keyof Tables & string,
  Key extends keyof Selectable<Tables[Table]> & string,
  Related extends string = never,
> extends RowStore<
  Selectable<Tables[Table]>,
  KeyOf<Selectable<Tables[Table]>, Key>,
  Insertable<Tables[Table]>,
  Updateable<Tables[Table]>,
  SqlSource<Selectable<Tables[Table]>, (keyof Selectable<Tables[Table]> & string) | Related>
> {
  readonly key: Key
  /** Gives a promise on every database. */
  readonly find: (
    key: KeyOf<Selectable<Tables[Table]>, Key>,
  ) => Promise<Selectable<Tables[Table]> | null>
  /** Finds rows to embed in others: one statement for all values, and a second one if a value has more rows than `limit`. */
  readonly manyByKey: RowsByKey<Selectable<Tables[Table]>>['manyByKey']
  /**
   * The same table with fewer rows, for listing, finding, changing and deleting. An inserted or changed row must be among them,
   * as with a view WITH CHECK OPTION; an insert needs one more statement for this. To move rows out of them, write in the whole
   * table.
   *
   * @throws PermissionDenied `outside_scope`: the row would not be among them; nothing is kept
   * @example articles.only((query) => query.where('owner', '=', user.id))
   */
  only(narrow: Narrow<Tables, Table>): SqlTable<Tables, Table, Key, Related>
  /**
   * The same table within a transaction, for changes that happen together or not at all.
   *
   * @example
   * await database.transaction(async (transaction) => {
   *   const article = await articles.in(transaction).insert({ title })
   *   await entries.in(transaction).insert({ article: article.id })
   *   return article
   * })
   */
  in(transaction: Executor): SqlTable<Tables, Table, Key, Related>
  /** Begins a transaction for resources: `work` gets it, with the table in it. `change` explains refusals at its end. */
  inTransaction<T>(
    work: (
      transaction: SqlTransaction,
      table: SqlTable<Tables, Table, Key, Related>,
    ) => MaybePromise<T>,
    change?: AttemptedWrite,
  ): Promise<T>
  /**
   * The rows with these values; a list means "one of these". The database compares them in every statement.
   *
   * @throws PermissionDenied `outside_scope`: a written row would have other values; nothing is kept
   * @throws ConfigurationError a value is `undefined` or of another type than its column, or the column does not exist
   * @example
   * const ours = tickets.within({ organisation: user.organisation })
   * await ours.insert({ title: 'Cold office' }) // the organisation is filled in
   */
  within<V extends ScopeOf<Selectable<Tables[Table]>>>(
    values: V,
  ): SqlTable<Tables, Table, Key, Related>
}

/**
 * A table of an SQL database: its rows as a list (`source`), found by a key, added, changed and deleted.
 *
 * Operations of several statements are one transaction. `update` and `remove` lock the row first, if the database has locks and
 * one statement is not enough; given the row as it was found, they change it only if it is still the same. A key that the
 * column cannot hold finds no row (G3). A constraint's refusal is a `ConstraintViolation` with the columns, which `create`,
 * `update` and `resource` report at the fields.
 *
 * @throws NotMigrated on use: the database has no such table
 * @example
 * const db = database.kysely<Tables>()
 * const articles = sqlTable({ database, db, table: 'article', key: 'id' })
 * await articles.insert({ title: 'On tables' })
 */
export function sqlTable<
  Tables,
  const Table extends keyof Tables & string,
  const Key extends keyof Selectable<Tables[Table]> & string,
  const Relations extends TableRelations<Tables, Table> = never,
>(
  options: SqlTableOptions<Tables, Table, Key, Relations>,
): SqlTable<Tables, Table, Key, RelationNames<Relations>> {
  const { only = null, db, ...given } = options
  const stored = storedTable({ ...given, db: db as unknown as Kysely<AnyTables> }, only as never)
  // The class treats all columns alike, and does not know their types.
  return stored as unknown as SqlTable<Tables, Table, Key, RelationNames<Relations>>
}

/** A table with names that only the program knows, such as those of another library. */
export function storedTable(
  {
    relations = {},
    ...given
  }: Omit<TableOptions, 'database'> &
    Partial<Pick<StoredTableOptions, 'relations'>> &
    Pick<StoredTableOptions, 'database'>,
  narrow: StoredTableOptions['narrow'] = null,
): StoredTable {
  const known = knownTable(given)
  return new StoredTable({ ...given, known, narrow, scopes: [], relations, transaction: null })
}

type Row = Readonly<Record<string, unknown>>
type Narrowed = Compilable<Row> & OperationNodeSource

export type TableDatabase = ListDatabase &
  Pick<SqlDatabase, 'transaction' | 'together' | 'returning'>

/** An executor that answers without a promise, if the database does. */
type Asked = Pick<Executor, 'rows' | 'write'>

interface StoredTableOptions extends TableOptions {
  readonly database: TableDatabase
  readonly known: (reader: Reader) => MaybePromise<TableStatements>
  readonly narrow: ((query: AnyRows) => Narrowed) | null
  readonly scopes: Scopes
  readonly relations: Readonly<Record<string, SqlRelation | StoredRelation>>
  /** The transaction for all statements; `null`: each change begins its own. */
  readonly transaction: Executor | null
  /** The same table without scopes. */
  readonly unscoped?: StoredTable | null
}

/** The relations with a scope. */
export type RelatedStores = readonly {
  readonly field: string
  readonly store: object
  readonly scope: RelationScope | undefined
}[]

export function relatedStores(
  relations: Readonly<Record<string, SqlRelation | RelatedStore | StoredRelation>>,
): RelatedStores {
  return Object.entries(relations).flatMap(([field, each]) =>
    'store' in each && each.scope !== null && typeof each.scope !== 'function'
      ? [{ field, store: each.store, scope: each.scope }]
      : [],
  )
}

/** The row to change: its key, and the row as it was found. */
interface Target {
  readonly key?: unknown
  readonly seen?: unknown
}

/** A change in a transaction; `values` are in the form of the database. */
type Change<T> = (executor: Asked, table: TableStatements, values: Values) => MaybePromise<T>

export class StoredTable {
  readonly key: string
  declare readonly source: SqlSource<Row, string>
  readonly #options: StoredTableOptions
  readonly #query: Narrowed
  #source: SqlSource<Row, string> | null = null
  #all: SqlSource<Row, string> | null = null

  constructor(options: StoredTableOptions) {
    this.key = options.key
    this.#options = options
    this.#query = options.unscoped ? options.unscoped.#query : queryOf(options)
    Object.defineProperty(this, 'source', StoredTable.#lazySource)
  }

  /**
   * An own member, so that copies such as { ...table, find } have it too. All tables share one getter: making it anew would
   * cost more than the rest of a table, of which each request within a scope makes one.
   */
  static readonly #lazySource: ThisType<StoredTable> & PropertyDescriptor = {
    enumerable: true,
    get() {
      return (this.#source ??= rowsWithin(this.#unscoped(), this.#options.scopes))
    },
  }

  /** The list without scopes, which keeps known columns: each request has a scope of its own. */
  #unscoped(): SqlSource<Row, string> {
    const { unscoped, table } = this.#options
    if (unscoped) return unscoped.#unscoped()
    return (this.#all ??= sqlSource({
      database: this.#listDatabase(),
      query: this.#query,
      relations: this.#relations() as SqlRelations,
      key: `${tableName(table).name}.${this.key}`,
    }))
  }

  /** Relations that name our column with its table, because a query may have others of the same name. */
  #relations(): Readonly<Record<string, KnownRelation>> {
    const { table, relations } = this.#options
    const named = Object.entries(relations).map(([name, each]): [string, KnownRelation] => {
      const known = 'store' in each ? this.#toStore(name, each) : each
      const [theirs, ours] = known.on
      return [name, { ...known, on: [theirs, `${tableName(table).name}.${ours}`] }]
    })
    return Object.fromEntries(named)
  }

  /** @throws ConfigurationError the store is not from `sqlTable`, or belongs to another database, or is within values */
  #toStore(name: string, { store, by, source, ...relation }: StoredRelation): KnownRelation {
    const { table, database, key } = this.#options
    const refuse = (fix: string): never => {
      throw new ConfigurationError(`sqlTable(): the relation "${name}" of "${table}" ${fix}`)
    }
    const given: unknown = store
    if (!(given instanceof StoredTable))
      return refuse('needs the store that sqlTable() gave, or only() of it.')
    const theirs = given.#options
    if (theirs.database !== database || theirs.scopes.length > 0)
      return refuse('needs a store of the same database, without within(): lists give the scope.')
    if (by === undefined && source === undefined)
      return refuse(
        'lacks "source", the column that names one row, or "by", theirs that names many.',
      )
    const rows = theirs.narrow === null ? undefined : given.#query.toOperationNode()
    const on = [by ?? given.key, source ?? key] as const
    return { ...relation, table: theirs.table, on, rows, isOne: by === undefined }
  }

  /** The stores of relations that keep to a scope. */
  get related(): RelatedStores {
    return relatedStores(this.#options.relations)
  }

  /** `null`: a query of the program may select more columns. */
  async columns(): Promise<readonly string[] | null> {
    if (this.#options.narrow !== null) return null
    const { facts } = await this.#options.known(this.#reader)
    return [...facts.columns.keys()]
  }

  /** Columns that need a value in an insert. */
  async '~needed'(): Promise<readonly string[]> {
    const { facts } = await this.#options.known(this.#reader)
    return [...facts.columns.values()].flatMap(({ name, isNeeded }) => (isNeeded ? name : []))
  }

  only(narrow: (query: AnyRows) => Narrowed): StoredTable {
    const before = this.#options.narrow
    const both = before === null ? narrow : (query: AnyRows) => narrow(before(query) as AnyRows)
    return new StoredTable({ ...this.#options, narrow: both, unscoped: null })
  }

  within(values: Values): StoredTable {
    for (const [column, value] of Object.entries(values))
      if (value === undefined || (Array.isArray(value) && value.includes(undefined)))
        throw new ConfigurationError(
          `within(): "${column}" of the table "${this.#options.table}" is undefined. Give a value, null, or [] for no rows.`,
        )
    const scopes = [...this.#options.scopes, values]
    return new StoredTable({ ...this.#options, scopes, unscoped: this.#options.unscoped ?? this })
  }

  /** @throws ConfigurationError the transaction is one of another library, on another connection */
  in(transaction: Executor): StoredTable {
    if (typeof transaction.rows !== 'function')
      throw new ConfigurationError(
        `The table "${this.#options.table}" takes part in transactions of database.transaction(). One that Drizzle or Kysely began has another connection: begin with database.transaction(), and run their statements in it.`,
      )
    return new StoredTable({ ...this.#options, transaction, unscoped: null })
  }

  async inTransaction<T>(
    work: (transaction: SqlTransaction, table: StoredTable) => MaybePromise<T>,
    change: AttemptedWrite = { verb: 'update', values: {} },
  ): Promise<T> {
    let commits = false
    try {
      return await this.#options.database.transaction(async (transaction) => {
        const made = await work(transaction, this.in(transaction))
        commits = true
        return made
      })
    } catch (error) {
      // Checks at the end of the transaction fail only here; what failed within it has been explained there.
      if (!commits) throw error
      const { facts } = await this.#options.known(this.#reader)
      throw await toViolation(this.#options, error, { ...change, facts, reader: this.#reader })
    }
  }

  readonly find = async (key: unknown): Promise<Row | null> =>
    this.#find(this.#reader, await this.#options.known(this.#reader), key)

  readonly manyByKey = async (values: readonly RowKey[], by: KeyedBy): Promise<Portion<Row>> => {
    const reader = this.#reader
    const table = await this.#options.known(reader)
    const found = table.many(this.#query, values, by, this.#options.scopes)
    return found === null ? { rows: [] } : portionOf(await readMany(reader, found))
  }

  readonly insert = (given: Values): Promise<Row> =>
    this.#changing('insert', given, (executor, table, values) => {
      const { lastNumber } = table.facts
      if (lastNumber === null)
        return after(executor.rows(table.insert(values)), (rows) => {
          const row = rowOf(rows)!
          return this.#givesBack('insert', table)
            ? row
            : this.#still(executor, table, row[this.key])
        })
      return after(executor.write(table.insert(values)), () => {
        // The key was given, or the database has counted it up.
        const key = values[this.key]
        if (key != null) return this.#still(executor, table, key)
        return after(executor.rows(lastNumber), (rows) =>
          this.#still(executor, table, rows.values[0]![0]),
        )
      })
    })

  /** Adds rows in a transaction without returning them. The caller checks whether they are among the rows of this table. */
  async insertAll(given: readonly Values[]): Promise<void> {
    const { db, table: whole, transaction } = this.#options
    const known = await this.#options.known(this.#reader)
    const [table, { facts }] = [tableName(whole).name, known]
    const rows = given.map((each) => storable(this.#placed(each, 'insert', known), table, facts))
    for (const some of alike(rows)) {
      const { sql, parameters } = db.insertInto(whole).values(some).compile()
      try {
        await transaction!.write({ sql, parameters })
      } catch (error) {
        const attempt = { facts, reader: transaction!, values: some[0]! }
        throw await toViolation(this.#options, error, { verb: 'insert', ...attempt })
      }
    }
  }

  readonly update = (key: unknown, given: Values, seen?: unknown): Promise<Row | null> =>
    this.#changing(
      'update',
      given,
      (executor, table, values) =>
        after(this.#locked(executor, table, 'update', key, seen), (locked) => {
          if (locked === null || Object.keys(values).length === 0) return locked
          const own = locked[this.key]
          return after(executor.rows(table.update(own, values)), (rows) => {
            if (this.#givesBack('update', table)) return rowOf(rows)
            return this.#still(executor, table, values[this.key] ?? own)
          })
        }),
      { key, seen },
    )

  readonly remove = (key: unknown, seen?: unknown): Promise<boolean> =>
    this.#changing(
      'delete',
      {},
      (executor, table) =>
        after(this.#locked(executor, table, 'delete', key, seen), (locked) =>
          locked === null
            ? false
            : after(executor.write(table.remove(locked[this.key])), ({ changes }) =>
                changes > 0 ? true : this.#isOther(executor, table, locked),
              ),
        ),
      { key, seen },
    )

  get #reader(): Reader {
    return this.#options.transaction ?? this.#options.database
  }

  /** Inside a transaction, rows are read there; facts about columns are the same everywhere. */
  #listDatabase(): ListDatabase {
    const { database, transaction } = this.#options
    if (transaction === null) return database
    return {
      dialect: database.dialect,
      rows: (statement: Statement) => transaction.rows(statement),
      describe: (statement: Statement) => database.describe?.(statement) ?? [],
    }
  }

  /** Does the statement itself give the final row? A narrowed table must look for the row. */
  #givesBack(change: 'insert' | 'update', { facts }: TableStatements): boolean {
    return facts.givesBack[change] && this.#options.narrow === null
  }

  /** A key that the column cannot hold finds no row, whether the database is asked or not. */
  #find(reader: Reader, table: TableStatements, key: unknown): MaybePromise<Row | null> {
    const statement = this.#finding(table, key)
    if (statement === null) return null
    const { dialect } = this.#options.database
    return recoverFrom(
      () => after(reader.rows(statement), rowOf),
      (error) => {
        if (error instanceof Error && dialect.refusesValue(error)) return null
        throw error
      },
    )
  }

  #finding(table: TableStatements, key: unknown): Statement | null {
    return table.find(this.#query, key, this.#options.scopes)
  }

  /**
   * Reads a written row among the rows of this table.
   *
   * @throws PermissionDenied the row is not among them
   */
  #still(executor: Asked, table: TableStatements, key: unknown): MaybePromise<Row> {
    return after(executor.rows(this.#finding(table, key)!), (rows) => {
      const row = rowOf(rows)
      if (row === null) throw outsideScope()
      return row
    })
  }

  /** Has the row changed after a DELETE without effect? A trigger may have deleted or marked it, or a rule may have kept it. */
  #isOther(executor: Asked, table: TableStatements, seen: Row): MaybePromise<boolean> {
    return after(executor.rows(this.#finding(table, seen[this.key])!), (rows) => {
      const row = rowOf(rows)
      return row === null || !isSameRow(row, seen)
    })
  }

  #placed(given: Values, verb: Attempt['verb'], table: TableStatements): Values {
    const { scopes } = this.#options
    if (scopes.length === 0 || verb === 'delete') return given
    return withinScopes(given, scopes, {
      inserted: verb === 'insert',
      kindOf: (column) => table.kindOf(column),
    })
  }

  /** Runs a change in one transaction, and explains errors of the database. */
  async #changing<T>(
    verb: Attempt['verb'],
    given: Values,
    change: Change<T>,
    row: Target = {},
  ): Promise<T> {
    const { database, transaction } = this.#options
    const known = await this.#options.known(this.#reader)
    const { facts } = known
    const table = tableName(this.#options.table).name
    const values = storable(this.#placed(given, verb, known), table, facts)
    const attempt = { verb, facts, reader: this.#reader, values }
    const within = async (executor: Executor): Promise<T> => {
      try {
        return await change(executor, known, values)
      } catch (error) {
        throw await toViolation(this.#options, error, { ...attempt, reader: executor })
      }
    }
    if (transaction !== null) return within(transaction)
    try {
      // This database answers without a promise, so the work must not give one.
      if (database.together !== undefined && !facts.checksAtEnd)
        return await database.together((executor) => change(executor, known, values) as T)
      const written = await this.#writtenAlone(verb, known, values, row)
      // The result of a deletion is `true`, that of the others is the row.
      if (written !== null) return (verb === 'delete' || written) as T
      return await database.transaction(within, { isolation: 'default' })
    } catch (error) {
      // Checks at the end of the transaction fail only here.
      throw await toViolation(this.#options, error, attempt)
    }
  }

  /**
   * Writes by one statement, without a transaction and without further trips. `null`: it takes several, the statement found no
   * such row, or the database gave it up for another one.
   */
  async #writtenAlone(
    verb: Attempt['verb'],
    table: TableStatements,
    values: Values,
    row: Target,
  ): Promise<Row | null> {
    const { returning, dialect } = this.#options.database
    const statement = returning && this.#alone(verb, table, values, row)
    if (!statement) return null
    try {
      return rowOf(await returning.call(this.#options.database, statement))
    } catch (error) {
      // An error with more details has that of the driver as its cause.
      const cause = error instanceof Error ? (error.cause ?? error) : null
      if (typeof cause === 'object' && cause !== null && dialect.gaveUp(cause)) return null
      // The seen row may come from another source, with values of other types.
      if (verb !== 'insert' && error instanceof Error && dialect.refusesValue(error)) return null
      throw error
    }
  }

  /** `null`: one statement is not enough. */
  #alone(
    verb: Attempt['verb'],
    table: TableStatements,
    values: Values,
    { key, seen }: Target,
  ): Statement | null {
    // If an update does not return its row, triggers may change it.
    if (!this.#givesBack(verb === 'insert' ? 'insert' : 'update', table)) return null
    if (verb === 'insert') return table.insert(values)
    if (verb === 'update' && Object.keys(values).length === 0) return null
    return table.change(verb, values, { key, scopes: this.#options.scopes, seen: seen as Values })
  }

  /**
   * Locks the row as it is. A narrowed table first finds it among its rows, unless a row was `seen`.
   *
   * @throws ChangedMeanwhile the row differs from the one that was seen
   */
  #locked(
    executor: Asked,
    table: TableStatements,
    verb: Attempt['verb'],
    key: unknown,
    seen: unknown,
  ): MaybePromise<Row | null> {
    if (this.#options.narrow !== null && seen == null) {
      return after(this.#find(executor, table, key), (found) =>
        found === null ? null : this.#locked(executor, table, verb, found[this.key], found),
      )
    }
    const statement = table.lock(key, verb, this.#options.scopes)
    if (statement === null) return null
    return after(executor.rows(statement), (rows) => {
      const locked = rowOf(rows)
      if (locked === null || seen == null || isSameRow(locked, seen as Row)) return locked
      throw new ChangedMeanwhile()
    })
  }
}

function queryOf(options: StoredTableOptions): Narrowed {
  const rows = allRows(options)
  return options.narrow === null ? rows : options.narrow(rows)
}

/** The most values that every database takes in one statement. */
const MOST_VALUES = 16_384

/** Groups neighbours with the same columns, up to the size of one statement. */
function alike(rows: readonly Values[]): readonly Values[][] {
  const groups: Values[][] = []
  const shape = (row: Values): string => Object.keys(row).toSorted().join('\0')
  for (const row of rows) {
    const last = groups.at(-1)
    const most = MOST_VALUES / Math.max(1, Object.keys(row).length)
    if (last !== undefined && last.length < most && shape(last[0]!) === shape(row)) last.push(row)
    else groups.push([row])
  }
  return groups
}

function rowOf(rows: Rows): Row | null {
  return toRowObjects<Row>(rows)[0] ?? null
}

function isSameRow(row: Row, seen: Row): boolean {
  return Object.entries(row).every(
    ([column, value]) => value === seen[column] || isDeepStrictEqual(value, seen[column]),
  )
}

/**
 * Finds the facts of a table for each caller by itself: another caller's promise may be waiting for a connection.
 *
 * @throws NotMigrated the table does not exist
 * @throws ConfigurationError the table has no such key
 */
function knownTable(options: TableOptions): (reader: Reader) => MaybePromise<TableStatements> {
  let known: TableStatements | null = null
  const learn = async (reader: Reader): Promise<TableStatements> => {
    const name = tableName(options.table)
    const facts = await options.database.dialect.facts(reader, name)
    if (facts.columns.size > 0) return (known = new TableStatements(options, facts))
    throw new NotMigrated('table', name.name, '')
  }
  return (reader) => known ?? learn(reader)
}
