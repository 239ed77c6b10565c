import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** Milliseconds that a read, or opening the file, waits for a lock of another process. The event loop waits too. */
const PATIENCE = 5

/** How a file is opened. */
export interface FileOptions {
  readonly path: string
  /** Does a commit wait until the disk has it? */
  readonly synchronous: 'normal' | 'full'
}

/** One that reads only refuses to write. */
export function openFile({ path, synchronous }: FileOptions, readsOnly: boolean): DatabaseSync {
  createPrivately(path)
  const database = new DatabaseSync(path, { timeout: PATIENCE })
  try {
    // Readers and a writer do not wait for each other.
    database.exec('PRAGMA journal_mode = WAL')
    database.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA cache_size = -16384`)
    // What meets a lock while it writes is tried again: see ForeignLocks.
    database.exec(readsOnly ? 'PRAGMA query_only = 1' : 'PRAGMA busy_timeout = 0')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Creates the file, where there is none, so that only its owner can read it. SQLite gives its side files the same mode. */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600))
  } catch {
    // It exists, or cannot be made: opening it says which, and why.
  }
}
