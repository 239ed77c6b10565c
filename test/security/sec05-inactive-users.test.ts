// SEC5, I4: whoever is switched off is out at once, whatever he shows. More: test/behaviour/03-authentication.test.ts.
import { expect, test } from 'vitest'
import { ALICE, ALICES_TOKEN, IVAN, IVANS_TOKEN, attacked, basic } from './service.ts'

test.each([
  ['Token', '/by/token/', IVANS_TOKEN, 401],
  ['Basic', '/by/basic/', basic(IVAN), 401],
] as const)('a user who is not active: %s', async (_, path, headers, status) => {
  const { get } = await attacked()
  expect((await get(path, { headers })).status).toBe(status)
})

test('a server in front may name him as well', async () => {
  const { get } = await attacked()
  const as = (REMOTE_USER: string) => get('/by/remote/', { environ: { REMOTE_USER } })
  expect([(await as('alice')).status, (await as('ivan')).status]).toEqual([200, 403])
})

test('one who is switched off is out with the next request, by every scheme', async () => {
  const { accounts, get, post } = await attacked()
  const alice = (await accounts.users.byUsername('alice'))!
  const cookies = { sessionid: await accounts.sessions.start(alice) }
  const everyScheme = async (): Promise<number[]> => {
    const answers = await Promise.all([
      get('/by/token/', { headers: ALICES_TOKEN }),
      get('/by/basic/', { headers: basic(ALICE) }),
      get('/by/session/', { cookies }),
      post('/token/', { json: ALICE }),
    ])
    return answers.map(({ status }) => status)
  }
  expect(await everyScheme()).toEqual([200, 200, 200, 200])
  await accounts.users.update(alice, { isActive: false })
  expect(await everyScheme()).toEqual([401, 401, 403, 400])
})
