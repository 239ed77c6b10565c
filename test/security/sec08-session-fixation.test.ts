// SEC8: a session is born at the login and dead on the server after it. More: test/behaviour/06-sessions.test.ts, 06-login.test.ts.
import { expect, test } from 'vitest'
import { ALICE, type Attacked, attacked } from './service.ts'

type Cookies = Readonly<Record<string, string>>

/** Logs in with the cookies that a browser has, as its script would. */
async function logIn({ get, post }: Attacked, cookies: Cookies): Promise<Cookies> {
  const shown = await get('/session/', { cookies })
  const all = { ...cookies, ...shown.cookies }
  const { csrf_token: token } = shown.data as { csrf_token: string }
  const headers = { 'X-CSRFToken': token }
  const answer = await post('/session/', { json: ALICE, cookies: all, headers })
  expect(answer.status).toBe(200)
  return { ...all, ...answer.cookies }
}

test('the session that an attacker planted is not the one of the login', async () => {
  const service = await attacked()
  const planted = { sessionid: 'planted'.repeat(6) }
  const mine = await logIn(service, planted)
  expect(mine['sessionid']).not.toBe(planted.sessionid)
  expect((await service.get('/by/session/', { cookies: planted })).status).toBe(403)
  expect((await service.get('/by/session/', { cookies: mine })).status).toBe(200)
})

test('a second login ends the first session and changes the CSRF secret', async () => {
  const service = await attacked()
  const first = await logIn(service, {})
  const second = await logIn(service, first)
  expect(second['sessionid']).not.toBe(first['sessionid'])
  expect(second['csrftoken']).not.toBe(first['csrftoken'])
  expect((await service.get('/by/session/', { cookies: first })).status).toBe(403)
})

test.each([
  [
    'a logout',
    async ({ request }: Attacked, cookies: Cookies, token: string) =>
      request('DELETE', '/session/', { cookies, headers: { 'X-CSRFToken': token } }),
  ],
  [
    'a new password',
    async ({ accounts }: Attacked) =>
      accounts.users.setPassword((await accounts.users.byUsername('alice'))!, 'another one'),
  ],
] as const)('%s ends it on the server', async (_, end) => {
  const service = await attacked()
  const cookies = await logIn(service, {})
  await end(service, cookies, cookies['csrftoken'] ?? '')
  expect((await service.get('/by/session/', { cookies })).status).toBe(403)
})
