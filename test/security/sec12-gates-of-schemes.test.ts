// SEC12: a gate asks which scheme named the user, and never whether there is a cookie. A second factor that sessions
// need is an application's own permission, on `request.authenticator`.
import { expect, test } from 'vitest'
import {
  type ApiRequest,
  SessionAuthentication,
  TokenAuthentication,
  configurationOf,
  defineApi,
  defineUrls,
} from '../../src/index.ts'
import type { Authenticator, Permission } from '../../src/types.ts'
import { client } from '../../src/testing.ts'
import { ALICES_TOKEN, attacked } from './service.ts'

/** Who came by a session has to have shown a second factor; tokens were given to those who had. */
class SecondFactor implements Permission {
  readonly code = 'second_factor'

  hasPermission({ authenticator, header }: ApiRequest): boolean {
    return !(authenticator instanceof SessionAuthentication) || header('x-second-factor') === 'yes'
  }
}

const { accounts } = await attacked()
const { users, tokens, sessions } = accounts
const mallory = await users.create({ username: 'mallory', password: 'gatekeeper' })
const sessionOf = async (name: string): Promise<{ readonly sessionid: string }> => ({
  sessionid: await sessions.start((await users.byUsername(name))!),
})
const [ofAlice, ofMallory] = [await sessionOf('alice'), await sessionOf('mallory')]
const MALLORYS_TOKEN = { authorization: `Token ${(await tokens.create(mallory))!.key}` }
const FACTOR = { 'x-second-factor': 'yes' }

function gated(...authentication: readonly Authenticator[]) {
  const api = defineApi({ urls: defineUrls({ gated: '/gated/' }), accounts, authentication })
  const whoami = ({ user }: { readonly user: unknown }) => (user as { username?: string }).username
  const gate = api.endpoint('gated', { permissions: [new SecondFactor()] })
  const configuration = configurationOf({ SECRET_KEY: 'a secret of these tests' })
  return client(api.serve([gate.get(whoami).post(whoami)], { configuration }))
}

const byToken = new TokenAuthentication({ tokens })
const bySession = new SessionAuthentication(accounts)
const tokenFirst = gated(byToken, bySession)
const sessionFirst = gated(bySession, byToken)

type Answer = readonly [status: number, user: string | null]

test.each<[string, object, Record<string, string>, Answer, Answer]>([
  ['a session', ofAlice, {}, [403, null], [403, null]],
  ['a session and its second factor', ofAlice, FACTOR, [200, 'alice'], [200, 'alice']],
  ['a token', {}, ALICES_TOKEN, [200, 'alice'], [200, 'alice']],
  // It is the user of the scheme that was judged who gets in, and of no other.
  ['a token of another beside it', ofAlice, MALLORYS_TOKEN, [200, 'mallory'], [403, null]],
  ['a session beside a token', ofMallory, ALICES_TOKEN, [200, 'alice'], [403, null]],
  [
    'a wrong token beside a session with its second factor',
    ofAlice,
    { ...FACTOR, authorization: `Token ${'c'.repeat(40)}` },
    [401, null],
    [200, 'alice'],
  ],
  ['an empty Bearer beside it', ofAlice, { authorization: 'Bearer x' }, [403, null], [403, null]],
  [
    'a cookie of nobody beside a token',
    { sessionid: 'x'.repeat(32) },
    ALICES_TOKEN,
    [200, 'alice'],
    [200, 'alice'],
  ],
])('%s', async (_, cookies, headers, first, second) => {
  for (const [{ get }, [status, user]] of [
    [tokenFirst, first],
    [sessionFirst, second],
  ] as const) {
    const answer = await get('/gated/', { cookies: { ...cookies }, headers })
    expect([answer.status, answer.status === 200 ? answer.data : null]).toEqual([status, user])
  }
})

test('the gate of CSRF stands where a session names the user, whatever else is sent', async () => {
  const headers = { ...ALICES_TOKEN, ...FACTOR, origin: 'http://evil.example' }
  const [one, other] = [tokenFirst, sessionFirst].map(({ post }) =>
    post('/gated/', { cookies: { ...ofMallory }, headers }),
  )
  expect((await one!).status).toBe(200)
  expect((await other!).status).toBe(403)
})
