import { type Accounts, defineAccounts } from '../../src/accounts.ts'
import type { SqlDatabase } from '../../src/sql.ts'
import { type FakeClock, fakeClock } from '../../src/testing.ts'
import { type Configuration, type Logger, configurationOf } from '../../src/index.ts'
import { CHEAP } from '../accounts/fixtures.ts'
import type { Browser } from './browser.ts'
import { type On, type OpenDatabase, onDatabases, onSqlite } from './databases.ts'
import type { Answer } from './doors.ts'
import { notebook } from './fixtures.ts'

/** Accounts in a database. */
export interface SessionService {
  readonly accounts: Accounts
  readonly database: SqlDatabase
  readonly configuration: Configuration
  readonly clock: FakeClock
  readonly logger: Logger
  /** Everything that was told to the log. */
  readonly log: Readonly<Record<string, unknown>>[]
}

type Keys = Readonly<Record<string, unknown>>

/** People: alice (wonderland), bob (builder, inactive), zoë (пароль) and admin (admin-pass, staff). */
export async function startSessions(open: OpenDatabase, keys: Keys = {}): Promise<SessionService> {
  const service = sessionsIn(await open(), keys)
  for (const person of [
    { username: 'alice', password: 'wonderland' },
    { username: 'bob', password: 'builder', isActive: false },
    { username: 'zoë', password: 'пароль' },
    { username: 'admin', password: 'admin-pass', isStaff: true },
  ]) {
    await service.accounts.users.create(person)
  }
  return service
}

/** The same on each database. */
export async function startSessionsOnDatabases(
  keys: Keys = {},
): Promise<readonly On<SessionService>[]> {
  return onDatabases((open) => startSessions(open, keys))
}

/** The same on SQLite alone. */
export async function startSessionsOnSqlite(
  keys: Keys = {},
): Promise<readonly On<SessionService>[]> {
  return onSqlite((open) => startSessions(open, keys))
}

/** Another service with the people of a database. */
export function sessionsIn(database: SqlDatabase, keys: Keys): SessionService {
  const clock = fakeClock(new Date('2026-03-04T05:06:07Z'))
  const configuration = configurationOf({ SECRET_KEY: 'a secret', ...keys })
  const { records: log, error } = notebook()
  const logger: Logger = { error, info: error }
  const options = { configuration, passwordCost: CHEAP, now: clock.now, logger }
  const accounts = defineAccounts({ database, refreshTokens: {}, ...options })
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
