import { describe, expect, test } from 'vitest'
import {
  AllowAny,
  IsAdminUser,
  IsAuthenticated,
  IsAuthenticatedOrReadOnly,
  NotFound,
  TokenAuthentication,
  ValidationError,
  defineApi,
} from '../../src/index.ts'
import type { Permission } from '../../src/types.ts'
import { client } from '../../src/testing.ts'
import { type Row, throughDoors } from './doors.ts'
import { DETAIL, quiet, says, tokens, addresses } from './fixtures.ts'

const asked: string[] = []
const noting = (name: string, verdict: boolean): Permission => ({
  hasPermission: () => (asked.push(name), verdict),
})
const raising = (error: Error): Permission => ({
  hasPermission() {
    throw error
  },
})
const LISTS: Readonly<Record<string, readonly Permission[]>> = {
  empty: [],
  any: [new AllowAny()],
  authenticated: [new IsAuthenticated()],
  admin: [new IsAdminUser()],
  'or-read': [new IsAuthenticatedOrReadOnly()],
  first: [noting('first', true), noting('second', false), noting('third', true)],
  text: [says(false, { message: 'not on Sundays' })],
  list: [says(false, { message: ['a', 'b'] })],
  object: [says(false, { message: { reason: 'sunday' } })],
  plain: [says(false)],
  opinion: [says(null)],
  later: [
    { hasPermission: async () => true },
    { hasPermission: async () => false, message: 'later' },
  ],
  'later-yes': [{ hasPermission: async () => true }],
  forgotten: [{ hasPermission: () => undefined as never }],
  'later-forgotten': [{ hasPermission: async () => undefined as never }],
  missing: [raising(new NotFound())],
  invalid: [raising(new ValidationError({ day: ['odd'] }))],
  bug: [raising(new TypeError('x'))],
  'object-only': [{ hasObjectPermission: () => false }],
  'no-method': [{ hasPermission: false as never, hasObjectPermission: () => true }],
}
const api = defineApi({
  urls: addresses(Object.keys(LISTS)),
  authentication: [new TokenAuthentication({ tokens })],
  logger: { error: () => undefined },
})
const ok = () => 'ok'
const app = api.serve(
  Object.entries(LISTS).map(([name, permissions]) =>
    api.endpoint(name, { permissions }).get(ok).post(ok).delete(ok),
  ),
  quiet,
)
const ada = { headers: { authorization: 'Token k-ada' } }
const bob = { headers: { authorization: 'Token k-bob' } }
const unknown = { status: 401, data: DETAIL, headers: { 'www-authenticate': 'Token' } }
const denied = { status: 403, data: DETAIL, headers: { 'www-authenticate': null } }

const builtIn: Row[] = [
  ['Z1 no permissions: anybody', 'GET /empty/', 200],
  ['Z10 allow-any: anybody', 'POST /any/', 200],
  ['Z11 is-authenticated: nobody', 'GET /authenticated/', unknown],
  ['Z11 is-authenticated: a user', 'GET /authenticated/', 200, bob],
  ['Z12 is-admin-user: nobody', 'GET /admin/', unknown],
  ['Z12 is-admin-user: a user who is no staff', 'GET /admin/', denied, bob],
  ['Z12 is-admin-user: staff', 'GET /admin/', 200, ada],
  ['Z13 read-only: nobody may GET', 'GET /or-read/', 200],
  ['Z13 read-only: nobody may HEAD', 'HEAD /or-read/', 200],
  ['Z13 read-only: nobody may OPTIONS', 'OPTIONS /or-read/', 200],
  ['Z13 read-only: nobody may POST', 'POST /or-read/', unknown],
  ['Z13 read-only: nobody may DELETE', 'DELETE /or-read/', unknown],
  [
    'Z13 read-only: TRACE is not reading',
    'TRACE /or-read/',
    unknown,
    { cannot: ['fetch door', 'a Request refuses TRACE'] },
  ],
  ['Z13 read-only: nor is any other method', 'PROPFIND /or-read/', unknown],
  ['Z13 read-only: a user may POST', 'POST /or-read/', 200, bob],
]
const refusals: Row[] = [
  ['Z4 the default text', 'GET /plain/', denied, bob],
  ['Z4 a text', 'GET /text/', { status: 403, data: { detail: 'not on Sundays' } }, bob],
  ['Z4 a list', 'GET /list/', { status: 403, data: ['a', 'b'] }, bob],
  ['Z4 an object', 'GET /object/', { status: 403, data: { reason: 'sunday' } }, bob],
  ['Z4 ignored where nobody was named', 'GET /text/', { status: 401, text: /^(?!.*Sunday)/ }],
  ['I14 no opinion denies nobody', 'GET /opinion/', 200],
  ['Z2 a promise of a no', 'GET /later/', { status: 403, data: { detail: 'later' } }, bob],
  ['Z2 a promise of a yes', 'GET /later-yes/', 200],
  ['I14 a forgotten `return` denies', 'GET /forgotten/', denied, bob],
  ['I14 a forgotten `return` denies, later too', 'GET /later-forgotten/', denied, bob],
  ['Z5 a permission may say 404', 'GET /missing/', 404],
  ['Z5 or 400', 'GET /invalid/', { status: 400, data: { day: ['odd'] } }],
  ['Z5 a bug in one is 500', 'GET /bug/', { status: 500, data: DETAIL }],
  ['Z3 object rules say nothing about the request', 'GET /object-only/', 200],
  ['Z3 what is no method opens no door', 'GET /no-method/', { status: 500, data: DETAIL }],
]

describe('Z1, Z10–Z13 the built-in permissions', () => {
  throughDoors(app, builtIn)
})
describe('Z2, Z4, Z5 refusals', () => {
  throughDoors(app, refusals)
})

test('Z2 the first refusal stops', async () => {
  asked.length = 0
  await client(app).get('/first/', bob)
  expect(asked).toEqual(['first', 'second'])
})

test('Z4 the code of a permission reaches programs', async () => {
  const coded = defineApi({
    urls: { a: '/a/' },
    permissions: [says(false, { message: 'no', code: 'sunday' })],
  })
  const served = coded.serve([coded.endpoint('a').get(ok)], quiet)
  const { data } = await client(served).get('/a/', {
    headers: { accept: 'application/json, application/problem+json' },
  })
  expect(data).toMatchObject({ detail: 'no', code: 'sunday' })
})

test('Z1 a list of the endpoint replaces the one around it', async () => {
  const outer = defineApi({ urls: { in: '/in/', out: '/out/' }, permissions: [says(false)] })
  const served = outer.serve(
    [outer.endpoint('in').get(ok), outer.endpoint('out', { permissions: [] }).get(ok)],
    quiet,
  )
  const statuses = await Promise.all(
    ['/in/', '/out/'].map(async (path) => (await client(served).get(path)).status),
  )
  expect(statuses).toEqual([403, 200])
})

test('a user vouched for by a test passes the permissions as if a scheme had named them', async () => {
  const [staff, other, anybody] = await Promise.all([
    client(app).get('/admin/', { as: { isAuthenticated: true, isStaff: true } }),
    client(app).get('/admin/', { as: { isAuthenticated: true, isStaff: false } }),
    client(app).get('/admin/'),
  ])
  expect([staff.status, other.status, anybody.status]).toEqual([200, 403, 401])
})
