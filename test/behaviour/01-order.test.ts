import { beforeEach, describe, expect, test } from 'vitest'
import {
  AuthenticationFailed,
  IsAuthenticated,
  JSONRenderer,
  URLPathVersioning,
  defineApi,
} from '../../src/index.ts'
import { client } from '../../src/testing.ts'
import { type Row, throughDoors } from './doors.ts'
import { DETAIL, byHeader, counting, failing, quiet, says, scheme } from './fixtures.ts'

const badCredentials = failing(new AuthenticationFailed(), 'Fake')
const admitted = counting('admit')
const seen: string[] = []
const noted = (name: string) =>
  scheme(() => {
    seen.push(name)
    return null
  }, 'Fake')

const api = defineApi({
  urls: {
    open: '/open/',
    members: '/:version/members/',
    strict: '/:version/strict/',
    counted: '/:version/counted/',
    throttled: '/throttled/',
    denied: '/denied/',
    crossed: '/crossed/',
    posts: '/posts/',
    echo: '/echo/',
    everything: '/everything/',
  },
  versioning: new URLPathVersioning(),
  allowedVersions: ['v1'],
  defaultVersion: 'v1',
})
const ok = () => 'ok'
const app = api.serve(
  [
    api.endpoint('open').get(ok),
    api
      .endpoint('members', {
        authentication: [noted('members')],
        permissions: [new IsAuthenticated()],
      })
      .get(ok),
    api.endpoint('strict', { authentication: [badCredentials], permissions: [says(true)] }).get(ok),
    api
      .endpoint('counted', {
        authentication: [byHeader('Fake')],
        permissions: [new IsAuthenticated()],
        throttles: [admitted],
      })
      .get(ok),
    api.endpoint('throttled', { throttles: [counting(3)] }).get(ok),
    api.endpoint('denied', { permissions: [says(false)], throttles: [counting(3)] }).get(ok),
    api.endpoint('crossed', { authentication: [badCredentials], throttles: [counting(3)] }).get(ok),
    api.endpoint('posts').post(ok),
    api
      .endpoint('echo', { renderers: [new JSONRenderer()] })
      .get(ok)
      .post(ok),
    api.endpoint('everything').get(ok).post(ok).put(ok).patch(ok).delete(ok),
  ],
  quiet,
)

const bad = { accept: 'image/png' }

describe('R1–R9 the order of the steps: negotiation, version, identity, permissions, throttles, method', () => {
  const rows: Row[] = [
    ['R3 406 comes before 401', 'GET /v1/members/', 406, { headers: bad }],
    ['R3 406 comes before bad credentials', 'GET /v1/strict/', 406, { headers: bad }],
    [
      'R3 a format that no renderer has is 404 before 401',
      'GET /v1/members/?format=png',
      { status: 404, data: DETAIL },
    ],
    [
      'R4 404 for a version comes before 401',
      'GET /v9/members/',
      { status: 404, data: DETAIL, headers: { 'www-authenticate': null } },
    ],
    ['R4 404 for a version comes before bad credentials', 'GET /v9/strict/', 404],
    ['R5 a bad format wins over a bad version: 406', 'GET /v9/members/', 406, { headers: bad }],
    [
      'R6 bad credentials fail on an endpoint that lets everybody in',
      'GET /v1/strict/',
      { status: 401, headers: { 'www-authenticate': 'Fake' } },
    ],
    ['R6 bad credentials come before throttles', 'GET /crossed/', 401],
    ['R7 a denial comes before throttles', 'GET /denied/', 403],
    ['R8 429 comes before 405', 'DELETE /throttled/', 429],
    ['R9 401 comes before 405', 'DELETE /v1/members/', 401],
    [
      'R9 405 where all checks have passed',
      'DELETE /open/',
      { status: 405, data: DETAIL, headers: { allow: 'GET, HEAD, OPTIONS' } },
    ],
    ['R9 403 comes before 405', 'DELETE /denied/', 403],
    ['R10 OPTIONS is authenticated too', 'OPTIONS /v1/members/', 401],
    ['R10 OPTIONS is throttled too', 'OPTIONS /throttled/', 429],
    [
      'R10 a preflight is a request like any other',
      'OPTIONS /v1/members/',
      401,
      { headers: { origin: 'http://a.example', 'access-control-request-method': 'GET' } },
    ],
  ]
  throughDoors(app, rows)
})

describe('R11–R13 methods', () => {
  const rows: Row[] = [
    [
      'R11 HEAD follows GET, without a body',
      'HEAD /open/',
      {
        status: 200,
        text: '',
        headers: { 'content-length': '4', 'content-type': 'application/json' },
      },
    ],
    [
      'R11 no HEAD without GET',
      'HEAD /posts/',
      { status: 405, text: '', headers: { allow: 'POST, OPTIONS' } },
    ],
    [
      'R12 TRACE is 405',
      'TRACE /open/',
      405,
      { cannot: ['fetch door', 'a Request refuses TRACE'] },
    ],
    ['R12 a method of another protocol is 405', 'PROPFIND /open/', 405],
    ['R12 405 names the method', 'PROPFIND /open/', { status: 405, text: /PROPFIND/ }],
    [
      'R13 X-HTTP-Method-Override changes nothing',
      'POST /everything/',
      { status: 200, headers: { 'content-type': 'application/json' } },
      { headers: { 'x-http-method-override': 'OPTIONS' } },
    ],
    [
      'R13 nor on a method that is not there',
      'POST /open/',
      405,
      { headers: { 'x-http-method-override': 'GET' } },
    ],
    [
      'R13 nor does a form field _method',
      'POST /echo/',
      { status: 200, text: '"ok"' },
      { form: { _method: 'OPTIONS' } },
    ],
  ]
  throughDoors(app, rows)
})

describe('R3, R4, R7 what never comes to pass', () => {
  beforeEach(() => {
    seen.length = 0
    admitted.asked = 0
  })

  test.each([
    ['R3 nobody looks at credentials after 406', '/v1/members/', { accept: 'image/png' }],
    ['R4 nobody looks at credentials after a bad version', '/v9/members/', {}],
  ])('%s', async (_, path, headers) => {
    await client(app).get(path, { headers })
    expect(seen).toEqual([])
  })

  test.each([
    [
      'R3 no slot is taken by 406',
      '/v1/counted/',
      { 'x-user': 'ada', accept: 'image/png' },
      406,
      0,
    ],
    ['R4 no slot is taken by a bad version', '/v9/counted/', { 'x-user': 'ada' }, 404, 0],
    ['R7 no slot is taken by a denied request', '/v1/counted/', {}, 401, 0],
    [
      'T22 one slot is taken by a request that goes through',
      '/v1/counted/',
      { 'x-user': 'ada' },
      200,
      1,
    ],
  ])('%s', async (_, path, headers, status, slots) => {
    const answer = await client(app).get(path, { headers: headers })
    expect([answer.status, admitted.asked]).toEqual([status, slots])
  })

  test('T22 405 takes a slot, because it comes after the throttles', async () => {
    const answer = await client(app).delete('/v1/counted/', { headers: { 'x-user': 'ada' } })
    expect([answer.status, admitted.asked]).toEqual([405, 1])
  })
})
