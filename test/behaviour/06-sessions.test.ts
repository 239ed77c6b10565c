import { describe, expect, test } from 'vitest'
import { loginPages, loginUrls } from '../../src/browsable.ts'
import {
  type App,
  BasicAuthentication,
  type Endpoint,
  IsAdminUser,
  IsAuthenticated,
  SessionAuthentication,
  defineApi,
  defineUrls,
} from '../../src/index.ts'
import type { Authenticator } from '../../src/types.ts'
import { Browser, setCookie } from './browser.ts'
import { throughEveryDoor } from './databases.ts'
import { check } from './doors.ts'
import { DETAIL, says } from './fixtures.ts'
import { type SessionService, logIn, startSessionsOnDatabases } from './session-service.ts'

const services = await startSessionsOnDatabases()

function serve({ accounts, configuration }: SessionService): App {
  const session = new SessionAuthentication(accounts)
  const basic = new BasicAuthentication(accounts)
  const api = defineApi({
    urls: defineUrls({
      ...loginUrls,
      any: '/any/',
      members: '/members/',
      staff: '/staff/',
      denied: '/denied/',
      echo: '/echo/',
      both: '/both/',
      basic: '/basic/',
    }),
    authentication: [session],
  })
  return api.serve(
    [
      ...loginPages(api, { accounts }),
      everyVerb(api.endpoint('any')),
      everyVerb(api.endpoint('members', { permissions: [new IsAuthenticated()] })),
      everyVerb(api.endpoint('staff', { permissions: [new IsAdminUser()] })),
      everyVerb(api.endpoint('denied', { permissions: [says(false)] })),
      everyVerb(api.endpoint('both', { authentication: [session, basic] })),
      everyVerb(api.endpoint('basic', { authentication: [basic] })),
      api.endpoint('echo').post(async (request) => request.body()),
    ],
    { configuration },
  )
}
interface Asker {
  readonly user: { readonly username: string }
  readonly auth: unknown
  readonly authenticator: Authenticator | null
}
const whoami = ({ user, auth, authenticator }: Asker) => ({
  user: user.username,
  auth,
  by: authenticator?.constructor.name ?? null,
})
function everyVerb<Rq extends Asker>(endpoint: Endpoint<Rq>): Endpoint<Rq> {
  return endpoint.get(whoami).post(whoami).put(whoami).patch(whoami).delete(whoami)
}
const alice = {
  status: 200,
  data: { user: 'alice', auth: null, by: 'SessionAuthentication' },
}
const nobody = { status: 200, data: { user: '', auth: null, by: null } }
const forbidden = { status: 403, data: DETAIL, headers: { 'www-authenticate': null } }
const UNSAFE = ['POST', 'PUT', 'PATCH', 'DELETE']

describe.each(throughEveryDoor(services, serve))(
  '$through on $on',
  ({ door, accounts, database, clock }) => {
    const open = () => new Browser(door)
    const opened = async () => {
      const browser = open()
      await logIn(browser)
      return browser
    }

    describe('S1 the cookie', () => {
      test('is for 14 days, hidden from scripts, and not sent along by other sites', async () => {
        expect(setCookie(await logIn(open()), 'sessionid')).toEqual([
          'Max-Age=1209600',
          'Path=/',
          'HttpOnly',
          'SameSite=Lax',
        ])
      })

      test('holds 32 random bytes', async () => {
        const browser = await opened()
        expect(browser.cookie('sessionid')).toMatch(/^[A-Za-z0-9_-]{43}$/)
      })
    })

    describe('S2 no session is not attempted, and needs no CSRF token', () => {
      for (const [title, cookie] of [
        ['no cookie', undefined],
        ['an empty cookie', 'sessionid='],
        ['a word', 'sessionid=zzz'],
        ['the session of another service', 'sessionid=0123456789abcdefghijklmnopqrstuv'],
        ['one that could be ours', `sessionid=${'x'.repeat(43)}`],
        ['quotes', 'sessionid="abc"'],
        ['bytes', 'sessionid=\xff\xfe\xe9'],
        ['two', 'sessionid=a; sessionid=b'],
        ['no value', 'sessionid'],
        ['nothing but separators', ';;;=;= ;'],
        ['names of the prototype', '__proto__=1; toString=2; hasOwnProperty=3'],
        ['half a percent sign', 'sessionid=%E0%A4%A'],
        ['many cookies', Array.from({ length: 300 }, (_, i) => `c${i}=${i}`).join('; ')],
      ] as const) {
        for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
          test(`${method} with ${title}`, async () => {
            const headers = cookie === undefined ? {} : { cookie }
            check(await open().ask(`${method} /any/`, { headers }), nobody)
          })
        }
      }

      test('S5 a denial is 403 without a challenge', async () => {
        check(await open().ask('GET /members/'), forbidden)
        check(await open().ask('POST /members/'), forbidden)
      })
    })

    describe('S3 with a session', () => {
      for (const method of ['GET', 'HEAD', 'OPTIONS']) {
        test(`${method} needs no CSRF token`, async () => {
          const browser = await opened()
          const answer = await browser.ask(`${method} /members/`)
          expect(answer.status).toBe(200)
          if (method === 'GET') check(answer, alice)
        })
      }
      for (const method of UNSAFE) {
        test(`${method} needs one, whatever the permissions (S4)`, async () => {
          const browser = await opened()
          const headers = { 'X-CSRFToken': browser.cookie('csrftoken') }
          check(await browser.ask(`${method} /members/`, { headers }), alice)
          check(await browser.ask(`${method} /any/`, { headers }), alice)
          check(await browser.ask(`${method} /any/`), forbidden)
          check(await browser.ask(`${method} /denied/`), {
            ...forbidden,
            text: /CSRF failed: .*\(token-missing\)/,
          })
        })
      }

      test('one token serves many requests', async () => {
        const browser = await opened()
        const headers = { 'X-CSRFToken': browser.cookie('csrftoken') }
        for (let count = 0; count < 3; count += 1) {
          check(await browser.ask('POST /any/', { headers }), alice)
        }
      })

      test('the user is the user of now', async () => {
        const browser = open()
        await logIn(browser, 'admin', 'admin-pass')
        expect((await browser.ask('GET /staff/')).status).toBe(200)
        const admin = (await accounts.users.byUsername('admin'))!
        await accounts.users.update(admin, { isStaff: false })
        check(await browser.ask('GET /staff/'), forbidden)
        await accounts.users.update(admin, { isStaff: true })
      })
    })

    describe('S4 a CSRF failure is final', () => {
      const authorization = `Basic ${Buffer.from('admin:admin-pass').toString('base64')}`

      test('A4 the next scheme is not tried, however good its credentials', async () => {
        const browser = await opened()
        check(await browser.ask('POST /both/', { headers: { authorization } }), forbidden)
        check(await browser.ask('GET /both/', { headers: { authorization } }), alice)
      })

      test('without a session the next scheme is tried', async () => {
        const answer = await open().ask('POST /both/', { headers: { authorization } })
        check(answer, {
          status: 200,
          data: { user: 'admin', auth: null, by: 'BasicAuthentication' },
        })
      })

      test('S6 endpoints without the scheme know nothing of it', async () => {
        const browser = await opened()
        check(await browser.ask('POST /basic/', { headers: { authorization } }), {
          status: 200,
          data: { user: 'admin', auth: null, by: 'BasicAuthentication' },
        })
      })

      test('R9 it comes before the choice of the method', async () => {
        const browser = await opened()
        check(await browser.ask('DELETE /echo/'), forbidden)
        const headers = { 'X-CSRFToken': browser.cookie('csrftoken') }
        expect((await browser.ask('DELETE /echo/', { headers })).status).toBe(405)
      })
    })

    describe('S7 a session ends', () => {
      test('while its user is not active', async () => {
        const browser = await opened()
        const user = (await accounts.users.byUsername('alice'))!
        await accounts.users.update(user, { isActive: false })
        check(await browser.ask('GET /any/'), nobody)
        check(await browser.ask('POST /any/'), nobody)
        check(await browser.ask('GET /members/'), forbidden)
        await accounts.users.update(user, { isActive: true })
      })

      test('when the password changes', async () => {
        const browser = await opened()
        const user = (await accounts.users.byUsername('alice'))!
        await accounts.users.setPassword(user, 'wonderland')
        check(await browser.ask('GET /any/'), nobody)
      })

      test('after 14 days', async () => {
        const browser = await opened()
        clock.advance(14 * 24 * 3600 * 1000 - 1)
        check(await browser.ask('GET /any/'), alice)
        clock.advance(1)
        check(await browser.ask('GET /any/'), nobody)
      })

      test('when its row is gone', async () => {
        const browser = await opened()
        await database.write({ sql: 'delete from colophon_session', parameters: [] })
        check(await browser.ask('GET /any/'), nobody)
      })
    })

    describe('R44, I11 caches', () => {
      test('R44 answers vary by the cookie once the scheme was asked', async () => {
        expect((await open().ask('GET /any/')).headers['vary']).toBe('Accept, Cookie')
        const browser = await opened()
        const { headers } = await browser.ask('GET /any/')
        expect(headers['vary']).toBe('Accept, Cookie')
        expect(headers['cache-control']).toBe('private')
      })

      test('R44 other schemes do not add it', async () => {
        expect((await open().ask('GET /basic/')).headers['vary']).toBe('Accept, Authorization')
      })

      test('I11 a refusal varies by all that it depends on', async () => {
        const browser = await opened()
        const { headers } = await browser.ask('POST /any/')
        for (const name of ['Cookie', 'Origin', 'Sec-Fetch-Site', 'X-Csrftoken']) {
          expect(headers['vary']).toContain(name)
        }
      })
    })

    describe('I17 what is not allowed in learns nothing about the body', () => {
      for (const [title, headers, body, expected] of [
        ['malformed JSON and no token', { 'content-type': 'application/json' }, '{broken', 403],
        ['a type that nobody reads and no token', { 'content-type': 'text/csv' }, 'a,b', 403],
        ['no type and no token', {}, 'a,b', 403],
        [
          'a foreign origin and a malformed form',
          { 'content-type': 'multipart/form-data; boundary=x', origin: 'http://evil.example' },
          '--x\r\nbroken',
          403,
        ],
        [
          'R32 a malformed form, which may hold the token',
          { 'content-type': 'multipart/form-data; boundary=x' },
          '--x\r\nbroken',
          400,
        ],
      ] as const) {
        test(`POST with ${title}: ${expected}`, async () => {
          const browser = await opened()
          const answer = await browser.ask('POST /any/', { headers, body })
          expect(answer.status).toBe(expected)
        })
      }

      test('R32 with the token, malformed JSON is 400 and an unread type 415', async () => {
        const browser = await opened()
        const token = { 'X-CSRFToken': browser.cookie('csrftoken') }
        const json = { ...token, 'content-type': 'application/json' }
        check(await browser.ask('POST /echo/', { headers: json, body: '{broken' }), 400)
        const csv = { ...token, 'content-type': 'text/csv' }
        check(await browser.ask('POST /echo/', { headers: csv, body: 'a,b' }), 415)
      })
    })
  },
)
