import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import type { Statement } from '../../core/ports/database.ts'
import type { Execution } from '../kysely.ts'
import { type OwnPoolOptions, type PoolOptions, loadDriver } from '../pooled/open.ts'
import type { ServerDriver } from '../pooled/server-connection.ts'
import {
  type ConnectionPool,
  IDLE_IN_TRANSACTION,
  KEEP_ALIVE,
  LONGEST_PREPARED,
  MOST_PREPARED,
  ServerPool,
} from '../pooled/server-pool.ts'
import { INTEGERS, JSON_TEXTS, TextLayouts, checkedValues, readIn } from '../values.ts'
import { gaveUp, mysqlFailures } from './failures.ts'
import { type MysqlColumn, isJSON, writtenColumn } from './value-kinds.ts'
import { columnFacts } from './table-facts.ts'

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
  /** Sends it as text; some commands cannot be prepared. */
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
  /** Types whose values come as texts. */
  readonly dateStrings?: DateType[]
}

type DateType = 'TIMESTAMP' | 'DATETIME' | 'DATE'

/** Rows with their columns, or what a statement without rows did. */
export type MysqlResult = readonly [found: unknown, columns: readonly MysqlColumn[] | undefined]

/** A connection as the events of a pool hand it over, before promises. */
interface RawConnection {
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
 * Texts are sorted by so many bytes, mostly up to four a character. Columns that may be longer are ordered by their
 * beginning. The default is 1024; many more are slow, and take more memory than a server has for it.
 */
const SORTED_BYTES = 4096

const PACKAGE = { name: 'mysql2', oldest: '3.23.0', reaches: 'MySQL and MariaDB are reached' }

export async function createPool(
  options: OwnPoolOptions,
  load: () => Promise<unknown> = () => import('mysql2/promise'),
): Promise<MysqlPool> {
  const { connections, connectTimeout } = options
  const [uri, syncWait] = ownPartsOf(options.url)
  const mysql = await loadDriver<Driver>(load, PACKAGE)
  const pool = mysql.createPool({
    uri,
    connectionLimit: connections,
    connectTimeout,
    maxPreparedStatements: MOST_PREPARED,
    keepAliveInitialDelay: KEEP_ALIVE,
    supportBigNumbers: true,
    // A driver that parsed JSON would make texts of long numbers.
    jsonStrings: true,
    charset: 'utf8mb4',
    timezone: 'Z',
    trace: false,
  })
  pool.on('connection', (connection) => begin(connection, options, syncWait))
  // A connection that waits in the pool keeps no program from ending.
  pool.on('acquire', ({ stream }) => stream.ref?.())
  pool.on('release', ({ stream }) => stream.unref?.())
  return pool
}

const SYNC_WAIT = 'wsrep_sync_wait'

/** The part of an address that the driver takes, and the part that is ours. */
export function ownPartsOf(url: string): readonly [uri: string, syncWait: string | null] {
  const uri = url.replace(/^mariadb:/, 'mysql:')
  const address = URL.parse(uri)
  const syncWait = address?.searchParams.get(SYNC_WAIT) ?? null
  if (address === null || syncWait === null) return [uri, null]
  if (!/^(?:\d|1[0-5])$/.test(syncWait))
    throw new ConfigurationError(
      `${SYNC_WAIT} of the address of the database must be a number from 0 to 15, but is "${syncWait}": 1 has reads wait for what other nodes have written.`,
    )
  address.searchParams.delete(SYNC_WAIT)
  return [address.href, syncWait]
}

/** Comes before the first statement. Points in time are in UTC, and nothing is cut to fit. */
function begin(
  connection: RawConnection,
  { lockTimeout, statementTimeout }: OwnPoolOptions,
  syncWait: string | null,
): void {
  const lockSeconds = Math.max(1, Math.ceil(lockTimeout / 1000))
  const settings = [
    `time_zone = '+00:00'`,
    `sql_mode = concat(@@sql_mode, ',STRICT_ALL_TABLES')`,
    `innodb_lock_wait_timeout = ${lockSeconds}`,
    `lock_wait_timeout = ${lockSeconds}`,
    `max_sort_length = ${SORTED_BYTES}`,
    ...(syncWait === null ? [] : [`${SYNC_WAIT} = ${syncWait}`]),
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

/** Settings in comments that only MariaDB or MySQL reads. MySQL limits reads alone, and has no limit for idle transactions. */
function timeSettings(statement: number, idle = IDLE_IN_TRANSACTION): string {
  const seconds = `max_statement_time = ${statement / 1000}, idle_transaction_timeout = ${idle / 1000}`
  return `/*M!100300 , ${seconds} */ /*!50708 , max_execution_time = ${Math.trunc(statement)} */`
}

/** Lifts all limits of time. Others may hold tables for as long as a migration may wait for its turn. */
const UNHURRIED: string = `set lock_wait_timeout = 600 ${timeSettings(0, 0)}`

interface ConnectionConfig {
  readonly timezone?: string
  readonly dateStrings?: unknown
  readonly typeCast?: unknown
  readonly jsonStrings?: boolean
}

/** Values of these types come as texts: a `Date` has no microseconds, and the driver takes the year 50 for 1950. */
const DATES: DateType[] = ['DATETIME', 'TIMESTAMP', 'DATE']

/** Types whose values are to come as texts; `undefined`: the pool has a way of its own. */
function dateStringsFor({ connection }: MysqlConnection): DateType[] | undefined {
  const { config } = connection as { readonly config?: ConnectionConfig }
  const isUsual = config?.timezone === 'Z' && !config.dateStrings && config.typeCast === true
  return isUsual ? DATES : undefined
}

/** Do values of JSON come as texts? The driver parses them where its pool does not say so. */
function leavesJSON({ connection }: MysqlConnection): boolean {
  const { config } = connection as { readonly config?: ConnectionConfig }
  return config?.jsonStrings === true
}

export function createServerPool(options: PoolOptions<MysqlPool>): ConnectionPool {
  return new ServerPool(options, driver())
}

type Layouts = TextLayouts<MysqlColumn>

interface Answer {
  readonly result: MysqlResult
  /** Do points in time come as texts? */
  readonly hasTexts: boolean
  /** Do values of JSON come as texts? */
  readonly hasJSON: boolean
  /** The meaning of its texts, where rows may keep them; else `null`. */
  readonly layouts: Layouts | null
}

function driver(): ServerDriver<MysqlPool, MysqlConnection, Answer> {
  const layouts = new TextLayouts<MysqlColumn>(({ columnType }) => columnType)
  return {
    acquire: (pool) => pool.getConnection(),
    release(connection, unusable) {
      if (unusable) destroy(connection)
      else connection.release()
    },
    // The connection behind the promises, which are wrapped around it anew each time.
    identity: (connection) => connection.connection ?? connection,
    run: (connection, statement) => run(connection, statement, layouts),
    async send(connection, sql) {
      const result = await connection.query({ sql, rowsAsArray: true })
      return { result, hasTexts: false, hasJSON: leavesJSON(connection), layouts: null }
    },
    toExecution,
    columnsOf: ({ result: [, columns = []] }, execute) => columnFacts(columns, execute),
    beginning({ isolationLevel, accessMode = '', snapshot = false }) {
      if (snapshot) return ['start transaction with consistent snapshot, read only']
      const start = `start transaction ${accessMode}`
      if (isolationLevel === undefined) return [start]
      return [`set transaction isolation level ${isolationLevel}`, start]
    },
    takesSeveral: false,
    unhurried: UNHURRIED,
    system: 'mysql',
    gaveUp,
    failures: mysqlFailures,
  }
}

/** Closes the stream, too: `mysql2` says goodbye, and would wait for an answer of a silent server. */
function destroy(connection: MysqlConnection): void {
  connection.destroy()
  const raw: Partial<RawConnection> | undefined = connection.connection
  raw?.stream?.destroy?.()
}

async function run(
  connection: MysqlConnection,
  given: Statement,
  layouts: Layouts,
): Promise<Answer> {
  const { sql, asWritten = false } = given
  const values = checkedValues(given).map(toMysqlValue) as never[]
  const dateStrings = dateStringsFor(connection)
  const hasTexts = dateStrings !== undefined
  const statement = { sql, rowsAsArray: true, ...(hasTexts && { dateStrings }) } as const
  const result = await asked(connection, statement, values)
  const hasJSON = leavesJSON(connection)
  return { result, hasTexts, hasJSON, layouts: hasTexts && asWritten ? layouts : null }
}

async function asked(
  connection: MysqlConnection,
  statement: MysqlStatement,
  values: never[],
): Promise<MysqlResult> {
  // Some commands cannot be prepared, and those have no values.
  if (values.length === 0) return connection.query(statement)
  try {
    return await connection.execute(statement, values)
  } finally {
    // For a long text the server keeps much, too.
    if (statement.sql.length > LONGEST_PREPARED) connection.unprepare?.(statement)
  }
}

/** Bytes as a Buffer: the driver would send other bytes as a text. */
function toMysqlValue(value: unknown): unknown {
  if (!ArrayBuffer.isView(value) || Buffer.isBuffer(value)) return value
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}

/** The type of integers with 64 bits; those beyond 2^53 come as texts. */
const LONGLONG = 8

function toExecution({ result: [found, columns = []], ...texts }: Answer): Execution {
  // A procedure may give several results, and reports its changes at the end.
  const [first] = columns
  if (Array.isArray(first))
    return toExecution({ ...texts, result: [(found as unknown[])[0], first] })
  if (!Array.isArray(found)) {
    const { affectedRows, insertId } = found as { affectedRows: number; insertId: number | string }
    const nothing = { columns: [], values: [], changes: affectedRows }
    return Number(insertId) === 0 ? nothing : { ...nothing, insertId: BigInt(insertId) }
  }
  const values = readIn(found as unknown[][], columns, ({ columnType }) =>
    columnType === LONGLONG ? INTEGERS : null,
  )
  if (texts.hasJSON) readIn(values, columns, (column) => (isJSON(column) ? JSON_TEXTS : null))
  if (texts.layouts !== null)
    return { ...texts.layouts.of(columns, writtenColumn), values, changes: null }
  if (texts.hasTexts) readIn(values, columns, ({ columnType }) => writtenColumn(columnType))
  return { columns: columns.map(({ name }) => name), values, changes: null }
}
