import { describe, expect, test } from 'vitest'
import {
  IsAuthenticated,
  JSONParser,
  JSONRenderer,
  TokenAuthentication,
  URLPathVersioning,
  configurationOf,
  defineApi,
  obtainToken,
} from '../../src/index.ts'
import { client } from '../../src/testing.ts'
import { type More, type Row, throughDoors } from './doors.ts'
import { DETAIL, bob, counting, quiet, says, tokens } from './fixtures.ts'

const PASSWORDS = new Map([
  ['bob', 'secret'],
  ['space', '   '],
  ['42', '7'],
])
/** As accounts refuse: wrong, unknown and inactive all give `null`. */
const accounts = {
  users: {
    authenticate: async (username: string, password: string) => {
      return PASSWORDS.get(username) === password ? bob : null
    },
  },
  tokens: { obtain: async () => ({ key: 'k-bob', user: bob, created: new Date(0) }) },
}
const api = defineApi({
  urls: {
    token: '/token/',
    versioned: '/:version/token/',
    more: '/more/',
    guarded: '/guarded/',
    throttled: '/throttled/',
    renamed: '/renamed/',
    members: '/members/',
  },
  authentication: [new TokenAuthentication({ tokens })],
  permissions: [new IsAuthenticated()],
  throttles: [counting(5)],
  parsers: [new JSONParser()],
  nonFieldErrorsKey: 'general',
})
const plain = obtainToken({ accounts })
const app = api.serve(
  [
    api.endpoint('token', { nonFieldErrorsKey: 'non_field_errors' }).post(plain),
    api
      .endpoint('versioned', { versioning: new URLPathVersioning(), allowedVersions: ['v1'] })
      .post(plain),
    api.endpoint('more').post(
      obtainToken({
        accounts,
        respond: ({ token, user }) => ({ key: token.key, mail: user.email }),
      }),
    ),
    api.endpoint('guarded', { permissions: [says(false)] }).post(plain),
    api.endpoint('throttled', { throttles: [counting(9)] }).post(plain),
    api.endpoint('renamed').post(plain),
    api.endpoint('members', { throttles: [] }).get(() => 'ok'),
  ],
  quiet,
)

const good = { username: 'bob', password: 'secret' }
const token = {
  status: 200,
  text: '{"token":"k-bob"}',
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
}
const errors = (data: object) => ({ status: 400, data })
const texts = [expect.any(String)]
const body = (data: unknown): More => ({ json: data })
const raw = (text: string): More => ({
  headers: { 'content-type': 'application/json' },
  body: text,
})
const multipart =
  '--B\r\nContent-Disposition: form-data; name="username"\r\n\r\nbob\r\n--B\r\nContent-Disposition: form-data; name="password"\r\n\r\nsecret\r\n--B--\r\n'
const both = { username: texts, password: texts }

const protocol: Row[] = [
  ['K24 user name and password as JSON', 'POST /token/', token, body(good)],
  ['K21 as a form, whatever parsers are global', 'POST /token/', token, { form: good }],
  [
    'K21 as multipart',
    'POST /token/',
    token,
    { headers: { 'content-type': 'multipart/form-data; boundary=B' }, body: multipart },
  ],
  [
    'K21 nothing else',
    'POST /token/',
    { status: 415, data: DETAIL },
    { headers: { 'content-type': 'text/plain' }, body: 'x' },
  ],
  ...['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD'].map((method): Row => [
    `K20 ${method} is 405`,
    `${method} /token/`,
    { status: 405, headers: { allow: 'POST, OPTIONS' } },
  ]),
  ['K20 OPTIONS is 200', 'OPTIONS /token/', 200],
  [
    'K22 JSON only: 406',
    'POST /token/',
    { status: 406, data: DETAIL },
    { ...body(good), headers: { accept: 'text/html' } },
  ],
  [
    'K22 one renderer, no Vary: Accept',
    'POST /token/',
    { status: 200, headers: { vary: 'Authorization' } },
    body(good),
  ],
  ['K23 no permission is asked, no throttle counts', 'POST /token/', token, body(good)],
  [
    'K23 but authentication still runs',
    'POST /token/',
    { status: 401, headers: { 'www-authenticate': 'Token' } },
    { ...body(good), headers: { authorization: 'Token nope' } },
  ],
  [
    'K23 before the body is read',
    'POST /token/',
    401,
    { headers: { authorization: 'Token nope', 'content-type': 'application/json' }, body: '{' },
  ],
  [
    'K23 good credentials do no harm',
    'POST /token/',
    token,
    { ...body(good), headers: { authorization: 'Token k-ada' } },
  ],
  ['K23 versioning still applies', 'POST /v1/token/', token, body(good)],
  ['K23 and refuses', 'POST /v2/token/', 404, body(good)],
  ['the layers around it hold for others', 'GET /members/', 401],
]
const failures: Row[] = [
  ['no members', 'POST /token/', errors(both), body({})],
  ['no body', 'POST /token/', errors(both)],
  [
    'an empty form',
    'POST /token/',
    errors(both),
    { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: '' },
  ],
  ['only a user name', 'POST /token/', errors({ password: texts }), body({ username: 'bob' })],
  ['only a password', 'POST /token/', errors({ username: texts }), body({ password: 'secret' })],
  ['empty texts', 'POST /token/', errors(both), body({ username: '', password: '' })],
  [
    'a user name of spaces',
    'POST /token/',
    errors({ username: texts }),
    body({ username: '  ', password: 'x' }),
  ],
  ['null', 'POST /token/', errors(both), body({ username: null, password: null })],
  ['booleans', 'POST /token/', errors(both), body({ username: true, password: false })],
  ['lists', 'POST /token/', errors(both), body({ username: ['bob'], password: [] })],
  ['objects', 'POST /token/', errors(both), body({ username: { a: 1 }, password: {} })],
  ['NUL', 'POST /token/', errors(both), body({ username: 'b\0b', password: '\0' })],
  [
    'a wrong password',
    'POST /token/',
    errors({ non_field_errors: texts }),
    body({ username: 'bob', password: 'Secret' }),
  ],
  [
    'an unknown user',
    'POST /token/',
    errors({ non_field_errors: texts }),
    body({ username: 'nobody', password: 'secret' }),
  ],
  ['a list', 'POST /token/', errors({ non_field_errors: texts }), body([good])],
  ['a text', 'POST /token/', errors({ non_field_errors: texts }), body('bob')],
  ['null as a whole', 'POST /token/', errors({ non_field_errors: texts }), body(null)],
  ['E22 under the key of the settings', 'POST /renamed/', errors({ general: texts }), body(null)],
  [
    'E22 also for credentials',
    'POST /renamed/',
    errors({ general: texts }),
    body({ username: 'x', password: 'y' }),
  ],
  ['unparsable JSON', 'POST /token/', { status: 400, data: DETAIL }, raw('{"username":')],
  ['NaN', 'POST /token/', { status: 400, data: DETAIL }, raw('{"username": NaN}')],
  [
    'members of the prototype are no members',
    'POST /token/',
    errors(both),
    raw('{"__proto__":{"username":"bob","password":"secret"}}'),
  ],
  [
    'a file is no text',
    'POST /token/',
    errors({ username: texts }),
    {
      headers: { 'content-type': 'multipart/form-data; boundary=B' },
      body: multipart.replace('name="username"', 'name="username"; filename="u"'),
    },
  ],
]
const reading: Row[] = [
  [
    'K26 the user name is trimmed',
    'POST /token/',
    token,
    body({ username: ' bob\n', password: 'secret' }),
  ],
  ['K26 the password is not', 'POST /token/', 400, body({ username: 'bob', password: ' secret ' })],
  [
    'K26 a password of spaces is one',
    'POST /token/',
    token,
    body({ username: 'space', password: '   ' }),
  ],
  ['K26 numbers become texts', 'POST /token/', token, body({ username: 42, password: 7 })],
  ['K26 other members are ignored', 'POST /token/', token, body({ ...good, remember: true })],
  [
    'the last of several values of a form',
    'POST /token/',
    token,
    {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'username=x&username=bob&password=secret',
    },
  ],
]
const variants: Row[] = [
  [
    'K29 more members',
    'POST /more/',
    {
      status: 200,
      data: { key: 'k-bob', mail: 'bob@example.com' },
      headers: { 'cache-control': 'no-store' },
    },
    body(good),
  ],
  ['K29 permissions of the endpoint itself', 'POST /guarded/', 401, body(good)],
  [
    'K29 throttles of the endpoint itself',
    'POST /throttled/',
    { status: 429, headers: { 'retry-after': '9' } },
    body(good),
  ],
]

describe('K20–K24 the endpoint', () => {
  throughDoors(app, protocol)
})
describe('K25 failures', () => {
  throughDoors(app, failures)
})
describe('K26 reading', () => {
  throughDoors(app, reading)
})
describe('K29 variants', () => {
  throughDoors(app, variants)
})

test('K22, K23 configuration keys do not reach inside', async () => {
  const configured = defineApi({ urls: { token: '/token/' }, renderers: [new JSONRenderer()] })
  const served = configured.serve([configured.endpoint('token').post(plain)], {
    configuration: configurationOf({
      DEFAULT_PERMISSION_CLASSES: ['IsAdminUser'],
      DEFAULT_PARSER_CLASSES: [],
      DEFAULT_RENDERER_CLASSES: ['HTMLRenderer'],
    }),
  })
  expect((await client(served).post('/token/', { form: good })).status).toBe(200)
})
