import { describe, expect, test } from 'vitest'
import {
  loginPages,
  loginUrls,
  pagePolicy,
  reauthenticationPage,
  reauthenticationUrls,
} from '../../src/browsable.ts'
import {
  BasicAuthentication,
  ConfigurationError,
  IsRecentlyAuthenticated,
  SessionAuthentication,
  TokenAuthentication,
  allOf,
  defineApi,
  defineUrls,
  not,
  renewSession,
} from '../../src/index.ts'
import { Browser } from './browser.ts'
import { doorsOn } from './doors.ts'
import { type SessionService, logIn, startSessionsOnSqlite } from './session-service.ts'

const [service] = await startSessionsOnSqlite({ CREDENTIAL_FAILURES: '3/h' })
const { accounts, clock } = service!
const MINUTE = 60_000
const door = serve(service!)

function serve({ configuration }: SessionService) {
  const recent = new IsRecentlyAuthenticated({ within: '10 minutes', now: clock.now })
  const api = defineApi({
    urls: defineUrls({
      ...loginUrls,
      ...reauthenticationUrls,
      renew: '/renew/',
      pay: '/pay/',
      elsewhere: '/elsewhere/',
      now: '/now/',
      page: '/page/',
    }),
    authentication: [
      new SessionAuthentication(accounts),
      new TokenAuthentication(accounts),
      new BasicAuthentication(accounts),
    ],
    permissions: [recent],
  })
  const now = new IsRecentlyAuthenticated({ within: '1h' })
  const elsewhere = new IsRecentlyAuthenticated({
    within: '1h',
    reauthenticate: 'no-such',
    now: clock.now,
  })
  return doorsOn(
    'SQLite',
    api.serve(
      [
        ...loginPages(api, { accounts }),
        reauthenticationPage(api, { accounts }),
        api.endpoint('renew').put(renewSession({ accounts })),
        api.endpoint('pay').post(({ user }) => user.username),
        api.endpoint('elsewhere', { permissions: [allOf(elsewhere, not(recent))] }).get(() => 'x'),
        api.endpoint('now', { permissions: [now] }).get(() => 'now'),
        api
          .group(pagePolicy({ accounts }))
          .endpoint('page', { permissions: [recent] })
          .get(() => '<p>Secrets</p>'),
      ],
      { configuration },
    ),
  )[0]!
}

const pay = (browser: Browser, headers: Record<string, string> = {}) =>
  browser.ask('POST /pay/', {
    headers: { 'X-CSRFToken': browser.cookie('csrftoken'), ...headers },
  })

/** Logged in long ago. */
async function stale(): Promise<Browser> {
  const browser = new Browser(door)
  await logIn(browser)
  clock.advance(10 * MINUTE)
  return browser
}

describe('IsRecentlyAuthenticated', () => {
  test('lets in whose session has just begun, until the time is over', async () => {
    const browser = new Browser(door)
    await logIn(browser)
    clock.advance(9 * MINUTE)
    expect((await pay(browser)).status).toBe(200)
    clock.advance(1 * MINUTE)
    const refused = await pay(browser)
    expect(refused.status).toBe(403)
    expect(JSON.parse(refused.text)).toEqual({
      detail: 'Prove again who you are: the last time is too long ago for this.',
      code: 'reauthentication_required',
      reauthenticate: expect.stringMatching(/\/login\/again\/$/),
    })
  })

  test('a token is no proof, and a password that comes along is one', async () => {
    const alice = (await accounts.users.byUsername('alice'))!
    const { key } = await accounts.tokens.obtain(alice)
    const token = await pay(new Browser(door), { authorization: `Token ${key}` })
    expect([token.status, JSON.parse(token.text).code]).toEqual([403, 'reauthentication_required'])
    const headers = { authorization: `Basic ${btoa('alice:wonderland')}` }
    expect((await new Browser(door).ask('GET /now/', { headers })).status).toBe(200)
  })

  test('who is not known at all has to log in first', async () => {
    const answer = await pay(new Browser(door))
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([403, undefined])
  })

  test('where the service has no such address, the refusal names none', async () => {
    const browser = await stale()
    clock.advance(60 * MINUTE)
    const { text } = await browser.ask('GET /elsewhere/')
    expect(Object.keys(JSON.parse(text))).toEqual(['detail', 'code'])
  })

  test.each(['', '10', 'soon', '0 minutes', '400d', 7])('%o is no length of time', (within) => {
    expect(() => new IsRecentlyAuthenticated({ within } as never)).toThrow(ConfigurationError)
  })
})

describe('proving it again', () => {
  test('by a password in JSON: session and CSRF token are new, and the old session is over', async () => {
    const browser = await stale()
    const old = new Browser(door)
    for (const [name, value] of browser.cookies) old.cookies.set(name, value)
    const headers = { 'X-CSRFToken': browser.cookie('csrftoken') }
    const answer = await browser.ask('PUT /renew/', { json: { password: 'wonderland' }, headers })
    expect([answer.status, JSON.parse(answer.text).user.username]).toEqual([200, 'alice'])
    expect(browser.cookie('sessionid')).not.toBe(old.cookie('sessionid'))
    expect((await pay(browser)).status).toBe(200)
    expect((await pay(old)).status).toBe(403)
  })

  test('on the page, which leads back to where it was asked', async () => {
    const browser = await stale()
    const asked = await browser.ask('GET /page/?a=1')
    const [location] = [asked.headers['location']].flat()
    expect([asked.status, location]).toEqual([
      302,
      expect.stringMatching(/\/login\/again\/\?next=\/page\/%3Fa%3D1$/),
    ])
    const page = await browser.ask('GET /login/again/?next=/page/')
    expect(page.text).toMatch(/value="alice"[^>]* readonly/)
    const form = { csrfmiddlewaretoken: browser.cookie('csrftoken'), next: '/page/' }
    // The name is that of the session, whatever the form says.
    const other = { ...form, username: 'admin', password: 'admin-pass' }
    expect((await browser.ask('POST /login/again/', { form: other })).status).toBe(200)
    const right = { ...form, username: 'admin', password: 'wonderland' }
    const answer = await browser.ask('POST /login/again/', { form: right })
    expect([answer.status, answer.headers['location']]).toEqual([302, '/page/'])
    expect((await browser.ask('GET /page/')).text).toBe('<p>Secrets</p>')
  })

  test('without a session the page leads to the login page, and JSON is refused', async () => {
    const browser = new Browser(door)
    const answer = await browser.ask('GET /login/again/?next=/page/')
    expect([answer.status, answer.headers['location']]).toEqual([302, '/login/?next=%2Fpage%2F'])
    await browser.ask('GET /login/')
    const headers = { 'X-CSRFToken': browser.cookie('csrftoken') }
    const json = { password: 'wonderland' }
    expect((await browser.ask('PUT /renew/', { json, headers })).status).toBe(403)
  })

  test('needs a CSRF token', async () => {
    const browser = await stale()
    expect((await browser.ask('PUT /renew/', { json: { password: 'wonderland' } })).status).toBe(
      403,
    )
    const form = { password: 'wonderland' }
    expect((await browser.ask('POST /login/again/', { form })).status).toBe(403)
  })

  test.each([{}, { password: null }, { password: [] }, { password: '\0' }, [], 'x', null, 7])(
    'the body %o is refused',
    async (json) => {
      const browser = await stale()
      const headers = { 'X-CSRFToken': browser.cookie('csrftoken') }
      expect((await browser.ask('PUT /renew/', { json, headers })).status).toBe(400)
    },
  )

  test('wrong passwords count', async () => {
    const browser = await stale()
    const headers = { 'X-CSRFToken': browser.cookie('csrftoken') }
    const guess = (password: string) => browser.ask('PUT /renew/', { json: { password }, headers })
    const statuses = []
    for (const password of ['a', 'b', 'c', 'd']) statuses.push((await guess(password)).status)
    expect(statuses.at(-1)).toBe(429)
  })
})
