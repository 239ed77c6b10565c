// Which challenges a 401 carries: that of the first scheme, or with `challengeAll` those of all.
import { describe, expect, test } from 'vitest'
import {
  BasicAuthentication,
  IsAuthenticated,
  RemoteUserAuthentication,
  TokenAuthentication,
  configurationOf,
  defineApi,
} from '../../../src/index.ts'
import { client } from '../../../src/testing.ts'

const tokens = { verify: async () => null } as never
const users = { authenticate: async () => null } as never
const bearer = new TokenAuthentication({ tokens, keyword: 'Bearer' })
const plain = new TokenAuthentication({ tokens })
const basic = new BasicAuthentication({ users })
const remote = new RemoteUserAuthentication({ users: { remoteUser: async () => null } })

async function challenge(
  authentication: readonly (typeof bearer | typeof basic | typeof remote)[],
  { challengeAll = true, sent }: { challengeAll?: boolean; sent?: string } = {},
) {
  const api = defineApi({
    urls: { me: '/' },
    authentication,
    permissions: [new IsAuthenticated()],
    challengeAll,
  })
  const app = api.serve([api.endpoint('me').get(() => 'me')], {
    configuration: configurationOf({ REMOTE_USER_SOURCE: 'environ' }),
  })
  const headers = sent === undefined ? {} : { authorization: sent }
  const answer = await client(app).get('/', { headers })
  return [answer.status, answer.header('www-authenticate')]
}

describe('all challenges', () => {
  test('stand in the order of the schemes, each once', async () => {
    const basicOnly = (await challenge([basic]))[1]
    expect(await challenge([bearer, basic, basic])).toEqual([401, `Bearer, ${basicOnly}`])
    expect(await challenge([basic, plain])).toEqual([401, `${basicOnly}, Token`])
  })

  test('a Bearer token that was refused is called so (RFC 6750, 3.1)', async () => {
    const invalid = 'Bearer error="invalid_token"'
    expect(await challenge([bearer], { sent: 'Bearer no' })).toEqual([401, invalid])
    expect(await challenge([bearer], { sent: 'bearer' })).toEqual([401, invalid])
    expect(await challenge([bearer])).toEqual([401, 'Bearer'])
    expect(await challenge([plain], { sent: 'Token no' })).toEqual([401, 'Token'])
    const [, shown] = await challenge([bearer, basic], { sent: 'Basic eDp5' })
    expect(shown).toMatch(/^Bearer, Basic/)
  })

  test('a first scheme without a challenge makes it 403 as ever (A40)', async () => {
    expect(await challenge([remote, bearer])).toEqual([403, null])
    expect(await challenge([bearer, remote])).toEqual([401, 'Bearer'])
  })
})

test('without the setting it is that of the first scheme, as in DRF', async () => {
  const off = { challengeAll: false }
  expect(await challenge([bearer, basic], off)).toEqual([401, 'Bearer'])
  expect(await challenge([bearer], { ...off, sent: 'Bearer no' })).toEqual([401, 'Bearer'])
})
