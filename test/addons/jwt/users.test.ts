import { createHash, createSecretKey, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import * as v from 'valibot'
import { createAccounts } from '../../../src/accounts/create-accounts.ts'
import {
  HasRole,
  IsAuthenticated,
  TokenAuthentication,
  TokenHasScope,
  allOf,
  configurationOf,
  defineApi,
} from '../../../src/index.ts'
import { JWTAuthentication, type Claims, accountUser, claimsUser } from '../../../src/jwt.ts'
import { openApiDocument } from '../../../src/openapi.ts'
import { client } from '../../../src/testing.ts'
import { migratedSqlite } from '../../contract/temporary.ts'
import {
  AUDIENCE,
  CLAIMS,
  ISSUER,
  NOW,
  type Provider,
  ec,
  jwkOf,
  rsa,
  serviceOf,
  signed,
  startProvider,
} from './provider.ts'

const pair = ec('one')
const jwks = { keys: [jwkOf(pair)] }
const token = (claims: object = {}, { privateKey } = pair) =>
  signed({ alg: 'ES256', kid: 'one' }, { ...CLAIMS, ...claims }, privateKey, 'ES256')

async function accountsOf(users: object = {}) {
  const database = await migratedSqlite()
  const roles = ['manager', 'clerk'] as const
  const accounts = createAccounts({
    database,
    secretKey: () => 'a secret',
    roles,
    manyTokens: true,
  })
  const user = accountUser(accounts, users)
  return { accounts, ...serviceOf({ jwks, user }) }
}

/** Of the issuer and a subject that no user name holds. */
const DIGEST = `#${createHash('sha256')
  .update(JSON.stringify([ISSUER, 'adª']))
  .digest('hex')}`

const SILENT = { error: () => {} }

const nameOf = (answer: { readonly data: unknown }) =>
  (answer.data as { readonly user?: { readonly username: string } }).user?.username

describe('An account of a token', () => {
  test('is not made unless the application wants it', async () => {
    const { ask, accounts, records } = await accountsOf()
    const refused = await ask(token())
    expect(refused.status).toBe(401)
    expect(refused.header('www-authenticate')).toBe('Bearer realm="api", error="invalid_token"')
    expect(records).toMatchObject([{ event: 'jwt.refused', reason: 'no user', level: 'info' }])
    expect(await accounts.users.count()).toBe(0)
  })

  test('is made once, by first requests together, and is found by issuer and subject', async () => {
    const { ask, accounts } = await accountsOf({ create: true })
    const all = await Promise.all(Array.from({ length: 10 }, async () => ask(token())))
    expect(new Set(all.map(nameOf))).toEqual(new Set(['id.example.com/#ada']))
    expect(await accounts.users.count()).toBe(1)
    const made = await accounts.users.byUsername('id.example.com/#ada')
    expect(made).toMatchObject({ isStaff: false, isSuperuser: false, email: '', roles: [] })
    expect(await accounts.users.authenticate('id.example.com/#ada', '')).toBeNull()
  })

  test.each([
    ['issuer and subject', { create: true }, {}, 'id.example.com/#ada'],
    ['issuer and subject, where none is made', {}, {}, 'id.example.com/#ada'],
    ['their digest', { create: true }, { sub: 'adª' }, DIGEST],
  ])(
    'is not that which a stranger has registered under %s',
    async (_, options, claims, username) => {
      const { ask, accounts, records } = await accountsOf(options)
      const stranger = await accounts.users.create({ username, password: 'of the stranger' })
      const refused = await ask(token(claims))
      expect(refused.status).toBe(401)
      expect(refused.header('www-authenticate')).toBe('Bearer realm="api", error="invalid_token"')
      const reason = expect.stringMatching(/has a password.*delete or rename.*setPassword/)
      expect(records).toMatchObject([{ event: 'jwt.refused', reason, account: stranger.id }])
      // An operator has to act.
      expect(records[0]).not.toHaveProperty('level')
      await accounts.users.setPassword(stranger, null)
      expect(nameOf(await ask(token(claims)))).toBe(username)
    },
  )

  test('is not that which a stranger registers at the same moment', async () => {
    const { ask, accounts } = await accountsOf({
      create: () => {
        registered = accounts.users.create({ username: 'id.example.com/#ada', password: 'x' })
        return {}
      },
    })
    let registered: Promise<object> | null = null
    // Of the two that want the name, the one with a password comes first.
    const { create } = accounts.users
    vi.spyOn(accounts.users, 'create').mockImplementation(async (...input) => {
      if (input[0].password === null) await registered
      return create.apply(accounts.users, input)
    })
    expect((await ask(token())).status).toBe(401)
    expect(await accounts.users.count()).toBe(1)
  })

  test('is never found by an address, nor made staff by a claim', async () => {
    const { ask, accounts } = await accountsOf({
      create: ({ email }: { email?: string }) => ({ email, isStaff: true, isSuperuser: true }),
    })
    await accounts.users.create({ username: 'root', email: 'root@example.com', isSuperuser: true })
    const answer = await ask(token({ email: 'root@example.com', username: 'root', isStaff: true }))
    expect(answer.data).toMatchObject({
      user: { username: 'id.example.com/#ada', isStaff: false, isSuperuser: false },
    })
  })

  test('that cannot be made of its claims is none', async () => {
    const { ask, accounts } = await accountsOf({ create: () => ({ email: 'x'.repeat(300) }) })
    expect((await ask(token())).status).toBe(401)
    expect(await accounts.users.count()).toBe(0)
  })

  test.each([
    ['that a name cannot hold', { sub: 'a'.repeat(200) }, /^#[\da-f]{64}$/],
    ['of other letters', { sub: 'adª' }, /^#[\da-f]{64}$/],
    ['with a space', { sub: 'ada ' }, /^#[\da-f]{64}$/],
    ['that looks like a digest', { sub: '#' }, /^id\.example\.com\/##$/],
    ['of capitals', { sub: 'Ada' }, /^id\.example\.com\/#Ada$/],
  ])('has a name of its own for a subject %s', async (_, claims, name) => {
    const { ask, accounts } = await accountsOf({ create: true })
    await ask(token())
    expect(nameOf(await ask(token(claims)))).toMatch(name)
    expect(await accounts.users.count()).toBe(2)
  })

  test('may have a name that the application makes, exactly that one', async () => {
    const name = ({ employee }: { readonly employee?: unknown }) => employee
    const { ask, accounts } = await accountsOf({ name, create: true })
    await accounts.users.create({ username: 'e7', password: 'of the one who was hired' })
    expect(nameOf(await ask(token({ employee: 'e7' })))).toBe('e7')
    // No account has the second yet, and must not become that of another name.
    for (const employee of ['ｅ7', 'ｚ9', undefined, '', 'x'.repeat(151), ['e7']])
      expect((await ask(token({ employee }))).status).toBe(401)
    expect(await accounts.users.count()).toBe(1)
  })

  test('that is deactivated is refused at once, although its token is remembered', async () => {
    const { ask, accounts } = await accountsOf({ create: true })
    const verify = vi.spyOn(crypto.subtle, 'verify')
    const verified = () => verify.mock.calls.length
    const one = token()
    expect((await ask(one)).status).toBe(200)
    expect((await ask(one)).status).toBe(200)
    expect(verified()).toBe(1)
    const user = (await accounts.users.byUsername('id.example.com/#ada'))!
    await accounts.users.update(user, { isActive: false })
    expect((await ask(one)).status).toBe(401)
    await accounts.users.update(user, { isActive: true })
    expect((await ask(one)).status).toBe(200)
    expect(verified()).toBe(1)
    verify.mockRestore()
  })

  test('has its own roles, or those that the map gives to the claims', async () => {
    const own = await accountsOf({ create: true })
    const rolesOf = async (ask: typeof own.ask, claims: object) =>
      ((await ask(token(claims))).data as { user: { roles: string[] } }).user.roles
    const roles = ['billing-admin', 'manager', '__proto__']
    expect(await rolesOf(own.ask, { roles })).toEqual([])
    const user = (await own.accounts.users.byUsername('id.example.com/#ada'))!
    await own.accounts.users.update(user, { roles: ['clerk'] })
    expect(await rolesOf(own.ask, { roles })).toEqual(['clerk'])
    const map = { 'billing-admin': 'manager', boss: 'manager', help: 'clerk' }
    const mapped = await accountsOf({
      create: true,
      roles: { claim: ['realm_access', 'roles'], map },
    })
    expect(await rolesOf(mapped.ask, { realm_access: { roles } })).toEqual(['manager'])
    expect(await rolesOf(mapped.ask, { realm_access: { roles: ['boss', ...roles] } })).toEqual([
      'manager',
    ])
    for (const claims of [{ roles }, { realm_access: roles }, { realm_access: null }])
      expect(await rolesOf(mapped.ask, claims)).toEqual([])
    const kept = await mapped.accounts.users.byUsername('id.example.com/#ada')
    expect(kept?.roles).toEqual([])
  })

  test('cannot get a role that is not declared', async () => {
    await expect(accountsOf({ roles: { claim: 'roles', map: { a: 'admin' } } })).rejects.toThrow(
      'accountUser: "roles" gives the role "admin", which defineAccounts({ roles }) does not declare.',
    )
  })
})

describe('A token that is remembered', () => {
  test('ends when it expires, and with the longest age', async () => {
    const { ask, clock } = serviceOf({ jwks })
    expect((await ask(token())).status).toBe(200)
    clock.now += 330_000
    const expired = await ask(token())
    expect([expired.status, expired.data]).toEqual([401, { detail: 'The token has expired.' }])
    const young = serviceOf({ jwks, maxTokenAge: 100 })
    expect((await young.ask(token())).status).toBe(200)
    young.clock.now += 71_000
    expect((await young.ask(token())).status).toBe(401)
    expect((await young.ask(token({ iat: undefined }))).status).toBe(401)
  })

  test('is shared by requests, none of which can change it', async () => {
    const user = (claims: object) => {
      expect(() => Object.assign(claims, { sub: 'root' })).toThrow(TypeError)
      expect(() => (claims as { list: string[] }).list.push('x')).toThrow(TypeError)
      return { isAuthenticated: true, username: 'x' }
    }
    const { ask } = serviceOf({ jwks, user })
    for (const _ of [1, 2]) expect((await ask(token({ list: [] }))).status).toBe(200)
  })
})

describe('Scopes', () => {
  const challenge = 'Bearer realm="api", error="insufficient_scope", scope="read reports"'

  test.each([
    ['a text', { scope: 'read reports' }, 200],
    ['a list', { scope: ['read', 'reports'] }, 200],
    ['scp, a text', { scope: undefined, scp: 'read reports' }, 200],
    ['scp, a list', { scope: undefined, scp: ['reports', 'read'] }, 200],
    ['too few', { scope: 'read' }, 403],
    ['none', { scope: undefined }, 403],
    ['a number', { scope: 7 }, 403],
    ['an object', { scope: { includes: true } }, 403],
    ['numbers', { scope: [1, null, ['read']] }, 403],
  ])('%s', async (_, claims, status) => {
    const answer = await serviceOf({ jwks }).ask(token(claims), '/reports/')
    expect(answer.status).toBe(status)
    expect(answer.header('www-authenticate')).toBe(status === 403 ? challenge : null)
  })

  test('are of the application where it says so, also within other permissions', async () => {
    const scopes = ({ permissions }: Claims) => permissions as string[]
    const authentication = [
      new JWTAuthentication({
        issuer: ISSUER,
        audience: AUDIENCE,
        jwks,
        scopes,
        now: () => NOW * 1000,
        realm: 'books "new"',
        resourceMetadata: 'https://api.example.com/meta',
      }),
    ]
    const permissions = [allOf(new IsAuthenticated(), new TokenHasScope({ scopes: ['write'] }))]
    const api = defineApi({ urls: { me: '/me/' }, logger: SILENT, authentication, permissions })
    const app = api.serve([api.endpoint('me').get(() => 'me')], {
      configuration: configurationOf(),
    })
    const ask = async (claims: object) => {
      const headers = { authorization: `bearer ${token(claims)}` }
      const answer = await client(app).get('/me/', { headers })
      return [answer.status, answer.header('www-authenticate')]
    }
    expect(await ask({ permissions: ['write'] })).toEqual([200, null])
    expect(await ask({ permissions: ['read'] })).toEqual([
      403,
      String.raw`Bearer realm="books \"new\"", error="insufficient_scope", scope="write", resource_metadata="https://api.example.com/meta"`,
    ])
    const nothing = await client(app).get('/me/')
    expect([nothing.status, nothing.header('www-authenticate')]).toEqual([
      401,
      String.raw`Bearer realm="books \"new\"", resource_metadata="https://api.example.com/meta"`,
    ])
  })
})

describe('Beside other schemes', () => {
  test('tokens of others are left to those behind, where the application says so', async () => {
    const { accounts } = await accountsOf()
    const { key } = await accounts.tokens.obtain(await accounts.users.create({ username: 'bob' }))
    const second = 'https://second.example.com/'
    const common = { audience: AUDIENCE, jwks, now: () => NOW * 1000 }
    const authentication = [
      new JWTAuthentication({ ...common, issuer: ISSUER, passOthers: true }),
      new JWTAuthentication({ ...common, issuer: second, passOthers: true }),
      new TokenAuthentication({ tokens: accounts.tokens, keyword: 'Bearer' }),
    ]
    const api = defineApi({
      urls: { me: '/me/' },
      logger: SILENT,
      authentication,
      challengeAll: true,
    })
    const app = api.serve([api.endpoint('me').get(({ user }) => user.username)], {
      configuration: configurationOf(),
    })
    const ask = async (sent: string) => {
      const headers = { authorization: `Bearer ${sent}` }
      const answer = await client(app).get('/me/', { headers })
      return answer.status === 200 ? answer.data : answer.header('www-authenticate')
    }
    expect(await ask(token())).toBe('ada')
    expect(await ask(token({ iss: second, sub: 'eve' }))).toBe('eve')
    expect(await ask(key)).toBe('bob')
    const all = 'Bearer realm="api", error="invalid_token", Bearer error="invalid_token"'
    expect(await ask(token({ aud: 'x' }))).toBe(all)
    expect(await ask('x'.repeat(40))).toBe(all)
    expect(await ask(token({ iss: 'https://third.example.com/' }))).toBe(all)
  })

  test('wrong tokens are limited, and expired ones are not', async () => {
    const api = defineApi({
      urls: { me: '/me/' },
      logger: SILENT,
      authentication: [
        new JWTAuthentication({ issuer: ISSUER, audience: AUDIENCE, jwks, now: () => NOW * 1000 }),
      ],
      credentialFailures: '1/10m',
    })
    const app = api.serve([api.endpoint('me').get(() => 'me')], {
      configuration: configurationOf(),
    })
    const ask = async (sent: string) =>
      (await client(app).get('/me/', { headers: { authorization: `Bearer ${sent}` } })).status
    for (let old = 1; old <= 20; old += 1) expect(await ask(token({ exp: old }))).toBe(401)
    const wrong = []
    for (let at = 1; at <= 3; at += 1) wrong.push(await ask(token({ jti: String(at), aud: 'x' })))
    expect(wrong).toEqual([401, 429, 429])
    expect(await ask(token())).toBe(200)
  })

  test('a document says how the token is sent', () => {
    const document = openApiDocument(serviceOf({ jwks }).app)
    expect(document).toMatchObject({
      components: {
        securitySchemes: { JWT: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      },
      paths: { '/reports/': { get: { security: [{ JWT: ['read', 'reports'] }] } } },
    })
  })

  test('roles without accounts are those of the map', async () => {
    const user = claimsUser({ roles: { claim: 'groups', map: { staff: 'clerk' } } })
    const authentication = [
      new JWTAuthentication({
        issuer: ISSUER,
        audience: AUDIENCE,
        jwks,
        user,
        now: () => NOW * 1000,
      }),
    ]
    const permissions = [new HasRole('clerk')] as const
    const api = defineApi({ urls: { me: '/me/' }, logger: SILENT, authentication, permissions })
    const app = api.serve([api.endpoint('me').get(({ user: { roles } }) => roles)], {
      configuration: configurationOf(),
    })
    const ask = async (groups: unknown) =>
      client(app).get('/me/', { headers: { authorization: `Bearer ${token({ groups })}` } })
    expect((await ask('staff')).data).toEqual(['clerk'])
    for (const groups of [undefined, [], 'clerk', ['clerk'], [['staff']], { staff: true }])
      expect((await ask(groups)).status).toBe(403)
  })
})

describe('Claims', () => {
  test('fit a schema of another library, or are refused', async () => {
    const claims = v.object({ tenant: v.pipe(v.string(), v.transform(Number)) })
    const { ask, records } = serviceOf({ jwks, claims })
    expect((await ask(token({ tenant: '7' }))).data).toMatchObject({
      auth: { claims: { tenant: 7, sub: 'ada' } },
    })
    expect((await ask(token({ tenant: 7 }))).status).toBe(401)
    expect(records).toMatchObject([{ reason: 'claims do not fit the schema' }])
  })

  test('that are required have to be there', async () => {
    const { ask } = serviceOf({ jwks, required: ['jti', 'client_id'] })
    expect((await ask(token({ jti: 'a' }))).status).toBe(401)
    expect((await ask(token({ jti: 'a', client_id: 'b' }))).status).toBe(200)
  })

  test('of another name say for whom it is', async () => {
    const { ask } = serviceOf({ jwks, audience: ['app', 'cli'], audienceClaim: 'client_id' })
    expect((await ask(token({ aud: undefined, client_id: 'cli' }))).status).toBe(200)
    for (const client_id of ['', 'ap', 'appcli', ['x'], undefined, { 0: 'app' }])
      expect((await ask(token({ aud: 'app', client_id }))).status).toBe(401)
  })

  test('of one type alone', async () => {
    const { ask } = serviceOf({ jwks, typ: 'at+jwt' })
    const typed = (typ?: string) =>
      signed({ alg: 'ES256', kid: 'one', typ }, CLAIMS, pair.privateKey, 'ES256')
    for (const typ of ['at+jwt', 'application/at+jwt', 'AT+JWT'])
      expect((await ask(typed(typ))).status).toBe(200)
    for (const typ of ['JWT', 'x/at+jwt', '', undefined])
      expect((await ask(typed(typ))).status).toBe(401)
  })
})

describe('Keys may be', () => {
  let provider: Provider
  beforeAll(async () => {
    provider = await startProvider()
  })
  afterAll(() => provider.close())

  test('a public key of Node', async () => {
    expect((await serviceOf({ jwks: pair.publicKey }).ask(token())).status).toBe(401)
    const { ask } = serviceOf({ jwks: pair.publicKey })
    const plain = signed({ alg: 'ES256' }, CLAIMS, pair.privateKey, 'ES256')
    expect((await ask(plain)).status).toBe(200)
  })

  test.each(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'])(
    'for %s',
    async (alg) => {
      const curve = `P-${alg === 'ES512' ? 521 : alg.slice(2)}`
      const own = alg.startsWith('ES') ? ec('own', curve) : rsa('own')
      const { ask } = serviceOf({ jwks: { keys: [jwkOf(own)] }, algorithms: [alg] })
      const sent = signed({ alg, kid: 'own' }, CLAIMS, own.privateKey, alg)
      expect((await ask(sent)).status).toBe(200)
    },
  )

  test('an address', async () => {
    provider.publish(jwkOf(pair))
    expect((await serviceOf({ jwks: new URL(provider.url) }).ask(token())).status).toBe(200)
  })

  test('a secret, and then no public key is taken', async () => {
    const secret = randomBytes(32)
    const { ask } = serviceOf({ secret })
    const shared = (bytes: Buffer, alg = 'HS256') =>
      signed({ alg }, CLAIMS, createSecretKey(bytes), alg)
    expect((await ask(shared(secret))).status).toBe(200)
    expect((await ask(shared(randomBytes(32)))).status).toBe(401)
    expect((await ask(shared(secret, 'HS512'))).status).toBe(401)
    expect((await ask(token())).status).toBe(401)
  })
})

test('a configuration file names the scheme, with its options', async () => {
  const issuer = 'http://localhost:1/'
  const scheme = { class: 'JWTAuthentication', issuer, audience: 'api', jwks: `${issuer}keys` }
  const serveWith = (options: object) => {
    const classes = [{ ...scheme, ...options }]
    const configuration = configurationOf({ DEFAULT_AUTHENTICATION_CLASSES: classes })
    const api = defineApi({ urls: { me: '/me/' }, logger: SILENT, classes: { JWTAuthentication } })
    return api.serve([api.endpoint('me').get(() => 'me')], { configuration })
  }
  const app = serveWith({ clock_tolerance: 5, audience_claim: 'client_id' })
  const headers = { authorization: 'Bearer x' }
  expect((await client(app).get('/me/', { headers })).status).toBe(401)
  expect(() => serveWith({ audience: [] })).toThrow('"audience" is missing')
  expect(() => serveWith({ audiance: 'x' })).toThrow('audiance')
})

describe('A service does not start', () => {
  const good = { issuer: ISSUER, audience: AUDIENCE, jwks }
  const privateJwk = pair.privateKey.export({ format: 'jwk' })
  test.each<readonly [string, object, RegExp]>([
    ['without an issuer', { issuer: undefined }, /"issuer" is missing/],
    ['with an empty issuer', { issuer: '' }, /"issuer" is missing/],
    ['with an issuer by http', { issuer: 'http://id.example.com/' }, /https:.*allowHttp/],
    ['with an issuer that is no address', { issuer: 'example' }, /must begin with https/],
    ['without an audience', { audience: undefined }, /"audience" is missing.*another service/],
    ['with an empty audience', { audience: '' }, /"audience" is missing/],
    ['with no audiences', { audience: [] }, /"audience" is missing/],
    ['with an empty one among them', { audience: ['a', ''] }, /"audience" is missing/],
    ['without keys', { jwks: undefined }, /either "jwks".*or "secret"/],
    ['with keys and a secret', { secret: 'x'.repeat(64) }, /and not both/],
    ['with no algorithms', { algorithms: [] }, /"algorithms" is empty/],
    ['with the algorithm none', { algorithms: ['none'] }, /"algorithms" has "none"/],
    ['with HS256 for public keys', { algorithms: ['RS256', 'HS256'] }, /"algorithms" has "HS256"/],
    [
      'with RS256 for a secret',
      { jwks: undefined, secret: 'x'.repeat(64), algorithms: ['RS256'] },
      /"algorithms" has "RS256"\. With "secret" there are HS256/,
    ],
    ['with a short secret', { jwks: undefined, secret: 'x'.repeat(31) }, /less than the 32 bytes/],
    ['with HS256 for a set', { algorithms: ['HS256'] }, /With "jwks" there are RS256/],
    [
      'with a secret that is short for HS384',
      { jwks: undefined, secret: 'x'.repeat(47), algorithms: ['HS384'] },
      /less than the 48 bytes/,
    ],
    [
      'with a secret that is short for HS512',
      { jwks: undefined, secret: 'x'.repeat(63), algorithms: ['HS256', 'HS512'] },
      /less than the 64 bytes/,
    ],
    ['with keys by http', { jwks: 'http://id.example.com/jwks' }, /"jwks" must be an address/],
    ['with keys in a file', { jwks: 'file:///etc/keys' }, /"jwks" must be an address/],
    [
      'with a password in the address',
      { jwks: 'https://a:secret@id.example.com/jwks' },
      /^(?!.*secret).*"jwks" must be an address without a user or a password/,
    ],
    [
      'with a password alone in the address',
      { jwks: 'https://:secret@id.example.com/jwks' },
      /^(?!.*secret).*"jwks" must be an address without a user or a password/,
    ],
    [
      'with a password in the issuer',
      { issuer: 'https://a:secret@id.example.com/' },
      /^(?!.*secret).*"issuer" must be an address without a user or a password/,
    ],
    [
      'with a password in the address for clients',
      { resourceMetadata: 'https://a:secret@api.example.com/' },
      /^(?!.*secret).*"resourceMetadata" must be an address without a user or a password/,
    ],
    ['with a key in PEM', { jwks: '-----BEGIN PUBLIC KEY-----' }, /createPublicKey/],
    ['with a private key', { jwks: pair.privateKey }, /is a private key/],
    ['with a secret as keys', { jwks: createSecretKey(randomBytes(32)) }, /is a private key/],
    ['with private keys', { jwks: { keys: [privateJwk] } }, /must hold public keys/],
    ['with symmetric keys', { jwks: { keys: [{ kty: 'oct', k: 'YQ' }] } }, /must hold public keys/],
    ['with an empty set', { jwks: { keys: [] } }, /must hold public keys/],
    [
      'with a time-out that is none',
      { keys: { timeout: Number.NaN } },
      /"timeout" must be a number/,
    ],
    ['with a negative tolerance', { clockTolerance: -1 }, /"clockTolerance" must be a number/],
    ['with a realm for no header', { realm: 'a\nb' }, /"realm" and "resourceMetadata" must be/],
    ['with an option that there is not', { audiance: 'x' }, /no option "audiance".*audience/],
  ])('%s', (_, options, message) => {
    expect(() => new JWTAuthentication({ ...good, ...options })).toThrow(message)
  })

  test.each([
    ['on this machine', { issuer: 'http://localhost:8080/realms/a' }],
    ['by IPv6', { issuer: 'http://[::1]/' }],
    ['in a network of its own', { issuer: 'http://keycloak:8080/', allowHttp: true }],
  ])('but with an issuer by http %s', (_, options) => {
    expect(new JWTAuthentication({ ...good, ...options })).toBeInstanceOf(JWTAuthentication)
  })

  test('but with a secret that is just long enough', () => {
    const secret = 'x'.repeat(48)
    const options = { issuer: ISSUER, audience: AUDIENCE, secret, algorithms: ['HS384'] }
    expect(new JWTAuthentication(options)).toBeInstanceOf(JWTAuthentication)
  })
})
