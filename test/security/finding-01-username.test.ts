// One request with a long user name froze the service: it was normalised before it was measured.
import { describe, expect, test } from 'vitest'
import { loginPages, loginUrls } from '../../src/browsable.ts'
import {
  BasicAuthentication,
  RemoteUserAuthentication,
  configurationOf,
  defineApi,
  defineUrls,
  loginSession,
  obtainToken,
} from '../../src/index.ts'
import { client } from '../../src/testing.ts'
import { type TestAccounts, openAccounts } from '../accounts/fixtures.ts'
import { expectLinear } from '../setup/linear.ts'

/** Marks in the wrong order, which normalising has to sort: the slowest text that is known. */
const marks = (length: number): string => `a${'\u0315\u0300'.repeat(length / 2)}`

const urls = defineUrls({ ...loginUrls, token: '/token/', session: '/session/', me: '/me/' })

function serviceOf(accounts: TestAccounts) {
  const configuration = configurationOf({ SECRET_KEY: 'a secret', REMOTE_USER_SOURCE: 'environ' })
  const authentication = [new BasicAuthentication(accounts), new RemoteUserAuthentication(accounts)]
  const api = defineApi({ urls, authentication })
  const app = api.serve(
    [
      ...loginPages(api, { accounts }),
      api.endpoint('token').post(obtainToken({ accounts })),
      api.endpoint('session').post(loginSession({ accounts })),
      api.endpoint('me').get(({ user }) => user.username),
    ],
    { configuration },
  )
  return client(app)
}

/** What a browser that has seen the login page sends along. */
async function visitor(browser: Browser) {
  const { cookies } = await browser.get('/login/')
  return { cookies, token: cookies['csrftoken']! }
}

type Browser = ReturnType<typeof client>

type Way = readonly [
  name: string,
  ask: (browser: Browser, username: string) => Promise<{ readonly status: number }>,
  status: number,
]

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const password = 'wonderland'

const WAYS: readonly Way[] = [
  [
    'the obtain endpoint, JSON',
    (to, username) => to.post('/token/', { json: { username, password } }),
    400,
  ],
  [
    'the obtain endpoint, a form',
    (to, username) => to.post('/token/', { form: { username, password } }),
    400,
  ],
  [
    'Basic',
    (to, username) =>
      to.get('/me/', { headers: { authorization: `Basic ${base64(`${username}:${password}`)}` } }),
    401,
  ],
  [
    'a server in front',
    (to, username) => to.get('/me/', { environ: { REMOTE_USER: username } }),
    200,
  ],
  [
    'the login page',
    async (to, username) => {
      const { cookies, token } = await visitor(to)
      return to.post('/login/', {
        cookies,
        form: { username, password, csrfmiddlewaretoken: token },
      })
    },
    200,
  ],
  [
    'the session endpoint',
    async (to, username) => {
      const { cookies, token } = await visitor(to)
      const headers = { 'X-CSRFToken': token }
      return to.post('/session/', { cookies, headers, json: { username, password } })
    },
    400,
  ],
]

describe.each(WAYS)('a long user name at %s', (_, ask, status) => {
  test('is work that grows with its length, and no faster', async () => {
    const browser = serviceOf(await openAccounts())
    await expectLinear(
      async (length) => expect((await ask(browser, marks(length))).status).toBe(status),
      { size: 12_500 },
    )
  })
})

describe('a user name is measured as it is typed', () => {
  test.each([
    ['of composed letters', 'é'.repeat(150), 'é'.repeat(150)],
    ['of letters and marks', 'e\u0301'.repeat(150), 'é'.repeat(150)],
    ['of letters with three marks each', '\u03b1\u0313\u0300\u0345'.repeat(150), 'ᾂ'.repeat(150)],
    ['of syllables in parts', '\u1112\u1161\u11ab'.repeat(150), '한'.repeat(150)],
  ])('%s: 150 characters are a name', async (_, typed, stored) => {
    const { users } = await openAccounts()
    expect((await users.create({ username: typed })).username).toBe(stored)
    expect(await users.byUsername(typed)).toMatchObject({ username: stored })
    expect(await users.remoteUser(typed)).toMatchObject({ username: stored })
  })

  test.each<[string, (length: number) => string]>([
    ['marks', marks],
    ['letters that become many', (length) => '\ufdfa'.repeat(length)],
  ])(
    'a longer one of %s is nobody, and is refused as too long where somebody is to be called so',
    async (_, nameOf) => {
      const { users } = await openAccounts()
      const alice = await users.create({ username: 'alice' })
      await expectLinear(
        async (length) => {
          const username = nameOf(length)
          expect(await users.byUsername(username)).toBeNull()
          expect(await users.remoteUser(username)).toBeNull()
          await expect(users.create({ username })).rejects.toThrow('at most 150 characters')
          await expect(users.update(alice, { username })).rejects.toThrow('at most 150 characters')
        },
        { size: 12_500 },
      )
    },
  )
})
