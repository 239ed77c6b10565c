import type { MaybePromise } from '../../core/std/after.ts'
import { DatabaseUnavailable, NotMigrated } from '../../core/errors/storage-errors.ts'
import type { Attempt, Violation } from '../sql/dialect.ts'
import type { ForeignKey } from '../sql/schema-reader.ts'
import { missingValue } from '../sql/table/constraints.ts'
import { withoutDirectory } from './address.ts'

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
    withoutDirectory(path) ??
    `The database ${path} cannot be opened: it must be a file, and this process must be allowed to read and write it and its directory.`,
  26: (path) => `The file ${path} is not an SQLite database. Name another file.`,
}

function locked(path: string): string {
  return `The database ${path} is locked: another process keeps writing to it. Try again, or look for a transaction that does not end.`
}

/** `DatabaseUnavailable`, with what to do, where it lies with the database; else as it is. */
export function toUnavailable(error: unknown, path: string): unknown {
  if (!isSqliteError(error)) return error
  const [, table, column] = NOT_THERE.exec(error.message) ?? []
  if (table !== undefined) return new NotMigrated('table', table, path, error)
  if (column !== undefined) return new NotMigrated('column', column, path, error)
  const sentence = SENTENCES[error.errcode & 0xff]?.(path)
  return sentence === undefined ? error : new DatabaseUnavailable(sentence, { cause: error })
}

/** For a name in quotation marks, SQLite asks whether it was meant as a text. */
const NOT_THERE =
  /^no such table: (?:main\.)?(.+)$|(?:no such column: |has no column named )"?(?:.+\.)?(.+?)(?:" - should this be .*)?$/

interface SqliteError extends Error {
  readonly errcode: number
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'errcode' in error
}

/** A value beyond 2^53, met while integers are read as numbers. */
export function isBeyondNumbers(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_OUT_OF_RANGE'
}

/** A write on a connection that only reads. A file that is read-only has codes of its own. */
export function isForbiddenWrite(error: unknown): boolean {
  return isSqliteError(error) && error.errcode === 8
}

/** Has the error, or its cause where it was translated, met a lock? */
export function isLocked(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return isLocked(error.cause)
  return isSqliteError(error) && (error.errcode & 0xff) === 5
}

/** Extended result codes (https://sqlite.org/rescode.html). */
const TOO_BIG = 18
const MISMATCH = 20
const CHECK = 275
const NOT_NULL = 1299
const DATATYPE = 3091
const UNIQUE: ReadonlySet<number> = new Set([1555, 2067, 2579])

export function violation(error: Error, attempt: Attempt): MaybePromise<Violation | null> {
  const code = isSqliteError(error) ? error.errcode : 0
  const { message } = error
  // A trigger may say it too: that is how SQLite has RESTRICT.
  if (message === 'FOREIGN KEY constraint failed') return referenceProblem(attempt)
  if (UNIQUE.has(code)) return { kind: 'unique', columns: columnsNamedIn(message, attempt) }
  if (code === NOT_NULL) return missingValue(columnsNamedIn(message, attempt)[0] ?? '', attempt)
  if (code === CHECK) return checkProblem(message, attempt)
  if (code === DATATYPE) return { kind: 'invalid', columns: [message.split('.').at(-1)!] }
  if (code === MISMATCH) return { kind: 'invalid', columns: [] }
  return code === TOO_BIG ? { kind: 'max_length', columns: [] } : null
}

/**
 * The columns in `UNIQUE constraint failed: book.isbn, book.title`; none in a message with the name of an index over
 * expressions.
 */
function columnsNamedIn(message: string, { table }: Attempt): readonly string[] {
  const names = message.slice(message.indexOf(': ') + 2).split(', ')
  const prefix = `${table}.`
  return names.every((name) => name.startsWith(prefix))
    ? names.map((name) => name.slice(prefix.length))
    : []
}

/** SQLite itself holds no text to the length of its type: the check of a migration does. */
function checkProblem(message: string, attempt: Attempt): Violation {
  const columns = columnAmongWords(message, attempt)
  const { type = '' } = attempt.facts.columns.get(columns[0]!) ?? {}
  const [, most = Infinity] = /char\((\d+)\)$/.exec(type) ?? []
  const value = attempt.values[columns[0]!]
  const isTooLong = typeof value === 'string' && [...value].length > Number(most)
  return { kind: isTooLong ? 'max_length' : 'invalid', columns }
}

/**
 * The column of a check without a name, whose message shows what the check asks. It is about a field only if one column
 * occurs in it.
 */
function columnAmongWords(message: string, { facts }: Attempt): readonly string[] {
  const words = new Set(message.slice(message.indexOf(': ') + 2).split(/\W+/))
  const columns = [...facts.columns.keys()].filter((column) => words.has(column))
  return columns.length === 1 ? columns : []
}

/** The reference that leads nowhere; if all lead somewhere, other rows refer to this one. */
async function referenceProblem(attempt: Attempt): Promise<Violation> {
  if (attempt.verb === 'delete') return protectedRow(attempt)
  for (const reference of attempt.facts.references) {
    if (await leadsNowhere(reference, attempt))
      return { kind: 'does_not_exist', columns: reference.columns }
  }
  return attempt.verb === 'update' ? protectedRow(attempt) : { kind: 'does_not_exist', columns: [] }
}

const PROTECTING: ReadonlySet<string> = new Set(['RESTRICT', 'NO ACTION'])

const REFERRING = `select distinct t.name, k.on_delete
  from sqlite_schema as t, pragma_foreign_key_list(t.name) as k
  where t.type = 'table' and k."table" = ? collate nocase and k.on_delete <> 'SET NULL'`

/**
 * SQLite does not say who refers to the row: it is known where a single table protects rows of this one, and none goes
 * with them, whose rows others may protect.
 */
async function protectedRow({ table, reader }: Attempt): Promise<Violation> {
  const { values } = await reader.rows({ sql: REFERRING, parameters: [table] })
  const [first, ...others] = values as readonly (readonly [table: string, action: string])[]
  const isOne = first !== undefined && others.length === 0 && PROTECTING.has(first[1])
  return { kind: 'protected', columns: [], ...(isOne && { referring: first[0] }) }
}

/** Does the reference lead nowhere? NULL refers to nothing, and a value that was not given has not changed. */
async function leadsNowhere(
  { table, columns, referenced }: ForeignKey,
  { values, reader }: Attempt,
): Promise<boolean> {
  const sent = columns.map((column) => values[column] ?? null)
  if (sent.includes(null)) return false
  const there = referenced.length > 0 ? referenced : await primaryKey(table, reader)
  const equal = there.map((name) => `${quoted(name)} = ?`).join(' and ')
  const statement = { sql: `select 1 from ${quoted(table)} where ${equal}`, parameters: sent }
  return (await reader.rows(statement)).values.length === 0
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

async function primaryKey(table: string, reader: Attempt['reader']): Promise<readonly string[]> {
  const sql = 'select name from pragma_table_info(?) where pk > 0 order by pk'
  const { values } = await reader.rows({ sql, parameters: [table] })
  return values.map(([name]) => String(name))
}

/** Milliseconds between two attempts at most. */
const LONGEST_PAUSE = 10

/**
 * Waits for locks of other processes without stopping the event loop. SQLite can only wait in a call, so
 * it does not wait at all, and what met a lock is tried again after a pause.
 */
export class ForeignLocks {
  readonly #patience: number
  /** Since when every attempt has met a lock; `null`: the last one met none. */
  #since: number | null = null

  /** `patience`: in milliseconds. */
  constructor(patience: number) {
    this.#patience = patience
  }

  /**
   * Fails where the lock outlasts the patience. `arrived`: when the work was first asked for. What waited for
   * its turn while others waited for the same lock has waited for it too; else the waits of a queue would add up.
   */
  async outwait<T>(work: () => T, arrived: number = performance.now()): Promise<T> {
    for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      try {
        const result = work()
        this.#since = null
        return result
      } catch (error) {
        const now = performance.now()
        const since = isLocked(error) ? (this.#since ?? now) : null
        this.#since = since
        if (since === null || now >= Math.max(arrived, since) + this.#patience) throw error
      }
      const length = pause * (0.5 + Math.random() / 2)
      await new Promise((resolve) => void setTimeout(resolve, length))
    }
  }
}
