import { isDeepStrictEqual } from 'node:util'
import type { Compilable, OperationNodeSource, SelectQueryNode } from 'kysely'
import type { Executor, Statement } from '../../contract/database.ts'
import type { Rows } from '../../contract/list-source.ts'
import { ChangedMeanwhile } from '../../errors/api-errors.ts'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { ConstraintViolation } from '../../errors/storage-errors.ts'
import { toRowObjects } from '../../std/row-objects.ts'
import type { AnyRows, Attempt, Dialect, Reader } from '../dialect.ts'
import type { ListDatabase } from '../query/sql-list.ts'
import type { SqlRelations } from '../query/relations.ts'
import { type SqlSource, sqlSource } from '../query/sql-source.ts'
import type { SqlDatabase } from '../sql-database.ts'
import {
  type Scopes,
  type TableOptions,
  type TableStatements,
  type Values,
  allRows,
  columnsOf,
  outsideScope,
  storable,
  tableName,
} from './statements.ts'

type Row = Readonly<Record<string, unknown>>
type Narrowed = Compilable<Row> & OperationNodeSource

export type TableDatabase = ListDatabase & Pick<SqlDatabase, 'transaction'>

export interface StoredTableOptions extends TableOptions {
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
      return await transactionInTurn(database, within)
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
    const isNull = { field, operator: 'isNull', value: true } as const
    return rows.where(values.includes(null) ? [isOne, isNull] : [isOne])
  }, source)
}

function rowOf(rows: Rows): Row | null {
  return toRowObjects<Row>(rows)[0] ?? null
}

function isSameRow(row: Row, seen: Row): boolean {
  return Object.entries(row).every(([column, value]) => isDeepStrictEqual(value, seen[column]))
}

/** Where the database gave the transaction up for another one. */
const ATTEMPTS = 3

/** A transaction that may be run again, for it does nothing but ask this database. */
async function transactionInTurn<T>(
  database: TableDatabase,
  work: (executor: Executor) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.transaction(work)
    } catch (error) {
      // The error of the database may be the cause of one that says more.
      const cause = error instanceof Error ? (error.cause ?? error) : null
      const gaveUp = typeof cause === 'object' && cause !== null && database.dialect.gaveUp(cause)
      if (attempt === ATTEMPTS || !gaveUp) throw error
    }
  }
}

/** The error as `ConstraintViolation`, where it is about the row; else as it is. */
async function explained(dialect: Dialect, error: unknown, attempt: Attempt): Promise<unknown> {
  if (!(error instanceof Error) || error instanceof ConstraintViolation) return error
  const violation = await dialect.violation(error, attempt)
  if (violation === null) return error
  const { table, facts } = attempt
  const { kind } = violation
  const columns = violation.columns.filter((column) => facts.columns.has(column))
  // A trigger may have written elsewhere: what it left out is no affair of the client's.
  if ((kind === 'null' || kind === 'required') && columns.length === 0) return error
  // Of a constraint that is partly about something else a part would mislead.
  const known = columns.length === violation.columns.length ? columns : []
  return new ConstraintViolation(kind, { table, columns: known, cause: error })
}
