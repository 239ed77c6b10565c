import { describe, expect, test } from 'vitest'
import {
  AuthenticationFailed,
  Form,
  type Incoming,
  JSONParser,
  NotFound,
  defineApi,
  handleException,
} from '../../src/index.ts'
import { client } from '../../src/testing.ts'
import { type Row, throughDoors } from './doors.ts'
import {
  DETAIL,
  ada,
  byHeader,
  counting,
  failing,
  notebook,
  quiet,
  says,
  scheme,
} from './fixtures.ts'

let asked = 0
const once = scheme(() => {
  asked += 1
  return { user: ada, auth: 'ticket' }
}, 'Fake')
const second = byHeader('Second')
const kept: unknown[] = []
const keep = (error: unknown, request: Incoming) => {
  const { user, auth, authenticator, version } = request as Incoming & Record<string, unknown>
  kept.push({ user, auth, authenticator, version })
  return handleException(error, request)
}
const log = notebook()

const api = defineApi({
  urls: {
    once: '/once/',
    second: '/second/',
    failed: '/failed/',
    broken: '/broken/',
    unread: '/unread/',
    read: '/read/',
    guarded: '/guarded/',
    throttled: '/throttled/',
    twice: '/twice/',
    version: '/version/',
  },
  logger: log,
})
const whoami = (request: { user: unknown; auth: unknown; authenticator: unknown }) => ({
  user: (request.user as { username?: string } | null)?.username ?? null,
  auth: request.auth,
  named: request.authenticator !== null,
})
const app = api.serve(
  [
    api.endpoint('once', { authentication: [once], permissions: [says(true)] }).get(whoami),
    api.endpoint('second', { authentication: [scheme(() => null), second] }).get((request) => ({
      second: request.authenticator === second,
      none: request.authenticator === null,
    })),
    api
      .endpoint('failed', {
        authentication: [failing(new AuthenticationFailed(), 'Fake')],
        exceptionHandler: keep,
      })
      .get(whoami),
    api.endpoint('broken', { authentication: [failing(new TypeError('a bug'))] }).get(whoami),
    api.endpoint('unread').post(() => 'not read'),
    api
      .endpoint('read', { parsers: [new JSONParser()] })
      .post(async (request) => ({ got: await request.body() })),
    api.endpoint('guarded', { permissions: [says(false)] }).post(async (request) => request.body()),
    api.endpoint('throttled', { throttles: [counting(1)] }).post(async (request) => request.body()),
    api.endpoint('twice').post(async (request) => {
      const first = await request.body().catch(() => 'failed')
      const again = await request.body()
      return { first, empty: again instanceof Form && again.names().length === 0 }
    }),
    api.endpoint('version').get((request) => ({ version: request.version })),
  ],
  quiet,
)
const JSON_TYPE = { 'content-type': 'application/json' }

describe('R20–R25 who a request is', () => {
  throughDoors(app, [
    [
      'R20 user and auth are what the scheme said',
      'GET /once/',
      { status: 200, data: { user: 'ada', auth: 'ticket', named: true } },
    ],
    [
      'R22 the scheme that named the user is known',
      'GET /second/',
      { status: 200, data: { second: true, none: false } },
      { headers: { 'x-user': 'ada' } },
    ],
    [
      'R22 and null where none did',
      'GET /second/',
      { status: 200, data: { second: false, none: true } },
    ],
    ['R24 a bug in a scheme is 500 as JSON', 'GET /broken/', { status: 500, data: DETAIL }],
    [
      'R25 without a versioning scheme the version is null',
      'GET /version/',
      { status: 200, data: { version: null } },
    ],
  ])

  const names = defineApi({ urls: { names: '/names/' } })
  throughDoors(
    names.serve(
      [
        names
          .endpoint('names')
          .get(({ header }) =>
            ['constructor', '__proto__', 'tostring'].map((name) => header(name)),
          ),
      ],
      quiet,
    ),
    [
      [
        'a header that no client sent is null, whatever its name',
        'GET /names/',
        { status: 200, data: [null, null, null] },
      ],
    ],
  )

  test('R20 a scheme is asked once, however often user and auth are read', async () => {
    asked = 0
    await client(app).get('/once/')
    expect(asked).toBe(1)
  })

  test('R23 whoever shows a failed attempt finds the anonymous user', async () => {
    await client(app).get('/failed/')
    expect(kept.at(-1)).toMatchObject({
      user: { isAuthenticated: false },
      auth: null,
      authenticator: null,
    })
  })

  test('R24 the log knows of the bug, under the id of the answer', async () => {
    const answer = await client(app).get('/broken/')
    const record = log.records.at(-1)!
    expect(record).toMatchObject({
      id: answer.header('x-request-id'),
      path: '/broken/',
      endpoint: 'broken',
    })
    expect(record['error']).toContain('TypeError: a bug')
  })
})

describe('R30–R34 the body', () => {
  const rows: Row[] = [
    [
      'R30 a malformed body that nobody reads does no harm',
      'POST /unread/',
      200,
      { headers: JSON_TYPE, body: '{' },
    ],
    [
      'R30 nor does one of a type that nobody understands',
      'POST /unread/',
      200,
      { headers: { 'content-type': 'a/b' }, body: 'x' },
    ],
    ['R31 403 comes before 400', 'POST /guarded/', 403, { headers: JSON_TYPE, body: '{' }],
    [
      'R31 403 comes before 415',
      'POST /guarded/',
      403,
      { headers: { 'content-type': 'a/b' }, body: 'x' },
    ],
    ['R31 429 comes before 400', 'POST /throttled/', 429, { headers: JSON_TYPE, body: '{' }],
    [
      'R31 429 comes before 415',
      'POST /throttled/',
      429,
      { headers: { 'content-type': 'a/b' }, body: 'x' },
    ],
    ['R31 405 comes before 400', 'PUT /read/', 405, { headers: JSON_TYPE, body: '{' }],
    [
      'R33 after a failure the body is an empty form',
      'POST /twice/',
      { status: 200, data: { first: 'failed', empty: true } },
      { headers: JSON_TYPE, body: '{' },
    ],
    [
      'R33 what could be read can be read again',
      'POST /twice/',
      { status: 200, data: { first: { a: 1 }, empty: false } },
      { json: { a: 1 } },
    ],
    ['R34 no body and no type is no data', 'POST /read/', { status: 200, data: { got: {} } }],
    [
      'R34 no body is no data whatever its type',
      'POST /read/',
      { status: 200, data: { got: {} } },
      { headers: { 'content-type': 'image/png' } },
    ],
    [
      'R34 a body of no length likewise',
      'POST /read/',
      { status: 200, data: { got: {} } },
      { headers: { 'content-type': 'image/png' }, body: '' },
    ],
    [
      'R34 a JSON type with no body likewise',
      'POST /read/',
      { status: 200, data: { got: {} } },
      { headers: JSON_TYPE, body: '' },
    ],
    [
      'R34 a chunked body without a byte likewise',
      'POST /read/',
      { status: 200, data: { got: {} } },
      { headers: { 'content-type': 'image/png', 'transfer-encoding': 'chunked' }, body: '' },
    ],
    [
      'B2 a chunked body without a type is 415',
      'POST /read/',
      415,
      { headers: { 'transfer-encoding': 'chunked' }, body: 'x' },
    ],
  ]
  throughDoors(app, rows)

  test('R33 a body that failed once does not fail while its error is shown', async () => {
    const reading = defineApi({ urls: { read: '/read/' } })
    const showing = reading.serve(
      [
        reading
          .endpoint('read', {
            exceptionHandler: (error, request) => handleException(error, request),
          })
          .post(async (request) => {
            await request.body().catch(() => null)
            throw new NotFound(String((await request.body()) instanceof Form))
          }),
      ],
      quiet,
    )
    const answer = await client(showing).post('/read/', { headers: JSON_TYPE, body: '{' })
    expect(answer.data).toEqual({ detail: 'true' })
  })
})
