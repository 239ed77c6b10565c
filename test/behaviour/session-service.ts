import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { type Accounts, type SqliteDatabase, defineAccounts, openSqlite } from '../../src/sqlite.ts'
import { type FakeClock, fakeClock } from '../../src/testing.ts'
import { type Configuration, type Logger, configurationOf } from '../../src/index.ts'
import { CHEAP } from '../accounts/fixtures.ts'
import { notebook } from './fixtures.ts'
import type { Browser } from './browser.ts'
import type { Answer } from './doors.ts'

/** Accounts over a database of their own, for the tests of one file. */
export interface SessionService {
  readonly accounts: Accounts
  readonly database: SqliteDatabase
  readonly configuration: Configuration
  readonly clock: FakeClock
  readonly logger: Logger
  /** Everything that was told to the log. */
  readonly log: Readonly<Record<string, unknown>>[]
}

/** People: alice (wonderland), bob (builder, inactive), zoë (пароль) and admin (admin-pass, staff). */
export async function startSessions(
  keys: Readonly<Record<string, unknown>> = {},
): Promise<SessionService> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-'))
  const database = openSqlite({ path: join(folder, 'app.sqlite') })
  afterAll(() => {
    database.close()
    rmSync(folder, { recursive: true })
  })
  await database.migrate()
  const clock = fakeClock(new Date('2026-03-04T05:06:07Z'))
  const configuration = configurationOf({ SECRET_KEY: 'a secret', ...keys })
  const { records: log, error } = notebook()
  const logger: Logger = { error, info: error }
  const options = { configuration, passwordCost: CHEAP, now: clock.now, logger }
  const accounts = defineAccounts({ database, ...options })
  for (const person of [
    { username: 'alice', password: 'wonderland' },
    { username: 'bob', password: 'builder', isActive: false },
    { username: 'zoë', password: 'пароль' },
    { username: 'admin', password: 'admin-pass', isStaff: true },
  ]) {
    await accounts.users.create(person)
  }
  return { accounts, database, configuration, clock, logger, log }
}

/** Logs a browser in by the page, as a person would. */
export async function logIn(
  browser: Browser,
  username = 'alice',
  password = 'wonderland',
): Promise<Answer> {
  await browser.ask('GET /login/')
  const csrfmiddlewaretoken = browser.cookie('csrftoken')
  return browser.ask('POST /login/', { form: { username, password, csrfmiddlewaretoken } })
}
