import { type DialectName, dialectOf } from '../setup/dialects.ts'
import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loginPages, loginUrls } from '../../src/browsable.ts'
import {
  type App,
  SessionAuthentication,
  defineApi,
  defineUrls,
  loginSession,
  showSession,
} from '../../src/index.ts'
import type { Database } from '../../src/sql.ts'
import { Browser, tokenIn } from './browser.ts'
import { onDatabases, throughEveryDoor } from './databases.ts'
import { type SessionService, logIn, startSessions } from './session-service.ts'

const KEYS = [{}, { CSRF_USE_SESSIONS: true }]
const services = (
  await Promise.all(
    KEYS.map(async (keys) =>
      onDatabases(async (open) => ({ ...(await startSessions(open, keys)), keys })),
    ),
  )
).flat()

function serve({ accounts, configuration, logger }: SessionService): App {
  const api = defineApi({
    urls: defineUrls({ ...loginUrls, me: '/me/', session: '/session/' }),
    authentication: [new SessionAuthentication(accounts)],
    logger,
  })
  return api.serve(
    [
      ...loginPages(api, { accounts }),
      api.endpoint('session').get(showSession({ accounts })).post(loginSession({ accounts })),
      api
        .endpoint('me')
        .get(({ user }) => user)
        .post(() => {
          throw new Error('Unforeseen.')
        }),
    ],
    { configuration },
  )
}

describe.each(throughEveryDoor(services, serve))(
  'after a day of sessions with $keys through the $through on $on',
  ({ door, database, log }) => {
    /** Uses sessions in every way, and gives each secret that was ever there. */
    const use = async (): Promise<Set<string>> => {
      const secrets = new Set(['wonderland', 'пароль'])
      const browser = new Browser(door)
      const note = () => {
        for (const value of browser.cookies.values()) secrets.add(value)
      }
      const page = await browser.ask('GET /login/')
      note()
      secrets.add(tokenIn(page))
      await logIn(browser)
      note()
      const { csrf_token } = JSON.parse((await browser.ask('GET /session/')).text)
      secrets.add(csrf_token)
      const headers = { 'X-CSRFToken': csrf_token }
      await browser.ask('GET /me/')
      await browser.ask('POST /me/', { headers })
      await browser.ask('POST /me/', { headers: { 'X-CSRFToken': [...secrets].at(-2)! } })
      await browser.ask('POST /me/')
      const json = { username: 'zoë', password: 'пароль' }
      await browser.ask('POST /session/', { json, headers })
      note()
      await browser.ask('POST /session/', { json: { ...json, password: 'wonderland' }, headers })
      note()
      secrets.delete('')
      return secrets
    }

    test('neither the tables nor the log hold a secret', async () => {
      const secrets = await use()
      expect(secrets.size).toBeGreaterThan(5)
      const places = {
        tables: JSON.stringify(await rowsOf(database)),
        log: JSON.stringify(log),
        files: await filesOf(database),
      }
      expect(places.tables).toContain('alice')
      expect(places.log).toContain('csrf.refused')
      expect(places.log).toContain('request.failed')
      expect(places.log).toContain('login.succeeded')
      for (const [place, text] of Object.entries(places)) {
        const found = [...secrets].filter((secret) => text.includes(secret))
        expect({ place, found }).toEqual({ place, found: [] })
      }
    })
  },
)

const TABLES: Readonly<Record<DialectName, string>> = {
  sqlite: `select name from sqlite_master where type = 'table'`,
  postgres: `select table_name as name from information_schema.tables where table_schema = 'public'`,
  mysql: 'select table_name as name from information_schema.tables where table_schema = database()',
}

/** Every row of every table, bytes as text. */
async function rowsOf(database: Database): Promise<unknown[]> {
  const run = (sql: string) => database.read<Record<string, unknown>>({ sql, parameters: [] })
  const rows: unknown[] = []
  for (const { name } of await run(TABLES[dialectOf(database)])) {
    for (const row of await run(`select * from ${String(name)}`))
      rows.push(Object.entries(row).map(readable))
  }
  return rows
}

function readable([name, value]: [string, unknown]): string {
  return `${name} ${value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)}`
}

/** What SQLite has written to its files. Those of a server are its own. */
async function filesOf(database: Database & { readonly path?: string }): Promise<string> {
  if (database.path === undefined) return ''
  const folder = dirname(database.path)
  const names = readdirSync(folder)
  return names.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n')
}
