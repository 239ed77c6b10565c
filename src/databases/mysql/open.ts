import type { ServerDatabase } from '../../sql/sql-database.ts'
import type { Opener, OwnTables } from '../database.ts'
import { PooledDatabase } from '../pooled/database.ts'
import { type ServerTimes, type ServerUrlOptions, opening } from '../pooled/open.ts'
import { createServerPool } from './connection.ts'
import { mysqlDialect } from './dialect.ts'
import { type MysqlPool, createPool } from './driver.ts'

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
