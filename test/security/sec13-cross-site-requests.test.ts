// SEC13, S20–S22: who shows a cookie shows a CSRF token too, logging in included.
// Every combination on every database: test/behaviour/06-csrf-grid.test.ts, 06-csrf.test.ts.
import { expect, test } from 'vitest'
import { ALICE, ALICES_TOKEN, attacked } from './service.ts'

const { accounts, get, post } = await attacked()
const sessionid = await accounts.sessions.start((await accounts.users.byUsername('alice'))!)
const { cookies } = await get('/session/')
const csrftoken = cookies['csrftoken']!
const token = { 'x-csrftoken': csrftoken }
const SESSION = { sessionid, csrftoken }
const own = { origin: 'http://localhost' }
const foreign = { origin: 'http://evil.example' }

test.each([
  ['anonymous, without a token', {}, {}, 200],
  ['anonymous, from another site', {}, foreign, 200],
  ['an authentication token, from another site', {}, { ...ALICES_TOKEN, ...foreign }, 200],
  ['an authentication token beside a session', SESSION, { ...ALICES_TOKEN, ...foreign }, 200],
  ['a session with its token', SESSION, token, 200],
  ['a session with its token, from here', SESSION, { ...token, ...own }, 200],
  ['a session without a token', SESSION, {}, 403],
  ['a session with a wrong token', SESSION, { 'x-csrftoken': 'x'.repeat(64) }, 403],
  ['a session with its token, from another site', SESSION, { ...token, ...foreign }, 403],
  ['a session with its token, from nowhere', SESSION, { ...token, origin: 'null' }, 403],
  [
    'a session with its token, cross-site',
    SESSION,
    { ...token, 'sec-fetch-site': 'cross-site' },
    403,
  ],
  [
    'a session with its token, from a sibling',
    SESSION,
    { ...token, 'sec-fetch-site': 'same-site' },
    403,
  ],
  ['a session whose CSRF cookie is missing', { sessionid }, token, 403],
])('%s', async (_, sent, headers, status) => {
  expect((await post('/open/', { cookies: sent, headers })).status).toBe(status)
})

test.each([
  ['the endpoint', '/session/', { json: ALICE }],
  ['the page', '/login/', { form: ALICE }],
] as const)('%s logs nobody in without a token, and starts no session', async (_, path, body) => {
  const answer = await post(path, { ...body, cookies: { csrftoken } })
  expect([answer.status, answer.cookies['sessionid']]).toEqual([403, undefined])
})
