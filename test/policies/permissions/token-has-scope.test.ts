import { describe, expect, test } from 'vitest'
import {
  IsAuthenticated,
  TokenHasScope,
  anyOf,
  configurationOf,
  defineApi,
  defineUrls,
} from '../../../src/index.ts'
import type { Authenticator } from '../../../src/types.ts'
import { client } from '../../../src/testing.ts'
import { user } from '../../behaviour/fixtures.ts'

const bob = user('bob')
const token = (scopes: unknown) => ({ key: 'k', user: bob, created: new Date(0), scopes })

async function ask(auth: unknown, scopes: readonly string[], asked = bob as unknown) {
  const scheme: Authenticator = { authenticate: () => ({ user: asked, auth }) }
  const api = defineApi({ urls: defineUrls({ report: '/report/' }), authentication: [scheme] })
  const report = api
    .endpoint('report', { permissions: [new TokenHasScope({ scopes })] })
    .get(() => 'yes')
  const app = api.serve([report], { configuration: configurationOf() })
  const headers = { accept: 'application/problem+json, application/json;q=0.5' }
  const { status, data } = await client(app).get('/report/', { headers })
  return { status, data: data as { detail?: string; code?: string } }
}

describe('I4 TokenHasScope', () => {
  test.each([
    ['all that is needed', token(['read', 'write']), ['read', 'write']],
    ['more than is needed', token(['read', 'write']), ['read']],
    ['no list: everything', token(null), ['read']],
    ['of a storage that knows no scopes', { key: 'k', user: bob }, ['read']],
    ['of another scheme, which has no token', null, ['read']],
    ['of another scheme, which has something else', 'session', ['read']],
  ])('lets a token through that has %s', async (_, auth, scopes) => {
    expect(await ask(auth, scopes)).toMatchObject({ status: 200 })
  })

  test.each([
    ['none', token([]), ['read'], 'read'],
    ['another', token(['write']), ['read'], 'read'],
    ['one of two', token(['read']), ['read', 'write'], 'write'],
    ['one that begins alike', token(['read']), ['read:all'], 'read:all'],
    ['a text instead of a list', token('read'), ['read'], 'read'],
  ])(
    'refuses a token that has %s: 403, and names what is missing',
    async (_, auth, scopes, missing) => {
      const { status, data } = await ask(auth, scopes)
      expect(status).toBe(403)
      expect(data.detail).toContain(`"${missing}"`)
      expect(JSON.stringify(data)).toContain('missing_scope')
    },
  )

  test('refuses whoever is nobody', async () => {
    expect((await ask(token(null), ['read'], { isAuthenticated: false })).status).toBe(403)
    expect((await ask(token(null), ['read'], null)).status).toBe(403)
  })

  test('says who is asked for, like IsAuthenticated, where nobody was named', async () => {
    const scheme: Authenticator = { authenticate: () => null, authenticateHeader: () => 'Token' }
    const api = defineApi({ urls: defineUrls({ report: '/report/' }), authentication: [scheme] })
    const report = api
      .endpoint('report', { permissions: [new TokenHasScope({ scopes: ['read'] })] })
      .get(() => 'yes')
    const app = api.serve([report], { configuration: configurationOf() })
    expect((await client(app).get('/report/')).status).toBe(401)
  })

  test('is composed like any other, and keeps its words', async () => {
    const scheme: Authenticator = { authenticate: () => ({ user: bob, auth: token(['read']) }) }
    const api = defineApi({ urls: defineUrls({ a: '/a/', b: '/b/' }), authentication: [scheme] })
    const [read, write] = ['read', 'write'].map((scope) => new TokenHasScope({ scopes: [scope] }))
    const a = api.endpoint('a', { permissions: [anyOf(write!, read!)] }).get(() => 'yes')
    const b = api.endpoint('b', { permissions: [new IsAuthenticated(), write!] }).get(() => 'yes')
    const app = api.serve([a, b], { configuration: configurationOf() })
    expect((await client(app).get('/a/')).status).toBe(200)
    expect(await client(app).get('/b/')).toMatchObject({
      status: 403,
      data: { detail: 'This requires a token with the scope "write".' },
    })
  })

  test('can be named by a configuration key, with its scopes', async () => {
    const scheme: Authenticator = { authenticate: () => ({ user: bob, auth: token(['read']) }) }
    const api = defineApi({ urls: defineUrls({ a: '/a/' }), authentication: [scheme] })
    const configuration = configurationOf({
      DEFAULT_PERMISSION_CLASSES: [{ class: 'TokenHasScope', scopes: ['write'] }],
    })
    const app = api.serve([api.endpoint('a').get(() => 'yes')], { configuration })
    expect((await client(app).get('/a/')).status).toBe(403)
  })

  test.each([[{ scopes: [] }], [{}], [{ scopes: 'read' }]])('is not made of %j', (options) => {
    expect(() => new TokenHasScope(options as never)).toThrow('TokenHasScope wants the scopes')
  })
})
