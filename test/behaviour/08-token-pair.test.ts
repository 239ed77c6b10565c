// Refresh tokens over HTTP: as JSON, as the form of RFC 6749, and whatever else clients send.
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  IsAuthenticated,
  SessionAuthentication,
  TokenAuthentication,
  TokenHasScope,
  configurationOf,
  defineApi,
  obtainTokenPair,
  refreshTokenPair,
  revokeTokenPair,
} from '../../src/index.ts'
import { secondFactors } from '../../src/factors.ts'
import { openApiDocument } from '../../src/openapi.ts'
import { client } from '../../src/testing.ts'
import { type AccountsOptions, createAccounts } from '../../src/accounts/create-accounts.ts'
import { BoundedMap } from '../../src/core/std/bounded-map.ts'
import { CHEAP } from '../accounts/fixtures.ts'
import { migratedSqlite } from '../contract/temporary.ts'

interface Pair {
  readonly access_token: string
  readonly refresh_token: string
}

class BearerAuthentication extends TokenAuthentication {
  override readonly keyword = 'Bearer'
}

const ADA = { username: 'ada', password: 'wonderland' }

async function service(settings: object = {}, given: Partial<AccountsOptions> = {}) {
  const accounts = createAccounts({
    database: await migratedSqlite(),
    secretKey: () => 'a secret',
    passwordCost: CHEAP,
    refreshTokens: {},
    ...given,
  })
  const ada = await accounts.users.create(ADA)
  const api = defineApi({
    urls: {
      'log-in': '/log-in/',
      refresh: '/refresh/',
      'log-out': '/log-out/',
      me: '/me/',
      read: '/read/',
    },
    authentication: [new BearerAuthentication(accounts), new SessionAuthentication(accounts)],
    permissions: [new IsAuthenticated()],
    accounts,
    ...settings,
  })
  const read = { permissions: [new TokenHasScope({ scopes: ['read'] })] }
  const app = api.serve(
    [
      api.endpoint('log-in').post(obtainTokenPair({ accounts })),
      api.endpoint('refresh').post(refreshTokenPair({ accounts })),
      api.endpoint('log-out').post(revokeTokenPair({ accounts })),
      api.endpoint('me').get(({ user }) => user.username),
      api.endpoint('read', read).get(({ auth }) => auth),
    ],
    { configuration: configurationOf({}) },
  )
  const http = client(app)
  const me = async (access: string, path = '/me/') =>
    (await http.get(path, { headers: { authorization: `Bearer ${access}` } })).status
  const logIn = async (more: object = {}) =>
    (await http.post('/log-in/', { json: { ...ADA, ...more } })).data as Pair
  const refresh = (refresh_token: unknown) => http.post('/refresh/', { json: { refresh_token } })
  return { accounts, ada, app, http, me, logIn, refresh }
}

const REFUSED = {
  error: 'invalid_grant',
  detail: expect.stringContaining('Log in again') as string,
}

/** The body of a log-in. */
const WITH_CODE = /"password":\{[^}]*\},"code":\{"type":"string"\}/

describe('Refresh tokens', () => {
  test('are given for a password, spent by their use, and end with a spent one', async () => {
    const { http, me, refresh, accounts, ada } = await service()
    const headers = { 'user-agent': 'Phone/1' }
    const first = await http.post('/log-in/', { form: ADA, headers })
    expect(first.status).toBe(200)
    expect(first.header('cache-control')).toBe('no-store')
    expect(first.header('set-cookie')).toBeNull()
    expect(first.data).toEqual({
      access_token: expect.stringMatching(/^colophon_at_[\w-]{68}$/),
      refresh_token: expect.stringMatching(/^colophon_rt_[\w-]{68}$/),
      token_type: 'Bearer',
      expires_in: expect.any(Number),
    })
    const { access_token: access, refresh_token: spent } = first.data as Pair
    expect(await me(access)).toBe(200)
    expect(await accounts.families.of(ada)).toMatchObject([{ label: 'Phone/1' }])
    const form = { grant_type: 'refresh_token', refresh_token: spent }
    const second = await http.post('/refresh/', { form })
    expect(second.status).toBe(200)
    expect(await me((second.data as Pair).access_token)).toBe(200)
    const again = await refresh(spent)
    expect([again.status, again.data]).toEqual([400, REFUSED])
    expect(again.header('cache-control')).toBe('no-store')
    for (const { access_token: token } of [first.data, second.data] as Pair[])
      expect(await me(token)).toBe(401)
    expect((await refresh((second.data as Pair).refresh_token)).status).toBe(400)
  })

  test('are no guesses where their access tokens are over, and forged ones are', async () => {
    const clock = { now: Date.now() }
    const { me, accounts, ada } = await service(
      { credentialFailures: '3/10m' },
      { now: () => clock.now },
    )
    const pairs = await Promise.all(Array.from({ length: 12 }, () => accounts.families.begin(ada)))
    await accounts.families.end(ada, pairs[0]!.family.id)
    expect(await me(pairs[0]!.access)).toBe(401)
    clock.now += 11 * 60_000
    for (const { access } of pairs) expect(await me(access)).toBe(401)
    expect(await me(pairs[1]!.refresh)).toBe(401)
    const forged = (await accounts.families.begin(ada)).access.slice(0, -3)
    const answers = []
    for (const end of ['aaa', 'bbb', 'ccc', 'ddd']) answers.push(await me(`${forged}${end}`))
    expect(answers).toEqual([401, 401, 401, 429])
  })

  test('keep their scopes, and name them', async () => {
    const { logIn, me, http } = await service()
    const pair = await logIn({ scope: 'read write', label: 'tablet' })
    expect(pair).toMatchObject({ scope: 'read write' })
    const form = { grant_type: 'refresh_token', refresh_token: pair.refresh_token, scope: '' }
    const { data } = await http.post('/refresh/', { form })
    expect(data).toMatchObject({ scope: 'read write' })
    expect(await me((data as Pair).access_token, '/read/')).toBe(200)
    expect(await logIn({ scope: ' read  write ' })).toMatchObject({ scope: 'read write' })
    const other = await logIn({ scope: 'write' })
    expect(await me(other.access_token, '/read/')).toBe(403)
    const headers = { authorization: `Bearer ${(data as Pair).access_token}` }
    expect((await http.get('/read/', { headers })).text).not.toContain('colophon_')
  })

  test.each(['read write', undefined])(
    'give an access token of less, and never more: of %s',
    async (scope) => {
      const { logIn, me, http, accounts, ada } = await service()
      let { refresh_token: token } = await logIn({ scope })
      const refreshed = async (json: object) =>
        http.post('/refresh/', { json: { refresh_token: token, ...json } })
      const many = Array.from({ length: 1000 }, (_, at) => `a${at}`).join(' ')
      for (const wider of [
        'read admin',
        'admin',
        ' ',
        5,
        null,
        ['read'],
        {},
        'read\twrite',
        many,
      ]) {
        const answer = await refreshed({ scope: wider })
        const isOpen = scope === undefined && ['read admin', 'admin'].includes(wider as string)
        if (isOpen) token = (answer.data as Pair).refresh_token
        else
          expect([answer.status, answer.data]).toEqual([
            400,
            { error: 'invalid_scope', detail: expect.any(String) },
          ])
      }
      // Nothing was spent.
      const { data: less } = await refreshed({ scope: 'write' })
      expect(less).toMatchObject({ scope: 'write' })
      expect(await me((less as Pair).access_token)).toBe(200)
      expect(await me((less as Pair).access_token, '/read/')).toBe(403)
      expect((await accounts.tokens.verify((less as Pair).access_token))?.scopes).toEqual(['write'])
      // The family, and the next access token, have all that they had.
      token = (less as Pair).refresh_token
      const { data: all } = await refreshed({})
      expect((all as { scope?: string }).scope).toBe(scope)
      expect(await me((all as Pair).access_token, '/read/')).toBe(200)
      expect((await accounts.families.of(ada))[0]?.scopes).toEqual(scope?.split(' ') ?? null)
    },
  )

  test('are ended by either token, with the same answer for any other text', async () => {
    const { logIn, me, http, refresh } = await service()
    for (const name of ['access_token', 'refresh_token'] as const) {
      const pair = await logIn()
      const token = pair[name]
      for (const json of [{ token }, { token }, { token: 'colophon_rt_x' }, { token: 'x' }]) {
        const { status, text } = await http.post('/log-out/', { json })
        expect([status, text]).toEqual([204, ''])
      }
      expect(await me(pair.access_token)).toBe(401)
      expect((await refresh(pair.refresh_token)).status).toBe(400)
    }
  })

  test.each<[string, object, number, object]>([
    ['refresh', { json: {} }, 400, { refresh_token: [expect.any(String)] }],
    ['refresh', { json: { refresh_token: null } }, 400, { refresh_token: [expect.any(String)] }],
    ['refresh', { json: { refresh_token: {} } }, 400, { refresh_token: [expect.any(String)] }],
    ['refresh', { json: [] }, 400, { non_field_errors: [expect.any(String)] }],
    ['refresh', { json: { refresh_token: 'x'.repeat(100_000) } }, 400, REFUSED],
    ['refresh', { json: { refresh_token: 7 } }, 400, REFUSED],
    ['refresh', { json: { refresh_token: '\ud800' } }, 400, REFUSED],
    [
      'refresh',
      { form: { grant_type: 'password', refresh_token: 'x' } },
      400,
      { error: 'unsupported_grant_type', detail: expect.any(String) },
    ],
    ['refresh', { body: 'x', headers: { 'content-type': 'text/plain' } }, 415, {}],
    [
      'log-in',
      { json: { ...ADA, password: 'x' } },
      400,
      { non_field_errors: [expect.any(String)] },
    ],
    ['log-in', { json: { ...ADA, scope: 'a"b' } }, 400, { scope: [expect.any(String)] }],
    ...[['read'], {}, 5, null, true, '', '  ', '\t'].map(
      (scope): [string, object, number, object] => {
        return ['log-in', { json: { ...ADA, scope } }, 400, { scope: [expect.any(String)] }]
      },
    ),
    ['log-in', { form: { ...ADA, scope: '' } }, 400, { scope: [expect.any(String)] }],
    ['log-in', { json: { ...ADA, label: 5 } }, 400, { label: [expect.any(String)] }],
    ['log-out', { json: { token: '' } }, 400, { token: [expect.any(String)] }],
  ])('%s refuses %j', async (path, sent, status, data) => {
    const { http } = await service()
    const answer = await http.post(`/${path}/`, sent)
    expect([answer.status, answer.data]).toEqual([status, expect.objectContaining(data)])
  })

  test('name their code where a client asks for problem details', async () => {
    const { http } = await service()
    const headers = { accept: 'application/json, application/problem+json' }
    const answer = await http.post('/refresh/', { json: { refresh_token: 'x' }, headers })
    expect(answer.data).toMatchObject({ status: 400, code: 'invalid_grant' })
  })

  test('are guessed at no oftener than passwords', async () => {
    const { refresh, http } = await service({ credentialFailures: '3/10m' })
    const statuses = []
    for (let at = 0; at < 5; at++) statuses.push((await refresh(`colophon_rt_${at}`)).status)
    expect(statuses).toEqual([400, 400, 400, 429, 429])
    expect((await http.post('/log-in/', { json: ADA })).status).toBe(200)
  })

  test('are remembered nowhere as keys that may come again', async () => {
    const { refresh, logIn, me } = await service({ credentialFailures: '3/10m' })
    const remembered = vi.spyOn(BoundedMap.prototype, 'set')
    onTestFinished(() => remembered.mockRestore())
    const pair = await logIn()
    await me(pair.access_token)
    expect((await refresh(pair.refresh_token)).status).toBe(200)
    const names = remembered.mock.calls.map(([name]) => name)
    expect(names).toContain(pair.access_token)
    expect(names).not.toContain(pair.refresh_token)
  })

  test('are not given for a password alone to a user with a second factor', async () => {
    const { http, accounts, ada } = await service()
    accounts.factors.enforce()
    const factor = await accounts.factors.begin(ada, 'app', 'JBSWY3DPEHPK3PXP')
    await accounts.factors.confirm(ada, factor, 1)
    const { status, data } = await http.post('/log-in/', { json: ADA })
    expect([status, data]).toMatchObject([403, { code: 'second_factor_required' }])
  })

  test('ask for no cookie, and listen to none', async () => {
    const { http, accounts, ada } = await service()
    const cookie = `sessionid=${await accounts.sessions.start(ada)}`
    const headers = { cookie, origin: 'https://evil.example' }
    const answer = await http.post('/refresh/', { json: { refresh_token: 'x' }, headers })
    expect([answer.status, answer.data]).toEqual([400, REFUSED])
  })

  test('stand in documents', async () => {
    const { app } = await service()
    const document = openApiDocument(app)
    const { paths } = document as unknown as {
      readonly paths: Readonly<Record<string, { readonly post: { readonly responses: object } }>>
    }
    const answers = (path: string) => Object.keys(paths[path]!.post.responses)
    expect(answers('/log-in/')).toEqual(expect.arrayContaining(['200', '400']))
    expect(answers('/refresh/')).toEqual(expect.arrayContaining(['200', '400']))
    expect(JSON.stringify(document)).toContain('invalid_grant')
    expect(answers('/log-out/')).toEqual(expect.arrayContaining(['204', '400']))
    expect(JSON.stringify(document)).not.toMatch(WITH_CODE)
  })

  test('stand in documents with the code of a second factor, where they take it', async () => {
    const { accounts } = await service()
    const factors = secondFactors({ accounts, issuer: 'Library' })
    const api = defineApi({ urls: { 'log-in': '/log-in/' }, accounts })
    const logIn = api.endpoint('log-in').post(obtainTokenPair({ accounts, factors }))
    const app = api.serve([logIn], { configuration: configurationOf({}) })
    const text = JSON.stringify(openApiDocument(app))
    expect(text).toMatch(WITH_CODE)
    expect(text).toContain('second_factor_required')
  })

  test('need accounts that have them', async () => {
    await expect(service({}, { refreshTokens: undefined } as never)).rejects.toThrow(
      'refreshTokens: {}',
    )
  })
})
