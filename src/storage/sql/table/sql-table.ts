import { isDeepStrictEqual } from 'node:util'
import {
  type Compilable,
  ExpressionWrapper,
  type Insertable,
  type Kysely,
  type OperationNode,
  type OperationNodeSource,
  type SelectQueryBuilder,
  type SelectQueryNode,
  type Selectable,
  type Updateable,
} from 'kysely'
import type { Executor, Statement } from '../../../core/ports/database.ts'
import type { MaybePromise } from '../../../core/std/after.ts'
import type { RowStore, Rows } from '../../../core/ports/list-source.ts'
import { ChangedMeanwhile, PermissionDenied } from '../../../core/errors/api-errors.ts'
import { ConfigurationError, unfitValue } from '../../../core/errors/configuration-error.ts'
import { ConstraintViolation, NotMigrated } from '../../../core/errors/storage-errors.ts'
import { Message } from '../../../core/messages/message.ts'
import { toRowObjects } from '../../../core/std/row-objects.ts'
import type { ScopeOf } from '../../../core/types/resources.ts'
import type {
  AnyRows,
  AnyTables,
  Attempt,
  ColumnOfTable,
  Dialect,
  Reader,
  TableFacts,
  TableName,
  ValueKind,
} from '../dialect.ts'
import { type Truth, and, isNull, narrowed, or, reference, toNode } from '../nodes.ts'
import { compilerOf } from '../prepared.ts'
import { conditionNode } from '../query/conditions.ts'
import type { RelationNames, SqlRelations } from '../query/relations.ts'
import { type SqlSource, sqlSource } from '../query/sql-source.ts'
import type { ListDatabase, SqlDatabase, SqlTransaction } from '../sql-database.ts'

/** What a table is kept in, and found by. */
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
  /** A column that no two rows share. */
  readonly key: Key
  /** Only some of the rows, or in an order: those that are listed and found. */
  readonly only?: Narrow<Tables, Table>
  /** Rows of other tables that belong to a row: lists can be searched and filtered by them (`comments.body`). */
  readonly relations?: Relations
}

/** Tables whose rows belong to rows of a table, by the names that lists know them by. */
export type TableRelations<Tables, Table extends keyof Tables & string> = Readonly<
  Record<
    string,
    {
      [Other in keyof Tables & string]: {
        readonly table: Other
        readonly on: readonly [theirs: ColumnOf<Tables[Other]>, ours: ColumnOf<Tables[Table]>]
        readonly columns: readonly ColumnOf<Tables[Other]>[]
      }
    }[keyof Tables & string]
  >
>

type ColumnOf<T> = keyof Selectable<T> & string

/** Narrows or orders the query of a table: `(query) => query.where('deleted', '=', false)`. */
export type Narrow<Tables, Table extends keyof Tables & string> = (
  query: SelectQueryBuilder<Tables, Table, Selectable<Tables[Table]>>,
) => WholeRows<Selectable<Tables[Table]>>

/** A query that still gives all columns. */
interface WholeRows<T> extends Compilable<T>, OperationNodeSource {
  execute(): Promise<T[]>
}

/** A text stands for the key that it writes out, as in an address. */
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
  /** Always a promise, on every database. */
  readonly find: (
    key: KeyOf<Selectable<Tables[Table]>, Key>,
  ) => Promise<Selectable<Tables[Table]> | null>
  /**
   * The same table with fewer rows, for listing, finding, changing and deleting. A row that is inserted or
   * changed must be among them afterwards, as with a view WITH CHECK OPTION: an insert costs one more
   * statement for that. What is to leave them is written in the whole table.
   *
   * @throws PermissionDenied `outside_scope`: the row would not be among them; nothing is kept
   * @example articles.only((query) => query.where('owner', '=', user.id))
   */
  only(narrow: Narrow<Tables, Table>): SqlTable<Tables, Table, Key, Related>
  /**
   * The same table within a transaction, where several things are to happen together or not at all.
   *
   * @example
   * await database.transaction(async (transaction) => {
   *   const article = await articles.in(transaction).insert({ title })
   *   await entries.in(transaction).insert({ article: article.id })
   *   return article
   * })
   */
  in(transaction: Executor): SqlTable<Tables, Table, Key, Related>
  /** The same in a transaction of its own, for resources: `work` gets it, and the table within it. */
  inTransaction<T>(
    work: (
      transaction: SqlTransaction,
      table: SqlTable<Tables, Table, Key, Related>,
    ) => MaybePromise<T>,
  ): Promise<T>
  /**
   * The rows that have these values; a list is "one of these". Compared in the database, in every statement.
   *
   * @throws PermissionDenied `outside_scope`: what is written would have other values; nothing is kept
   * @throws ConfigurationError a value is `undefined` or none of its column's type, or there is no such column
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
 * What takes several statements is one transaction. `update` and `remove` lock the row first, where the
 * database has locks; given the row as it was found, they change it only if it is still the
 * same. A key that the column cannot hold is found nowhere (G3). What a constraint forbids is a
 * `ConstraintViolation` with the columns, which `create`, `update` and `resource` tell at the fields.
 *
 * @throws NotMigrated when used: the database has no such table
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
  const { only, relations, ...given } = options
  const untyped = { ...given, db: given.db as unknown as Kysely<AnyTables> }
  const stored = new StoredTable({
    ...untyped,
    known: knownTable(untyped),
    narrow: (only ?? null) as never,
    scopes: [],
    relations: relations ?? {},
    transaction: null,
  })
  // Which columns there are, the class does not know; what it does with them is the same for all.
  return stored as unknown as SqlTable<Tables, Table, Key, RelationNames<Relations>>
}

type Row = Readonly<Record<string, unknown>>
type Narrowed = Compilable<Row> & OperationNodeSource

type TableDatabase = ListDatabase & Pick<SqlDatabase, 'transaction'>

interface StoredTableOptions extends TableOptions {
  readonly database: TableDatabase
  readonly known: (reader: Reader) => Promise<TableStatements>
  readonly narrow: ((query: AnyRows) => Narrowed) | null
  readonly scopes: Scopes
  readonly relations: SqlRelations
  /** Where everything is to happen; `null`: in transactions of its own. */
  readonly transaction: Executor | null
  /** The table that only scopes tell this one from. */
  readonly unscoped?: StoredTable | null
}

/** In a transaction; `values` as the database takes them. */
type Change<T> = (executor: Executor, table: TableStatements, values: Values) => Promise<T>

class StoredTable {
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
    // Its own member, so that a copy with another operation, { ...table, find }, has it too.
    Object.defineProperty(this, 'source', { enumerable: true, get: () => this.#sourceOnce() })
  }

  #sourceOnce(): SqlSource<Row, string> {
    return (this.#source ??= scoped(this.#unscoped(), this.#options.scopes))
  }

  /** Each request has a scope of its own, and must not ask anew which columns there are. */
  #unscoped(): SqlSource<Row, string> {
    const { unscoped, table } = this.#options
    if (unscoped) return unscoped.#unscoped()
    return (this.#all ??= sqlSource({
      database: this.#listDatabase(),
      query: this.#query,
      relations: this.#relations(),
      key: `${tableName(table).name}.${this.key}`,
    }))
  }

  /** Their columns of this table, which a query may have beside others of the same name. */
  #relations(): SqlRelations {
    const { table, relations } = this.#options
    const own = (column: string): string => `${tableName(table).name}.${column}`
    const named = Object.entries(relations).map(
      ([
        name,
        {
          on: [theirs, ours],
          ...relation
        },
      ]) => [name, { ...relation, on: [theirs, own(ours)] as const }],
    )
    return Object.fromEntries(named) as SqlRelations
  }

  /** A query of the program's own may show more. */
  async columns(): Promise<readonly string[] | null> {
    if (this.#options.narrow !== null) return null
    const { facts } = await this.#options.known(this.#reader)
    return [...facts.columns.keys()]
  }

  only(narrow: (query: AnyRows) => Narrowed): StoredTable {
    const before = this.#options.narrow
    const both = before === null ? narrow : (query: AnyRows) => narrow(before(query) as AnyRows)
    return new StoredTable({ ...this.#options, narrow: both, unscoped: null })
  }

  within(values: Values): StoredTable {
    for (const [column, value] of Object.entries(values))
      if ([value].flat().includes(undefined))
        throw new ConfigurationError(
          `within(): "${column}" of the table "${this.#options.table}" is undefined. Give a value, null, or [] for no rows.`,
        )
    const scopes = [...this.#options.scopes, values]
    return new StoredTable({ ...this.#options, scopes, unscoped: this.#options.unscoped ?? this })
  }

  in(transaction: Executor): StoredTable {
    return new StoredTable({ ...this.#options, transaction, unscoped: null })
  }

  inTransaction<T>(
    work: (transaction: SqlTransaction, table: StoredTable) => MaybePromise<T>,
  ): Promise<T> {
    return this.#options.database.transaction((transaction) =>
      work(transaction, this.in(transaction)),
    )
  }

  readonly find = (key: unknown): Promise<Row | null> => this.#find(this.#reader, key)

  readonly insert = (given: Values): Promise<Row> =>
    this.#changing('insert', given, async (executor, table, values) => {
      const { lastNumber } = table.facts
      if (lastNumber === null) {
        const row = rowOf(await executor.rows(table.insert(values)))!
        return this.#options.narrow === null ? row : this.#still(executor, table, row[this.key])
      }
      await executor.write(table.insert(values))
      // The key of the row was given, or counted up.
      const key = values[this.key] ?? (await executor.rows(lastNumber)).values[0]![0]
      return this.#still(executor, table, key)
    })

  readonly update = (key: unknown, given: Values, seen?: unknown): Promise<Row | null> =>
    this.#changing('update', given, async (executor, table, values) => {
      const locked = await this.#locked(executor, table, 'update', key, seen)
      if (locked === null || Object.keys(values).length === 0) return locked
      await executor.write(table.update(locked[this.key], values))
      return this.#still(executor, table, values[this.key] ?? locked[this.key])
    })

  readonly remove = (key: unknown, seen?: unknown): Promise<boolean> =>
    this.#changing('delete', {}, async (executor, table) => {
      const locked = await this.#locked(executor, table, 'delete', key, seen)
      if (locked !== null) await executor.write(table.remove(locked[this.key]))
      return locked !== null
    })

  get #reader(): Reader {
    return this.#options.transaction ?? this.#options.database
  }

  /** Within a transaction the list is read there; what columns are like is the same everywhere. */
  #listDatabase(): ListDatabase {
    const { database, transaction } = this.#options
    if (transaction === null) return database
    return {
      dialect: database.dialect,
      rows: (statement: Statement) => transaction.rows(statement),
      describe: (statement: Statement) => database.describe?.(statement) ?? [],
    }
  }

  /** A key that the column cannot hold is found nowhere, whether the database is asked or not. */
  async #find(reader: Reader, key: unknown): Promise<Row | null> {
    const table = await this.#options.known(reader)
    const statement = this.#finding(table, key)
    try {
      return statement && rowOf(await reader.rows(statement))
    } catch (error) {
      if (error instanceof Error && this.#options.database.dialect.refusesValue(error)) return null
      throw error
    }
  }

  #finding(table: TableStatements, key: unknown): Statement | null {
    const query = this.#query.toOperationNode() as SelectQueryNode
    return table.find(query, key, this.#options.scopes)
  }

  /**
   * The row as it was just written, read where only rows of this table are found.
   *
   * @throws PermissionDenied it is not among them
   */
  async #still(executor: Executor, table: TableStatements, key: unknown): Promise<Row> {
    const row = rowOf(await executor.rows(this.#finding(table, key)!))
    if (row === null) throw outsideScope()
    return row
  }

  #placed(given: Values, verb: Attempt['verb'], table: TableStatements): Values {
    const { scopes } = this.#options
    if (scopes.length === 0 || verb === 'delete') return given
    return table.placed(given, scopes, { inserted: verb === 'insert' })
  }

  /** One after the other, in one transaction; what the database refuses is explained. */
  async #changing<T>(verb: Attempt['verb'], given: Values, change: Change<T>): Promise<T> {
    const { database, transaction } = this.#options
    const { dialect } = database
    const known = await this.#options.known(this.#reader)
    const { facts } = known
    const table = tableName(this.#options.table).name
    const values = storable(this.#placed(given, verb, known), table, facts)
    const attempt = { verb, table, facts, reader: this.#reader, values }
    const within = async (executor: Executor): Promise<T> => {
      try {
        return await change(executor, known, values)
      } catch (error) {
        throw await explained(dialect, error, { ...attempt, reader: executor })
      }
    }
    if (transaction !== null) return within(transaction)
    try {
      return await database.transaction(within, { isolation: 'default' })
    } catch (error) {
      // What is checked at the end only, is refused at the end only.
      throw await explained(dialect, error, attempt)
    }
  }

  /**
   * As it is and stays; among those that this table is narrowed to, as a row that was `seen` has been.
   *
   * @throws ChangedMeanwhile the row is another than the one that was seen
   */
  async #locked(
    executor: Executor,
    table: TableStatements,
    verb: Attempt['verb'],
    key: unknown,
    seen: unknown,
  ): Promise<Row | null> {
    if (this.#options.narrow !== null && seen == null) {
      const found = await this.#find(executor, key)
      return found && this.#locked(executor, table, verb, found[this.key], found)
    }
    const statement = table.lock(key, verb, this.#options.scopes)
    const locked = statement && rowOf(await executor.rows(statement))
    if (locked === null || seen == null || isSameRow(locked, seen as Row)) return locked
    throw new ChangedMeanwhile()
  }
}

function queryOf(options: StoredTableOptions): Narrowed {
  const rows = allRows(options)
  return options.narrow === null ? rows : options.narrow(rows)
}

function scoped(source: SqlSource<Row, string>, scopes: Scopes): SqlSource<Row, string> {
  return columnsOf(scopes).reduce((rows, [field, value]) => {
    const values = [value].flat()
    const isOne = { field, operator: 'in', value: values } as const
    const isNothing = { field, operator: 'isNull', value: true } as const
    return rows.where(values.includes(null) ? [isOne, isNothing] : [isOne])
  }, source)
}

function rowOf(rows: Rows): Row | null {
  return toRowObjects<Row>(rows)[0] ?? null
}

function isSameRow(row: Row, seen: Row): boolean {
  return Object.entries(row).every(([column, value]) => isDeepStrictEqual(value, seen[column]))
}

/** The error as `ConstraintViolation`, where it is about the row; else as it is. */
async function explained(dialect: Dialect, error: unknown, attempt: Attempt): Promise<unknown> {
  if (!(error instanceof Error) || error instanceof ConstraintViolation) return error
  const violation = await dialect.violation(error, attempt)
  if (violation === null) return error
  const { table, facts } = attempt
  const { kind, referring } = violation
  const columns = violation.columns.filter((column) => facts.columns.has(column))
  // A trigger may have written elsewhere: what it left out is no affair of the client's.
  if ((kind === 'null' || kind === 'required') && columns.length === 0) return error
  // Of a constraint that is partly about something else a part would mislead.
  const known = columns.length === violation.columns.length ? columns : []
  return new ConstraintViolation(kind, { table, columns: known, referring, cause: error })
}

type Values = Readonly<Record<string, unknown>>

/** Values that all rows have, by column: all of these, one after the other. */
type Scopes = readonly Values[]

function columnsOf(scopes: Scopes): readonly (readonly [column: string, value: unknown])[] {
  return scopes.flatMap((values) => Object.entries(values))
}

function outsideScope(): PermissionDenied {
  return new PermissionDenied(Message.of('outside_scope'), 'outside_scope')
}

interface TableOptions {
  readonly database: Pick<SqlDatabase, 'dialect'>
  readonly db: Kysely<AnyTables>
  /** `book`, or `library.book` with its schema. */
  readonly table: string
  readonly key: string
}

function tableName(text: string): TableName {
  const point = text.indexOf('.')
  return { name: text.slice(point + 1), schema: point < 0 ? null : text.slice(0, point) }
}

function allRows({ db, table }: TableOptions): AnyRows {
  return db.selectFrom(table).selectAll(table)
}

/** @throws ConstraintViolation a value that the column cannot hold, which drivers would fail on or make another of */
function storable(values: Values, table: string, { columns }: TableFacts): Values {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    given.map(([column, value]) => {
      try {
        return [column, storedIn(columns.get(column), value)]
      } catch (error) {
        const { message } = error as Error
        const sentence = `The column ${table}.${column} cannot store this: ${message}`
        // What does not fit a type is the program's mistake, which the log has; what is out of range is the client's.
        const cause =
          error instanceof TypeError ? new TypeError(sentence) : new RangeError(sentence)
        throw new ConstraintViolation('invalid', { table, columns: [column], cause })
      }
    }),
  )
}

function storedIn(column: ColumnOfTable | undefined, value: unknown): unknown {
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) !== value)
    throw new RangeError('an integer of more than 64 bits.')
  const stored = column?.kind.stored === undefined ? value : column.kind.stored(value)
  if (column === undefined || isPlain(stored) || column.kind.takesObjects) return stored
  throw new TypeError(
    `a value of type ${typeof stored}, and the column is ${column.type}. Lists and objects are for a column of JSON: column.json().`,
  )
}

/** Is it one value, which drivers write as such? */
function isPlain(value: unknown): boolean {
  if (value instanceof Date) return !Number.isNaN(value.getTime())
  if (typeof value === 'object') return value === null || ArrayBuffer.isView(value)
  return typeof value !== 'function' && typeof value !== 'symbol'
}

/** Conditions on keys compare as the column does. */
class TableStatements {
  readonly facts: TableFacts
  readonly #options: TableOptions
  readonly #keyKind: ValueKind

  /** @throws ConfigurationError the table has no such key */
  constructor(options: TableOptions, facts: TableFacts) {
    const { table, key } = options
    const column = facts.columns.get(key)
    if (column === undefined) {
      throw new ConfigurationError(
        `sqlTable(): the table "${table}" has no column "${key}", which was given as its key.`,
      )
    }
    this.facts = facts
    this.#options = options
    this.#keyKind = column.kind
  }

  /** `null`: no row can have this key. */
  find(query: SelectQueryNode, value: unknown, scopes: Scopes): Statement | null {
    const condition = this.#keyIs(value)
    if (condition === null) return null
    const within = scopes.length === 0 ? condition : this.#inScope(scopes, condition)
    return compilerOf(this.#options.database.dialect)(narrowed(query, within))
  }

  /**
   * What is written into rows that all have these values: a single one is filled in where `inserted`.
   *
   * @throws PermissionDenied `outside_scope`: it would have another
   */
  placed(values: Values, scopes: Scopes, { inserted }: { readonly inserted: boolean }): Values {
    const placed = { ...values }
    const columns = columnsOf(scopes)
    // All of them are filled in before any is checked: one scope may leave open which of several it is.
    for (const [column, value] of columns)
      if (placed[column] === undefined && inserted && !Array.isArray(value)) placed[column] = value
    for (const [column, value] of columns) {
      if (placed[column] === undefined && !inserted) continue
      const among = Array.isArray(value) ? value : [value]
      if (!this.#isAmong(column, placed[column], among)) throw outsideScope()
    }
    return placed
  }

  #inScope(scopes: Scopes, condition: Truth): Truth {
    return columnsOf(scopes)
      .map(([column, value]) => this.#within(column, value))
      .reduce(and, condition)
  }

  /** NULL is one of the values like others. */
  #within(column: string, value: unknown): Truth {
    const { database, table } = this.#options
    const kind = this.#kindOf(column)
    const subject = { node: reference(`${table}.${column}`), kind }
    const values = [value].flat()
    const isOne = conditionNode(
      database.dialect,
      { field: column, operator: 'in', value: values },
      subject,
    )
    return values.includes(null) ? or(isOne, isNull(subject.node)) : isOne
  }

  /** As the column would compare them, but for collations: what is the same to them alone is another value. */
  #isAmong(column: string, value: unknown, scope: readonly unknown[]): boolean {
    const kind = this.#kindOf(column)
    const meaning = (each: unknown): unknown => (each === null ? null : kind.meant(each))
    const meanings = scope.map(meaning)
    if (meanings.includes(undefined))
      throw unfitValue({ field: column, operator: 'in', value: scope })
    const meant = meaning(value)
    return meant !== undefined && meanings.some((each) => isDeepStrictEqual(each, meant))
  }

  /** @throws ConfigurationError there is no such column */
  #kindOf(column: string): ValueKind {
    const known = this.facts.columns.get(column)
    if (known !== undefined) return known.kind
    throw new ConfigurationError(
      `The table "${this.#options.table}" has no column "${column}", which a scope names.`,
    )
  }

  /** The row, which nothing else changes before this transaction ends. */
  lock(value: unknown, verb: Attempt['verb'], scopes: Scopes): Statement | null {
    const locked = this.#options.database.dialect.locked(allRows(this.#options), verb)
    return this.find(locked.toOperationNode(), value, scopes)
  }

  /** It gives back the row, where the database can. */
  insert(values: Values): Statement {
    const { database, db, table } = this.#options
    const into = db.insertInto(table)
    const isEmpty = Object.keys(values).length === 0
    const insert = isEmpty ? database.dialect.insertDefaults(into) : into.values(values)
    return (this.facts.lastNumber === null ? insert.returningAll() : insert).compile()
  }

  /** `key`, like that of `remove`, is that of a row. */
  update(key: unknown, values: Values): Statement {
    const { db, table } = this.#options
    return db.updateTable(table).set(values).where(this.#isKey(key)).compile()
  }

  remove(key: unknown): Statement {
    const { db, table } = this.#options
    return db.deleteFrom(table).where(this.#isKey(key)).compile()
  }

  #isKey(key: unknown): ExpressionWrapper<AnyTables, string, boolean> {
    return new ExpressionWrapper(this.#keyIs(key)!)
  }

  #keyIs(value: unknown): OperationNode | null {
    const { database, table, key } = this.#options
    if (this.#keyKind.meant(value) === undefined) return null
    const condition = { field: key, operator: 'equals', value } as const
    const subject = { node: reference(`${table}.${key}`), kind: this.#keyKind }
    return toNode(conditionNode(database.dialect, condition, subject))
  }
}

/**
 * A caller does not wait for what another one asks the catalogue, who may be waiting for a connection.
 *
 * @throws NotMigrated there is no such table
 * @throws ConfigurationError it has no such key
 */
function knownTable(options: TableOptions): (reader: Reader) => Promise<TableStatements> {
  let known: TableStatements | null = null
  return async (reader) => {
    if (known !== null) return known
    const name = tableName(options.table)
    const facts = await options.database.dialect.facts(reader, name)
    if (facts.columns.size > 0) return (known = new TableStatements(options, facts))
    throw new NotMigrated('table', name.name, '')
  }
}
