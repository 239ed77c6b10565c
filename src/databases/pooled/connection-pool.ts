import type { TransactionSettings } from 'kysely'
import type { ColumnFacts, Rows, Statement } from '../../contract/storage.ts'

/** What a statement of any kind did and found. */
export interface Execution extends Rows {
  /** Rows that it changed; `null` where it only read. */
  readonly changes: number | null
  /** Key of the row inserted last, where the database tells it. */
  readonly insertId?: number | bigint
}

/** How a transaction begins. */
export interface Beginning extends TransactionSettings {
  /** It reads only, and all of its reads see the same state. */
  readonly snapshot?: boolean
}

/** One connection of a pool, in the hands of one user until it is released. Its failures are translated. */
export interface PooledConnection {
  execute(statement: Statement): Promise<Execution>
  /** Runs a select, and tells what columns its rows have. */
  describe(statement: Statement): Promise<readonly ColumnFacts[]>
  begin(beginning: Beginning): Promise<void>
  /** Begins a snapshot with its first statement, in one trip where the server takes both at once. */
  beginWith(first: Statement): Promise<Execution>
  /** Rejects where nothing, or not everything, was kept. */
  commit(): Promise<void>
  rollback(): Promise<void>
  /** Lifts all limits of time, as migrations need it. It is closed when it is released. */
  unhurry(): Promise<void>
  /** Gives it back. One that is broken, or whose state nobody knows, is closed instead. */
  release(unusable?: boolean): void
}

/** What a connection is wanted for. Who does not know will write. */
export type Use = 'read' | 'write'

/** Connections to a database that is far away. Nothing is opened before it is asked for. */
export interface ConnectionPool {
  /** Milliseconds after which a statement without an answer is given up; it may be `Infinity`. */
  readonly patience: number
  /** @throws DatabaseUnavailable there is none to be had @default use 'read' */
  connect(use?: Use): Promise<PooledConnection>
  close(): Promise<void>
}
