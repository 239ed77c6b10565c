import { databaseFile } from './database-file.ts'
import { FileDatabase, type SqliteDatabase } from './database.ts'

/** Where the database is, and how long to wait for it. */
export interface SqliteOptions {
  /** The file, relative to the working directory or absolute. Created at first use, readable by its owner only. */
  readonly path: string
  /**
   * Milliseconds to wait while another process writes. The event loop waits too.
   *
   * @default 5000
   */
  readonly busyTimeout?: number
  /**
   * Milliseconds that a write waits for transactions of this process.
   *
   * @default 10000
   */
  readonly queueTimeout?: number
}

/**
 * An SQLite database in a file. Nothing is opened or created before it is used.
 *
 * @example
 * const database = openSqlite({ path: 'colophon.sqlite' })
 * await database.migrate()
 *
 * @throws ConfigurationError `path` does not name a file (`:memory:`)
 * @throws DatabaseUnavailable on use: locked, read-only, full, damaged, not there or not migrated
 */
export function openSqlite({
  path,
  busyTimeout = 5000,
  queueTimeout = 10_000,
}: SqliteOptions): SqliteDatabase {
  return new FileDatabase({ path: databaseFile(path), busyTimeout, queueTimeout })
}
