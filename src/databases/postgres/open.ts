import type { Opener } from '../opener.ts'
import { PooledDatabase } from '../pooled/database.ts'
import { type ServerTimes, type ServerUrlOptions, opening } from '../pooled/open.ts'
import type { ServerDatabase } from '../../sql/sql-database.ts'
import { createServerPool } from './connection.ts'
import { postgresDialect } from './dialect.ts'
import { type PostgresPool, createPool } from './driver.ts'
import { StatementNames } from './statement-names.ts'

/** A PostgreSQL database. */
export interface PostgresDatabase extends ServerDatabase {}

interface CommonOptions extends ServerTimes {
  /**
   * Are statements that come again prepared on the server? A pooler that hands out connections per
   * transaction and does not keep track of them needs `false`.
   *
   * @default true
   */
  readonly prepare?: boolean
  /**
   * Milliseconds that a statement may take; `null`: as many as it likes. The server cancels it then. Where
   * the server does not answer for a second more, the connection is given up. On a pool of your own set
   * `statement_timeout` yourself: only the second half is done here. Migrations take as long as they like.
   *
   * @default 10000
   */
  readonly statementTimeout?: number | null
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
  const { prepare = true } = options
  const names = prepare ? new StatementNames() : null
  const pool = createServerPool({
    ...opening<PostgresPool>(options, {
      name: 'PostgreSQL',
      schemes: ['postgres:', 'postgresql:'],
      create: createPool,
      sizeOf: (own) => own.options?.max,
    }),
    names,
  })
  return new PooledDatabase(postgresDialect, pool)
}

/** PostgreSQL, by an address. */
export const postgresOpener: Opener = {
  schemes: ['postgres', 'postgresql'],
  addresses: 'postgres://…',
  open: (url) => openPostgres({ url }),
}
