import type { ServerDatabase } from '../../sql/sql-database.ts'
import type { Opener, OwnTables } from '../database.ts'
import { PooledDatabase } from '../pooled/database.ts'
import { type ServerTimes, type ServerUrlOptions, opening } from '../pooled/open.ts'
import { StatementNames, createServerPool } from './connection.ts'
import { postgresDialect } from './dialect.ts'
import { type PostgresPool, createPool } from './driver.ts'

/** A PostgreSQL database. */
export interface PostgresDatabase extends ServerDatabase {}

interface CommonOptions extends ServerTimes, OwnTables {
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
export interface PostgresUrlOptions extends ServerUrlOptions {
  /** `postgres://user:password@host:port/database`, with the parameters of the package `pg` behind `?`. */
  readonly url: string
}

/** A pool that the application has made. `close()` ends it. */
export interface PostgresPoolOption {
  readonly pool: PostgresPool
}

const schemes = ['postgres', 'postgresql']

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
export function openPostgres({ prepare = true, ...options }: PostgresOptions): PostgresDatabase {
  const names = prepare ? new StatementNames() : null
  const sizeOf = (own: PostgresPool) => own.options?.max
  const pool = opening(options, { name: 'PostgreSQL', schemes, create: createPool, sizeOf })
  return new PooledDatabase(postgresDialect, createServerPool({ ...pool, names }), options)
}

export const postgresOpener: Opener = {
  schemes,
  addresses: 'postgres://…',
  open: (url, _folder, own) => openPostgres({ ...own, url }),
}
