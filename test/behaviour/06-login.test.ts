import { describe, expect, test } from 'vitest'
import { loginPages, loginUrls } from '../../src/browsable.ts'
import {
  type App,
  IsAdminUser,
  SessionAuthentication,
  defineApi,
  defineUrls,
  include,
} from '../../src/index.ts'
import { Browser, setCookie, tokenIn } from './browser.ts'
import { throughEveryDoor } from './databases.ts'
import { type Answer, check, doors } from './doors.ts'
import { quiet } from './fixtures.ts'
import { type SessionService, logIn, startSessionsOnDatabases } from './session-service.ts'

const services = await startSessionsOnDatabases({
  LOGIN_REDIRECT_URL: '/home/',
})
function serve({ accounts, configuration }: SessionService): App {
  const api = defineApi({
    urls: defineUrls({ ...loginUrls, me: '/me/' }),
    authentication: [new SessionAuthentication(accounts)],
    // Nobody could log in if the pages asked for what the rest of the api asks for.
    permissions: [new IsAdminUser()],
  })
  const me = api.endpoint('me', { permissions: [] }).get(({ user }) => user.username)
  return api.serve([...loginPages(api, { accounts }), me], { configuration })
}

const html = { 'content-type': 'text/html; charset=utf-8' }

describe.each(throughEveryDoor(services, serve))(
  '$through on $on',
  ({ door, accounts, log, clock }) => {
    const open = async (path = '/login/') => {
      const browser = new Browser(door)
      const page = await browser.ask(`GET ${path}`)
      return { browser, page }
    }
    const send = (browser: Browser, form: Record<string, string>, path = '/login/') =>
      browser.ask(`POST ${path}`, {
        form: { csrfmiddlewaretoken: browser.cookie('csrftoken'), ...form },
      })
    const alice = { username: 'alice', password: 'wonderland' }
    const who = async (browser: Browser) => JSON.parse((await browser.ask('GET /me/')).text)

    describe('S30 the page', () => {
      test('is a form, sets the CSRF cookie, and is kept by nobody', async () => {
        const { page, browser } = await open()
        check(page, {
          status: 200,
          headers: {
            ...html,
            'cache-control': 'no-store',
            'x-frame-options': 'DENY',
            'content-security-policy': /frame-ancestors 'none'/,
            allow: 'GET, POST, HEAD',
          },
        })
        for (const name of ['username', 'password', 'next'])
          expect(page.text).toContain(`name="${name}"`)
        expect(tokenIn(page)).toMatch(/^[a-zA-Z0-9]{64}$/)
        expect(browser.cookie('csrftoken')).toMatch(/^[a-zA-Z0-9]{32}$/)
        expect(browser.cookie('sessionid')).toBe('')
      })

      test('shows another token each time, and all of them are good', async () => {
        const { browser, page } = await open()
        const second = await browser.ask('GET /login/')
        expect(tokenIn(second)).not.toBe(tokenIn(page))
        const answer = await send(browser, { ...alice, csrfmiddlewaretoken: tokenIn(page) })
        expect(answer.status).toBe(302)
      })

      test('whatever anybody accepts or asks for, it is HTML', async () => {
        for (const accept of ['*/*', 'text/html', 'text/*;q=0.1']) {
          const browser = new Browser(door)
          check(await browser.ask('GET /login/?format=json', { headers: { accept } }), {
            status: 200,
            headers: html,
          })
        }
      })

      test('knows where to go, if that is here', async () => {
        const { page } = await open('/login/?next=/me/%3Fa%3Db%26c')
        expect(page.text).toContain('name="next" value="/me/?a=b&amp;c"')
        expect((await open('/login/?next=//evil.example/')).page.text).not.toContain('evil')
      })

      test('HEAD is GET without the page', async () => {
        const answer = await new Browser(door).ask('HEAD /login/')
        expect([answer.status, answer.text]).toEqual([200, ''])
      })
    })

    describe('S31 logging in', () => {
      test('starts a session and goes home', async () => {
        const { browser } = await open()
        const answer = await send(browser, alice)
        check(answer, {
          status: 302,
          text: '',
          headers: { location: '/home/', 'cache-control': 'no-store', 'content-type': null },
        })
        expect(setCookie(answer, 'sessionid')).toContain('HttpOnly')
        expect(await who(browser)).toBe('alice')
      })

      test('by a multipart form, or with the token in the header', async () => {
        const { browser } = await open()
        const field = (name: string, value: string) =>
          `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
        const body = `${field('username', 'alice')}${field('password', 'wonderland')}--b--\r\n`
        const headers = {
          'content-type': 'multipart/form-data; boundary=b',
          'X-CSRFToken': browser.cookie('csrftoken'),
        }
        expect((await browser.ask('POST /login/', { headers, body })).status).toBe(302)
        expect(await who(browser)).toBe('alice')
      })

      test('names and passwords may be any text', async () => {
        const browser = new Browser(door)
        expect((await logIn(browser, 'zoë', 'пароль')).status).toBe(302)
        expect(await who(browser)).toBe('zoë')
      })

      test('writes the time, and tells the log who it was', async () => {
        clock.advance(60_000)
        await logIn(new Browser(door))
        const user = await accounts.users.byUsername('alice')
        expect(user?.lastLogin).toEqual(new Date(clock.now()))
        expect(log.findLast(({ event }) => event === 'login.succeeded')).toMatchObject({
          user: 'alice',
        })
      })

      for (const [title, form] of [
        ['a wrong password', { username: 'alice', password: 'Wonderland' }],
        ['an unknown user', { username: 'nobody', password: 'wonderland' }],
        ['a user who is not active', { username: 'bob', password: 'builder' }],
        ['a name in another case', { username: 'Alice', password: 'wonderland' }],
        ['a password with space around', { username: 'alice', password: ' wonderland ' }],
        ['no password', { username: 'alice' }],
        ['no name', { password: 'wonderland' }],
        ['nothing at all', {}],
        ['null bytes', { username: 'alice\0', password: 'wonderland\0' }],
        ['a very long name', { username: 'a'.repeat(100_000), password: 'x' }],
        ['a very long password', { username: 'alice', password: 'x'.repeat(1_000_000) }],
        ['markup', { username: '"><script>alert(1)</script>', password: '<b>' }],
      ] as const) {
        test(`I5 ${title}: the form again, with one message`, async () => {
          const { browser } = await open()
          const answer = await send(browser, form)
          check(answer, { status: 200, headers: { ...html, 'cache-control': 'no-store' } })
          expect(answer.text.match(/role="alert"[^<]*/g)).toEqual([
            'role="alert">The user name or the password is wrong.',
          ])
          expect(answer.text).not.toContain('<script')
          expect(browser.cookie('sessionid')).toBe('')
          expect(await who(browser)).toBe('')
        })
      }

      test('after a refusal the same form can be sent again', async () => {
        const { browser } = await open('/login/?next=/me/')
        const refused = await send(browser, { username: 'alice', password: 'wrong', next: '/me/' })
        expect(refused.text).toContain('name="next" value="/me/"')
        const csrfmiddlewaretoken = tokenIn(refused)
        const answer = await send(browser, { ...alice, csrfmiddlewaretoken, next: '/me/' })
        check(answer, { status: 302, headers: { location: '/me/' } })
      })
    })

    describe('S31 everybody needs a CSRF token', () => {
      const refused = { status: 403, headers: { ...html, 'www-authenticate': null } }

      test('none', async () => {
        const { browser } = await open()
        const answer = await browser.ask('POST /login/', { form: alice })
        check(answer, { ...refused, text: /CSRF failed.*\(token-missing\)/ })
        expect(browser.cookie('sessionid')).toBe('')
      })

      test('a wrong one', async () => {
        const { browser } = await open()
        check(await send(browser, { ...alice, csrfmiddlewaretoken: 'Z'.repeat(32) }), refused)
      })

      test('no cookie: a form that another site has made', async () => {
        const token = 'a'.repeat(32)
        const answer = await new Browser(door).ask('POST /login/', {
          form: { ...alice, csrfmiddlewaretoken: token },
        })
        check(answer, { ...refused, text: /\(cookie-missing\)/ })
      })

      test('login CSRF: with everything right but the origin', async () => {
        const { browser } = await open()
        for (const headers of [
          { origin: 'http://evil.example' },
          { origin: 'null' },
          { 'sec-fetch-site': 'cross-site' },
        ]) {
          const csrfmiddlewaretoken = browser.cookie('csrftoken')
          const form = { ...alice, csrfmiddlewaretoken }
          check(await browser.ask('POST /login/', { form, headers }), refused)
        }
        expect(browser.cookie('sessionid')).toBe('')
      })

      test('JSON is no form', async () => {
        const { browser } = await open()
        const headers = { 'X-CSRFToken': browser.cookie('csrftoken') }
        check(await browser.ask('POST /login/', { json: alice }), refused)
        check(await browser.ask('POST /login/', { json: alice, headers }), {
          status: 415,
          headers: html,
        })
      })
    })

    describe('S22 what changes', () => {
      test('the session, at every login', async () => {
        const browser = new Browser(door)
        await logIn(browser)
        const first = browser.cookie('sessionid')
        await logIn(browser)
        expect(browser.cookie('sessionid')).not.toBe(first)
        check(
          await door.send({
            method: 'GET',
            path: '/me/',
            headers: { cookie: `sessionid=${first}` },
          }),
          {
            status: 200,
            data: '',
          },
        )
      })

      test('a session that was slipped in is not the one that counts', async () => {
        const { browser } = await open()
        const planted = 'x'.repeat(43)
        browser.cookies.set('sessionid', planted)
        await send(browser, alice)
        expect(browser.cookie('sessionid')).not.toBe(planted)
        check(
          await door.send({
            method: 'GET',
            path: '/me/',
            headers: { cookie: `sessionid=${planted}` },
          }),
          {
            status: 200,
            data: '',
          },
        )
      })

      test('the CSRF secret: the old token is worth nothing', async () => {
        const { browser, page } = await open()
        const old = browser.cookie('csrftoken')
        await send(browser, alice)
        expect(browser.cookie('csrftoken')).not.toBe(old)
        for (const token of [old, tokenIn(page)]) {
          const headers = { 'X-CSRFToken': token }
          check(await browser.ask('POST /logout/', { headers }), 403)
        }
        expect(await who(browser)).toBe('alice')
      })

      test('the user, where somebody else logs in', async () => {
        const browser = new Browser(door)
        await logIn(browser)
        await logIn(browser, 'zoë', 'пароль')
        expect(await who(browser)).toBe('zoë')
      })
    })

    describe('S31 where to go', () => {
      const goes = async (path: string, form: Record<string, string> = {}): Promise<Answer> => {
        const { browser } = await open()
        return send(browser, { ...alice, ...form }, path)
      }
      for (const [title, path, form, location] of [
        ['a path', '/login/?next=/pages/private/', {}, '/pages/private/'],
        ['a path and query', '/login/?next=/a%3Fb%3Dc%26d', {}, '/a?b=c&d'],
        ['an address of this host', '/login/?next=http://localhost/a/', {}, '/a/'],
        ['the field before the query', '/login/?next=/a/', { next: '/b/' }, '/b/'],
        ['an empty field leaves it to the query', '/login/?next=/a/', { next: '' }, '/a/'],
        ['text that is not ASCII', '/login/', { next: '/ä/\u{1f600}' }, '/%C3%A4/%F0%9F%98%80'],
        ['another host', '/login/?next=https://evil.example/', {}, '/home/'],
        ['another scheme of this host', '/login/?next=https://localhost/', {}, '/home/'],
        ['two slashes', '/login/', { next: '//evil.example/' }, '/home/'],
        ['backslashes', '/login/', { next: '/\\evil.example/' }, '/home/'],
        ['a script', '/login/', { next: 'javascript:alert(1)' }, '/home/'],
        ['a line break', '/login/', { next: '/a\r\nSet-Cookie: sessionid=x' }, '/home/'],
        ['a tab', '/login/', { next: '/\t/evil.example/' }, '/home/'],
        ['dots', '/login/', { next: '/.//evil.example/' }, '/home/'],
        ['half a character', '/login/?next=/%ED%A0%80', {}, '/%EF%BF%BD%EF%BF%BD%EF%BF%BD'],
      ] as const) {
        test(title, async () =>
          check(await goes(path, form), { status: 302, headers: { location } }),
        )
      }
    })

    describe('S32 logging out', () => {
      test('is a POST and nothing else', async () => {
        const browser = new Browser(door)
        await logIn(browser)
        check(await browser.ask('GET /logout/'), {
          status: 405,
          headers: { ...html, allow: 'POST' },
        })
        expect(await who(browser)).toBe('alice')
      })

      test('needs a CSRF token, like every POST', async () => {
        const browser = new Browser(door)
        await logIn(browser)
        check(await browser.ask('POST /logout/'), 403)
        const headers = {
          'X-CSRFToken': browser.cookie('csrftoken'),
          origin: 'http://evil.example',
        }
        check(await browser.ask('POST /logout/', { headers }), 403)
        expect(await who(browser)).toBe('alice')
      })

      test('ends the session, for whoever has its cookie', async () => {
        const browser = new Browser(door)
        await logIn(browser)
        const cookie = `sessionid=${browser.cookie('sessionid')}`
        const form = { csrfmiddlewaretoken: browser.cookie('csrftoken') }
        const answer = await browser.ask('POST /logout/', { form })
        check(answer, { status: 302, headers: { location: '/login/' } })
        expect(setCookie(answer, 'sessionid')).toContain('Max-Age=0')
        expect(await who(browser)).toBe('')
        check(await door.send({ method: 'GET', path: '/me/', headers: { cookie } }), {
          status: 200,
          data: '',
        })
      })

      test('of nobody is no error', async () => {
        const { browser } = await open()
        const form = { csrfmiddlewaretoken: browser.cookie('csrftoken') }
        check(await browser.ask('POST /logout/', { form }), 302)
      })
    })
  },
)

describe('the pages under a prefix', () => {
  test('serve every namespace, and say where they are', async () => {
    const { accounts } = services[0]!
    const nested = defineApi({ urls: { auth: include('/accounts', loginUrls) } })
    const [door] = doors(nested.serve([...loginPages(nested, { accounts })], quiet))
    const answer = await new Browser(door!).ask('GET /accounts/login/')
    expect(answer.text).toContain('action="/accounts/login/"')
  })
})
