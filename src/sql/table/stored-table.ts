import { isDeepStrictEqual } from 'node:util'
import type { Compilable, OperationNodeSource, SelectQueryNode } from 'kysely'
import type { Executor, Rows, Statement } from '../../contract/database.ts'
import { ChangedMeanwhile } from '../../errors/api-errors.ts'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { ConstraintViolation, type ViolationKind } from '../../errors/storage-errors.ts'
import { toRowObjects } from '../../std/row-objects.ts'
import type { AnyRows, Attempt, Dialect, Reader, TableFacts, TableName } from '../dialect.ts'
import type { ListDatabase } from '../query/sql-list.ts'
import type { SqlSource } from '../query/sql-source.ts'
import { sqlSource } from '../query/sql-source.ts'
import { refusing } from '../refused-values.ts'
import type { SqlDatabase } from '../sql-database.ts'
import type { TableStatements, Values } from './statements.ts'

type Row = Readonly<Record<string, unknown>>
type Narrowed = Compilable<Row> & OperationNodeSource

/** What a table asks of its database. */
export type TableDatabase = ListDatabase & Pick<SqlDatabase, 'transaction'>

export interface StoredTableOptions {
  readonly database: TableDatabase
  readonly statements: TableStatements
  readonly catalogue: Catalogue
  readonly table: string
  readonly key: string
  readonly narrow: ((query: AnyRows) => Narrowed) | null
  /** Where everything is to happen; `null`: in transactions of its own. */
  readonly transaction: Executor | null
}

/** The table behind `sqlTable`. */
export class StoredTable {
  readonly key: string
  readonly #options: StoredTableOptions
  readonly #query: Narrowed
  #source: SqlSource<Row, string> | null = null

  constructor(options: StoredTableOptions) {
    const { statements, narrow, key } = options
    this.key = key
    this.#options = options
    this.#query = narrow === null ? statements.all() : narrow(statements.all())
  }

  get source(): SqlSource<Row, string> {
    return (this.#source ??= sqlSource({
      database: this.#listDatabase(),
      query: this.#query,
      key: `${this.#options.table}.${this.key}`,
    }))
  }

  only(narrow: (query: AnyRows) => Narrowed): StoredTable {
    const before = this.#options.narrow
    const both = before === null ? narrow : (query: AnyRows) => narrow(before(query) as AnyRows)
    return new StoredTable({ ...this.#options, narrow: both })
  }

  in(transaction: Executor): StoredTable {
    return new StoredTable({ ...this.#options, transaction })
  }

  readonly find = (key: unknown): Promise<Row | null> => this.#find(this.#reader, key)

  readonly insert = (values: Values): Promise<Row> =>
    this.#writing('insert', values, async ({ facts, values: kept }, executor) => {
      const { lastNumber } = facts
      const statement = this.#options.statements.insert(kept, lastNumber === null)
      if (lastNumber === null) return rowOf(await executor.rows(statement))!
      await executor.write(statement)
      // The key of the row was given, or counted up.
      const key = kept[this.key] ?? (await executor.rows(lastNumber)).values[0]![0]
      return this.#stored(key, facts, executor)
    })

  readonly update = (key: unknown, values: Values, seen?: unknown): Promise<Row | null> =>
    this.#writing('update', values, async (attempt, executor) => {
      const { facts, values: kept } = attempt
      const locked = await this.#locked(key, seen, attempt, executor)
      if (locked === null || Object.keys(kept).length === 0) return locked
      const { statements } = this.#options
      await executor.write(statements.update(kept, statements.keyIs(locked[this.key], facts)!))
      return this.#stored(kept[this.key] ?? locked[this.key], facts, executor)
    })

  readonly remove = (key: unknown, seen?: unknown): Promise<boolean> =>
    this.#writing('delete', {}, async (attempt, executor) => {
      const locked = await this.#locked(key, seen, attempt, executor)
      if (locked === null) return false
      const { statements } = this.#options
      await executor.write(statements.remove(statements.keyIs(locked[this.key], attempt.facts)!))
      return true
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
      ...(database.describe === undefined
        ? {}
        : { describe: (statement: Statement) => database.describe!(statement) }),
    }
  }

  /** A key that the column cannot hold is found nowhere, whether the database is asked or not. */
  async #find(reader: Reader, key: unknown): Promise<Row | null> {
    const { catalogue, statements, database } = this.#options
    const condition = statements.keyIs(key, await catalogue.facts(reader))
    if (condition === null) return null
    const statement = statements.find(this.#query.toOperationNode() as SelectQueryNode, condition)
    try {
      return rowOf(
        await refusing(
          database.dialect,
          () => reader.rows(statement),
          () => new NoSuchKey(),
        ),
      )
    } catch (error) {
      if (error instanceof NoSuchKey) return null
      throw error
    }
  }

  /** One after the other, in one transaction; what the database refuses is explained. */
  async #writing<T>(
    verb: Attempt['verb'],
    values: Values,
    work: (attempt: Attempt, executor: Executor) => Promise<T>,
  ): Promise<T> {
    const { database, catalogue, table, transaction } = this.#options
    const { dialect } = database
    const facts = await catalogue.facts(this.#reader)
    const kept = storable(values, table, facts)
    const attempt = { verb, table, facts, reader: this.#reader, values: kept }
    const within = async (executor: Executor): Promise<T> => {
      try {
        return await work(attempt, executor)
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
   * The row to be changed, as it is and stays; among those that this table is narrowed to. A row that was
   * `seen` has been seen among these.
   */
  async #locked(
    key: unknown,
    seen: unknown,
    { verb, facts }: Attempt,
    executor: Executor,
  ): Promise<Row | null> {
    const { narrow } = this.#options
    if (narrow === null || seen !== undefined) return this.#lock(key, seen, verb, facts, executor)
    const found = await this.#find(executor, key)
    return found && this.#lock(found[this.key], found, verb, facts, executor)
  }

  /** @throws ChangedMeanwhile the row is another than the one that was seen */
  async #lock(
    key: unknown,
    seen: unknown,
    verb: Attempt['verb'],
    facts: TableFacts,
    executor: Executor,
  ): Promise<Row | null> {
    const { statements } = this.#options
    const condition = statements.keyIs(key, facts)
    if (condition === null) return null
    const locked = rowOf(await executor.rows(statements.lock(condition, verb)))
    if (locked === null || seen == null || isSameRow(locked, seen as Row)) return locked
    throw new ChangedMeanwhile()
  }

  async #stored(key: unknown, facts: TableFacts, executor: Executor): Promise<Row> {
    const { statements } = this.#options
    const query = statements.all().toOperationNode()
    return rowOf(await executor.rows(statements.find(query, statements.keyIs(key, facts)!)))!
  }
}

class NoSuchKey extends Error {}

function rowOf(rows: Rows): Row | null {
  return toRowObjects<Row>(rows)[0] ?? null
}

function isSameRow(row: Row, seen: Row): boolean {
  return Object.entries(row).every(([column, value]) => isDeepStrictEqual(value, seen[column]))
}

/**
 * What the database knows about a table. Kept once it is known; a caller does not wait for what another one
 * asks, who may be waiting for a connection.
 */
export class Catalogue {
  readonly #database: Pick<SqlDatabase, 'dialect'>
  readonly #table: TableName
  #facts: TableFacts | null = null

  constructor(database: Pick<SqlDatabase, 'dialect'>, table: TableName) {
    this.#database = database
    this.#table = table
  }

  /** @throws ConfigurationError there is no such table */
  async facts(reader: Reader): Promise<TableFacts> {
    if (this.#facts !== null) return this.#facts
    const facts = await this.#database.dialect.facts(reader, this.#table)
    if (facts.columns.size > 0) return (this.#facts = facts)
    throw new ConfigurationError(
      `The database has no table "${this.#table.name}", which sqlTable() is to keep rows in.`,
    )
  }
}

/**
 * Values as the database takes them; what was not given is left out.
 *
 * @throws ConstraintViolation an integer that no database can hold, which drivers would fail on
 */
function storable(values: Values, table: string, { columns }: TableFacts): Values {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    given.map(([column, value]) => {
      if (typeof value === 'bigint' && BigInt.asIntN(64, value) !== value)
        throw new ConstraintViolation('invalid', { table, columns: [column] })
      const stored = columns.get(column)?.kind.stored
      return [column, stored === undefined ? value : stored(value)]
    }),
  )
}

/** Times that a transaction is run which the database gave up for another one. */
const ATTEMPTS = 3

/** A transaction that may be run again, for it does nothing but ask this database. */
async function transactionInTurn<T>(
  database: Pick<SqlDatabase, 'dialect' | 'transaction'>,
  work: (executor: Executor) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.transaction(work)
    } catch (error) {
      if (attempt === ATTEMPTS || !wasGivenUp(database.dialect, error)) throw error
    }
  }
}

/** The error of the database may be the cause of one that says more. */
function wasGivenUp(dialect: Dialect, error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause ?? error) : null
  return typeof cause === 'object' && cause !== null && dialect.gaveUp(cause)
}

const MISSING: ReadonlySet<ViolationKind> = new Set(['null', 'required'])

/** The error as `ConstraintViolation`, where it is about the row; else as it is. */
async function explained(dialect: Dialect, error: unknown, attempt: Attempt): Promise<unknown> {
  if (!(error instanceof Error) || error instanceof ConstraintViolation) return error
  const violation = await dialect.violation(error, attempt)
  if (violation === null) return error
  const { table, facts } = attempt
  const { kind } = violation
  const columns = violation.columns.filter((column) => facts.columns.has(column))
  // A trigger may have written elsewhere: what it left out is no affair of the client's.
  if (MISSING.has(kind) && columns.length === 0) return error
  // Of a constraint that is partly about something else a part would mislead.
  const known = columns.length === violation.columns.length ? columns : []
  return new ConstraintViolation(kind, { table, columns: known, cause: error })
}
