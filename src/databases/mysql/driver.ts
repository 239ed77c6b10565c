import type { WrittenColumn } from '../../contract/list-source.ts'
import { BoundedMap } from '../../std/bounded-map.ts'
import { withExactText } from '../../std/exact-date.ts'
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
  /** Types whose values come as texts. */
  readonly dateStrings?: DateType[]
}

type DateType = 'TIMESTAMP' | 'DATETIME' | 'DATE'

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
 * Texts are sorted by so many bytes, mostly up to four a character. Columns that may be longer are ordered by their
 * beginning. The default is 1024; many more are slow, and take more memory than a server has for it.
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

interface ConnectionConfig {
  readonly timezone?: string
  readonly dateStrings?: unknown
  readonly typeCast?: unknown
  readonly decimalNumbers?: boolean
}

/** A `Date` has no microseconds: values of these types come as texts, of which a `Date` is made that keeps them. */
const MOMENTS: DateType[] = ['DATETIME', 'TIMESTAMP']

/** For rows that are wanted as the database writes them: days are the same. */
const AS_WRITTEN: DateType[] = [...MOMENTS, 'DATE']

/** What is to come as text; `undefined`: the pool has a way of its own. */
export function dateStringsFor(
  { connection }: MysqlConnection,
  asWritten: boolean,
): DateType[] | undefined {
  const { config } = connection as { readonly config?: ConnectionConfig }
  const isUsual = config?.timezone === 'Z' && !config.dateStrings && config.typeCast === true
  if (!isUsual) return undefined
  return asWritten && !config.decimalNumbers ? AS_WRITTEN : MOMENTS
}

const TIMESTAMP = 7
const DATE = 10
const DATETIME = 12
const DECIMAL = 246

const MOMENT: WrittenColumn = { kind: 'moment', read: momentOf }

const WRITTEN: ReadonlyMap<number | undefined, WrittenColumn> = new Map([
  [TIMESTAMP, MOMENT],
  [DATETIME, MOMENT],
  [DATE, { kind: 'date', read: dateOf }],
  [DECIMAL, { kind: 'decimal', read: String }],
])

/** Tables whose columns stay known. */
const KNOWN = 500

interface TextColumns {
  readonly columns: readonly string[]
  readonly written: readonly (WrittenColumn | null)[]
}

/** What the texts of columns mean: the same object for the same columns, as others keep by it what they make for them. */
export class TextTypes {
  readonly #layouts = new BoundedMap<string, TextColumns>(KNOWN)

  columnsOf(found: readonly MysqlColumn[]): TextColumns {
    let key = ''
    for (const { columnType, name } of found) key += `${columnType} ${name}\0`
    const known = this.#layouts.get(key)
    if (known !== undefined) return known
    const layout = {
      columns: found.map(({ name }) => name),
      written: found.map(({ columnType }) => WRITTEN.get(columnType) ?? null),
    }
    this.#layouts.set(key, layout)
    return layout
  }
}

/** Points in time in place of their texts. */
export function withMoments(rows: readonly unknown[][], columns: readonly MysqlColumn[]): void {
  for (const [place, { columnType }] of columns.entries()) {
    if (columnType !== TIMESTAMP && columnType !== DATETIME) continue
    for (const row of rows) {
      const value = row[place]
      if (typeof value === 'string') row[place] = momentOf(value)
    }
  }
}

/** With its microseconds. */
function momentOf(text: string): Date {
  const date = dateOf(text)
  const digits = text.slice(20)
  const isExact = /^\d{3}0*$|^\d{0,2}$/.test(digits) || Number.isNaN(date.getTime())
  return isExact ? date : withExactText(date, text)
}

/** In UTC, as the driver makes it: a month or day of 0 is that before the first. */
function dateOf(text: string): Date {
  const part = (from: number, to: number): number => Number(text.slice(from, to))
  const [year, month, day] = [part(0, 4), part(5, 7), part(8, 10)]
  const clock = [part(11, 13), part(14, 16), part(17, 19), part(20, 23)] as const
  const isZero = year + month + day + clock[0] + clock[1] + clock[2] === 0
  return isZero ? new Date(Number.NaN) : new Date(Date.UTC(year, month - 1, day, ...clock))
}
