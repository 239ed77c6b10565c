// SQLite through `node:sqlite`: a database, its transactions, the two connections below them, and the file.
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { resolve as absolute, dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync, backup } from 'node:sqlite'
import { type CompiledQuery, SelectQueryNode } from 'kysely'
import type { MaybePromise } from '../../core/std/after.ts'
import type { ColumnFacts, Statement } from '../../core/ports/database.ts'
import type { Rows } from '../../core/ports/list-source.ts'
import type { CounterStore } from '../../core/ports/policies/throttling.ts'
import { DatabaseUnavailable } from '../../core/errors/storage-errors.ts'
import { BoundedMap } from '../../core/std/bounded-map.ts'
import { ofThisOrigin, origins } from '../../core/std/statements.ts'
import { toRowObjects } from '../../core/std/row-objects.ts'
import type { Dialect } from '../sql/dialect.ts'
import type { SqlDatabase } from '../sql/sql-database.ts'
import { BaseDatabase, type OpenTransaction, type OwnTables } from '../database.ts'
import type { Execution, QueryConnection } from '../kysely.ts'
import { tellingOf } from '../statement-reports.ts'
import { Semaphore } from '../semaphore.ts'
import { JSON_TEXTS, checkedValues, readIn } from '../values.ts'
import { SqliteCounters } from './counters.ts'
import {
  ForeignLocks,
  isBeyondNumbers,
  isForbiddenWrite,
  isLocked,
  toUnavailable,
} from './failures.ts'
import { hasFile, openFiles } from './address.ts'
import { isJSON, plainValue, withSafeNumbers } from './value-kinds.ts'
import { type ShortWork, SharedWrites } from './shared-writes.ts'
import { columnFacts, mixedPoints } from './table-facts.ts'

/** An SQLite database. Reads are synchronous; so are writes, unless a transaction is under way or another process writes. */
export interface SqliteDatabase extends SqlDatabase {
  /** The file, absolute. */
  readonly path: string
  read<Row = Record<string, unknown>>(statement: Statement): readonly Row[]
  rows(statement: Statement): Rows
  describe(statement: Statement): readonly ColumnFacts[]
  /**
   * Copies the database into a new file while others read and write: a snapshot, checked with `PRAGMA integrity_check`, on the
   * disk, and readable only for its owner. A thread of its own writes it, but this one checks it, so use the process of
   * `colophon backup` for a large database.
   *
   * @throws DatabaseUnavailable the file exists or cannot be written, or the database cannot be read; no file is left
   * @example
   * await database.backup('/backups/2026-11-29.sqlite')
   */
  backup(file: string): Promise<{ readonly bytes: number }>
  close(): void
}

interface DatabaseOptions extends FileOptions, OwnTables {
  readonly busyTimeout: number
  readonly queueTimeout: number
}

/** Milliseconds to wait while another process migrates, as for other databases. */
const MIGRATION_PATIENCE = 600_000

export class FileDatabase extends BaseDatabase implements SqliteDatabase {
  readonly dialect: Dialect
  readonly path: string
  readonly #options: DatabaseOptions
  readonly #queue: Semaphore
  readonly #locks: ForeignLocks
  /** Locks that opening the file may meet; reads meet no others. */
  readonly #readLocks: ForeignLocks
  readonly #shared: SharedWrites
  #opened: WritingConnection | null = null
  #lockedOut: unknown = null
  #closed = false

  constructor(dialect: Dialect, options: DatabaseOptions) {
    super(options)
    this.dialect = dialect
    this.path = options.path
    this.#options = options
    openFiles.add(options)
    this.#queue = new Semaphore(1, options.queueTimeout, () => stuck(options))
    this.#locks = new ForeignLocks(options.busyTimeout)
    this.#readLocks = new ForeignLocks(options.busyTimeout)
    this.#shared = new SharedWrites({
      queue: this.#queue,
      locks: this.#locks,
      writing: (work) => this.#writer().writing(work),
      patience: options.queueTimeout,
      late: () => stuck(options),
    })
  }

  read<Row = Record<string, unknown>>(statement: Statement): readonly Row[] {
    return toRowObjects<Row>(this.rows(statement))
  }

  rows(statement: Statement): Rows {
    return this.#writer().reader.rows(statement)
  }

  describe({ sql }: Statement): readonly ColumnFacts[] {
    return this.#writer().reader.describe(sql)
  }

  mixedTimes(): readonly string[] {
    if (!existsSync(this.path)) return []
    return mixedPoints((sql) => this.rows({ sql, parameters: [] }).values)
  }

  backup(file: string): Promise<{ readonly bytes: number }> {
    return backUp(this.path, absolute(file))
  }

  write(statement: Statement): MaybePromise<Outcome> {
    return this.#writing((writer) => writer.write(statement))
  }

  together<T>(work: ShortWork<T>): Promise<T> {
    // The work may run in the turn of another request.
    return this.#shared.add(origins.getStore()?.tell === undefined ? work : ofThisOrigin(work))
  }

  /** Runs a query of a caller that can wait for locks of other processes. The reader takes selects, and the writer the rest. */
  execute(query: CompiledQuery): MaybePromise<Execution> {
    if (!SelectQueryNode.is(query.query)) return this.#writing((writer) => writer.execute(query))
    return this.#readLocks.outwait(() => ({ ...this.rows(query), changes: null }))
  }

  protected override begin(): Promise<SqliteTransaction> {
    return this.#begun(this.#locks)
  }

  #begun(locks: ForeignLocks): Promise<SqliteTransaction> {
    const ended = (): void => this.#queue.end()
    return this.#inTurn(() => new SqliteTransaction(this.#writer(), locks, ended), locks)
  }

  close(): void {
    this.#closed = true
    openFiles.delete(this.#options)
    this.#opened?.close()
    this.#opened = null
  }

  protected override get exists(): boolean {
    return this.#opened !== null || hasFile(this.path)
  }

  protected override createCounters(): CounterStore {
    return new SqliteCounters((work) => this.#writing(work))
  }

  protected override queries({
    unhurried = false,
  }: { readonly unhurried?: boolean } = {}): QueryConnection {
    let transaction: SqliteTransaction | null = null
    const locks = unhurried ? new ForeignLocks(MIGRATION_PATIENCE) : this.#locks
    return {
      execute: (query) => (transaction ?? this).execute(query),
      begin: async () => void (transaction = await this.#begun(locks)),
      commit: async () => transaction?.commit(),
      rollback: async () => transaction?.end(),
      release: async () => void (transaction = null),
    }
  }

  #writing<T>(work: (writer: WritingConnection) => T): MaybePromise<T> {
    if (this.#queue.full) return this.#writingInTurn(work)
    try {
      return this.#writer().writing(work)
    } catch (error) {
      if (!isLocked(error)) throw error
      return this.#writingInTurn(work)
    }
  }

  /** Waits for its turn, so that the write does not slip into a transaction, or pass one that waits for another process. */
  async #writingInTurn<T>(work: (writer: WritingConnection) => T): Promise<T> {
    const done = await this.#inTurn(() => this.#writer().writing(work))
    this.#queue.end()
    return done
  }

  /** Keeps the turn for the caller, unless the work fails. */
  async #inTurn<T>(work: () => T, locks: ForeignLocks = this.#locks): Promise<T> {
    const arrived = performance.now()
    await this.#queue.take()
    try {
      return await locks.outwait(work, arrived)
    } catch (error) {
      this.#queue.end()
      throw error
    }
  }

  #writer(): WritingConnection {
    return this.#opened ?? this.#open()
  }

  #open(): WritingConnection {
    if (this.#closed) throw new DatabaseUnavailable(`The database ${this.path} has been closed.`)
    if (this.#lockedOut !== null) throw this.#lockedOut
    try {
      return (this.#opened = new WritingConnection(this.#options))
    } catch (error) {
      if (isLocked(error)) {
        // Opening stops the event loop, so one turn does it once, and not for each of a hundred requests.
        this.#lockedOut = error
        setImmediate(() => (this.#lockedOut = null))
      }
      throw error
    }
  }
}

function stuck({ path, queueTimeout }: DatabaseOptions): DatabaseUnavailable {
  return new DatabaseUnavailable(
    `A write to ${path} waited ${queueTimeout} ms for others of this process to end. Inside of a transaction, write through what the transaction gives you.`,
  )
}

/** A transaction of the writer. It sees its own changes; others see them once it is committed. */
export class SqliteTransaction implements OpenTransaction {
  readonly #writer: WritingConnection
  readonly #locks: ForeignLocks
  readonly #ended: () => void
  /** With a single writer, no transaction is given up for another one. */
  readonly gaveUp = false
  #over = false

  /** Begins at once. `ended` is called after a commit and after a rollback. */
  constructor(writer: WritingConnection, locks: ForeignLocks, ended: () => void) {
    this.#writer = writer
    this.#locks = locks
    this.#ended = ended
    writer.writing(() => writer.command('BEGIN IMMEDIATE'))
  }

  read<Row = Record<string, unknown>>(statement: Statement): readonly Row[] {
    return toRowObjects<Row>(this.rows(statement))
  }

  rows(statement: Statement): Rows {
    return this.#open().rows(statement)
  }

  write(statement: Statement): Outcome {
    return this.#open().write(statement)
  }

  execute(statement: Statement): Execution {
    return this.#open().execute(statement)
  }

  /** Without a write-ahead log, which not every file system allows, a reader elsewhere blocks a commit. */
  async commit(): Promise<void> {
    const writer = this.#open()
    await this.#locks.outwait(() => writer.writing(() => writer.command('COMMIT')))
    this.#close()
  }

  end(): void {
    if (this.#over) return
    try {
      // Some failures, such as a full disk, have already rolled back.
      if (this.#writer.inTransaction) this.#writer.command('ROLLBACK')
    } finally {
      this.#close()
    }
  }

  #open(): WritingConnection {
    if (this.#over) throw new Error('This transaction is over: await everything inside of it.')
    return this.#writer
  }

  #close(): void {
    this.#over = true
    this.#ended()
  }
}

/** The most statements that stay prepared: preparing costs twice as much as a look-up. */
const STATEMENTS = 500
/** The most bytes that they hold together, by `memoryOf`. */
const MEMORY = 16 * 1024 * 1024
const BOUND = { most: MEMORY, of: memoryOf }

/**
 * The bytes of prepared statements after which a connection is replaced. Statements are freed with it, or by a full garbage
 * collection, which does not know their memory and may be far away.
 */
const WORN = 2 * MEMORY

interface Prepared {
  readonly statement: StatementSync
  readonly returnsRows: boolean
  bigInts: boolean
  columns: readonly string[]
  isJSON: readonly boolean[]
  schema: unknown
}

const rowsOf = ({ values }: Rows): number => values.length
const changesOf = ({ changes }: Outcome): number => changes
const isThere = (row: unknown): number => (row === undefined ? 0 : 1)

/** Commands that are not reported. They begin with capitals, unlike most statements, so that a comparison finds them. */
const IN_TRANSACTIONS = /^(?:BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)\b/
const isCommand = (sql: string): boolean => sql < 'a' && IN_TRANSACTIONS.test(sql)

function reported<T>({ sql }: Statement, count: (answer: T) => number, ask: () => T): T {
  const tell = origins.getStore()?.tell
  if (tell === undefined || isCommand(sql)) return ask()
  return tellingOf(tell, { system: 'sqlite', sql, count }, ask)
}

interface Outcome {
  readonly changes: number
  readonly insertId: number | bigint
}

/** A connection whose operations are all synchronous. */
abstract class Connection {
  readonly #options: FileOptions
  readonly #readsOnly: boolean
  #database!: DatabaseSync
  #prepared!: BoundedMap<string, Prepared>
  #described!: BoundedMap<string, { columns: readonly ColumnFacts[]; schema: unknown }>
  #wear!: number

  /** `readsOnly`: a statement may safely run twice. */
  constructor(options: FileOptions, readsOnly: boolean) {
    this.#options = options
    this.#readsOnly = readsOnly
    this.#open()
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction
  }

  /** Runs SQL without parameters. */
  command(sql: string): void {
    this.#translating(() => this.#database.exec(sql))
  }

  rows(asked: Statement): Rows {
    return reported(asked, rowsOf, () => this.#rows(asked))
  }

  #rows(asked: Statement): Rows {
    const { sql } = asked
    const prepared = this.#prepare(sql)
    const given = plainValues(asked) as readonly SQLInputValue[]
    try {
      const values = this.#all(prepared, given)
      const columns = this.#columnsOf(prepared)
      const { isJSON: of } = prepared
      if (of.length === 0) return { values, columns }
      return { values: readIn(values, of, (is) => (is ? JSON_TEXTS : null)), columns }
    } catch (error) {
      if (this.#readsOnly && isForbiddenWrite(error))
        throw new Error(`read() and rows() do not write: ${sql}`, { cause: error })
      throw toUnavailable(error, this.#options.path)
    }
  }

  /** The first row without the names of its columns, which makes it cheap. */
  first(asked: Statement): readonly unknown[] | undefined {
    return reported(asked, isThere, () => this.#first(asked))
  }

  #first(asked: Statement): readonly unknown[] | undefined {
    const { statement } = this.#prepare(asked.sql)
    const values = plainValues(asked) as readonly SQLInputValue[]
    return this.#translating(() => statement.get(...values)) as readonly unknown[] | undefined
  }

  write(asked: Statement): Outcome {
    return reported(asked, changesOf, () => this.#write(asked))
  }

  #write(asked: Statement): Outcome {
    const { statement } = this.#prepare(asked.sql)
    const values = plainValues(asked) as readonly SQLInputValue[]
    const { changes, lastInsertRowid } = this.#translating(() => statement.run(...values))
    return { changes: Number(changes), insertId: lastInsertRowid }
  }

  /** Gives rows if the statement returns some, as `INSERT … RETURNING` does. */
  execute(statement: Statement): Execution {
    if (this.#prepare(statement.sql).returnsRows) return { ...this.rows(statement), changes: null }
    return { ...this.write(statement), columns: [], values: [] }
  }

  /** Prepares the statement without running it. The facts are kept until the schema changes. */
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

  /** Opens a new connection in place of one that has prepared many statements. */
  protected renewIfWorn(): void {
    if (this.#wear > WORN && !this.inTransaction) this.#open()
  }

  /** The version of the schema, which each change of the tables increases. */
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
    // Reading `INSERT … RETURNING` again, because an integer is too large for a number, would insert twice.
    const bigInts = !this.#readsOnly && returnsRows
    statement.setReturnArrays(true)
    statement.setReadBigInts(bigInts)
    return { statement, returnsRows, bigInts, columns: [], isJSON: [], schema: null }
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

  /** Names are kept until a change of the schema gives `SELECT *` other columns. */
  #columnsOf(prepared: Prepared): readonly string[] {
    const schema = this.schema()
    if (prepared.schema !== schema) {
      const columns = prepared.statement.columns()
      prepared.columns = columns.map(({ name }) => name)
      const isJSONColumn = columns.map(({ type }) => isJSON(type?.toLowerCase() ?? ''))
      prepared.isJSON = isJSONColumn.includes(true) ? isJSONColumn : []
      prepared.schema = schema
    }
    return prepared.columns
  }

  #translating<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw toUnavailable(error, this.#options.path)
    }
  }
}

const BEGIN: Statement = { sql: 'BEGIN', parameters: [] }
const COMMIT: Statement = { sql: 'COMMIT', parameters: [] }

/**
 * Reads in one transaction for each turn of the event loop, so that all reads share one snapshot and one lock of the file,
 * which is half the cost of a look-up by key. It must not hide acknowledged writes: every write ends it, and so does the end of
 * the turn.
 */
class ReadingConnection extends Connection {
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

  /** Lets the next read see all changes committed by then. */
  endTurn(): void {
    if (!this.#reading) return
    this.#reading = false
    this.#schema = undefined
    this.write(COMMIT)
  }

  override close(): void {
    this.endTurn()
    super.close()
  }

  /** A snapshot has one version. */
  protected override schema(): unknown {
    return (this.#schema ??= super.schema())
  }

  #join(): void {
    if (this.#reading) return
    this.renewIfWorn()
    this.write(BEGIN)
    this.#reading = true
    if (this.#ending) return
    this.#ending = true
    setImmediate(() => {
      this.#ending = false
      this.endTurn()
    })
  }
}

/** Writes, and has a connection for reading, so that no long transaction stalls a look-up. */
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

  /** Runs work that changes the database. The reader begins a new snapshot before and after it. */
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
  // With setReturnArrays rows are arrays, contrary to the declared type.
  return statement.all(...values) as unknown as unknown[][]
}

/** The approximate bytes of a statement: its program is much longer than its text. */
function memoryOf(sql: string): number {
  return 4096 + 64 * sql.length
}

/** Values for a database without booleans and times: 1 and 0, and milliseconds since 1970. */
function plainValues(statement: Statement): readonly unknown[] {
  for (const value of statement.parameters) {
    const isText = typeof value === 'string' || typeof value === 'number'
    if (!isText && value !== null && !(value instanceof Uint8Array))
      return checkedValues(statement).map((each, index) => plainValue(each, index, statement))
  }
  return statement.parameters
}

/** The milliseconds that a read, or opening the file, waits for another process; the event loop stops meanwhile. */
const PATIENCE = 5

/**
 * The most KiB of pages that a connection keeps. A missing page costs a system call; lists read rows from all over the file,
 * but writes touch few pages.
 */
const CACHE = { reader: 65_536, writer: 16_384 }

interface FileOptions {
  readonly path: string
  readonly synchronous: 'normal' | 'full'
}

/** Opens the file, with its journal, mode and time-outs. */
function openFile({ path, synchronous }: FileOptions, readsOnly: boolean): DatabaseSync {
  try {
    // Only the owner can read the file. SQLite gives its side files the same mode.
    closeSync(openSync(path, 'ax', 0o600))
  } catch {
    // The file exists, or cannot be made: opening it tells which, and why.
  }
  const database = new DatabaseSync(path, { timeout: PATIENCE })
  try {
    // Readers and a writer do not wait for each other.
    database.exec('PRAGMA journal_mode = WAL')
    const cache = readsOnly ? CACHE.reader : CACHE.writer
    database.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA cache_size = -${cache}`)
    // Work that meets a lock is tried again: see ForeignLocks.
    database.exec(readsOnly ? 'PRAGMA query_only = 1' : 'PRAGMA busy_timeout = 0')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Copies all pages in one step: each write of another process would restart a copy in several. */
const ALL = 2 ** 31 - 1

/** Copies a snapshot of a database; the copy gets its name when it is checked and on the disk. */
async function backUp(path: string, file: string): Promise<{ readonly bytes: number }> {
  // Opening a missing file would create an empty database.
  if (!existsSync(path)) throw new DatabaseUnavailable(`The database ${path} is not there.`)
  if (existsSync(file)) throw new DatabaseUnavailable(`There is a file ${file} already.`)
  const part = `${file}.part`
  reserve(part)
  try {
    await copy(path, part)
    check(part)
    keep(part)
    renameSync(part, file)
    keep(dirname(file))
    return { bytes: statSync(file).size }
  } catch (error) {
    rmSync(part, { force: true })
    // SQLite does not name the file. A damaged copy comes from a damaged original, but a full disk is that of the copy.
    throw toUnavailable(error, isFull(error) ? file : path)
  }
}

const isFull = (error: unknown): boolean => (error as { readonly errcode?: number }).errcode === 13

/** Creates a file that only its owner can read. */
function reserve(part: string): void {
  try {
    closeSync(openSync(part, 'wx', 0o600))
  } catch (error) {
    const reason =
      (error as NodeJS.ErrnoException).code === 'EEXIST'
        ? 'It is there already: a backup is under way, or one was cut off, and the file can be deleted.'
        : (error as Error).message
    throw new DatabaseUnavailable(`${part} cannot be made. ${reason}`, { cause: error })
  }
}

async function copy(path: string, part: string): Promise<void> {
  const source = new DatabaseSync(path, { readOnly: true })
  try {
    await backup(source, part, { rate: ALL })
  } finally {
    source.close()
  }
}

function check(part: string): void {
  const made = new DatabaseSync(part)
  try {
    // This mode leaves one file, without a journal beside it.
    made.exec('PRAGMA journal_mode = DELETE')
    const { integrity_check: result } = made.prepare('PRAGMA integrity_check(1)').get()!
    if (result !== 'ok') throw new DatabaseUnavailable(`The copy is damaged: ${String(result)}`)
  } finally {
    made.close()
  }
}

function keep(path: string): void {
  const descriptor = openSync(path, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}
