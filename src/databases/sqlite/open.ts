import { resolve } from 'node:path'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import type { Opener, OwnTables } from '../database.ts'
import { FileDatabase, type SqliteDatabase } from './database.ts'

/** Where the database is, and how long to wait for it. */
export interface SqliteOptions extends OwnTables {
  /** The file, relative to the working directory or absolute. Created at first use, readable by its owner only. */
  readonly path: string
  /** Milliseconds that a write waits while another process writes; the event loop goes on. @default 5000 */
  readonly busyTimeout?: number
  /** Milliseconds that a write waits for transactions and writes of this process. @default 10000 */
  readonly queueTimeout?: number
  /**
   * `'full'`: a commit waits until the disk has it. With `'normal'` a loss of power may undo the last
   * commits, and leaves the database sound; the end of the process undoes nothing.
   * https://sqlite.org/pragma.html#pragma_synchronous
   *
   * @default 'normal'
   */
  readonly synchronous?: 'normal' | 'full'
}

/**
 * An SQLite database in a file. Nothing is opened or created before it is used.
 *
 * @example
 * const database = openSqlite({ path: 'colophon.sqlite' })
 * await database.migrate()
 *
 * @throws ConfigurationError `path` does not name a file (`:memory:`), or an option is of another kind
 * @throws DatabaseUnavailable on use: locked, read-only, full, damaged, not there or not migrated
 */
export function openSqlite(options: SqliteOptions): SqliteDatabase {
  const { path, busyTimeout = 5000, queueTimeout = 10_000, synchronous = 'normal' } = options
  if (synchronous !== 'normal' && synchronous !== 'full')
    throw new ConfigurationError(
      `synchronous is "${String(synchronous)}"; it may be "normal" or "full".`,
    )
  // Readers and the writer are two connections, so it must be a file.
  if (!namesFile(path))
    throw new ConfigurationError(
      `"${path}" is not a path of a file. Colophon keeps two connections to its database, so it needs one; for tests take a temporary directory.`,
    )
  const file = { path: resolve(path), busyTimeout, queueTimeout, synchronous }
  return new FileDatabase({ ...options, ...file })
}

export const sqliteOpener: Opener = {
  schemes: ['sqlite'],
  addresses: 'sqlite:PATH',
  open(url, folder, own) {
    const path = pathOf(url)
    if (path === '')
      throw new ConfigurationError('DATABASE_URL is "sqlite:" without a path behind it.')
    // What is no file stays what it is, and is refused.
    return openSqlite({ ...own, path: path === ':memory:' ? path : resolve(folder, path) })
  },
}

const SCHEME = 'sqlite:'

/** The absolute path in an address such as `sqlite:colophon.sqlite`; `null`: it names no file. */
export function fileOf(url: string, folder: string): string | null {
  return url.startsWith(SCHEME) && namesFile(pathOf(url)) ? resolve(folder, pathOf(url)) : null
}

function pathOf(url: string): string {
  return url.slice(SCHEME.length)
}

/** Is it a path, rather than another way in which SQLite names a database? */
function namesFile(path: string): boolean {
  return path !== '' && path !== ':memory:' && !path.startsWith('file:')
}
