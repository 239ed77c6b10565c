import { createSecretKey, generateKeyPairSync, hash } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { calculateJwkThumbprint } from 'jose'
import { describe, expect, test } from 'vitest'
import {
  type DPoPOptions,
  IntrospectionAuthentication,
  JWTAuthentication,
} from '../../../src/jwt.ts'
import { MemoryCounters, configurationOf, defineApi } from '../../../src/index.ts'
import { openApiDocument } from '../../../src/openapi.ts'
import { openSqlite } from '../../../src/sqlite.ts'
import { client } from '../../../src/testing.ts'
import type { CounterStore } from '../../../src/core/ports/policies/throttling.ts'
import {
  AUDIENCE,
  CLAIMS,
  ISSUER,
  NOW,
  type Pair,
  ec,
  jwkOf,
  part,
  rsa,
  serviceOf,
  serviceWith,
  signed,
} from './provider.ts'

const issuing = ec('e1')
const own = ec('')
const other = ec('')
const big = rsa('', 4096)
const edwards: Pair = { kid: '', ...generateKeyPairSync('ed25519') }
const jwks = { keys: [jwkOf(issuing)] }

const bare = ({ publicKey }: Pair): object => publicKey.export({ format: 'jwk' })
const thumbprintOf = (pair: Pair): Promise<string> => calculateJwkThumbprint(bare(pair))
const jkt = await thumbprintOf(own)
const tokenWith = (claims: object): string =>
  signed({ alg: 'ES256', kid: 'e1' }, { ...CLAIMS, ...claims }, issuing.privateKey, 'ES256')
const token = tokenWith({ cnf: { jkt } })
const athOf = (text: string): string => hash('sha256', text, 'base64url')

let made = 0
const facts = (more: object = {}): object => ({
  jti: `p${(made += 1)}`,
  htm: 'GET',
  htu: 'http://localhost/open/',
  iat: NOW,
  ath: athOf(token),
  ...more,
})
const HEAD = { typ: 'dpop+jwt', alg: 'ES256', jwk: bare(own) }
const proof = (claims: object = {}, header: object = {}, pair: Pair = own, alg = 'ES256'): string =>
  signed({ ...HEAD, ...header }, facts(claims), pair.privateKey, alg)

const service = (dpop: true | DPoPOptions = true) => serviceOf({ jwks, dpop })
const sent = (dpop: string | null, bound = token, scheme = 'DPoP'): Record<string, string> => ({
  authorization: `${scheme} ${bound}`,
  ...(dpop === null ? {} : { dpop }),
})
const CHALLENGE = 'DPoP realm="api", algs="RS256 PS256 ES256 EdDSA Ed25519"'

/** Proofs by what is wrong with them, and what the log says. */
const HOSTILE: readonly (readonly [string, () => string | null, string])[] = [
  ['no proof', () => null, 'none'],
  ['an empty one', () => '', 'no signed token'],
  ['two in one header', () => `${proof()}, ${proof()}`, 'no signed token'],
  ['a text', () => 'x', 'no signed token'],
  ['one of 9 KB', () => proof({ x: 'x'.repeat(9000) }), 'too long'],
  ['alg none', () => `${part({ ...HEAD, alg: 'none' })}.${part(facts())}.`, 'no signed token'],
  ['alg none with a signature', () => proof({}, { alg: 'none' }), 'algorithm'],
  [
    'a shared secret',
    () => signed({ ...HEAD, alg: 'HS256' }, facts(), createSecretKey(Buffer.from('x')), 'HS256'),
    'algorithm',
  ],
  ['no alg', () => proof({}, { alg: undefined }), 'algorithm'],
  ['an algorithm that is not pinned', () => proof({}, { alg: 'ES384' }), 'algorithm'],
  ['another typ', () => proof({}, { typ: 'JWT' }), 'typ'],
  ['no typ', () => proof({}, { typ: undefined }), 'typ'],
  ['the access token itself', () => token, 'typ'],
  ['no jwk', () => proof({}, { jwk: undefined }), 'jwk'],
  ['a jwk that is a text', () => proof({}, { jwk: 'x' }), 'jwk'],
  ['a jwk that is a list', () => proof({}, { jwk: [bare(own)] }), 'jwk'],
  ['a private jwk', () => proof({}, { jwk: own.privateKey.export({ format: 'jwk' }) }), 'jwk'],
  ['a symmetric jwk', () => proof({}, { jwk: { kty: 'oct', k: 'AAAA' } }), 'jwk'],
  [
    'a huge modulus',
    () => proof({}, { alg: 'RS256', jwk: { kty: 'RSA', n: 'A'.repeat(700), e: 'AQAB' } }),
    'jwk',
  ],
  [
    'a huge exponent',
    () => proof({}, { alg: 'RS256', jwk: { ...bare(big), e: 'A'.repeat(600) } }),
    'jwk',
  ],
  ['a jwk without its members', () => proof({}, { jwk: { kty: 'EC' } }), 'signature'],
  ['a jwk of no kind', () => proof({}, { jwk: {} }), 'signature'],
  ['a key in kid alone', () => proof({}, { jwk: undefined, kid: jkt }), 'jwk'],
  ['crit', () => proof({}, { crit: ['exp'], exp: 1 }), 'header'],
  ['b64', () => proof({}, { b64: false }), 'header'],
  ['cty', () => proof({}, { cty: 'JWT' }), 'header'],
  [
    'a member of the header twice',
    () =>
      signed(JSON.stringify(HEAD).replace('{', '{"typ":"x",'), facts(), own.privateKey, 'ES256'),
    'header',
  ],
  [
    'a claim twice',
    () =>
      signed(HEAD, JSON.stringify(facts()).replace('{', '{"htm":"POST",'), own.privateKey, 'ES256'),
    'claims',
  ],
  ['claims that are a list', () => signed(HEAD, '[]', own.privateKey, 'ES256'), 'claims'],
  ['the key of another', () => proof({}, { jwk: bare(other) }, other), 'key'],
  [
    'the key of an RSA pair',
    () => proof({}, { alg: 'RS256', jwk: bare(big) }, big, 'RS256'),
    'key',
  ],
  ['our key, signed by another', () => proof({}, {}, other), 'signature'],
  [
    'other claims under a signature',
    () => {
      const [head, , signature] = proof().split('.')
      return `${head}.${part(facts())}.${signature}`
    },
    'signature',
  ],
  ['another method', () => proof({ htm: 'POST' }), 'htm'],
  ['a method in small letters', () => proof({ htm: 'get' }), 'htm'],
  ['no method', () => proof({ htm: undefined }), 'htm'],
  ['another path', () => proof({ htu: 'http://localhost/me/' }), 'htu'],
  ['a path without its slash', () => proof({ htu: 'http://localhost/open' }), 'htu'],
  ['another host', () => proof({ htu: 'http://evil.example/open/' }), 'htu'],
  ['another port', () => proof({ htu: 'http://localhost:8000/open/' }), 'htu'],
  ['another scheme', () => proof({ htu: 'https://localhost/open/' }), 'htu'],
  ['an address with a user', () => proof({ htu: 'http://localhost@evil.example/open/' }), 'htu'],
  ['an address with our user', () => proof({ htu: 'http://ada@localhost/open/' }), 'htu'],
  ['a path alone', () => proof({ htu: '/open/' }), 'htu'],
  ['an address in a list', () => proof({ htu: ['http://localhost/open/'] }), 'htu'],
  ['no address', () => proof({ htu: undefined }), 'htu'],
  ['from the future', () => proof({ iat: NOW + 31 }), 'iat'],
  ['iat as a text', () => proof({ iat: String(NOW) }), 'iat'],
  ['no iat', () => proof({ iat: undefined }), 'iat'],
  ['too old', () => proof({ iat: NOW - 91 }), 'too old'],
  ['for another token', () => proof({ ath: athOf('x') }), 'ath'],
  ['for no token', () => proof({ ath: undefined }), 'ath'],
  ['for a token in hexadecimal', () => proof({ ath: hash('sha256', token, 'hex') }), 'ath'],
  ['no jti', () => proof({ jti: undefined }), 'jti'],
  ['an empty jti', () => proof({ jti: '' }), 'jti'],
  ['jti as a number', () => proof({ jti: 1 }), 'jti'],
  ['jti of 257 characters', () => proof({ jti: 'x'.repeat(257) }), 'jti'],
]

describe('A token that is bound to a key is refused with', () => {
  test.each(HOSTILE)('%s', async (_, make, reason) => {
    const { ask, records } = service()
    const refused = await ask(null, '/open/', sent(make()))
    expect(refused.status).toBe(401)
    expect(refused.header('www-authenticate')).toBe(`${CHALLENGE}, error="invalid_dpop_proof"`)
    expect(records).toMatchObject([{ event: 'jwt.refused', reason: `proof: ${reason}` }])
    expect(records).toHaveLength(1)
  })

  test.each([
    ['no binding of its own', tokenWith({}), 'DPoP', 'bound to no key'],
    ['Bearer', token, 'Bearer', 'bound to a key, and sent as Bearer'],
    ['Bearer, and bound to nothing', tokenWith({}), 'Bearer', 'bound to nothing'],
    ['another binding beside', tokenWith({ cnf: { jkt, kid: 'x' } }), 'DPoP', 'claim cnf'],
    ['a certificate', tokenWith({ cnf: { 'x5t#S256': jkt } }), 'DPoP', 'claim cnf'],
    ['a binding to nothing', tokenWith({ cnf: {} }), 'DPoP', 'claim cnf'],
    ['a binding that is null', tokenWith({ cnf: null }), 'DPoP', 'claim cnf'],
    ['a binding to a list', tokenWith({ cnf: [jkt] }), 'DPoP', 'claim cnf'],
    ['a binding that is cut', tokenWith({ cnf: { jkt: jkt.slice(1) } }), 'DPoP', 'claim cnf'],
  ])('%s', async (_, bound, scheme, reason) => {
    const { ask, records } = service()
    const headers = sent(proof({ ath: athOf(bound) }), bound, scheme)
    for (let at = 0; at < 3; at += 1) {
      const refused = await ask(null, '/open/', headers)
      expect(refused.status).toBe(401)
      expect(refused.header('www-authenticate')).toBe(`${CHALLENGE}, error="invalid_token"`)
    }
    expect(records[0]).toMatchObject({ event: 'jwt.refused', reason })
  })
})

describe('A proof', () => {
  test('is taken once, by a token as often as there are proofs', async () => {
    const { ask, clock } = service()
    const first = proof()
    expect((await ask(null, '/open/', sent(first))).status).toBe(200)
    expect((await ask(null, '/open/', sent(first))).status).toBe(401)
    clock.now += 60_000
    expect((await ask(null, '/open/', sent(first))).status).toBe(401)
    expect((await ask(null, '/open/', sent(proof()))).status).toBe(200)
    const many = proof()
    const all = await Promise.all(
      Array.from({ length: 20 }, async () => (await ask(null, '/open/', sent(many))).status),
    )
    expect(all.filter((status) => status === 200)).toHaveLength(1)
  })

  const countedIn = (counters: CounterStore) => {
    const now = () => NOW * 1000
    const options = { issuer: ISSUER, audience: AUDIENCE, jwks, dpop: true, now }
    const api = defineApi({
      urls: { open: '/open/' },
      authentication: [new JWTAuthentication(options)],
      counters,
    })
    return api.serve([api.endpoint('open').get(() => 'open')], { configuration: configurationOf() })
  }

  test('is taken, however many more than a process remembers came before', async () => {
    const app = countedIn(new MemoryCounters({ capacity: 51 * 8 }))
    const ask = async (by: string) =>
      (await client(app).get('/open/', { headers: sent(by) })).status
    for (let count = 0; count < 20; count++) {
      const one = proof()
      expect([await ask(one), await ask(one)]).toEqual([200, 401])
    }
  })

  test('is taken once by two processes that share counters', async () => {
    const database = openSqlite({ path: join(mkdtempSync(join(tmpdir(), 'dpop-')), 'app.sqlite') })
    await database.migrate()
    const one = proof()
    const statuses = []
    for (const app of [countedIn(database.counters), countedIn(database.counters)])
      statuses.push((await client(app).get('/open/', { headers: sent(one) })).status)
    expect(statuses).toEqual([200, 401])
    database.close()
  })

  test('of a key that is known is for the tokens of this key alone', async () => {
    const { ask } = service()
    expect((await ask(null, '/open/', sent(proof()))).status).toBe(200)
    const others = tokenWith({ cnf: { jkt: await thumbprintOf(other) } })
    for (const [pair, status] of [
      [own, 401],
      [other, 200],
    ] as const) {
      const by = proof({ ath: athOf(others) }, { jwk: bare(pair) }, pair)
      expect((await ask(null, '/open/', sent(by, others))).status).toBe(status)
    }
    expect((await ask(null, '/open/', sent(proof({}, {}, other)))).status).toBe(401)
    expect((await ask(null, '/open/', sent(proof()))).status).toBe(200)
  })

  test.each([
    ['with a query', { htu: 'http://localhost/open/?a=1#b' }],
    ['with the port of its scheme', { htu: 'HTTP://LOCALHOST:80/open/' }],
    ['with letters that need no escape', { htu: 'http://localhost/%6fpen/' }],
    ['a little old', { iat: NOW - 90 }],
    ['a little ahead', { iat: NOW + 30 }],
  ])('may be %s', async (_, claims) => {
    expect((await service().ask(null, '/open/?page=2', sent(proof(claims)))).status).toBe(200)
  })

  test('may be by a key of another kind', async () => {
    for (const [pair, alg] of [
      [big, 'PS256'],
      [edwards, 'EdDSA'],
    ] as const) {
      const bound = tokenWith({ cnf: { jkt: await thumbprintOf(pair) } })
      const by = proof({ ath: athOf(bound) }, { alg, jwk: bare(pair) }, pair, alg)
      expect((await service().ask(null, '/open/', sent(by, bound))).status).toBe(200)
    }
  })

  test('shows scopes as ever, and their lack by its scheme', async () => {
    const { ask } = service()
    const at = (path: string) => sent(proof({ htu: `http://localhost${path}` }))
    expect((await ask(null, '/me/', at('/me/'))).data).toMatchObject({ user: { username: 'ada' } })
    const refused = await ask(null, '/reports/', at('/reports/'))
    expect(refused.status).toBe(403)
    expect(refused.header('www-authenticate')).toBe(
      `${CHALLENGE}, error="insufficient_scope", scope="read reports"`,
    )
    expect((await ask(null, '/me/')).header('www-authenticate')).toBe(CHALLENGE)
    expect((await ask(null, '/open/')).status).toBe(200)
  })

  test('is asked for where the token wants it, while others are still Bearer', async () => {
    const { ask } = service({ optional: true })
    const unbound = tokenWith({})
    expect((await ask(unbound, '/open/')).status).toBe(200)
    expect((await ask(null, '/open/', sent(proof()))).status).toBe(200)
    const stolen = await ask(token, '/open/')
    expect(stolen.status).toBe(401)
    expect(stolen.header('www-authenticate')).toBe(
      `Bearer realm="api", error="invalid_token", ${CHALLENGE}`,
    )
  })

  test('holds a nonce of the service, where it should', async () => {
    const secret = configurationOf({ SECRET_KEY: 'a long random text for the seals of nonces' })
    let now = NOW * 1000
    const options = { issuer: ISSUER, audience: AUDIENCE, jwks, now: () => now }
    const api = defineApi({
      urls: { open: '/open/' },
      authentication: [new JWTAuthentication({ ...options, dpop: { nonce: true } })],
    })
    const open = api.endpoint('open').get(() => 'open')
    const app = api.serve([open], { configuration: secret })
    const ask = async (claims: object) =>
      client(app).get('/open/', { headers: sent(proof({ iat: now / 1000, ...claims })) })
    const asked = await ask({})
    expect(asked.status).toBe(401)
    expect(asked.header('www-authenticate')).toBe(`${CHALLENGE}, error="use_dpop_nonce"`)
    const nonce = asked.header('dpop-nonce')!
    for (const wrong of ['x', 1, null, `${nonce}x`])
      expect((await ask({ nonce: wrong })).status).toBe(401)
    expect((await ask({ nonce })).status).toBe(200)
    now += 299_000
    const answer = await ask({ nonce })
    const next = answer.header('dpop-nonce')
    expect([answer.status, next === nonce]).toEqual([200, false])
    now += 1000
    expect((await ask({ nonce })).header('dpop-nonce')).not.toBeNull()
    // A client that takes the nonce of each answer is never asked again.
    expect((await ask({ nonce: next })).status).toBe(200)
    expect(
      (
        await client(app).post('/open/', {
          headers: sent(proof({ iat: now / 1000, htm: 'POST', nonce: next })),
        })
      ).header('dpop-nonce'),
    ).not.toBeNull()
    const scheme = new JWTAuthentication({ ...options, dpop: { nonce: true } })
    const known = { hasSecret: false, remoteUserSource: null, routes: [] }
    expect(scheme.check(known)).toContain('SECRET_KEY')
  })

  test('goes with an opaque token that is bound to a key', async () => {
    let answer: object = { active: true, ...CLAIMS, token_type: 'DPoP', cnf: { jkt } }
    const { ask } = serviceWith((now) => [
      new IntrospectionAuthentication({
        issuer: ISSUER,
        audience: AUDIENCE,
        endpoint: 'https://id.example.com/introspect',
        client: { id: 'a', secret: 'b' },
        fetch: async () => Response.json(answer),
        dpop: true,
        now,
      }),
    ])
    const by = (name: string) => sent(proof({ ath: athOf(name) }), name)
    expect((await ask(null, '/open/', by('opaque'))).status).toBe(200)
    expect((await ask('opaque', '/open/')).status).toBe(401)
    answer = { active: true, ...CLAIMS, token_type: 'DPoP' }
    expect((await ask(null, '/open/', by('unbound'))).status).toBe(401)
  })
})

test.each([
  [{ algorithms: ['HS256'] }, '"dpop" has HS256'],
  [{ algorithms: [] }, '"dpop" has no algorithm'],
  [{ maxAge: -1 }, '"dpop.maxAge" must be a number'],
  [{ window: 5 }, '"dpop" has window'],
])('A service with %j does not start', (dpop, message) => {
  expect(() => serviceOf({ jwks, dpop: dpop as DPoPOptions })).toThrow(message)
})

test('A document names the scheme, and says what goes with it', () => {
  const of = (options: object) =>
    (openApiDocument(serviceOf({ jwks, ...options }).app).components as { securitySchemes: object })
      .securitySchemes
  const proofs = expect.stringContaining('RFC 9449') as string
  expect(of({ dpop: true })).toEqual({
    JWT: { type: 'http', scheme: 'dpop', bearerFormat: 'JWT', description: proofs },
  })
  expect(of({ dpop: { optional: true } })).toMatchObject({ JWT: { scheme: 'bearer' } })
  const certificates = expect.stringContaining('RFC 8705') as string
  expect(of({ certificate: true })).toMatchObject({
    JWT: { scheme: 'bearer', description: certificates },
  })
})
