import { type OwnPoolOptions, loaded } from '../pooled/open.ts'
import { IDLE_IN_TRANSACTION, KEEP_ALIVE, MOST_PREPARED } from '../pooled/server-pool.ts'

/** The part of a pool of `mysql2/promise` that we use; any compatible pool will do. */
export interface MysqlPool {
  getConnection(): Promise<MysqlConnection>
  end(): Promise<void>
  /** `connectionLimit`: connections at most. */
  readonly pool?: { readonly config?: { readonly connectionLimit?: number | undefined } }
}

/** One connection of such a pool. */
export interface MysqlConnection {
  /** Prepared once on each connection, and kept. The driver says which values it takes. */
  execute(statement: MysqlStatement, values: never[]): Promise<MysqlResult>
  /** As text; some commands cannot be prepared. */
  query(statement: MysqlStatement): Promise<MysqlResult>
  release(): void
  destroy(): void
  /** Closes what `execute` has prepared. */
  unprepare?(statement: MysqlStatement): unknown
  /** The connection behind the promises. */
  readonly connection?: object
}

/** A statement, as `mysql2` takes it. */
export interface MysqlStatement {
  readonly sql: string
  readonly rowsAsArray: true
}

/** Rows with their columns, or what a statement without rows did. */
export type MysqlResult = readonly [found: unknown, columns: readonly MysqlColumn[] | undefined]

/** A column of what was found. */
export interface MysqlColumn {
  readonly name: string
  readonly columnType?: number
  readonly columnLength?: number
  readonly characterSet?: number
  readonly decimals?: number
  /** Names of them, where an option of the driver asks for names. */
  readonly flags?: number | string[]
  /** The table or view behind all aliases; empty where the column is computed. */
  readonly orgTable?: string
  readonly schema?: string
  /** What MariaDB calls a type that looks like a text otherwise: `uuid`, `inet6`. */
  readonly extendedTypeName?: string
  /** The same for `json`. */
  readonly extendedFormat?: string
}

/** A connection as the events of a pool hand it over, before promises. */
export interface RawConnection {
  readonly stream: { ref?(): void; unref?(): void; destroy?(): void }
  query(text: string, done: (error: Error | null) => void): void
  destroy(): void
}

interface OwnPool extends MysqlPool {
  on(
    event: 'connection' | 'acquire' | 'release',
    listener: (connection: RawConnection) => void,
  ): unknown
}

interface Driver {
  createPool(options: Readonly<Record<string, unknown>>): OwnPool
}

/**
 * Texts are sorted by so many bytes, up to four a character, but compared by all: rows that differ only
 * behind them get lost between pages (I1). The default is 1024; many more are slow, and take more memory
 * than a server has for it.
 */
const SORTED_BYTES = 4096

const MISSING = 'MySQL and MariaDB are reached with the package mysql2. Run: npm install mysql2'

export async function createPool(
  options: OwnPoolOptions,
  load: () => Promise<unknown> = () => import('mysql2/promise'),
): Promise<MysqlPool> {
  const { url, connections, connectTimeout } = options
  const driver = await loaded<Driver>(load, MISSING)
  const pool = driver.createPool({
    uri: url.replace(/^mariadb:/, 'mysql:'),
    connectionLimit: connections,
    connectTimeout,
    maxPreparedStatements: MOST_PREPARED,
    keepAliveInitialDelay: KEEP_ALIVE,
    supportBigNumbers: true,
    charset: 'utf8mb4',
    timezone: 'Z',
    trace: false,
  })
  pool.on('connection', (connection) => begin(connection, options))
  // What waits in the pool keeps no program from ending.
  pool.on('acquire', ({ stream }) => stream.ref?.())
  pool.on('release', ({ stream }) => stream.unref?.())
  return pool
}

/** Comes before the first statement. Points in time are in UTC, and nothing is cut to fit. */
function begin(connection: RawConnection, { lockTimeout, statementTimeout }: OwnPoolOptions): void {
  const lockSeconds = Math.max(1, Math.ceil(lockTimeout / 1000))
  const settings = [
    `time_zone = '+00:00'`,
    `sql_mode = concat(@@sql_mode, ',STRICT_ALL_TABLES')`,
    `innodb_lock_wait_timeout = ${lockSeconds}`,
    `lock_wait_timeout = ${lockSeconds}`,
    `max_sort_length = ${SORTED_BYTES}`,
  ]
  for (const text of [
    `set ${settings.join(', ')} ${timeSettings(statementTimeout ?? 0)}`,
    'set session transaction isolation level repeatable read',
  ]) {
    connection.query(text, (error) => {
      if (error !== null) connection.destroy()
    })
  }
}

/** In comments that only MariaDB or MySQL reads. MySQL limits reads alone, and no idle transactions. */
function timeSettings(statement: number, idle = IDLE_IN_TRANSACTION): string {
  const seconds = `max_statement_time = ${statement / 1000}, idle_transaction_timeout = ${idle / 1000}`
  return `/*M!100300 , ${seconds} */ /*!50708 , max_execution_time = ${Math.trunc(statement)} */`
}

/** Lifts all limits of time. Others may hold tables for as long as a migration may wait for its turn. */
export const UNHURRIED: string = `set lock_wait_timeout = 600 ${timeSettings(0, 0)}`
