import { PooledDatabase } from '../sql/pooled-database.ts'
import { placeOf } from '../sql/place-of.ts'
import type { ServerDatabase } from '../sql/sql-database.ts'
import { type PostgresPool, createPool } from './driver.ts'
import { Pool } from './pool.ts'
import { StatementNames } from './statement-names.ts'

/** A PostgreSQL database. */
export interface PostgresDatabase extends ServerDatabase {
  readonly dialect: 'postgres'
}

interface CommonOptions {
  /**
   * Are statements that come again prepared on the server? A pooler that hands out connections per
   * transaction and does not keep track of them needs `false`.
   *
   * @default true
   */
  readonly prepare?: boolean
}

/** Where the database is: its address, or a pool of `pg` that exists already. */
export type PostgresOptions = CommonOptions & (PostgresUrlOptions | PostgresPoolOption)

/** A pool of connections that belongs to the database. */
export interface PostgresUrlOptions {
  /** `postgres://user:password@host:port/database`, with the parameters of the package `pg` behind `?`. */
  readonly url: string
  /** Connections at most. @default 10 */
  readonly connections?: number
  /** Milliseconds to wait for a connection, be it a new one or a free one. @default 10000 */
  readonly connectTimeout?: number
  /** Milliseconds that a statement waits for a lock. @default 10000 */
  readonly lockTimeout?: number
}

/** A pool that the application has made. `close()` ends it. */
export interface PostgresPoolOption {
  readonly pool: PostgresPool
}

/**
 * A PostgreSQL database. It needs the package `pg`. Nothing is loaded or opened before it is used.
 *
 * @example
 * const database = openPostgres({ url: 'postgres://app:secret@db.example/app' })
 * await database.migrate()
 *
 * @throws ConfigurationError the address is none of PostgreSQL; on use: `pg` is not installed
 * @throws DatabaseUnavailable on use: not reachable, refused, read-only, locked, or not migrated
 */
export function openPostgres(options: PostgresOptions): PostgresDatabase {
  const names = options.prepare === false ? null : new StatementNames()
  const pool = new Pool({ ...opening(options), names })
  return new PooledDatabase('postgres', pool)
}

function opening(options: PostgresOptions) {
  if ('pool' in options) return { open: async () => options.pool, place: 'PostgreSQL' }
  const { url, connections = 10, connectTimeout = 10_000, lockTimeout = 10_000 } = options
  return {
    open: () => createPool({ url, connections, connectTimeout, lockTimeout }),
    place: placeOf(url, ['postgres:', 'postgresql:']),
  }
}
