// SEC22: a cache in front mixes neither users nor versions. With a real cache: test/deploy/cache.test.ts. More: test/behaviour/01-headers.test.ts.
import { expect, test } from 'vitest'
import {
  AcceptHeaderVersioning,
  SessionAuthentication,
  configurationOf,
  defineApi,
  reply,
} from '../../src/index.ts'
import { client } from '../../src/testing.ts'
import { ALICES_TOKEN, attacked, basic, ALICE } from './service.ts'

const { accounts, get, post } = await attacked()
const alice = (await accounts.users.byUsername('alice'))!
const session = { cookies: { sessionid: await accounts.sessions.start(alice) } }

test.each([
  ['a token', '/by/token/', { headers: ALICES_TOKEN }, 'Authorization'],
  ['a password', '/by/basic/', { headers: basic(ALICE) }, 'Authorization'],
  ['a session', '/by/session/', session, 'Cookie'],
  ['a session, also where one is not asked for', '/open/', session, 'Cookie'],
])('an answer to %s is private, and varies by it', async (_, path, options, header) => {
  const answer = await get(path, options)
  expect(answer.status).toBe(200)
  expect(answer.header('cache-control')).toMatch(/\bprivate\b|\bno-store\b/)
  expect(answer.header('vary')?.split(', ')).toContain(header)
})

test('an answer to nobody varies by what would have named somebody', async () => {
  for (const path of ['/open/', '/notes/'])
    expect((await get(path)).header('vary')?.split(', ')).toEqual(
      expect.arrayContaining(['Authorization', 'Cookie']),
    )
})

test.each([
  ['a new token', () => post('/token/', { json: ALICE })],
  ['a CSRF token', () => get('/session/')],
  ['a login page', () => get('/login/')],
])('%s is kept nowhere', async (_, ask) => {
  expect((await ask()).header('cache-control')).toBe('no-store')
})

test('an answer varies by the header that chose its form and version', async () => {
  const api = defineApi({ urls: { a: '/' }, versioning: new AcceptHeaderVersioning() })
  const endpoint = api.endpoint('a', { authentication: [] }).get(({ version }) => ({ version }))
  const app = api.serve([endpoint], { configuration: configurationOf({ DEFAULT_VERSION: 'v1' }) })
  for (const accept of ['*/*', 'application/json; version=v2', 'image/png'])
    expect((await client(app).get('/', { headers: { accept } })).header('vary')).toContain('Accept')
})

const COOKIES = { 'Set-Cookie': 'a=b' }
test.each([
  ['a page with the token of its cookie', 'text/html', {}, 'private'],
  ['that page of public data', 'text/html', { 'Cache-Control': 'public, max-age=60' }, 'private'],
  ['that page of secret data', 'text/html', { 'cache-control': 'no-store' }, 'no-store'],
  ['a cookie of the application', 'application/json', COOKIES, 'private'],
  ['one that it says more of', '*/*', { ...COOKIES, 'cache-control': 'no-cache' }, 'no-cache'],
  ['no cookie', 'application/json', {}, null],
])('%s is private to caches where it has to be', async (_, accept, headers, expected) => {
  const api = defineApi({
    urls: { a: '/' },
    authentication: [new SessionAuthentication(accounts)],
  })
  const endpoint = api
    .endpoint('a')
    .get(() => reply('public', { headers }))
    .post(() => null)
  const app = api.serve([endpoint], { configuration: configurationOf() })
  const answer = await client(app).get('/', { headers: { accept } })
  const sets = expected !== null
  expect([answer.status, Object.keys(answer.cookies).length > 0]).toEqual([200, sets])
  expect(answer.header('cache-control')).toBe(expected)
})
