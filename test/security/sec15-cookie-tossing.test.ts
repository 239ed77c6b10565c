import { describe, expect, test } from 'vitest'
import { loginPages, loginUrls } from '../../src/browsable.ts'
import {
  SessionAuthentication,
  configurationOf,
  defineApi,
  defineUrls,
  loginSession,
} from '../../src/index.ts'
import { defineAccounts } from '../../src/accounts.ts'
import { CHEAP } from '../accounts/fixtures.ts'
import { DATABASES } from '../behaviour/databases.ts'

const [, open] = DATABASES[0]!
const database = await open()
/** What a neighbour under the same domain has planted, and knows. */
const PLANTED = 'abcdefghijklmnopqrstuvwxyzABCDEF'
const HTTPS = { PUBLIC_URL: 'https://api.example.com' }
const PERSON = { username: 'alice', password: 'wonderland' }

const people = defineAccounts({ database, secretKey: 'a secret', logger: { error: () => {} } })
await people.users.create(PERSON)

interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies?: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, string>>
}

/** A service, and a browser that has planted cookies among its own. */
function service(keys: Readonly<Record<string, unknown>>) {
  const configuration = configurationOf({ SECRET_KEY: 'a secret', ...keys })
  const logger = { error: () => {} }
  const accounts = defineAccounts({ database, configuration, passwordCost: CHEAP, logger })
  const api = defineApi({
    urls: defineUrls({ ...loginUrls, session: '/session/', write: '/write/' }),
    authentication: [new SessionAuthentication(accounts)],
    logger,
  })
  const write = api.endpoint('write').post(({ user }) => user.username)
  const session = api.endpoint('session').post(loginSession({ accounts }))
  const app = api.serve([...loginPages(api, { accounts }), session, write], { configuration })
  const ask = async (path: string, { method = 'POST', cookies = {}, ...more }: Asked) => {
    const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`)
    const headers = { cookie: cookie.join('; '), ...more.headers }
    const body = more.form === undefined ? {} : { body: new URLSearchParams(more.form) }
    const request = new Request(`http://localhost${path}`, { method, headers, ...body })
    const response = await app.fetch(request)
    const set = response.headers.getSetCookie()
    const kept = set.map((line) => line.slice(0, line.indexOf(';')).split('=') as [string, string])
    return {
      status: response.status,
      text: await response.text(),
      set,
      jar: Object.fromEntries(kept),
    }
  }
  return { ask, accounts }
}

const ORIGIN = { origin: 'https://api.example.com' }

describe('where https is known', () => {
  const { ask } = service(HTTPS)
  const logIn = async () => {
    const { jar: first } = await ask('/login/', { method: 'GET' })
    const form = { ...PERSON, csrfmiddlewaretoken: first['__Host-csrftoken'] ?? '' }
    return ask('/login/', { headers: ORIGIN, cookies: first, form })
  }

  test('cookies have names that browsers take from this host alone', async () => {
    const { status, set } = await logIn()
    expect(status).toBe(302)
    expect(set.map((line) => line.slice(0, line.indexOf('=')))).toEqual([
      '__Host-sessionid',
      '__Host-csrftoken',
    ])
    for (const line of set) {
      expect(line.split('; ')).toEqual(expect.arrayContaining(['Path=/', 'Secure']))
      expect(line).not.toMatch(/Domain/i)
    }
  })

  test('a planted csrftoken opens no login form', async () => {
    const form = { ...PERSON, csrfmiddlewaretoken: PLANTED }
    const planted = await ask('/login/', { headers: ORIGIN, cookies: { csrftoken: PLANTED }, form })
    expect([planted.status, planted.text]).toEqual([403, expect.stringContaining('cookie-missing')])
  })

  test('nor the login of programs', async () => {
    const headers = { ...ORIGIN, 'x-csrftoken': PLANTED, 'content-type': 'application/json' }
    const { status } = await ask('/session/', { headers, cookies: { csrftoken: PLANTED } })
    expect(status).toBe(403)
  })

  test('nor does it write in a session, whatever its place among the cookies', async () => {
    const { jar } = await logIn()
    const headers = { ...ORIGIN, 'x-csrftoken': PLANTED }
    for (const cookies of [
      { csrftoken: PLANTED, ...jar },
      { ...jar, csrftoken: PLANTED },
    ]) {
      expect(await ask('/write/', { headers, cookies })).toMatchObject({ status: 403 })
    }
    const own = { ...ORIGIN, 'x-csrftoken': jar['__Host-csrftoken']! }
    const fine = await ask('/write/', { headers: own, cookies: { csrftoken: PLANTED, ...jar } })
    expect([fine.status, fine.text]).toEqual([200, '"alice"'])
  })

  test('a planted session names nobody', async () => {
    const { jar } = await logIn()
    const cookies = { sessionid: jar['__Host-sessionid']! }
    expect((await ask('/write/', { headers: ORIGIN, cookies })).text).toBe('""')
  })

  test('S15 a browser that hides where it comes from is refused before any cookie is read', async () => {
    const answer = await ask('/login/', { cookies: { '__Host-csrftoken': PLANTED } })
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('referer-missing')])
  })
})

describe('by http, where any neighbour can plant cookies', () => {
  const planted = {
    cookies: { csrftoken: PLANTED },
    form: { ...PERSON, csrfmiddlewaretoken: PLANTED },
  }

  test.each([
    ['a neighbour', { origin: 'http://evil.localhost' }],
    ['a neighbour, by the browser alone', { 'sec-fetch-site': 'same-site' }],
    ['a page that hides', { origin: 'null' }],
  ])(
    '%s does not log anybody in with one: browsers say where they come from',
    async (_, headers) => {
      const answer = await service({}).ask('/login/', { ...planted, headers })
      expect([answer.status, answer.text]).toEqual([
        403,
        expect.stringContaining('origin-mismatch'),
      ])
    },
  )

  test('a program, which says nothing and has planted its own, logs in as ever', async () => {
    expect((await service({}).ask('/login/', planted)).status).toBe(302)
  })

  test('CSRF_USE_SESSIONS: a planted csrftoken is not even looked at', async () => {
    const answer = await service({ CSRF_USE_SESSIONS: true }).ask('/login/', planted)
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('cookie-missing')])
  })
})

describe('the names are the operator’s, who may say others', () => {
  const namesWith = (keys: Readonly<Record<string, unknown>>) => {
    const { sessionCookieName, csrfCookieName } = configurationOf(keys).service
    return [sessionCookieName, csrfCookieName]
  }
  const plain = ['sessionid', 'csrftoken']
  const own = ['__Host-sessionid', '__Host-csrftoken']
  test.each<[string, Readonly<Record<string, unknown>>, readonly string[]]>([
    ['https', HTTPS, own],
    ['https in capitals', { PUBLIC_URL: 'HTTPS://api.example.com' }, own],
    ['nothing said', {}, plain],
    ['http', { PUBLIC_URL: 'http://api.example.com' }, plain],
    ['one named', { ...HTTPS, CSRF_COOKIE_NAME: 'csrftoken' }, [own[0]!, 'csrftoken']],
    ['a path', { ...HTTPS, SESSION_COOKIE_PATH: '/api' }, ['sessionid', own[1]!]],
    ['a domain', { ...HTTPS, CSRF_COOKIE_DOMAIN: 'example.com' }, [own[0]!, 'csrftoken']],
    ['in clear', { ...HTTPS, SESSION_COOKIE_SECURE: false }, ['sessionid', own[1]!]],
    ['Secure said', { ...HTTPS, SESSION_COOKIE_SECURE: true }, own],
  ])('%s', (_, keys, names) => expect(namesWith(keys)).toEqual(names))
})
