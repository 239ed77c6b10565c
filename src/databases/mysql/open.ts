import { PooledDatabase } from '../pooled/database.ts'
import type { Opener } from '../opener.ts'
import { placeOf } from '../pooled/place-of.ts'
import type { ServerDatabase } from '../../sql/sql-database.ts'
import { mysqlDialect } from './dialect.ts'
import { type MysqlPool, type MysqlPoolOptions, createPool } from './driver.ts'
import { createServerPool } from './connection.ts'

/** A MySQL or MariaDB database. */
export interface MysqlDatabase extends ServerDatabase {}

/** Where the database is: its address, or a pool of `mysql2/promise` that exists already. */
export type MysqlOptions = CommonOptions & (MysqlUrlOptions | MysqlPoolOption)

interface CommonOptions {
  /** Milliseconds to wait for a connection, be it a new one or a free one. @default 5000 */
  readonly connectTimeout?: number
  /**
   * Milliseconds that a statement may take; `null`: as many as it likes. The server cancels it then; MySQL
   * cancels only what reads. Where the server does not answer for a second more, the connection is given
   * up. On a pool of your own set `max_statement_time` or `max_execution_time` yourself: only the second
   * half is done here. Migrations take as long as they like.
   *
   * @default 10000
   */
  readonly statementTimeout?: number | null
}

/** A pool of connections that belongs to the database. */
export interface MysqlUrlOptions {
  /** `mysql://user:password@host:port/database` or `mariadb://…`, with options of the package `mysql2` behind `?`. */
  readonly url: string
  /** Connections at most. @default 10 */
  readonly connections?: number
  /** Milliseconds that a statement waits for a lock, in whole seconds. @default 3000 */
  readonly lockTimeout?: number
}

/** A pool that the application has made, with `supportBigNumbers` and `timezone: 'Z'`. `close()` ends it. */
export interface MysqlPoolOption {
  readonly pool: MysqlPool
}

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
  const { connectTimeout = 5000, statementTimeout = 10_000 } = options
  const times = { connectTimeout, statementTimeout }
  const pool = createServerPool({ ...opening(options, times), ...times })
  return new PooledDatabase(mysqlDialect, pool)
}

/** MySQL and MariaDB, by an address. */
export const mysqlOpener: Opener = {
  schemes: ['mysql', 'mariadb'],
  addresses: 'mysql://… (or mariadb://…)',
  open: (url) => openMysql({ url }),
}

type Times = Pick<MysqlPoolOptions, 'connectTimeout' | 'statementTimeout'>

function opening(options: MysqlOptions, times: Times) {
  if ('pool' in options) {
    const { pool } = options
    const connections = pool.pool?.config?.connectionLimit ?? 10
    return { open: async () => pool, place: 'MySQL', connections }
  }
  const { url, connections = 10, lockTimeout = 3000 } = options
  const place = placeOf(url, ['mysql:', 'mariadb:'])
  const address = url.replace(/^mariadb:/, 'mysql:')
  return {
    open: () => createPool({ url: address, connections, lockTimeout, ...times }),
    place,
    connections,
  }
}
