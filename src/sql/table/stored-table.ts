import type { Compilable, OperationNodeSource, SelectQueryNode } from 'kysely'
import type { MaybePromise } from '../../contract/request.ts'
import type { Executor, Rows, Statement } from '../../contract/storage.ts'
import { ChangedMeanwhile } from '../../errors/api-errors.ts'
import { after } from '../../std/after.ts'
import { toRowObjects } from '../../std/row-objects.ts'
import { isSame } from '../../std/same-value.ts'
import { refusing } from '../query/refusals.ts'
import type { SqlSource } from '../query/sql-query.ts'
import { sqlSource } from '../query/sql-source.ts'
import type { Catalogue } from './catalogue.ts'
import type { SqlDatabase } from '../sql-database.ts'
import type { ListDatabase } from '../query/list-query.ts'
import type { Reader, TableFacts } from './facts.ts'
import { storable } from './storable.ts'
import type { AllRows, KeyCondition, TableStatements, Values } from './statements.ts'
import type { Attempt } from './attempt.ts'
import { explained } from './violation.ts'
import { settledTransaction } from './deadlocks.ts'

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
  readonly narrow: ((query: AllRows) => Narrowed) | null
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

  only(narrow: (query: AllRows) => Narrowed): StoredTable {
    const before = this.#options.narrow
    const both = before === null ? narrow : (query: AllRows) => narrow(before(query) as AllRows)
    return new StoredTable({ ...this.#options, narrow: both })
  }

  in(transaction: Executor): StoredTable {
    return new StoredTable({ ...this.#options, transaction })
  }

  readonly find = (key: unknown): MaybePromise<Row | null> => this.#find(this.#reader, key)

  readonly insert = (values: Values): Promise<Row> =>
    this.#writing('insert', values, async (attempt, executor) => {
      const { facts, values: kept } = attempt
      const statement = this.#options.statements.insert(kept, facts.returning)
      if (facts.returning) return rowOf(await executor.rows(statement))!
      await executor.write(statement)
      return this.#inserted(kept, facts, executor)
    })

  readonly update = (key: unknown, values: Values, seen?: unknown): Promise<Row | null> =>
    this.#writing('update', values, async (attempt, executor) => {
      const { facts, values: kept } = attempt
      const locked = await this.#locked('update', key, seen, attempt, executor)
      if (locked === null || Object.keys(kept).length === 0) return locked
      const { statements } = this.#options
      await executor.write(statements.update(kept, statements.keyIs(locked[this.key], facts)!))
      return this.#stored(kept[this.key] ?? locked[this.key], facts, executor)
    })

  readonly remove = (key: unknown, seen?: unknown): Promise<boolean> =>
    this.#writing('delete', {}, async (attempt, executor) => {
      const locked = await this.#locked('delete', key, seen, attempt, executor)
      if (locked === null) return false
      const { statements } = this.#options
      await executor.write(statements.remove(statements.keyIs(locked[this.key], attempt.facts)!))
      return true
    })

  get #reader(): Reader {
    return this.#options.transaction ?? this.#options.database
  }

  /** Within a transaction the list is read there; what columns are like is the same everywhere. */
  #listDatabase() {
    const { database, transaction } = this.#options
    if (transaction === null) return database
    const { dialect } = database
    return {
      dialect,
      rows: (statement: Statement) => transaction.rows(statement),
      ...(database.describe === undefined
        ? {}
        : { describe: (statement: Statement) => database.describe!(statement) }),
    }
  }

  #find(reader: Reader, key: unknown): MaybePromise<Row | null> {
    const { catalogue, statements, database } = this.#options
    return after(catalogue.facts(reader), (facts) => {
      const condition = statements.keyIs(key, facts)
      if (condition === null) return null
      const query = this.#query.toOperationNode() as SelectQueryNode
      const found = refusing(
        database.dialect,
        () => reader.rows(statements.find(query, condition)),
        () => new NoSuchKey(),
      )
      return found instanceof Promise
        ? found.then(rowOf, (error: unknown) => noRow(error))
        : rowOf(found)
    })
  }

  /** One after the other, in one transaction; what the database refuses is explained. */
  async #writing<T>(
    verb: Attempt['verb'],
    values: Values,
    work: (attempt: Attempt, executor: Executor) => Promise<T>,
  ): Promise<T> {
    const { database, catalogue, table, transaction } = this.#options
    const facts = await catalogue.facts(this.#reader)
    const { dialect } = database
    const kept = storable(dialect, values, { table, facts })
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
      return await settledTransaction(database, within)
    } catch (error) {
      // What is checked at the end only, is refused at the end only.
      throw await explained(dialect, error, attempt)
    }
  }

  /** The row to be changed, as it is and stays; among those that this table is narrowed to. */
  async #locked(
    verb: 'update' | 'delete',
    key: unknown,
    seen: unknown,
    { facts }: Attempt,
    executor: Executor,
  ): Promise<Row | null> {
    const { statements, narrow } = this.#options
    // Whoever has seen the row has seen it among these.
    const found = narrow === null || seen !== undefined ? null : await this.#find(executor, key)
    if (narrow !== null && seen === undefined && found === null) return null
    const condition: KeyCondition = statements.keyIs(found?.[this.key] ?? key, facts)
    if (condition === null) return null
    const locked = rowOf(await executor.rows(statements.lock(condition, verb)))
    const known = seen ?? found
    if (locked !== null && known !== null && !isSameRow(locked, known as Row))
      throw new ChangedMeanwhile()
    return locked
  }

  /** The row that was inserted last: its key was said, or counted up. */
  async #inserted(values: Values, facts: TableFacts, executor: Executor): Promise<Row> {
    const said = values[this.key]
    if (said !== undefined) return this.#stored(said, facts, executor)
    const last = await executor.rows({ sql: 'select last_insert_id()', parameters: [] })
    return this.#stored(last.values[0]![0], facts, executor)
  }

  async #stored(key: unknown, facts: TableFacts, executor: Executor): Promise<Row> {
    const { statements } = this.#options
    const query = statements.all().toOperationNode()
    return rowOf(await executor.rows(statements.find(query, statements.keyIs(key, facts)!)))!
  }
}

class NoSuchKey extends Error {}

function noRow(error: unknown): null {
  if (error instanceof NoSuchKey) return null
  throw error
}

function rowOf({ columns, values }: Rows): Row | null {
  const [row] = values
  return row === undefined ? null : toRowObjects(columns, [row])[0]!
}

function isSameRow(row: Row, seen: Row): boolean {
  return Object.entries(row).every(([column, value]) => isSame(value, seen[column]))
}
