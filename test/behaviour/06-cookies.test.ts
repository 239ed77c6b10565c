import { describe, expect, test } from 'vitest'
import { loginPages, loginUrls } from '../../src/browsable.ts'
import {
  type App,
  SessionAuthentication,
  defineApi,
  defineUrls,
  showSession,
} from '../../src/index.ts'
import type { SqlDatabase } from '../../src/sql.ts'
import { Browser, setCookie, tokenIn } from './browser.ts'
import { check, doors } from './doors.ts'
import { sessionsIn, startSessionsOnDatabases } from './session-service.ts'

const services = await startSessionsOnDatabases()

function appWith(database: SqlDatabase, keys: Readonly<Record<string, unknown>>): App {
  const { accounts, configuration } = sessionsIn(database, keys)
  const api = defineApi({
    urls: defineUrls({ ...loginUrls, me: '/me/', session: '/session/' }),
    authentication: [new SessionAuthentication(accounts)],
  })
  const me = api
    .endpoint('me')
    .get(({ user }) => user.username)
    .post(({ user }) => user.username)
  const session = api.endpoint('session').get(showSession({ accounts }))
  return api.serve([...loginPages(api, { accounts }), me, session], { configuration })
}
/** A login through the first door, and what is set. */
async function logInWith(app: App, names = { session: 'sessionid', csrf: 'csrftoken' }) {
  const [door] = doors(app)
  const browser = new Browser(door!)
  const page = await browser.ask('GET /login/')
  const answer = await browser.ask('POST /login/', {
    form: { username: 'alice', password: 'wonderland', csrfmiddlewaretoken: tokenIn(page) },
  })
  const [session, csrf] = [setCookie(answer, names.session), setCookie(answer, names.csrf)]
  return { browser, page, answer, session, csrf }
}

describe.each(services)('cookies by setting on $on', ({ database }) => {
  test('names, ages, paths, domains and the rest', async () => {
    const app = appWith(database, {
      SESSION_COOKIE_NAME: 'sid',
      SESSION_COOKIE_AGE: 60,
      SESSION_COOKIE_SAMESITE: 'Strict',
      SESSION_COOKIE_PATH: '/api/',
      SESSION_COOKIE_DOMAIN: '.example.com',
      SESSION_COOKIE_SECURE: true,
      CSRF_COOKIE_NAME: 'xsrf',
      CSRF_COOKIE_AGE: 30,
      CSRF_COOKIE_SAMESITE: 'None',
      CSRF_COOKIE_PATH: '/x/',
      CSRF_COOKIE_DOMAIN: 'example.com',
      CSRF_COOKIE_SECURE: true,
    })
    const { session, csrf } = await logInWith(app, { session: 'sid', csrf: 'xsrf' })
    expect(session).toEqual([
      'Max-Age=60',
      'Domain=.example.com',
      'Path=/api/',
      'HttpOnly',
      'Secure',
      'SameSite=Strict',
    ])
    expect(csrf).toEqual([
      'Max-Age=30',
      'Domain=example.com',
      'Path=/x/',
      'Secure',
      'SameSite=None',
    ])
  })

  test('a cookie is taken away with the path and the domain that it was set with', async () => {
    const app = appWith(database, { SESSION_COOKIE_PATH: '/a/', SESSION_COOKIE_DOMAIN: 'b.org' })
    const { browser } = await logInWith(app)
    const headers = { 'X-CSRFToken': browser.cookie('csrftoken') }
    const answer = await browser.ask('POST /logout/', { headers })
    expect(setCookie(answer, 'sessionid')).toEqual([
      'Max-Age=0',
      'Domain=b.org',
      'Path=/a/',
      'HttpOnly',
      'SameSite=Lax',
    ])
  })

  test('`__Host-`, which browsers take from this host alone', async () => {
    const app = appWith(database, {
      SESSION_COOKIE_NAME: '__Host-sid',
      SESSION_COOKIE_SECURE: true,
      CSRF_COOKIE_NAME: '__Host-xsrf',
      CSRF_COOKIE_SECURE: true,
    })
    const host = { session: '__Host-sid', csrf: '__Host-xsrf' }
    const { browser, session, csrf } = await logInWith(app, host)
    for (const cookie of [session, csrf]) {
      expect(cookie).toEqual(expect.arrayContaining(['Path=/', 'Secure']))
      expect(cookie?.join()).not.toContain('Domain')
    }
    check(await browser.ask('GET /me/'), { status: 200, data: 'alice' })
  })

  test('another name of the header', async () => {
    const app = appWith(database, { CSRF_HEADER_NAME: 'X-XSRF-TOKEN' })
    const { browser } = await logInWith(app)
    const token = browser.cookie('csrftoken')
    check(await browser.ask('POST /me/', { headers: { 'X-XSRF-TOKEN': token } }), 200)
    check(await browser.ask('POST /me/', { headers: { 'X-CSRFToken': token } }), 403)
  })
})

describe.each(services)('Secure on $on', ({ database }) => {
  const secureOver = async (scheme: 'http' | 'https', keys: Record<string, unknown> = {}) => {
    const app = appWith(database, keys)
    const { headers } = await app.fetch(new Request(`${scheme}://localhost/login/`))
    return headers.getSetCookie().every((line) => line.includes('; Secure'))
  }
  test('auto: by HTTPS', async () => expect(await secureOver('https')).toBe(true))
  test('auto: not by HTTP', async () => expect(await secureOver('http')).toBe(false))
  test('auto: by HTTP behind a public address of HTTPS', async () =>
    expect(await secureOver('http', { PUBLIC_URL: 'https://api.example.com' })).toBe(true))
  test('true: always', async () =>
    expect(await secureOver('http', { CSRF_COOKIE_SECURE: true })).toBe(true))
  test('false: never', async () =>
    expect(await secureOver('https', { CSRF_COOKIE_SECURE: false })).toBe(false))
})

describe.each(services)('CSRF_USE_SESSIONS on $on', ({ database }) => {
  const start = async () => {
    const app = appWith(database, { CSRF_USE_SESSIONS: true })
    return { app, ...(await logInWith(app)) }
  }

  test('there is no CSRF cookie', async () => {
    const { page, answer, csrf, browser } = await start()
    expect(csrf).toBeNull()
    expect(setCookie(page, 'csrftoken')).toBeNull()
    expect(setCookie(answer, 'sessionid')).toContain('HttpOnly')
    check(await browser.ask('GET /me/'), { status: 200, data: 'alice' })
  })

  test('a browser without a session gets a value that is none, and a token for it', async () => {
    const { page } = await start()
    expect(setCookie(page, 'sessionid')).toContain('HttpOnly')
    expect(tokenIn(page)).toMatch(/^[a-zA-Z0-9]{64}$/)
  })

  test('S22 logging in changes both, and the old token is dead', async () => {
    const { page, browser } = await start()
    check(await browser.ask('POST /me/', { headers: { 'X-CSRFToken': tokenIn(page) } }), 403)
    const { csrf_token } = JSON.parse((await browser.ask('GET /session/')).text)
    check(await browser.ask('POST /me/', { headers: { 'X-CSRFToken': csrf_token } }), 200)
  })

  test('a token for a browser with a session leaves it the session', async () => {
    const { browser } = await start()
    const session = browser.cookie('sessionid')
    expect(setCookie(await browser.ask('GET /session/'), 'sessionid')).toBeNull()
    expect(browser.cookie('sessionid')).toBe(session)
    check(await browser.ask('GET /me/'), { status: 200, data: 'alice' })
  })

  test('the token in the answer of a login is the new one', async () => {
    const { browser } = await start()
    const one = JSON.parse((await browser.ask('GET /session/')).text)
    const two = JSON.parse((await browser.ask('GET /session/')).text)
    expect(one.csrf_token).not.toBe(two.csrf_token)
    for (const { csrf_token } of [one, two]) {
      check(await browser.ask('POST /me/', { headers: { 'X-CSRFToken': csrf_token } }), 200)
    }
  })

  test('S16 no session cookie, one that is not ours, and the token of another', async () => {
    const { app, browser, page } = await start()
    const [door] = doors(app)
    const login = (cookie: string) =>
      new Browser(door!).ask('POST /login/', {
        form: { username: 'alice', password: 'wonderland', csrfmiddlewaretoken: tokenIn(page) },
        headers: cookie === '' ? {} : { cookie },
      })
    check(await login(''), { status: 403, text: /cookie-missing/ })
    check(await login('sessionid=abc'), { status: 403, text: /cookie-malformed/ })
    check(await login(`sessionid=${'x'.repeat(43)}`), { status: 403, text: /token-incorrect/ })
    check(await login(`sessionid=${browser.cookie('sessionid')}`), 403)
  })
})
