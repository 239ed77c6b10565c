import { closeSync, openSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigurationError } from '../../errors/configuration-error.ts'

/** The absolute path of a database file. Readers and the writer are two connections, so it must be a file. */
export function databaseFile(path: string): string {
  if (path === '' || path === ':memory:' || path.startsWith('file:')) {
    throw new ConfigurationError(
      `"${path}" is not a path of a file. Colophon keeps two connections to its database, so it needs one; for tests take a temporary directory.`,
    )
  }
  return resolve(path)
}

/** Creates the file, where there is none, so that only its owner can read it. SQLite gives its side files the same mode. */
export function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600))
  } catch {
    // It exists, or cannot be made: opening it says which, and why.
  }
}
