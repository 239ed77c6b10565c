import {
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from 'node:sqlite'
import type { ColumnFacts, Rows, Statement } from '../../contract/database.ts'
import { BoundedMap } from '../../std/bounded-map.ts'
import { columnFacts } from './catalogue.ts'
import { isBeyondNumbers, isForbiddenWrite, translated } from './failures.ts'
import { checkedValues, unfit } from '../values.ts'

/** Statements that stay prepared, by their text: preparing costs twice as much as a look-up. */
const STATEMENTS = 500

/** Bytes that they hold together, by `memoryOf`. */
const MEMORY = 16 * 1024 * 1024

const BOUND = { most: MEMORY, of: memoryOf }

/**
 * What was prepared, in such bytes, before a connection is worn. A statement is only freed by a full
 * garbage collection, which knows nothing of its memory and may be far away, or with its connection.
 */
const WORN = 2 * MEMORY

/** Milliseconds that a read, or opening the file, waits for a lock of another process. The event loop waits too. */
const PATIENCE = 5

type Values = readonly (readonly SQLOutputValue[])[]

interface Prepared {
  readonly statement: StatementSync
  readonly returnsRows: boolean
  bigInts: boolean
  columns: readonly string[]
  schema: unknown
}

interface Described {
  readonly columns: readonly ColumnFacts[]
  readonly schema: unknown
}

/** What a statement did. */
export interface Outcome {
  readonly changes: number
  /** Key of the row inserted last. */
  readonly insertId: number | bigint
}

/** Does a commit wait until the disk has it? */
export type Synchronous = 'normal' | 'full'

/** How a file is opened. */
interface ConnectionOptions {
  readonly path: string
  readonly synchronous: Synchronous
  /** May a statement run twice without harm? True for a connection that only reads. */
  readonly readsOnly: boolean
}

/** One connection to a database file. Everything on it is synchronous. */
export class Connection {
  readonly #database: DatabaseSync
  readonly #path: string
  readonly #readsOnly: boolean
  readonly #prepared = new BoundedMap<string, Prepared>(STATEMENTS, BOUND)
  readonly #described = new BoundedMap<string, Described>(STATEMENTS, BOUND)
  readonly #schemaVersion: StatementSync
  #wear = 0

  constructor({ path, synchronous, readsOnly }: ConnectionOptions) {
    this.#path = path
    this.#readsOnly = readsOnly
    this.#database = this.#translating(() => new DatabaseSync(path, { timeout: PATIENCE }))
    try {
      // Readers and a writer do not wait for each other.
      this.execute('PRAGMA journal_mode = WAL')
      this.execute(`PRAGMA synchronous = ${synchronous}; PRAGMA cache_size = -16384`)
      // What meets a lock while it writes is tried again: see ForeignLocks.
      this.execute(readsOnly ? 'PRAGMA query_only = 1' : 'PRAGMA busy_timeout = 0')
      this.#schemaVersion = this.#database.prepare('PRAGMA schema_version')
    } catch (error) {
      this.#database.close()
      throw error
    }
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction
  }

  /** Has it prepared so much that another one should take its place? */
  get worn(): boolean {
    return this.#wear > WORN
  }

  /** Runs text without parameters, several statements if need be. */
  execute(sql: string): void {
    this.#translating(() => this.#database.exec(sql))
  }

  /** A statement without parameters and result, to be run often. */
  command(sql: string): () => void {
    const statement = this.#database.prepare(sql)
    return () => this.#translating(() => statement.run())
  }

  rows({ sql, parameters }: Statement): Rows {
    const prepared = this.#prepare(sql)
    const values = toSqliteValues(parameters)
    try {
      return new FoundRows(this.#all(prepared, values), () => this.#columnsOf(prepared))
    } catch (error) {
      if (this.#readsOnly && isForbiddenWrite(error))
        throw new Error(`read() and rows() do not write: ${sql}`, { cause: error })
      throw translated(error, this.#path)
    }
  }

  /** What columns a statement has. It is prepared, and not run. Known until the schema changes. */
  describe(sql: string): readonly ColumnFacts[] {
    const schema = this.#schema()
    const known = this.#described.get(sql)
    if (known !== undefined && known.schema === schema) return known.columns
    this.#wear += memoryOf(sql)
    const columns = this.#translating(() => columnFacts(this.#database, sql))
    this.#described.set(sql, { columns, schema })
    return columns
  }

  run({ sql, parameters }: Statement): Outcome {
    const { statement } = this.#prepare(sql)
    const values = toSqliteValues(parameters)
    const { changes, lastInsertRowid } = this.#translating(() => statement.run(...values))
    return { changes: Number(changes), insertId: lastInsertRowid }
  }

  /** Does this statement answer with rows? `INSERT … RETURNING` does. */
  returnsRows(sql: string): boolean {
    return this.#prepare(sql).returnsRows
  }

  close(): void {
    this.#database.close()
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql)
    if (known !== undefined) return known
    const prepared = this.#translating(() => this.#compile(sql))
    this.#prepared.set(sql, prepared)
    return prepared
  }

  #compile(sql: string): Prepared {
    this.#wear += memoryOf(sql)
    const statement = this.#database.prepare(sql)
    const returnsRows = statement.columns().length > 0
    // `INSERT … RETURNING` must not be repeated because one of its integers is too large for a number.
    const bigInts = !this.#readsOnly && returnsRows
    statement.setReturnArrays(true)
    statement.setReadBigInts(bigInts)
    return { statement, returnsRows, bigInts, columns: [], schema: null }
  }

  #all(prepared: Prepared, values: readonly SQLInputValue[]): Values {
    if (prepared.bigInts) return withSafeNumbers(all(prepared, values))
    try {
      return all(prepared, values)
    } catch (error) {
      if (!isBeyondNumbers(error)) throw error
      prepared.bigInts = true
      prepared.statement.setReadBigInts(true)
      return withSafeNumbers(all(prepared, values))
    }
  }

  /** Names are kept until the schema changes, which is how `SELECT *` gets other columns. */
  #columnsOf(prepared: Prepared): readonly string[] {
    const schema = this.#schema()
    if (prepared.schema !== schema) {
      prepared.columns = prepared.statement.columns().map(({ name }) => name)
      prepared.schema = schema
    }
    return prepared.columns
  }

  /** Another number after every change of the tables. */
  #schema(): unknown {
    return this.#schemaVersion.get()?.['schema_version']
  }

  #translating<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw translated(error, this.#path)
    }
  }
}

class FoundRows implements Rows {
  readonly values: Values
  readonly #columns: () => readonly string[]

  constructor(values: Values, columns: () => readonly string[]) {
    this.values = values
    this.#columns = columns
  }

  get columns(): readonly string[] {
    return this.#columns()
  }
}

function all({ statement }: Prepared, values: readonly SQLInputValue[]): Values {
  // With setReturnArrays the rows are arrays, whatever the declared type says.
  return statement.all(...values) as unknown as Values
}

/** Bytes that a prepared statement holds, about: a program that is much longer than its text, and one line of it for each `?`. */
function memoryOf(sql: string): number {
  return 4096 + 64 * sql.length
}

/** What SQLite is given: truth as 1 and 0, points in time as milliseconds since 1970, the rest as it is. */
function toSqliteValues(parameters: readonly unknown[]): readonly SQLInputValue[] {
  return parameters.every(isPlain)
    ? (parameters as readonly SQLInputValue[])
    : checkedValues(parameters).map(toSqliteValue)
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || value === null
}

function toSqliteValue(value: unknown, index: number): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value instanceof Date) return value.getTime()
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value))
    throw unfit(index, 'a value of type object')
  return value as SQLInputValue
}

/** Integers as numbers where a number holds them exactly, as bigints where it does not. */
function withSafeNumbers(rows: Values): Values {
  return rows.map((row) => row.map(toSafeNumber))
}

function toSafeNumber(value: SQLOutputValue): SQLOutputValue {
  if (typeof value !== 'bigint') return value
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}
