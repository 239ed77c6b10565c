import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** Milliseconds that a read, or opening the file, waits for another process, event loop and all. */
const PATIENCE = 5

/**
 * KiB of pages that a connection keeps, at most. A page missed costs a system call, and lists read rows from all over
 * the file. Writes touch few.
 */
const CACHE = { reader: 65_536, writer: 16_384 }

export interface FileOptions {
  readonly path: string
  readonly synchronous: 'normal' | 'full'
}

/** Opens the file with its journal, its modes and its time-outs. */
export function openFile({ path, synchronous }: FileOptions, readsOnly: boolean): DatabaseSync {
  try {
    // Only its owner can read it. SQLite gives its side files the same mode.
    closeSync(openSync(path, 'ax', 0o600))
  } catch {
    // It exists, or cannot be made: opening it says which, and why.
  }
  const database = new DatabaseSync(path, { timeout: PATIENCE })
  try {
    // Readers and a writer do not wait for each other.
    database.exec('PRAGMA journal_mode = WAL')
    const cache = readsOnly ? CACHE.reader : CACHE.writer
    database.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA cache_size = -${cache}`)
    // What meets a lock while it writes is tried again: see ForeignLocks.
    database.exec(readsOnly ? 'PRAGMA query_only = 1' : 'PRAGMA busy_timeout = 0')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
