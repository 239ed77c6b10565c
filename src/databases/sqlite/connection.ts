import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { ColumnFacts, Statement } from '../../contract/database.ts'
import type { Rows } from '../../contract/list-source.ts'
import { BoundedMap } from '../../std/bounded-map.ts'
import type { Execution } from '../kysely.ts'
import { plainValues, withSafeNumbers } from '../values.ts'
import { columnFacts } from './catalogue.ts'
import { isBeyondNumbers, isForbiddenWrite, translated } from './failures.ts'
import { type FileOptions, openFile } from './open-file.ts'

/** Statements that stay prepared: preparing costs twice as much as a look-up. */
const STATEMENTS = 500
/** Bytes that they hold together, by `memoryOf`. */
const MEMORY = 16 * 1024 * 1024
const BOUND = { most: MEMORY, of: memoryOf }

/**
 * What was prepared before a connection is worn: statements are freed with it, or by a full garbage collection,
 * which knows nothing of their memory and may be far away.
 */
const WORN = 2 * MEMORY

interface Prepared {
  readonly statement: StatementSync
  readonly returnsRows: boolean
  bigInts: boolean
  columns: readonly string[]
  schema: unknown
}

export interface Outcome {
  readonly changes: number
  readonly insertId: number | bigint
}

/** Everything on it is synchronous. */
abstract class Connection {
  readonly #options: FileOptions
  readonly #readsOnly: boolean
  #database!: DatabaseSync
  #prepared!: BoundedMap<string, Prepared>
  #described!: BoundedMap<string, { columns: readonly ColumnFacts[]; schema: unknown }>
  #wear!: number

  /** `readsOnly`: a statement may run twice without harm. */
  constructor(options: FileOptions, readsOnly: boolean) {
    this.#options = options
    this.#readsOnly = readsOnly
    this.#open()
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction
  }

  /** Text without parameters. */
  command(sql: string): void {
    this.#translating(() => this.#database.exec(sql))
  }

  rows({ sql, parameters }: Statement): Rows {
    const prepared = this.#prepare(sql)
    const given = plainValues(parameters) as readonly SQLInputValue[]
    try {
      const values = this.#all(prepared, given)
      return { values, columns: this.#columnsOf(prepared) }
    } catch (error) {
      if (this.#readsOnly && isForbiddenWrite(error))
        throw new Error(`read() and rows() do not write: ${sql}`, { cause: error })
      throw translated(error, this.#options.path)
    }
  }

  /** The first row, without the names of its columns: the cheap way to one. */
  first({ sql, parameters }: Statement): readonly unknown[] | undefined {
    const { statement } = this.#prepare(sql)
    const values = plainValues(parameters) as readonly SQLInputValue[]
    return this.#translating(() => statement.get(...values)) as readonly unknown[] | undefined
  }

  run({ sql, parameters }: Statement): Outcome {
    const { statement } = this.#prepare(sql)
    const values = plainValues(parameters) as readonly SQLInputValue[]
    const { changes, lastInsertRowid } = this.#translating(() => statement.run(...values))
    return { changes: Number(changes), insertId: lastInsertRowid }
  }

  /** With rows where the statement has some: `INSERT … RETURNING` has. */
  execute(statement: Statement): Execution {
    if (this.#prepare(statement.sql).returnsRows) return { ...this.rows(statement), changes: null }
    return { ...this.run(statement), columns: [], values: [] }
  }

  /** The statement is prepared, and not run. Known until the schema changes. */
  describe(sql: string): readonly ColumnFacts[] {
    const schema = this.schema()
    const known = this.#described.get(sql)
    if (known !== undefined && known.schema === schema) return known.columns
    this.#wear += memoryOf(sql)
    const columns = this.#translating(() => columnFacts(this.#database, sql))
    this.#described.set(sql, { columns, schema })
    return columns
  }

  close(): void {
    this.#database.close()
  }

  /** Another one takes the place of one that has prepared much. */
  protected renewIfWorn(): void {
    if (this.#wear > WORN && !this.inTransaction) this.#open()
  }

  /** Another number after every change of the tables. */
  protected schema(): unknown {
    const [version] = all(this.#prepare('PRAGMA schema_version'), [])[0]!
    return version
  }

  #open(): void {
    const database = this.#translating(() => openFile(this.#options, this.#readsOnly))
    this.#database?.close()
    this.#database = database
    this.#prepared = new BoundedMap(STATEMENTS, BOUND)
    this.#described = new BoundedMap(STATEMENTS, BOUND)
    this.#wear = 0
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

  #all(prepared: Prepared, values: readonly SQLInputValue[]): unknown[][] {
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
    const schema = this.schema()
    if (prepared.schema !== schema) {
      prepared.columns = prepared.statement.columns().map(({ name }) => name)
      prepared.schema = schema
    }
    return prepared.columns
  }

  #translating<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw translated(error, this.#options.path)
    }
  }
}

const BEGIN: Statement = { sql: 'BEGIN', parameters: [] }
const COMMIT: Statement = { sql: 'COMMIT', parameters: [] }

/**
 * Reads, in one transaction per turn of the event loop: the file lock, half of what a look-up by key costs, is
 * taken once for all of them, and they see one snapshot. It must not hide what was acknowledged: every write
 * ends it, and so does the end of the turn.
 */
export class ReadingConnection extends Connection {
  #reading = false
  #ending = false
  #schema: unknown

  constructor(options: FileOptions) {
    super(options, true)
  }

  override rows(statement: Statement): Rows {
    this.#join()
    return super.rows(statement)
  }

  override describe(sql: string): readonly ColumnFacts[] {
    this.#join()
    return super.describe(sql)
  }

  /** The next read sees what is committed by now. */
  endTurn(): void {
    if (!this.#reading) return
    this.#reading = false
    this.#schema = undefined
    this.run(COMMIT)
  }

  override close(): void {
    this.endTurn()
    super.close()
  }

  /** The same in the whole snapshot. */
  protected override schema(): unknown {
    return (this.#schema ??= super.schema())
  }

  #join(): void {
    if (this.#reading) return
    this.renewIfWorn()
    this.run(BEGIN)
    this.#reading = true
    if (this.#ending) return
    this.#ending = true
    setImmediate(() => {
      this.#ending = false
      this.endTurn()
    })
  }
}

/** Writes. It comes with a connection that reads, so that no long transaction stalls a look-up. */
export class WritingConnection extends Connection {
  readonly reader: ReadingConnection

  constructor(options: FileOptions) {
    super(options, false)
    try {
      this.reader = new ReadingConnection(options)
    } catch (error) {
      super.close()
      throw error
    }
  }

  /** For work that changes the database: what was read before it in this turn is not read again. */
  writing<T>(work: (writer: WritingConnection) => T): T {
    this.renewIfWorn()
    this.reader.endTurn()
    try {
      return work(this)
    } finally {
      this.reader.endTurn()
    }
  }

  override close(): void {
    this.reader.close()
    super.close()
  }
}

function all({ statement }: Prepared, values: readonly SQLInputValue[]): unknown[][] {
  // With setReturnArrays the rows are arrays, whatever the declared type says.
  return statement.all(...values) as unknown as unknown[][]
}

/** Bytes that it holds, about: its program is much longer than its text. */
function memoryOf(sql: string): number {
  return 4096 + 64 * sql.length
}
