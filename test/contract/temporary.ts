import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'
import { type SqliteOptions, openSqlite } from '../../src/storage/sqlite/open.ts'
import type { SqliteDatabase } from '../../src/storage/sqlite/driver.ts'

/** When something is cleared away: after the test, or by `afterAll` after the tests of a file. */
type Later = typeof onTestFinished | typeof afterAll

/** A directory that is gone when the test is over. */
export function temporaryDirectory(later: Later = onTestFinished): string {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-'))
  later(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** The path of a database file that does not exist yet. */
export function temporaryPath(later?: Later): string {
  return join(temporaryDirectory(later), 'colophon.sqlite')
}

/** An empty database, closed when the test is over. */
export function temporarySqlite(options: Partial<SqliteOptions> = {}): SqliteDatabase {
  const database = openSqlite({ path: temporaryPath(), ...options })
  onTestFinished(() => database.close())
  return database
}

/** A database with two things, for the tests of a file. */
export async function databaseOfThings(): Promise<SqliteDatabase> {
  const database = openSqlite({ path: temporaryPath(afterAll) })
  afterAll(() => database.close())
  await database.write({ sql: 'create table thing (id integer primary key)', parameters: [] })
  await database.write({ sql: 'insert into thing values (1), (2)', parameters: [] })
  return database
}

/** A database with the tables of Colophon: a copy of one that was migrated, once for the tests of a thread. */
export async function migratedSqlite(
  options: Partial<SqliteOptions> = {},
): Promise<SqliteDatabase> {
  const path = temporaryPath()
  copyFileSync(await (template ??= makeTemplate()), path)
  const database = openSqlite({ path, ...options })
  onTestFinished(() => database.close())
  return database
}

let template: Promise<string> | null = null

async function makeTemplate(): Promise<string> {
  const path = join(mkdtempSync(join(tmpdir(), 'colophon-')), 'colophon.sqlite')
  const database = openSqlite({ path })
  await database.migrate()
  database.close()
  return path
}

/** The next turn of the event loop, after everything that this one still has to do. */
export async function nextTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  setImmediate(() => setImmediate(resolve))
  await promise
}

/** Writes synchronously, as SQLite does while no transaction is under way. */
export function writeNow(
  database: SqliteDatabase,
  sql: string,
  ...parameters: unknown[]
): { readonly changes: number } {
  const written = database.write({ sql, parameters })
  if (written instanceof Promise) throw new Error('This write waits for a transaction.')
  return written
}
