import { dirname } from 'node:path'
import { existsSync } from 'node:fs'
import { DatabaseUnavailable } from '../../errors/storage-errors.ts'

/** Primary result codes of SQLite (https://sqlite.org/rescode.html) that say: the database, not the statement. */
const SENTENCES: Readonly<Record<number, (path: string) => string>> = {
  5: locked,
  6: locked,
  8: (path) =>
    `The database ${path} cannot be written: the file or its directory is read-only. Give this process the right to write there.`,
  10: (path) => `The database ${path} cannot be read or written: look at its disk.`,
  11: (path) => `The database ${path} is damaged: restore a backup.`,
  13: (path) =>
    `The disk of the database ${path} is full. Nothing was written; make room and try again.`,
  14: (path) =>
    existsSync(dirname(path))
      ? `The database ${path} cannot be opened: it must be a file, and this process must be allowed to read and write it and its directory.`
      : `The database ${path} cannot be opened: there is no directory ${dirname(path)}. Create it first.`,
  26: (path) => `The file ${path} is not an SQLite database. Name another file.`,
}

function locked(path: string): string {
  return `The database ${path} is locked: another process keeps writing to it. Try again, or look for a transaction that does not end.`
}

const NO_TABLE = /^no such table: (.+)$/

/** The same failure as `DatabaseUnavailable`, with what to do, where it lies with the database; else as it is. */
export function translated(error: unknown, path: string): unknown {
  if (!isSqliteError(error)) return error
  const table = NO_TABLE.exec(error.message)?.[1]
  const sentence =
    table === undefined ? SENTENCES[error.errcode & 0xff]?.(path) : noTable(path, table)
  return sentence === undefined ? error : new DatabaseUnavailable(sentence, { cause: error })
}

function noTable(path: string, table: string): string {
  return `The database ${path} has no table "${table}". Run the migrations first: colophon migrate.`
}

interface SqliteError extends Error {
  readonly errcode: number
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'errcode' in error
}

/** Was this a value beyond 2^53, met while integers are read as numbers? */
export function isBeyondNumbers(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_OUT_OF_RANGE'
}

/** Was this a statement that writes, on a connection that only reads? A file that is read-only has codes of its own. */
export function isForbiddenWrite(error: unknown): boolean {
  return isSqliteError(error) && error.errcode === 8
}

/** Does another connection hold a lock? That is the cause of what was translated, too. */
export function isLocked(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return isLocked(error.cause)
  return isSqliteError(error) && (error.errcode & 0xff) === 5
}
