import { describe, expect, test } from 'vitest'
import { loginPages, loginUrls } from '../../src/browsable.ts'
import {
  type App,
  Form,
  JSONParser,
  SessionAuthentication,
  defineApi,
  defineUrls,
} from '../../src/index.ts'
import { Browser, setCookie } from './browser.ts'
import { throughEveryDoor } from './databases.ts'
import { type More, check } from './doors.ts'
import { type SessionService, logIn, startSessionsOnSqlite } from './session-service.ts'

const services = await startSessionsOnSqlite({
  CSRF_TRUSTED_ORIGINS: ['https://ok.example.com', 'https://*.wild.org'],
  ALLOWED_HOSTS: ['localhost', 'testserver'],
})
const read = async (request: { body: () => Promise<unknown> }) => {
  const body = await request.body()
  return body instanceof Form ? { form: { ...body.toObject() } } : body
}

function serve({ accounts, configuration }: SessionService): App {
  const authentication = [new SessionAuthentication(accounts)]
  const api = defineApi({
    urls: defineUrls({ ...loginUrls, echo: '/echo/', json: '/json/' }),
    authentication,
  })
  return api.serve(
    [
      ...loginPages(api, { accounts }),
      api
        .endpoint('echo')
        .get(() => 'read')
        .post(read)
        .put(read)
        .patch(read)
        .delete(read),
      api.endpoint('json', { parsers: [new JSONParser()] }).post(() => 'unread'),
    ],
    { configuration },
  )
}

const SECRET = 'abcdefghijklmnopqrstuvwxyzABCDEF'
const OTHER = 'ABCDEFabcdefghijklmnopqrstuvwxyz'
/** `SECRET` masked by `b` × 32. */
const MASKED = `${'b'.repeat(32)}bcdefghijklmnopqrstuvwxyzABCDEFG`
const boundary = 'multipart/form-data; boundary=x'
const multipart = (...fields: readonly (readonly [string, string])[]) =>
  `${fields
    .map(([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}`)
    .join('\r\n')}\r\n--x--\r\n`

describe.each(throughEveryDoor(services, serve))('$through on $on', ({ door, log }) => {
  /** Somebody who is logged in, with a CSRF cookie that is known. */
  const opened = async (csrftoken: string | null = SECRET) => {
    const browser = new Browser(door)
    await logIn(browser)
    if (csrftoken === null) browser.cookies.delete('csrftoken')
    else browser.cookies.set('csrftoken', csrftoken)
    return browser
  }
  const passes = async (question: string, more: More, cookie: string | null = SECRET) => {
    const answer = await (await opened(cookie)).ask(question, more)
    check(answer, 200)
    return answer
  }
  const fails = async (
    reason: string,
    question: string,
    more: More,
    cookie: string | null = SECRET,
  ) => {
    const answer = await (await opened(cookie)).ask(question, more)
    check(answer, {
      status: 403,
      text: new RegExp(`^\\{"detail":"CSRF failed: .*\\(${reason}\\)"`),
    })
    expect(log.at(-1)).toMatchObject({ event: 'csrf.refused', reason })
  }
  const token = (text: string) => ({ headers: { 'X-CSRFToken': text } })

  describe('S10 the cookie', () => {
    test('is for a year, and scripts can read it', async () => {
      const answer = await new Browser(door).ask('GET /login/')
      expect(setCookie(answer, 'csrftoken')).toEqual(['Max-Age=31449600', 'Path=/', 'SameSite=Lax'])
    })

    test('holds 32 letters and digits, and is a token itself', async () => {
      const browser = new Browser(door)
      await logIn(browser)
      const value = browser.cookie('csrftoken')
      expect(value).toMatch(/^[a-zA-Z0-9]{32}$/)
      check(await browser.ask('POST /echo/', token(value)), 200)
    })

    test('stays what it is for a browser that has one', async () => {
      const browser = new Browser(door)
      await browser.ask('GET /login/')
      const first = browser.cookie('csrftoken')
      await browser.ask('GET /login/')
      expect(browser.cookie('csrftoken')).toBe(first)
    })
  })

  describe('S11 tokens', () => {
    test('the secret itself', () => passes('POST /echo/', token(SECRET)))
    test('masked', () => passes('POST /echo/', token(MASKED)))
    test('a masked cookie and the secret', () => passes('POST /echo/', token(SECRET), MASKED))
    test('both masked', () => passes('POST /echo/', token(MASKED), MASKED))
    test('the vector 9 × 32 masked by b × 32', () =>
      passes('POST /echo/', token('b'.repeat(32) + 'a'.repeat(32)), '9'.repeat(32)))
  })

  describe('S12, S16 the secret of the cookie comes before the token', () => {
    test('none', () => fails('cookie-missing', 'POST /echo/', token(SECRET), null))
    test('none and no token', () => fails('cookie-missing', 'PUT /echo/', {}, null))
    test('kept back by the browser', async () => {
      const headers = { origin: 'https://a.wild.org', 'sec-fetch-site': 'cross-site' }
      const answer = await (await opened(null)).ask('POST /echo/', { headers })
      check(answer, { status: 403, text: /SameSite keeps .*\(cookie-missing\)/ })
    })
    test('empty', () => fails('cookie-missing', 'POST /echo/', token(SECRET), ''))
    test('too short', () => fails('cookie-malformed', 'POST /echo/', token(SECRET), 'abc'))
    test('other characters', () =>
      fails('cookie-malformed', 'POST /echo/', token(SECRET), '*'.repeat(32)))
    test('63 characters', () =>
      fails('cookie-malformed', 'POST /echo/', token(SECRET), 'a'.repeat(63)))
    test('a foreign origin comes before it', () =>
      fails('origin-mismatch', 'POST /echo/', { headers: { origin: 'http://evil.example' } }, null))
  })

  describe('S13, S14, I17 where the request comes from', () => {
    const from = (headers: Record<string, string>) => ({
      headers: { 'X-CSRFToken': SECRET, ...headers },
    })
    for (const [title, headers, ok] of [
      ['the same origin', { origin: 'http://localhost' }, true],
      ['another scheme', { origin: 'https://localhost' }, false],
      ['another port', { origin: 'http://localhost:81' }, false],
      ['another host', { origin: 'http://evil.example' }, false],
      ['another host of this service', { origin: 'http://testserver' }, false],
      ['its own other host', { origin: 'http://testserver', host: 'testserver' }, true],
      ['null', { origin: 'null' }, false],
      ['a trusted origin', { origin: 'https://ok.example.com' }, true],
      ['below a wildcard', { origin: 'https://a.wild.org' }, true],
      ['beside a wildcard', { origin: 'https://evilwild.org' }, false],
      ['cross-site', { 'sec-fetch-site': 'cross-site' }, false],
      ['same-site', { 'sec-fetch-site': 'same-site' }, false],
      ['same-origin', { 'sec-fetch-site': 'same-origin' }, true],
      ['none', { 'sec-fetch-site': 'none' }, true],
      [
        'trusted although cross-site',
        { origin: 'https://a.wild.org', 'sec-fetch-site': 'cross-site' },
        true,
      ],
      ['a foreign Referer over HTTP', { referer: 'http://evil.example/' }, true],
    ] as const) {
      test(`${title}: ${ok ? 'passes' : 'refused, although the token is right'}`, async () => {
        await (ok
          ? passes('POST /echo/', from(headers))
          : fails('origin-mismatch', 'POST /echo/', from(headers)))
      })
    }

    test('reading is for everybody', () =>
      passes('GET /echo/', from({ origin: 'http://evil.example' })))
  })

  describe('S17 where the token is', () => {
    const field = (value: string): More => ({ form: { csrfmiddlewaretoken: value, x: '1' } })
    const part = (value: string): More => ({
      headers: { 'content-type': boundary },
      body: multipart(['csrfmiddlewaretoken', value], ['x', '1']),
    })
    test('a field of a form', () => passes('POST /echo/', field(SECRET)))
    test('a field of a multipart form', () => passes('POST /echo/', part(MASKED)))
    test('an empty field leaves it to the header', () =>
      passes('POST /echo/', { ...field(''), ...token(SECRET) }))
    test('no field leaves it to the header', () =>
      passes('POST /echo/', { form: { x: '1' }, ...token(SECRET) }))
    test('a wrong field with a right header fails', () =>
      fails('token-incorrect', 'POST /echo/', { ...field(OTHER), ...token(SECRET) }))
    test('a malformed field with a right header fails', () =>
      fails('token-malformed', 'POST /echo/', { ...field('x'), ...token(SECRET) }))
    test('a right field with a wrong header passes', () =>
      passes('POST /echo/', { ...field(SECRET), ...token(OTHER) }))
    test('of two fields the last counts', () =>
      passes('POST /echo/', {
        headers: { 'content-type': boundary },
        body: multipart(['csrfmiddlewaretoken', OTHER], ['csrfmiddlewaretoken', SECRET]),
      }))
    test('a file is no field', () =>
      fails('token-missing', 'POST /echo/', {
        headers: { 'content-type': boundary },
        body: `--x\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"; filename="t"\r\n\r\n${SECRET}\r\n--x--\r\n`,
      }))
    test('S18 a member of a JSON body is none', () =>
      fails('token-missing', 'POST /echo/', { json: { csrfmiddlewaretoken: SECRET } }))
    test('S18 a parameter of the query is none', () =>
      fails('token-missing', `POST /echo/?csrfmiddlewaretoken=${SECRET}`, {}))
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      test(`S18 a field of ${method} is none`, () =>
        fails('token-missing', `${method} /echo/`, {
          ...field(SECRET),
          // Not every client frames a body that DELETE has by itself.
          headers: { 'content-length': '56' },
        }))
    }
    test('JSON with the header', () => passes('POST /echo/', { json: { a: 1 }, ...token(SECRET) }))
    test('the name of the header in any case', () =>
      passes('POST /echo/', { headers: { 'x-csrftoken': SECRET } }))
    test('a form of a type that the endpoint does not read', async () => {
      const answer = await (await opened()).ask('POST /json/', field(SECRET))
      check(answer, 415)
    })
  })

  describe('I17 the field is not for the handler', () => {
    const form = { csrfmiddlewaretoken: SECRET, x: '1' }
    test('of a form', async () => {
      const answer = await passes('POST /echo/', { form })
      expect(JSON.parse(answer.text)).toEqual({ form: { x: '1' } })
    })
    test('of a multipart form, with all of its values', async () => {
      const answer = await passes('POST /echo/', {
        headers: { 'content-type': boundary },
        body: multipart(['csrfmiddlewaretoken', 'x'], ['x', '1'], ['csrfmiddlewaretoken', SECRET]),
      })
      expect(JSON.parse(answer.text)).toEqual({ form: { x: '1' } })
    })
    test('a member of JSON is data like any other', async () => {
      const json = { csrfmiddlewaretoken: 'x' }
      const answer = await passes('POST /echo/', { json, ...token(SECRET) })
      expect(JSON.parse(answer.text)).toEqual(json)
    })
  })

  describe('S19 tokens that are none', () => {
    for (const [title, text, reason] of [
      ['empty', '', 'token-missing'],
      ['short', 'abc', 'token-malformed'],
      ['31 characters', 'a'.repeat(31), 'token-malformed'],
      ['33 characters', 'a'.repeat(33), 'token-malformed'],
      ['65 characters', 'a'.repeat(65), 'token-malformed'],
      ['odd characters', '*'.repeat(32), 'token-malformed'],
      ['bytes', '\xe9'.repeat(32), 'token-malformed'],
      ['a very long one', 'a'.repeat(6400), 'token-malformed'],
      ['another secret', OTHER, 'token-incorrect'],
      ['another masked one', `${'c'.repeat(32)}${MASKED.slice(32)}`, 'token-incorrect'],
      ['the secret in another case', SECRET.toLowerCase(), 'token-incorrect'],
      ['two headers', `${SECRET}, ${SECRET}`, 'token-malformed'],
    ] as const) {
      test(title, () => fails(reason, 'PATCH /echo/', token(text)))
    }
  })

  describe('S20, D17 reasons are codes', () => {
    const evil = 'http://evil.example/<script>alert(1)</script>'
    test('nothing that was sent comes back', async () => {
      const browser = await opened()
      const headers = { origin: evil, referer: evil, 'X-CSRFToken': '<script>' }
      const answer = await browser.ask('POST /echo/', { headers })
      expect(answer.text).not.toMatch(/evil|script/)
    })

    test('the log learns the code and the request, and no secret', async () => {
      const browser = await opened()
      const { headers } = await browser.ask('POST /echo/', token(OTHER))
      expect(log.at(-1)).toEqual({
        event: 'csrf.refused',
        reason: 'token-incorrect',
        id: headers['x-request-id'],
        method: 'POST',
        path: '/echo/',
      })
    })

    test('the code of the error is that of every denial', async () => {
      const browser = await opened()
      const accept = 'application/problem+json, */*'
      const answer = await browser.ask('POST /echo/', { headers: { accept } })
      expect(JSON.parse(answer.text)).toMatchObject({ status: 403, code: 'permission_denied' })
    })
  })
})

describe.each(services)('S15 over HTTPS without Origin on $on', (service) => {
  const { accounts } = service
  const app = serve(service)
  const ask = async (headers: Record<string, string>) => {
    const alice = (await accounts.users.byUsername('alice'))!
    const cookie = `sessionid=${await accounts.sessions.start(alice)}; csrftoken=${SECRET}`
    const response = await app.fetch(
      new Request('https://localhost/echo/', {
        method: 'POST',
        headers: { cookie, 'x-csrftoken': SECRET, ...headers },
      }),
    )
    return response.status === 200 ? 'passes' : /\(([a-z-]+)\)/.exec(await response.text())?.[1]
  }
  for (const [title, headers, expected] of [
    ['no Referer', {}, 'referer-missing'],
    ['no page', { referer: 'nonsense' }, 'referer-malformed'],
    ['a page loaded by HTTP', { referer: 'http://localhost/' }, 'referer-insecure'],
    ['another site', { referer: 'https://evil.example/' }, 'referer-mismatch'],
    ['another port', { referer: 'https://localhost:8443/' }, 'referer-mismatch'],
    ['our own page', { referer: 'https://localhost/page/' }, 'passes'],
    ['a trusted origin', { referer: 'https://ok.example.com/page/' }, 'passes'],
    ['below a wildcard', { referer: 'https://a.wild.org/page/' }, 'passes'],
    ['Origin, which is enough', { origin: 'https://localhost' }, 'passes'],
    ['our own Origin by HTTP', { origin: 'http://localhost' }, 'origin-mismatch'],
  ] as const) {
    test(`${title}: ${expected}`, async () => expect(await ask(headers)).toBe(expected))
  }
})
