import type { TransactionSettings } from 'kysely'
import type { ColumnFacts, Statement } from '../../contract/database.ts'
import type { Execution } from '../kysely.ts'

/** How a transaction begins. */
export interface Beginning extends TransactionSettings {
  /** It reads only, and all of its reads see the same state. */
  readonly snapshot?: boolean
}

/** One connection of a pool, for one user at a time, until it is released. Its failures are translated. */
export interface PooledConnection {
  execute(statement: Statement): Promise<Execution>
  /** Runs a select; what columns its rows have. */
  describe(statement: Statement): Promise<readonly ColumnFacts[]>
  begin(beginning: Beginning): Promise<void>
  /** Begins a snapshot with its first statement, in one trip where the server takes both at once. */
  beginWith(first: Statement): Promise<Execution>
  /** Rejects where nothing, or not everything, was kept. */
  commit(): Promise<void>
  rollback(): Promise<void>
  /** Lifts all limits of time, as migrations need it. It is closed when it is released. */
  unhurry(): Promise<void>
  /** Gives it back. One that is broken, or in an unknown state, is closed instead. */
  release(unusable?: boolean): void
}

/** What a connection is wanted for; where that is not known yet, it is `'write'`. */
export type Use = 'read' | 'write'

/** Connections to a database that is far away. Nothing is opened before it is asked for. */
export interface ConnectionPool {
  /** Milliseconds after which a statement without an answer is given up; it may be `Infinity`. */
  readonly patience: number
  /** @throws DatabaseUnavailable there is none to be had @default use 'read' */
  connect(use?: Use): Promise<PooledConnection>
  close(): Promise<void>
}
