import { PooledDatabase } from '../sql/pooled-database.ts'
import { placeOf } from '../sql/place-of.ts'
import type { ServerDatabase } from '../sql/sql-database.ts'
import { type MysqlPool, createPool } from './driver.ts'
import { Pool } from './pool.ts'

/** A MySQL or MariaDB database. */
export interface MysqlDatabase extends ServerDatabase {
  readonly dialect: 'mysql'
}

/** Where the database is: its address, or a pool of `mysql2/promise` that exists already. */
export type MysqlOptions = MysqlUrlOptions | MysqlPoolOption

/** A pool of connections that belongs to the database. */
export interface MysqlUrlOptions {
  /** `mysql://user:password@host:port/database` or `mariadb://…`, with options of the package `mysql2` behind `?`. */
  readonly url: string
  /** Connections at most. @default 10 */
  readonly connections?: number
  /** Milliseconds to wait for a connection, be it a new one or a free one. @default 10000 */
  readonly connectTimeout?: number
  /** Milliseconds that a statement waits for a lock, in whole seconds. @default 10000 */
  readonly lockTimeout?: number
}

/** A pool that the application has made, with `supportBigNumbers` and `timezone: 'Z'`. `close()` ends it. */
export interface MysqlPoolOption {
  readonly pool: MysqlPool
  /** Milliseconds to wait for a connection. @default 10000 */
  readonly connectTimeout?: number
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
  const { connectTimeout: patience = 10_000 } = options
  return new PooledDatabase('mysql', new Pool({ ...opening(options, patience), patience }))
}

function opening(options: MysqlOptions, connectTimeout: number) {
  if ('pool' in options) return { open: async () => options.pool, place: 'MySQL' }
  const { url, connections = 10, lockTimeout = 10_000 } = options
  const place = placeOf(url, ['mysql:', 'mariadb:'])
  const address = url.replace(/^mariadb:/, 'mysql:')
  return {
    open: () => createPool({ url: address, connections, connectTimeout, lockTimeout }),
    place,
  }
}
