import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { loginPages, loginUrls } from '../../src/browsable.ts'
import {
  SessionAuthentication,
  defineApi,
  defineUrls,
  loginSession,
  showSession,
} from '../../src/index.ts'
import { Browser, tokenIn } from './browser.ts'
import { doors } from './doors.ts'
import { logIn, startSessions } from './session-service.ts'

for (const keys of [{}, { CSRF_USE_SESSIONS: true }]) {
  const { accounts, database, configuration, logger, log } = await startSessions(keys)
  const api = defineApi({
    urls: defineUrls({ ...loginUrls, me: '/me/', session: '/session/' }),
    authentication: [new SessionAuthentication(accounts)],
    logger,
  })
  const app = api.serve(
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
  const [door] = doors(app)

  /** Uses sessions in every way, and gives each secret that was ever there. */
  const use = async (): Promise<Set<string>> => {
    const secrets = new Set(['wonderland', 'пароль'])
    const browser = new Browser(door!)
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

  describe(`after a day of sessions ${JSON.stringify(keys)}`, () => {
    test('neither the tables nor the log hold a secret', async () => {
      const secrets = await use()
      expect(secrets.size).toBeGreaterThan(5)
      const tables = database.read<{ name: string }>({
        sql: `select name from sqlite_master where type = 'table'`,
        parameters: [],
      })
      const rows = tables.map(({ name }) =>
        database.read({ sql: `select * from "${name}"`, parameters: [] }),
      )
      await database.write({ sql: 'pragma wal_checkpoint(truncate)', parameters: [] })
      const places = {
        tables: JSON.stringify(rows),
        log: JSON.stringify(log),
        file: readFileSync(database.path, 'utf8'),
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
  })
}
