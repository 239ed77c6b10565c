import type { Statement } from '../../contract/database.ts'
import type { ServerDatabase } from '../../sql/sql-database.ts'
import type { Opener, OwnTables } from '../database.ts'
import type { Execution } from '../kysely.ts'
import { PooledDatabase } from '../pooled/database.ts'
import {
  type PoolOptions,
  type ServerTimes,
  type ServerUrlOptions,
  opening,
} from '../pooled/open.ts'
import type { ServerDriver } from '../pooled/server-connection.ts'
import { type ConnectionPool, LONGEST_PREPARED, ServerPool } from '../pooled/server-pool.ts'
import { checkedValues, withIntegers } from '../values.ts'
import { columnFacts } from './catalogue.ts'
import { mysqlDialect } from './dialect.ts'
import {
  type MysqlConnection,
  type MysqlPool,
  type MysqlResult,
  type MysqlStatement,
  type RawConnection,
  TextTypes,
  UNHURRIED,
  createPool,
  dateStringsFor,
  withMoments,
} from './driver.ts'
import { mysqlFailures } from './failures.ts'

/** A MySQL or MariaDB database. */
export interface MysqlDatabase extends ServerDatabase {}

/** Where the database is: its address, or a pool of `mysql2/promise` that exists already. */
export type MysqlOptions = ServerTimes & OwnTables & (MysqlUrlOptions | MysqlPoolOption)

/** A pool of connections that belongs to the database. */
export interface MysqlUrlOptions extends ServerUrlOptions {
  /** `mysql://user:password@host:port/database` or `mariadb://…`, with options of the package `mysql2` behind `?`. */
  readonly url: string
}

/** A pool that the application has made, with `supportBigNumbers` and `timezone: 'Z'`. `close()` ends it. */
export interface MysqlPoolOption {
  readonly pool: MysqlPool
}

const schemes = ['mysql', 'mariadb']

/**
 * A MySQL or MariaDB database. It needs the package `mysql2`. Nothing is loaded or opened before it is used.
 *
 * @example
 * const database = openMysql({ url: 'mysql://app:secret@db.example/app' })
 * await database.migrate()
 *
 * @throws ConfigurationError the address is none of MySQL or MariaDB; on use: `mysql2` is not installed
 * @throws DatabaseUnavailable on use: not reachable, refused, read-only, locked, or not migrated
 */
export function openMysql(options: MysqlOptions): MysqlDatabase {
  const sizeOf = (own: MysqlPool) => own.pool?.config?.connectionLimit
  const pool = opening(options, { name: 'MySQL', schemes, create: createPool, sizeOf })
  return new PooledDatabase(mysqlDialect, createServerPool(pool), options)
}

export const mysqlOpener: Opener = {
  schemes,
  addresses: 'mysql://… (or mariadb://…)',
  open: (url, _folder, own) => openMysql({ ...own, url }),
}

export function createServerPool(options: PoolOptions<MysqlPool>): ConnectionPool {
  return new ServerPool(options, driver())
}

interface Answer {
  readonly result: MysqlResult
  /** Points in time are texts. */
  readonly hasTexts: boolean
  /** What its texts mean, where they may stay; else `null`. */
  readonly types: TextTypes | null
}

function driver(): ServerDriver<MysqlPool, MysqlConnection, Answer> {
  const types = new TextTypes()
  return { ...DRIVER, run: (connection, statement) => run(connection, statement, types) }
}

const DRIVER: Omit<ServerDriver<MysqlPool, MysqlConnection, Answer>, 'run'> = {
  acquire: (pool) => pool.getConnection(),
  release(connection, unusable) {
    if (unusable) destroy(connection)
    else connection.release()
  },
  // Promises are wrapped around a connection anew each time.
  identity: (connection) => connection.connection ?? connection,
  async send(connection, sql) {
    const result = await connection.query({ sql, rowsAsArray: true })
    return { result, hasTexts: false, types: null }
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
  failures: mysqlFailures,
}

/** `mysql2` says goodbye, and would wait for an answer of a server that is silent. */
function destroy(connection: MysqlConnection): void {
  connection.destroy()
  const raw: Partial<RawConnection> | undefined = connection.connection
  raw?.stream?.destroy?.()
}

async function run(
  connection: MysqlConnection,
  { sql, parameters, asWritten = false }: Statement,
  types: TextTypes,
): Promise<Answer> {
  const values = checkedValues(parameters).map(toMysqlValue) as never[]
  const dateStrings = dateStringsFor(connection, asWritten)
  const statement: MysqlStatement =
    dateStrings === undefined ? { sql, rowsAsArray: true } : { sql, rowsAsArray: true, dateStrings }
  const result = await asked(connection, statement, values)
  const hasTexts = dateStrings !== undefined
  return { result, hasTexts, types: hasTexts && asWritten ? types : null }
}

async function asked(
  connection: MysqlConnection,
  statement: MysqlStatement,
  values: never[],
): Promise<MysqlResult> {
  // Not every command can be prepared, and those that cannot have no values.
  if (values.length === 0) return connection.query(statement)
  try {
    return await connection.execute(statement, values)
  } finally {
    // What the server keeps for a long text is long, too.
    if (statement.sql.length > LONGEST_PREPARED) connection.unprepare?.(statement)
  }
}

/** Bytes that are no Buffer would be sent as a text. */
function toMysqlValue(value: unknown): unknown {
  if (!ArrayBuffer.isView(value) || Buffer.isBuffer(value)) return value
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}

/** The type of integers with 64 bits; those beyond 2^53 come as texts. */
const LONGLONG = 8

function toExecution({ result: [found, columns = []], ...texts }: Answer): Execution {
  // A procedure may have found several times, and says at the end what it did.
  const [first] = columns
  if (Array.isArray(first))
    return toExecution({ ...texts, result: [(found as unknown[])[0], first] })
  if (!Array.isArray(found)) {
    const { affectedRows, insertId } = found as { affectedRows: number; insertId: number | string }
    const nothing = { columns: [], values: [], changes: affectedRows }
    return Number(insertId) === 0 ? nothing : { ...nothing, insertId: BigInt(insertId) }
  }
  const isInteger = columns.map(({ columnType }) => columnType === LONGLONG)
  const values = withIntegers(found as unknown[][], isInteger)
  if (texts.types !== null) return { ...texts.types.columnsOf(columns), values, changes: null }
  if (texts.hasTexts) withMoments(found as unknown[][], columns)
  return { columns: columns.map(({ name }) => name), values, changes: null }
}
