import type { MaybePromise } from '../std/after.ts'
import type { Rows } from './list-source.ts'
import type { Gauge } from './service-facts.ts'
import type { CounterStore } from './policies/throttling.ts'

/** SQL text with placeholders and the values for them. Values are always bound, never pasted in. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** The database may give values as it writes them; `Rows.written` names these columns. @default false */
  readonly asWritten?: boolean
}

/** The database's facts about a column of a result. */
export interface ColumnFacts {
  readonly name: string
  /** The type in the database's own words, in small letters; `null`: not known before there are values. */
  readonly type: string | null
  /** The table that it comes from, as the database calls it; `null`: it is computed. */
  readonly table: string | null
  /** May the table have NULL there? `true` where it is not known. */
  readonly nullable: boolean
  /** Digits after the decimal point. */
  readonly scale?: number
  /** The number of characters (or bytes) by which rows are ordered, if the database cannot sort by whole values. */
  readonly sortable?: number
  /** Does the column's collation treat different texts as the same? @default false */
  readonly loose?: boolean
  /** A value of a row, where the type does not say in which form the column has its values. */
  readonly sample?: unknown
}

/** One connection's worth of work: a database, or a transaction of it. */
export interface Executor {
  read<Row = Record<string, unknown>>(statement: Statement): MaybePromise<readonly Row[]>
  /** Gives rows as arrays, which is the cheap way to many rows. */
  rows(statement: Statement): MaybePromise<Rows>
  write(statement: Statement): MaybePromise<{ readonly changes: number }>
}

/** The protection of a transaction from changes by others, in the words of SQL. */
export type Isolation = 'read committed' | 'repeatable read' | 'serializable'

/** Options of a transaction. */
export interface TransactionOptions {
  /**
   * The isolation on servers; SQLite is always `serializable`. `default`: the server's setting.
   *
   * @default `read committed` on MariaDB, where rows that are read behind a lock would be older than the lock otherwise;
   * on PostgreSQL `default`
   */
  readonly isolation?: Isolation | 'default'
}

/** The groups of Colophon's own tables, by their contents. */
export type OwnPart =
  | 'users'
  | 'roles'
  | 'tokens'
  | 'sessions'
  | 'counters'
  | 'leases'
  | 'identities'
  | 'addresses'
  | 'factors'
  | 'families'

/** The state of a migration. */
export interface MigrationStatus {
  readonly name: string
  /** The owner of the migration. */
  readonly of: 'colophon' | 'application'
  /**
   * `late`: it stands before one that was applied already; `changed`: it is not what was applied; `unknown`: it was
   * applied, and the application has none of that name.
   */
  readonly state: 'applied' | 'pending' | 'late' | 'changed' | 'unknown'
  readonly applied: Date | null
}

/** Work that one process at a time does, by name. The clock is that of the database, which all processes share. */
export interface Leases {
  /**
   * Takes a lease for so many milliseconds if it is due and no other holder has it. One that is not due for more than
   * `longest` milliseconds is due: the interval was longer, or the clock was ahead. `null`: the lease is taken; otherwise the
   * milliseconds until it may be.
   */
  take(name: string, holder: string, milliseconds: number, longest: number): Promise<number | null>
  /** Keeps the lease for so many milliseconds from now on. `false`: it had ended, and another holder has it. */
  renew(name: string, holder: string, milliseconds: number): Promise<boolean>
  /** Gives the lease back; it is due again in so many milliseconds. */
  release(name: string, holder: string, dueIn: number): Promise<void>
}

/** A statement of a migration that keeps requests waiting for as long as a large table takes. */
export interface BlockingStatement {
  readonly migration: string
  readonly sql: string
  readonly table: string
  /** The effect, as a sentence. */
  readonly why: string
  /** The same change without blocking, as a sentence. */
  readonly instead: string
}

/** The server of a database. */
export interface DatabaseServer {
  /** The number of connections that the server gives to all of its clients together. */
  readonly connections: number
  /** Its clock, in milliseconds since 1970. */
  readonly clock: number
  /** The milliseconds that answering replicas may be behind. Absent: no replica answers. */
  readonly lag?: number
}

/** A place to keep rows. Connects when first used. */
export interface Database extends Executor {
  /** The SQL dialect of the database; `src/storage/sql/dialect.ts` has its other members. */
  readonly dialect: { readonly name: string }
  /** Its connections, for metrics. @default it says nothing of them */
  gauges?(): readonly Gauge[]
  /** The server's facts about itself (`colophon doctor`). Absent: it has none. */
  serverFacts?(): Promise<DatabaseServer>
  /**
   * Columns that hold points in time as texts which do not sort by time (`colophon doctor`). Absent: the database has a type
   * for points in time.
   */
  mixedTimes?(): MaybePromise<readonly string[]>
  /** Counters for throttles, shared by all processes with the same database. */
  readonly counters: CounterStore
  /** Leases for work that runs once for all processes. Absent: it has none. */
  readonly leases?: Leases
  /**
   * All or nothing: what `work` wrote is undone when it throws. Where the database gives the transaction up for another
   * one (a deadlock, a serialization failure), `work` runs again after a short pause, ten times at most in all: what it
   * does elsewhere, it would do twice.
   */
  transaction<T>(
    work: (transaction: Executor) => MaybePromise<T>,
    options?: TransactionOptions,
  ): Promise<T>
  /** Runs reads that all see one state of the database. Absent: the reads of one turn see one state anyway. */
  snapshot?<T>(work: (reader: Pick<Executor, 'read' | 'rows'>) => MaybePromise<T>): Promise<T>
  /**
   * Runs reads in a snapshot that begins with the statement `first`; requests at the same moment share one. `work` must only
   * read, because it may run a second time if a connection broke.
   */
  sharedSnapshot?<T>(
    first: Statement,
    work: (found: Rows, reader: Pick<Executor, 'read' | 'rows'>) => MaybePromise<T>,
  ): Promise<T>
  /** The columns that rows of a select have. The select runs, so let it ask for no rows. */
  describe?(statement: Statement): MaybePromise<readonly ColumnFacts[]>
  /** Brings the tables up to date, ours and then those of the application; names the migrations that ran. */
  migrate(): Promise<readonly string[]>
  /** Names of the migrations that `migrate` has to run; nothing is created by asking. */
  pendingMigrations(): Promise<readonly string[]>
  /** Every migration, ours first, and how it stands; nothing is created by asking. */
  migrationStatus(): Promise<readonly MigrationStatus[]>
  /** The locks of pending migrations; nothing is changed. `null`: nothing is known of this kind of database. */
  blockingMigrations?(): Promise<readonly BlockingStatement[] | null>
  /** Notes that the application uses this part of our tables. */
  uses?(part: OwnPart): void
  /**
   * An application calls it when it is made. From then on, `migrate` makes only those of our tables that are used; before,
   * it makes all of them.
   */
  onlyUsed?(): void
  /**
   * Copies the database into a new file while it serves, and reads the whole copy as a check. Only databases in a file can
   * do this.
   */
  backup?(file: string): Promise<{ readonly bytes: number }>
  close(): MaybePromise<void>
}
