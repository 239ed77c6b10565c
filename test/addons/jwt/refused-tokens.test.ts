import { createSecretKey, generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  AUDIENCE,
  CLAIMS,
  ISSUER,
  NOW,
  type Pair,
  type Provider,
  ec,
  jwkOf,
  part,
  rsa,
  serviceOf,
  signed,
  startProvider,
} from './provider.ts'

const key = rsa('r1')
const curve = ec('e1')
const other = ec('e2')
const stranger = rsa('r1')
const short = rsa('short', 1024)
const edwards: Pair = { kid: 'ed', ...generateKeyPairSync('ed25519') }
const HEAD = { alg: 'RS256', typ: 'at+jwt', kid: 'r1' }
const PEM = key.publicKey.export({ type: 'spki', format: 'pem' }) as string

const rs = (header: object = {}, claims: object | string = {}, pair: Pair = key): string =>
  signed(
    { ...HEAD, ...header },
    typeof claims === 'string' ? claims : { ...CLAIMS, ...claims },
    pair.privateKey,
    'RS256',
  )
const es = (header: object = {}, claims: object = {}, pair: Pair = curve): string =>
  signed(
    { ...HEAD, alg: 'ES256', kid: 'e1', ...header },
    { ...CLAIMS, ...claims },
    pair.privateKey,
    'ES256',
  )
/** Signed rightly: only its text is odd. */
const odd = (header: string, claims: string): string =>
  signed(header, claims, key.privateKey, 'RS256')
const head = JSON.stringify(HEAD)
const body = JSON.stringify(CLAIMS)
const without = (name: string) => JSON.stringify({ ...CLAIMS, [name]: undefined })
const valid = rs()
const [h = '', c = '', s = ''] = valid.split('.')
const hmac = (secret: string | Buffer, alg = 'HS256') =>
  signed({ ...HEAD, alg }, CLAIMS, createSecretKey(Buffer.from(secret)), alg)
const unsigned = (alg: unknown) => `${part({ ...HEAD, alg })}.${part(CLAIMS)}.`

let provider: Provider
let elsewhere: string
beforeAll(async () => {
  provider = await startProvider()
  elsewhere = new URL('/attacker.json', provider.url).href
  provider.publish(
    jwkOf(key, { alg: 'RS256', use: 'sig' }),
    jwkOf(curve),
    jwkOf(other, { use: 'enc' }),
    jwkOf(short),
    jwkOf(rsa('r2'), { alg: 'PS256' }),
    jwkOf(rsa('r3'), { alg: 'RS256', key_ops: ['sign'] }),
    jwkOf(edwards),
  )
})
afterAll(() => provider.close())

/** Tokens by what is wrong with them, and why the log says that they were refused. */
const HOSTILE: readonly (readonly [string, () => string, string])[] = [
  ['alg none, without a signature', () => unsigned('none'), 'no signed token'],
  ['alg none, with the signature of another', () => `${unsigned('none')}${s}`, 'algorithm'],
  ['alg None', () => `${unsigned('None')}${s}`, 'algorithm'],
  ['alg NONE', () => `${unsigned('NONE')}${s}`, 'algorithm'],
  ['alg nOnE', () => `${unsigned('nOnE')}${s}`, 'algorithm'],
  ['an empty alg', () => rs({ alg: '' }), 'algorithm'],
  ['no alg', () => rs({ alg: undefined }), 'algorithm'],
  ['alg null', () => rs({ alg: null }), 'algorithm'],
  ['alg as a list', () => rs({ alg: ['RS256'] }), 'algorithm'],
  ['alg in small letters', () => rs({ alg: 'rs256' }), 'algorithm'],
  ['alg __proto__', () => rs({ alg: '__proto__' }), 'algorithm'],
  ['key confusion: HS256 with the public key in PEM', () => hmac(PEM), 'algorithm'],
  ['key confusion: HS384', () => hmac(PEM, 'HS384'), 'algorithm'],
  ['key confusion: HS512', () => hmac(PEM, 'HS512'), 'algorithm'],
  [
    'key confusion: HS256 with the modulus',
    () => hmac((jwkOf(key) as { n: string }).n),
    'algorithm',
  ],
  ['key confusion: HS256 with an empty secret', () => hmac(Buffer.alloc(1)), 'algorithm'],
  [
    'key confusion: RS256 for a key of a curve',
    () => rs({ kid: 'e1' }),
    'no key of the provider has this kid',
  ],
  [
    'key confusion: ES256 for an RSA key',
    () => es({ kid: 'r1' }),
    'no key of the provider has this kid',
  ],
  [
    'an algorithm that is possible and not pinned: RS512',
    () => signed({ ...HEAD, alg: 'RS512' }, CLAIMS, key.privateKey, 'RS512'),
    'algorithm',
  ],
  [
    'another algorithm than the key is for: PS256',
    () => signed({ ...HEAD, alg: 'PS256' }, CLAIMS, key.privateKey, 'PS256'),
    'no key of the provider has this kid',
  ],
  [
    'the right alg, signed by another',
    () => signed(HEAD, CLAIMS, key.privateKey, 'RS512'),
    'signature',
  ],
  [
    'a key for encryption',
    () => es({ kid: 'e2' }, {}, other),
    'no key of the provider has this kid',
  ],
  ['a key that is too short', () => rs({ kid: 'short' }, {}, short), 'the key does not fit'],
  ['the key of a stranger under a known kid', () => rs({}, {}, stranger), 'signature'],
  ['an unknown kid', () => rs({ kid: 'r9' }), 'no key of the provider has this kid'],
  [
    'a kid that is a path',
    () => rs({ kid: '../../../dev/null' }),
    'no key of the provider has this kid',
  ],
  ['a kid that is SQL', () => rs({ kid: "' OR 1=1 --" }), 'no key of the provider has this kid'],
  ['a kid that is an address', () => rs({ kid: elsewhere }), 'no key of the provider has this kid'],
  ['a kid that is a number', () => rs({ kid: 1 }), 'header kid'],
  ['a kid that is null', () => rs({ kid: null }), 'header kid'],
  ['a kid that is an object', () => rs({ kid: { $ne: '' } }), 'header kid'],
  ['no kid, where several keys fit', () => rs({ kid: undefined }, {}, stranger), 'signature'],
  ['jku, signed by its key', () => rs({ jku: elsewhere }, {}, stranger), 'signature'],
  ['x5u, signed by its key', () => rs({ x5u: elsewhere }, {}, stranger), 'signature'],
  ['x5c, signed by its key', () => rs({ x5c: ['MIIB'] }, {}, stranger), 'signature'],
  ['jwk, signed by it', () => rs({ jwk: jwkOf(stranger) }, {}, stranger), 'header jwk'],
  ['jwk, although the signature is right', () => rs({ jwk: jwkOf(key) }), 'header jwk'],
  ['crit with what is not known', () => rs({ crit: ['exp'], exp: NOW + 9 }), 'header crit'],
  ['crit, empty', () => rs({ crit: [] }), 'header crit'],
  ['crit b64', () => rs({ crit: ['b64'], b64: false }), 'header crit'],
  ['b64 without crit', () => rs({ b64: false }), 'header b64'],
  ['compressed claims', () => rs({ zip: 'DEF' }), 'header zip'],
  ['enc', () => rs({ enc: 'A256GCM' }), 'header enc'],
  [
    'five parts: encrypted',
    () => `${part({ alg: 'dir', enc: 'A256GCM' })}..a.b.c`,
    'no signed token',
  ],
  ['typ of an ID token', () => rs({ typ: 'id+jwt' }), 'header typ'],
  ['typ of a logout token', () => rs({ typ: 'logout+jwt' }), 'header typ'],
  ['typ of a proof (DPoP)', () => rs({ typ: 'dpop+jwt' }), 'header typ'],
  ['typ of a security event', () => rs({ typ: 'application/secevent+jwt' }), 'header typ'],
  ['typ that is a number', () => rs({ typ: 1 }), 'header typ'],
  ['nested: cty JWT', () => rs({ cty: 'JWT' }, JSON.stringify(valid)), 'claims'],
  ['nested: cty JWT around claims', () => rs({ cty: 'JWT' }), 'header cty'],
  ['nested: a token in place of the claims', () => odd(head, valid), 'claims'],
  ['another audience', () => rs({}, { aud: 'https://other.example.com/' }), 'claim aud'],
  ['an audience without the slash', () => rs({}, { aud: AUDIENCE.slice(0, -1) }), 'claim aud'],
  ['an audience in capitals', () => rs({}, { aud: AUDIENCE.toUpperCase() }), 'claim aud'],
  ['no audience', () => rs({}, without('aud')), 'claim aud'],
  ['an empty list of audiences', () => rs({}, { aud: [] }), 'claim aud'],
  ['an audience within a list within a list', () => rs({}, { aud: [[AUDIENCE]] }), 'claim aud'],
  ['an audience as an object', () => rs({}, { aud: { 0: AUDIENCE } }), 'claim aud'],
  ['an audience that begins like ours', () => rs({}, { aud: `${AUDIENCE}.evil` }), 'claim aud'],
  ['another issuer', () => rs({}, { iss: 'https://evil.example.com/' }), 'claim iss'],
  ['an issuer without the slash', () => rs({}, { iss: ISSUER.slice(0, -1) }), 'claim iss'],
  ['an issuer in a list', () => rs({}, { iss: [ISSUER] }), 'claim iss'],
  ['no issuer', () => rs({}, without('iss')), 'claim iss'],
  ['expired', () => rs({}, { exp: NOW - 31 }), 'expired'],
  ['expired long ago', () => rs({}, { exp: 0 }), 'expired'],
  ['no exp', () => rs({}, without('exp')), 'claim exp'],
  ['exp as a text', () => rs({}, { exp: String(NOW + 300) }), 'claim exp'],
  ['exp null', () => rs({}, { exp: null }), 'claim exp'],
  ['exp beyond all dates', () => rs({}, body.replace(String(CLAIMS.exp), '1e300')), 'claim exp'],
  ['exp infinite', () => rs({}, body.replace(String(CLAIMS.exp), '1e999')), 'claim exp'],
  ['exp negative', () => rs({}, { exp: -1 }), 'expired'],
  ['not yet: nbf', () => rs({}, { nbf: NOW + 31 }), 'claim nbf'],
  ['nbf as a text', () => rs({}, { nbf: 'now' }), 'claim nbf'],
  ['from the future: iat', () => rs({}, { iat: NOW + 31 }), 'claim iat'],
  ['iat as a list', () => rs({}, { iat: [] }), 'claim iat'],
  ['no subject', () => rs({}, without('sub')), 'claim sub'],
  ['an empty subject', () => rs({}, { sub: '' }), 'claim sub'],
  ['a subject that is a number', () => rs({}, { sub: 1 }), 'claim sub'],
  ['a subject that is a list', () => rs({}, { sub: ['ada'] }), 'claim sub'],
  ['a subject of 256 characters', () => rs({}, { sub: 'a'.repeat(256) }), 'claim sub'],
  ['bound to a key (DPoP)', () => rs({}, { cnf: { jkt: 'x' } }), 'claim cnf'],
  ['bound to a certificate', () => rs({}, { cnf: { 'x5t#S256': 'x' } }), 'claim cnf'],
  ['a claim twice', () => odd(head, body.replace('{', '{"sub":"root",')), 'claims'],
  [
    'a claim twice, once escaped',
    () => odd(head, body.replace('{', String.raw`{"s\u0075b":"root",`)),
    'claims',
  ],
  [
    'a claim twice, deep inside',
    () => odd(head, body.replace('{', '{"x":[{"a":1,"a":2}],')),
    'claims',
  ],
  ['a header twice', () => odd(head.replace('{', '{"alg":"none",'), body), 'header'],
  ['__proto__ with the claims', () => odd(head, `{"__proto__":${body}}`), 'claim iss'],
  ['claims that are a list', () => odd(head, '[]'), 'claims'],
  ['claims that are null', () => odd(head, 'null'), 'claims'],
  ['claims that are a text', () => odd(head, '"ada"'), 'claims'],
  ['claims that are no JSON', () => odd(head, `${body} x`), 'claims'],
  ['claims with a mark in front', () => odd(head, `\u{feff}${body}`), 'claims'],
  [
    'claims nested 2500 deep',
    () => odd(head, body.replace('{', `{"x":${'['.repeat(2500)}${']'.repeat(2500)},`)),
    'claims',
  ],
  [
    'claims that are no UTF-8',
    () => `${h}.${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}.${s}`,
    'claims',
  ],
  ['a header that is no JSON', () => `${part('x')}.${c}.${s}`, 'header'],
  ['a header that is a list', () => odd('[]', body), 'header'],
  ['a huge token', () => rs({}, { x: 'x'.repeat(8192) }), 'too long'],
  ['a megabyte', () => `${h}.${'a'.repeat(9000)}.${s}`, 'too long'],
  [
    'other claims under a signature',
    () => `${h}.${part({ ...CLAIMS, sub: 'root' })}.${s}`,
    'signature',
  ],
  ['another header above a signature', () => `${part({ ...HEAD, x: 1 })}.${c}.${s}`, 'signature'],
  ['no signature', () => `${h}.${c}.`, 'no signed token'],
  ['half a signature', () => `${h}.${c}.${s.slice(0, 171)}`, 'signature'],
  [
    'a signature of zeros',
    () => `${h}.${c}.${Buffer.alloc(256).toString('base64url')}`,
    'signature',
  ],
  [
    'a signature of zeros on a curve',
    () => `${es().split('.').slice(0, 2).join('.')}.${Buffer.alloc(64).toString('base64url')}`,
    'signature',
  ],
  [
    'a signature in DER',
    () =>
      `${es().split('.').slice(0, 2).join('.')}.${Buffer.alloc(70, 0x30).toString('base64url')}`,
    'signature',
  ],
  ['a signature with padding', () => `${h}.${c}.${s}==`, 'no signed token'],
  ['a signature in base64', () => `${h}.${c}.+/${s.slice(2)}`, 'no signed token'],
  ['two parts', () => `${h}.${c}`, 'no signed token'],
  ['four parts', () => `${valid}.${s}`, 'no signed token'],
  ['only dots', () => '..', 'no signed token'],
  ['an opaque token', () => 'a'.repeat(40), 'no signed token'],
  ['a letter that is not ASCII', () => `${h}.${c}.${s.slice(1)}\u00e9`, 'no signed token'],
  [
    'JSON in place of the compact form',
    () => JSON.stringify({ payload: c, protected: h, signature: s }),
    'no signed token',
  ],
]

describe('A hostile token is refused', () => {
  const service = () => serviceOf({ jwks: provider.url })

  test('while a right one is taken', async () => {
    const { ask } = service()
    expect((await ask(valid)).data).toMatchObject({
      user: { username: 'ada', id: `${ISSUER}#ada` },
      auth: { scopes: ['read', 'write'] },
    })
    expect((await ask(es())).status).toBe(200)
    expect((await ask(rs({ typ: 'JWT' }, { aud: ['x', AUDIENCE] }))).status).toBe(200)
    expect((await ask(rs({ typ: undefined }))).status).toBe(200)
    expect((await ask(es({ kid: undefined }))).status).toBe(200)
    expect((await ask(rs({ jku: elsewhere, x5u: elsewhere, x5t: 'x' }))).status).toBe(200)
    expect(
      (await ask(signed({ alg: 'EdDSA', kid: 'ed' }, CLAIMS, edwards.privateKey, 'EdDSA'))).status,
    ).toBe(200)
  })

  test.each(HOSTILE)('%s', async (_, make, reason) => {
    const { ask, records } = service()
    const token = make()
    const accept = 'application/json, application/problem+json'
    // An open endpoint does not take it for a request without credentials either.
    const refused = await ask(token, '/open/', { accept })
    expect(refused.status).toBe(401)
    expect(refused.data).toMatchObject({ code: 'authentication_failed' })
    expect(refused.header('www-authenticate')).toBe('Bearer realm="api", error="invalid_token"')
    // Tokens expire every day: the client is told, and the log is not.
    const logged = reason === 'expired' ? [] : [{ event: 'jwt.refused', reason }]
    expect(records).toMatchObject(logged)
    expect(records).toHaveLength(logged.length)
    for (const shown of [refused.text, JSON.stringify(records)])
      expect(shown.includes(token.split('.')[1] || token)).toBe(false)
    expect(provider.others).toBe(0)
  })

  test.each([
    ['Bearer', 'no_token'],
    [`Bearer ${valid} ${valid}`, 'spaces'],
  ])('%s', async (authorization) => {
    const refused = await service().ask(null, '/open/', { authorization })
    expect(refused.status).toBe(401)
    expect(refused.header('www-authenticate')).toContain('error="invalid_token"')
  })

  test('at the last character, whatever the bits are that decoding drops', async () => {
    const { ask } = service()
    const statuses = []
    for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
      statuses.push((await ask(valid.slice(0, -1) + last)).status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  })

  test('however a right one is changed', async () => {
    const { ask } = service()
    const place = fc.nat({ max: valid.length - 1 })
    const letter = fc.constantFrom(...'ABCXYZabcxyz0189-_.=+/%!é')
    const change = fc.oneof(
      fc.tuple(place, letter).map(([at, by]) => valid.slice(0, at) + by + valid.slice(at + 1)),
      fc.tuple(place, letter).map(([at, by]) => valid.slice(0, at) + by + valid.slice(at)),
      place.map((at) => valid.slice(0, at) + valid.slice(at + 1)),
      place.map((at) => valid.slice(0, at) || 'x'),
      fc.tuple(place, place).map(([one, two]) => valid.slice(one) + valid.slice(two)),
    )
    await fc.assert(
      fc.asyncProperty(change, async (changed) => {
        fc.pre(changed !== valid)
        expect((await ask(changed)).status).toBe(401)
      }),
      { numRuns: 500 },
    )
  })
})
