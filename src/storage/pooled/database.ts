import { type CompiledQuery, SelectQueryNode } from 'kysely'
import type { MaybePromise } from '../../core/std/after.ts'
import type {
  ColumnFacts,
  DatabaseServer,
  Isolation,
  Statement,
  TransactionOptions,
} from '../../core/ports/database.ts'
import type { Gauge } from '../../core/ports/service-facts.ts'
import type { Rows } from '../../core/ports/list-source.ts'
import type { CounterStore } from '../../core/ports/policies/throttling.ts'
import type { Dialect } from '../sql/dialect.ts'
import type { ServerDatabase } from '../sql/sql-database.ts'
import { DatabaseUnavailable } from '../../core/errors/storage-errors.ts'
import { BoundedMap } from '../../core/std/bounded-map.ts'
import { toRowObjects } from '../../core/std/row-objects.ts'
import { BaseDatabase, type OwnTables } from '../database.ts'
import { inTime } from '../../core/std/deadlines.ts'
import type { QueryConnection } from '../kysely.ts'
import type { Beginning, PooledConnection } from './server-connection.ts'
import type { ConnectionPool, Use } from './server-pool.ts'
import { type ReadExecutor, SharedCounts, type SnapshotWork } from './shared-counts.ts'
import { type CounterStatements, PooledCounters } from './counters.ts'
import { PooledTransaction } from './transaction.ts'

/** Statements whose columns stay known. */
const DESCRIBED = 500

/** Milliseconds that counting may wait for a connection, and then for the answer. */
const COUNTING = 2000

export interface PooledDialect extends Dialect {
  readonly counters: CounterStatements
  /** The isolation of the application's transactions, if it is not the server's default. */
  readonly isolation?: Isolation
  /** The connections that the server gives to all of its clients, in its SQL. */
  readonly mostConnections: string
}

/** Each statement borrows a connection, and few reads share one. */
export class PooledDatabase extends BaseDatabase implements ServerDatabase {
  readonly dialect: PooledDialect
  readonly #pool: ConnectionPool
  readonly #shared: SharedCounts
  readonly #reads: QuickReads
  readonly #described = new BoundedMap<string, readonly ColumnFacts[]>(DESCRIBED)

  constructor(dialect: PooledDialect, pool: ConnectionPool, own: OwnTables = {}) {
    super(own)
    this.dialect = dialect
    this.#pool = pool
    this.#shared = new SharedCounts(pool)
    this.#reads = new QuickReads(pool)
  }

  async read<Row = Record<string, unknown>>(statement: Statement): Promise<readonly Row[]> {
    return toRowObjects<Row>(await this.rows(statement))
  }

  rows(statement: Statement): Promise<Rows> {
    return this.#reads.rows(statement)
  }

  /** Describes the columns of a statement, once for each text: columns do not change while a service runs. */
  async describe(statement: Statement): Promise<readonly ColumnFacts[]> {
    const known = this.#described.get(statement.sql)
    if (known !== undefined) return known
    const columns = await this.#borrowing((connection) => connection.describe(statement))
    this.#described.set(statement.sql, columns)
    return columns
  }

  async write(statement: Statement): Promise<{ readonly changes: number }> {
    const work = (connection: PooledConnection) => connection.execute(statement)
    const { changes } = await this.#borrowing(work, 'write')
    return { changes: changes ?? 0 }
  }

  returning(statement: Statement): Promise<Rows> {
    return this.#borrowing((connection) => connection.execute(statement), 'write')
  }

  async snapshot<T>(work: (reader: ReadExecutor) => MaybePromise<T>): Promise<T> {
    const transaction = await this.#begun({ snapshot: true }, 'read')
    try {
      return await work(transaction)
    } finally {
      // The transaction wrote nothing, so there is no need to wait for its end.
      void transaction.end()
    }
  }

  sharedSnapshot<T>(first: Statement, work: SnapshotWork<T>): Promise<T> {
    return this.#shared.read(first, work)
  }

  gauges(): readonly Gauge[] {
    return this.#pool.gauges?.() ?? []
  }

  async serverFacts(): Promise<DatabaseServer> {
    const { clock, mostConnections } = this.dialect
    const sql = `select ${mostConnections}, ${clock}`
    const { values } = await this.rows({ sql, parameters: [] })
    const [connections, now] = values[0]!.map(Number)
    return { connections: connections!, clock: now! }
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  protected override createCounters(): CounterStore {
    return new PooledCounters({
      dialect: this.dialect,
      statements: this.dialect.counters,
      ask: (statement) => this.#count(statement),
    })
  }

  /** Counts. A silent server is given up sooner than for a query: no request waits so long for a count. */
  async #count(statement: Statement): Promise<unknown> {
    const late = () =>
      new DatabaseUnavailable(`There was no connection to count on in ${COUNTING / 1000} s.`)
    const connection = await inTime(this.#pool.connect(), COUNTING, late, (taken) =>
      taken.release(),
    )
    try {
      connection.hurry(COUNTING)
      return (await connection.execute(statement)).values[0]?.[0]
    } finally {
      connection.release()
    }
  }

  protected override begin({ isolation }: TransactionOptions): Promise<PooledTransaction> {
    const isolationLevel =
      isolation === 'default' ? undefined : (isolation ?? this.dialect.isolation)
    if (isolationLevel !== undefined && !LEVELS.has(isolationLevel))
      throw new TypeError(`"${isolationLevel}" is no isolation of a transaction.`)
    return this.#begun(isolationLevel === undefined ? {} : { isolationLevel }, 'write')
  }

  async #begun(beginning: Beginning, use: Use): Promise<PooledTransaction> {
    const connection = await this.#pool.connect(use)
    const begun = connection.begin(beginning)
    // The first statement leaves with the beginning: waiting for it is a trip to the server for each write.
    if (connection.pipelines) return new PooledTransaction(connection, this.dialect, begun)
    await orClosed(connection, begun)
    return new PooledTransaction(connection, this.dialect)
  }

  /** A connection is taken when the first statement comes, which decides what the connection is wanted for. */
  protected override queries(options?: { readonly unhurried: boolean }): QueryConnection {
    // A change of tables has no limit of time.
    const take = async (use: Use): Promise<PooledConnection> => {
      const own = await this.#pool.connect(use)
      if (options?.unhurried) await orClosed(own, own.unhurry())
      return own
    }
    let taken: Promise<PooledConnection> | null = null
    const connection = (use: Use) => (taken ??= take(use))
    let unusable = false
    return {
      execute: async (query) => (await connection(isRead(query) ? 'read' : 'write')).execute(query),
      async begin(settings) {
        const use = settings.accessMode === 'read only' ? 'read' : 'write'
        await (await connection(use)).begin(settings)
      },
      commit: async () => (await connection('write')).commit(),
      async rollback() {
        unusable = true
        await (await connection('write')).rollback()
        unusable = false
      },
      // If no connection was available, the statement has failed.
      release: async () => (await taken?.catch(() => null))?.release(unusable),
    }
  }

  async #borrowing<T>(
    work: (connection: PooledConnection) => Promise<T>,
    use: Use = 'read',
  ): Promise<T> {
    const connection = await this.#pool.connect(use)
    try {
      return await work(connection)
    } finally {
      connection.release()
    }
  }
}

/** Closes a connection whose first command has failed. */
async function orClosed(connection: PooledConnection, command: Promise<void>): Promise<void> {
  try {
    await command
  } catch (error) {
    connection.release(true)
    throw error
  }
}

/** Reads that share a connection. */
interface Ride {
  readonly connection: Promise<PooledConnection>
  reads: number
  unanswered: number
}

/** The most reads that share a connection. */
const SEATS = 4
/** Milliseconds of a read that is quick: the last one waits for so many times those in front of it. */
const QUICK = 3
/** A read that takes longer from now on is known to after a few times, and not after a standstill. */
const SLOWER = 1.25

/**
 * Reads that share connections. Each read has a connection for itself, but reads of one text that wait at the same moment
 * share one. Where they are quick, a message to the server and another connection that wakes up there cost more than they
 * do.
 */
class QuickReads {
  readonly #pool: ConnectionPool
  /** Reads without a connection yet, by their texts. */
  readonly #waiting = new Map<string, Ride>()
  /** Milliseconds that a read of a text takes. */
  readonly #times = new BoundedMap<string, number>(DESCRIBED)
  #pipelines = false

  constructor(pool: ConnectionPool) {
    this.#pool = pool
  }

  async rows(statement: Statement): Promise<Rows> {
    const ride = this.#join(statement.sql)
    const connection = await ride.connection
    this.#pipelines = connection.pipelines
    const began = performance.now()
    try {
      return await connection.execute(statement)
    } finally {
      if (--ride.unanswered === 0) {
        connection.release()
        const took = (performance.now() - began) / ride.reads
        const before = this.#times.get(statement.sql) ?? Infinity
        this.#times.set(statement.sql, Math.min(took, SLOWER * before))
      }
    }
  }

  #join(sql: string): Ride {
    const waiting = this.#waiting.get(sql)
    if (waiting === undefined || waiting.reads >= SEATS) return this.#newRide(sql)
    waiting.reads++
    waiting.unanswered++
    return waiting
  }

  #newRide(sql: string): Ride {
    const ride = { connection: this.#pool.connect(), reads: 1, unanswered: 1 }
    if (!this.#pipelines || (this.#times.get(sql) ?? Infinity) > QUICK) return ride
    this.#waiting.set(sql, ride)
    const leave = (): void => {
      if (this.#waiting.get(sql) === ride) this.#waiting.delete(sql)
    }
    ride.connection.then(leave, leave)
    return ride
  }
}

/** Does the query only read? A query that locks rows waits for others, like one that writes. */
export function isRead({ query }: CompiledQuery): boolean {
  return SelectQueryNode.is(query) && query.endModifiers === undefined
}

/** The servers' names of isolation levels. Plain JavaScript may ask for another, and later statements would run without it. */
const LEVELS: ReadonlySet<string> = new Set<Isolation>([
  'read committed',
  'repeatable read',
  'serializable',
])
