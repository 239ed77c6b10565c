import { describe, expect, test } from 'vitest'
import {
  type App,
  IsAuthenticated,
  SessionAuthentication,
  defineApi,
  defineUrls,
  loginSession,
  logoutSession,
  showSession,
} from '../../src/index.ts'
import { Browser, setCookie } from './browser.ts'
import { throughEveryDoor } from './databases.ts'
import { check } from './doors.ts'
import { DETAIL } from './fixtures.ts'
import { type SessionService, startSessionsOnDatabases } from './session-service.ts'

const services = await startSessionsOnDatabases()
const show = ({ username, isStaff }: { username: string; isStaff: boolean }) => ({
  name: username,
  staff: isStaff,
})

function serve({ accounts, configuration }: SessionService): App {
  const api = defineApi({
    urls: defineUrls({ session: '/session/', own: '/own/', logout: '/logout/', me: '/me/' }),
    authentication: [new SessionAuthentication(accounts)],
    permissions: [new IsAuthenticated()],
  })
  return api.serve(
    [
      api
        .endpoint('session')
        .get(showSession({ accounts }))
        .post(loginSession({ accounts }))
        .delete(logoutSession({ accounts })),
      api
        .endpoint('own')
        .get(showSession({ accounts, show }))
        .post(loginSession({ accounts, show })),
      api.endpoint('logout').post(logoutSession({ accounts })),
      api
        .endpoint('me')
        .get(({ user }) => user.username)
        .post(({ user }) => user.username),
    ],
    { configuration },
  )
}

const alice = { username: 'alice', password: 'wonderland' }
const TOKEN = expect.stringMatching(/^[a-zA-Z0-9]{64}$/) as unknown

describe.each(throughEveryDoor(services, serve))('$through on $on', ({ door }) => {
  /** A script that has asked who it is, as every one should first. */
  const started = async (path = '/session/') => {
    const browser = new Browser(door)
    const answer = await browser.ask(`GET ${path}`)
    const { csrf_token: token } = JSON.parse(answer.text) as { csrf_token: string }
    return { browser, answer, headers: { 'X-CSRFToken': token } }
  }
  const loggedIn = async () => {
    const { browser, headers } = await started()
    const answer = await browser.ask('POST /session/', { json: alice, headers })
    const { csrf_token: token } = JSON.parse(answer.text) as { csrf_token: string }
    return { browser, answer, headers: { 'X-CSRFToken': token } }
  }

  test('GET says nobody, gives a token and sets its cookie', async () => {
    const { answer, browser } = await started()
    check(answer, {
      status: 200,
      data: { user: null, csrf_token: TOKEN },
      headers: { 'cache-control': 'no-store', 'content-type': 'application/json' },
    })
    expect(browser.cookie('csrftoken')).toMatch(/^[a-zA-Z0-9]{32}$/)
  })

  test('POST logs in: cookies, the user and a new token', async () => {
    const { answer, browser } = await loggedIn()
    check(answer, {
      status: 200,
      data: {
        user: { id: 1, username: 'alice', email: '' },
        csrf_token: TOKEN,
      },
      headers: { 'cache-control': 'no-store' },
    })
    expect(setCookie(answer, 'sessionid')).toContain('HttpOnly')
    expect(setCookie(answer, 'csrftoken')).not.toContain('HttpOnly')
    check(await browser.ask('GET /me/'), { status: 200, data: 'alice' })
  })

  test('the token of the answer and the one of the cookie both serve from then on', async () => {
    const { browser, headers } = await loggedIn()
    check(await browser.ask('POST /me/', { headers }), { status: 200, data: 'alice' })
    const cookie = { 'X-CSRFToken': browser.cookie('csrftoken') }
    check(await browser.ask('POST /me/', { headers: cookie }), { status: 200, data: 'alice' })
  })

  test('S22 the one from before is dead', async () => {
    const { browser, headers } = await started()
    await browser.ask('POST /session/', { json: alice, headers })
    check(await browser.ask('POST /me/', { headers }), 403)
  })

  test('GET says who it is then', async () => {
    const { browser } = await loggedIn()
    const { user } = JSON.parse((await browser.ask('GET /session/')).text)
    expect(user).toEqual({ id: 1, username: 'alice', email: '' })
  })

  test('what is told of the user can be chosen', async () => {
    const { browser, headers } = await started('/own/')
    const answer = await browser.ask('POST /own/', { json: alice, headers })
    const user = { name: 'alice', staff: false }
    check(answer, { status: 200, data: { user, csrf_token: TOKEN } })
    check(await browser.ask('GET /own/'), { status: 200, data: { user, csrf_token: TOKEN } })
  })

  describe('login CSRF', () => {
    test('no token', async () => {
      const { browser } = await started()
      check(await browser.ask('POST /session/', { json: alice }), { status: 403, data: DETAIL })
      expect(browser.cookie('sessionid')).toBe('')
    })
    test('no cookie', async () => {
      const { headers } = await started()
      const answer = await new Browser(door).ask('POST /session/', { json: alice, headers })
      check(answer, 403)
    })
    for (const from of [{ origin: 'http://evil.example' }, { 'sec-fetch-site': 'same-site' }]) {
      test(`from elsewhere: ${Object.keys(from)[0]}`, async () => {
        const { browser, headers } = await started()
        const more = { json: alice, headers: { ...headers, ...from } }
        check(await browser.ask('POST /session/', more), 403)
      })
    }
    test('a form, as other sites can send it', async () => {
      const { browser, headers } = await started()
      const csrfmiddlewaretoken = headers['X-CSRFToken']
      check(await browser.ask('POST /session/', { form: { ...alice, csrfmiddlewaretoken } }), 415)
      const json = 'text/plain'
      const more = { headers: { ...headers, 'content-type': json }, body: JSON.stringify(alice) }
      check(await browser.ask('POST /session/', more), 415)
    })
    test('I17 before the body is read', async () => {
      const { browser } = await started()
      const more = { headers: { 'content-type': 'application/json' }, body: '{broken' }
      check(await browser.ask('POST /session/', more), 403)
    })
  })

  describe('refused', () => {
    const one = { status: 400, data: { non_field_errors: [expect.any(String)] } }
    for (const [title, json, expected] of [
      ['a wrong password', { username: 'alice', password: 'x' }, one],
      ['an unknown user', { username: 'nobody', password: 'x' }, one],
      ['a user who is not active', { username: 'bob', password: 'builder' }, one],
      [
        'nothing',
        {},
        { status: 400, data: { username: [expect.any(String)], password: [expect.any(String)] } },
      ],
      ['a list', [1], one],
      ['null', null, one],
      ['numbers that are nobody', { username: 1, password: 2 }, one],
      ['objects', { username: {}, password: [] }, { status: 400 }],
      ['null bytes', { username: 'a\0', password: '\0' }, { status: 400 }],
    ] as const) {
      test(title, async () => {
        const { browser, headers } = await started()
        const answer = await browser.ask('POST /session/', { json, headers })
        check(answer, expected)
        expect(browser.cookie('sessionid')).toBe('')
      })
    }
    test('JSON that is none', async () => {
      const { browser, headers } = await started()
      const more = { headers: { ...headers, 'content-type': 'application/json' }, body: '{broken' }
      check(await browser.ask('POST /session/', more), 400)
    })
  })

  describe('logging out', () => {
    for (const question of ['DELETE /session/', 'POST /logout/']) {
      test(`${question} ends the session`, async () => {
        const { browser, headers } = await loggedIn()
        const cookie = `sessionid=${browser.cookie('sessionid')}`
        const answer = await browser.ask(question, { headers })
        check(answer, { status: 204, text: '', headers: { 'cache-control': 'no-store' } })
        expect(setCookie(answer, 'sessionid')).toContain('Max-Age=0')
        check(await door.send({ method: 'GET', path: '/me/', headers: { cookie } }), 403)
      })
      test(`${question} needs the token`, async () => {
        const { browser } = await loggedIn()
        check(await browser.ask(question), 403)
        check(await browser.ask('GET /me/'), 200)
      })
    }
  })

  test('OPTIONS tells the fields', async () => {
    const { text } = await new Browser(door).ask('OPTIONS /session/')
    expect(JSON.parse(text)).toMatchObject({
      parses: ['application/json'],
      actions: { POST: { username: { required: true }, password: { required: true } } },
    })
  })
})
