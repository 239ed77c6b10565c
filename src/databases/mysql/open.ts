import type { Opener } from '../opener.ts'
import { PooledDatabase } from '../pooled/database.ts'
import { type ServerTimes, type ServerUrlOptions, opening } from '../pooled/open.ts'
import type { ServerDatabase } from '../../sql/sql-database.ts'
import { createServerPool } from './connection.ts'
import { mysqlDialect } from './dialect.ts'
import { type MysqlPool, createPool } from './driver.ts'

/** A MySQL or MariaDB database. */
export interface MysqlDatabase extends ServerDatabase {}

/** Where the database is: its address, or a pool of `mysql2/promise` that exists already. */
export type MysqlOptions = CommonOptions & (MysqlUrlOptions | MysqlPoolOption)

interface CommonOptions extends ServerTimes {
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
export interface MysqlUrlOptions extends ServerUrlOptions {
  /** `mysql://user:password@host:port/database` or `mariadb://…`, with options of the package `mysql2` behind `?`. */
  readonly url: string
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
  const pool = createServerPool(
    opening<MysqlPool>(options, {
      name: 'MySQL',
      schemes: ['mysql:', 'mariadb:'],
      create: createPool,
      sizeOf: (own) => own.pool?.config?.connectionLimit,
    }),
  )
  return new PooledDatabase(mysqlDialect, pool)
}

/** MySQL and MariaDB, by an address. */
export const mysqlOpener: Opener = {
  schemes: ['mysql', 'mariadb'],
  addresses: 'mysql://… (or mariadb://…)',
  open: (url) => openMysql({ url }),
}
