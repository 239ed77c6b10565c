import { describe, test } from 'vitest'
import { loginPages, loginUrls, pagePolicy } from '../../src/browsable.ts'
import {
  type App,
  BasicAuthentication,
  CSRF_FIELD,
  Csrf,
  Form,
  IsAdminUser,
  IsAuthenticated,
  SessionAuthentication,
  TokenAuthentication,
  defineApi,
  defineUrls,
  obtainToken,
  reply,
} from '../../src/index.ts'
import { Browser, tokenIn } from './browser.ts'
import { throughEveryDoor } from './databases.ts'
import { check, doors } from './doors.ts'
import { DETAIL } from './fixtures.ts'
import { type SessionService, logIn, sessionsIn, startSessionsOnSqlite } from './session-service.ts'

const services = await startSessionsOnSqlite()

function serve({ accounts, configuration }: SessionService): App {
  const api = defineApi({
    urls: defineUrls({
      ...loginUrls,
      private: '/pages/private/',
      item: '/pages/:name/',
      public: '/about/',
      staff: '/staff/',
      note: '/note/',
      basic: '/api/basic/',
      token: '/api/token/',
      session: '/api/session/',
      open: '/api/open/',
      obtain: '/token/',
    }),
  })
  const members = [new IsAuthenticated()]
  const pages = api.group(pagePolicy({ accounts }))
  const csrf = new Csrf(accounts.sessions)
  return api.serve(
    [
      ...loginPages(api, { accounts }),
      pages.endpoint('private').get(({ user }) => `private page for ${user.username}`),
      pages.endpoint('item').get(({ params }) => params.name),
      pages.endpoint('public', { permissions: [] }).get(() => 'public page'),
      pages.endpoint('staff', { permissions: [new IsAdminUser()] }).get(() => 'staff page'),
      pages
        .endpoint('note')
        .get((request) => {
          const { token, cookies } = csrf.issue(request)
          const field = `<input type="hidden" name="${CSRF_FIELD}" value="${token}">`
          return reply(`<form method="post">${field}</form>`, {
            headers: { 'Set-Cookie': cookies },
          })
        })
        .post(async (request) => {
          const body = await request.body()
          return body instanceof Form ? body.names().join() : 'no form'
        }),
      api
        .endpoint('basic', {
          authentication: [new BasicAuthentication(accounts)],
          permissions: members,
        })
        .get(() => 1),
      api
        .endpoint('token', {
          authentication: [new TokenAuthentication(accounts)],
          permissions: members,
        })
        .get(() => 1),
      api
        .endpoint('session', {
          authentication: [new SessionAuthentication(accounts)],
          permissions: members,
        })
        .get(() => 1),
      api.endpoint('open').get(() => 1),
      api.endpoint('obtain').post(obtainToken({ accounts })),
    ],
    { configuration },
  )
}

const html = { 'content-type': 'text/html; charset=utf-8' }
const to = (location: string) => ({ status: 302, text: '', headers: { location } })

describe.each(throughEveryDoor(services, serve))('$through on $on', ({ door, accounts }) => {
  const open = () => new Browser(door)
  const opened = async (username = 'alice', password = 'wonderland') => {
    const browser = open()
    await logIn(browser, username, password)
    return browser
  }

  describe('5.2 rule 6: ordinary pages ask for a login', () => {
    test('an anonymous visitor is sent to the login page', async () => {
      check(await open().ask('GET /pages/private/'), to('/login/?next=/pages/private/'))
    })
    test('with the whole address', async () => {
      const answer = await open().ask('GET /pages/private/?a=b&c=%26')
      check(answer, to('/login/?next=/pages/private/%3Fa%3Db%26c%3D%2526'))
    })
    test('and comes back by it', async () => {
      const browser = open()
      const { headers } = await browser.ask('GET /pages/x%20y/?a=b&c=%26')
      const page = await browser.ask(`GET ${headers['location']}`)
      const form = {
        username: 'alice',
        password: 'wonderland',
        csrfmiddlewaretoken: tokenIn(page),
        next: /name="next" value="([^"]*)"/.exec(page.text)![1]!.replaceAll('&amp;', '&'),
      }
      check(await browser.ask('POST /login/', { form }), to('/pages/x%20y/?a=b&c=%26'))
      check(await browser.ask('GET /pages/x%20y/?a=b&c=%26'), { status: 200, text: 'x y' })
    })
    test('a visitor who has logged in sees the page', async () => {
      check(await (await opened()).ask('GET /pages/private/'), {
        status: 200,
        text: 'private page for alice',
        headers: { ...html, 'cache-control': 'private', vary: 'Cookie' },
      })
    })
    test('a session that is over is none', async () => {
      const browser = await opened()
      await accounts.sessions.endAllOf((await accounts.users.byUsername('alice'))!)
      check(await browser.ask('GET /pages/private/'), to('/login/?next=/pages/private/'))
    })
    test('credentials for the API do not open pages', async () => {
      const authorization = `Basic ${Buffer.from('alice:wonderland').toString('base64')}`
      check(
        await open().ask('GET /pages/private/', { headers: { authorization } }),
        to('/login/?next=/pages/private/'),
      )
    })
    test('every method is sent there', async () => {
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD']) {
        check(await open().ask(`${method} /pages/private/`), to('/login/?next=/pages/private/'))
      }
    })
    test('a public page is for everybody', async () => {
      check(await open().ask('GET /about/'), { status: 200, text: 'public page', headers: html })
      check(await (await opened()).ask('GET /about/'), { status: 200, text: 'public page' })
    })
    test('who is known and not allowed is told so, as a page', async () => {
      check(await (await opened()).ask('GET /staff/'), { status: 403, headers: html })
      check(await open().ask('GET /staff/'), to('/login/?next=/staff/'))
      const admin = await opened('admin', 'admin-pass')
      check(await admin.ask('GET /staff/'), { status: 200, text: 'staff page' })
    })
    test('a wrong method is a page too, once one is in', async () => {
      const browser = await opened()
      const headers = { 'X-CSRFToken': browser.cookie('csrftoken') }
      check(await browser.ask('POST /pages/private/', { headers }), {
        status: 405,
        headers: { ...html, allow: 'GET, HEAD' },
      })
    })
  })

  describe('A50 endpoints of the API are exempt', () => {
    for (const [path, status, challenge] of [
      ['/api/basic/', 401, 'Basic realm="api"'],
      ['/api/token/', 401, 'Token'],
      ['/api/session/', 403, null],
      ['/api/open/', 200, null],
    ] as const) {
      test(`${path} answers for itself: ${status}`, async () => {
        check(await open().ask(`GET ${path}`), {
          status,
          headers: {
            'content-type': 'application/json',
            'www-authenticate': challenge,
            location: null,
          },
        })
      })
    }
    test('so does the endpoint that gives tokens', async () => {
      const json = { username: 'alice', password: 'wonderland' }
      check(await open().ask('POST /token/', { json }), 200)
      check(await open().ask('GET /api/missing/'), { status: 404, data: DETAIL })
    })
  })

  describe('forms of one’s own', () => {
    test('carry a token, which the handler does not see', async () => {
      const browser = await opened()
      const page = await browser.ask('GET /note/')
      const form = { csrfmiddlewaretoken: tokenIn(page), text: 'x' }
      check(await browser.ask('POST /note/', { form }), { status: 200, text: 'text' })
    })
    test('are refused without, as a page', async () => {
      const browser = await opened()
      check(await browser.ask('POST /note/', { form: { text: 'x' } }), {
        status: 403,
        headers: html,
        text: /CSRF failed/,
      })
    })
  })
})

describe('LOGIN_URL', () => {
  test('may have a query, and may be elsewhere', async () => {
    for (const [loginUrl, location] of [
      ['/sign-in/?way=form', '/sign-in/?way=form&next=/pages/private/'],
      ['https://id.example.com/', 'https://id.example.com/?next=/pages/private/'],
    ] as const) {
      const { database, configuration } = services[0]!
      const other = sessionsIn(database, { LOGIN_URL: loginUrl })
      const small = defineApi({ urls: { private: '/pages/private/' } })
      const served = small.serve(
        [
          small
            .group(pagePolicy(other))
            .endpoint('private')
            .get(() => ''),
        ],
        { configuration },
      )
      const [door] = doors(served)
      check(await new Browser(door!).ask('GET /pages/private/'), to(location))
    }
  })
})
