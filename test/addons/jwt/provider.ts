// A provider of tokens: keys of each kind, a server that publishes them, and tokens that it would never sign.
import { type KeyObject, createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto'
import { once } from 'node:events'
import { type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { JWTAuthentication, type JWTAuthenticationOptions } from '../../../src/jwt.ts'
import { IsAuthenticated, TokenHasScope, configurationOf, defineApi } from '../../../src/index.ts'
import { client } from '../../../src/testing.ts'
import type { Authenticator } from '../../../src/types.ts'

export const ISSUER = 'https://id.example.com/'
export const AUDIENCE = 'https://api.example.com/'

export interface Pair {
  readonly kid: string
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

export function rsa(kid: string, modulusLength = 2048): Pair {
  return { kid, ...generateKeyPairSync('rsa', { modulusLength }) }
}

export function ec(kid: string, namedCurve = 'P-256'): Pair {
  return { kid, ...generateKeyPairSync('ec', { namedCurve }) }
}

export const jwkOf = ({ kid, publicKey }: Pair, more: object = {}): object => ({
  ...publicKey.export({ format: 'jwk' }),
  kid,
  ...more,
})

export const part = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** Signs whatever it is given, as a text or as JSON, as `alg` says it: libraries would refuse most of it. */
export function signed(header: unknown, claims: unknown, key: KeyObject, alg: string): string {
  const input = `${part(header)}.${part(claims)}`
  return `${input}.${signatureOf(input, key, alg).toString('base64url')}`
}

function signatureOf(input: string, key: KeyObject, alg: string): Buffer {
  const data = Buffer.from(input)
  if (alg === 'EdDSA') return signBytes(null, data, key)
  const hash = `sha${alg.slice(2)}`
  if (alg.startsWith('HS')) return createHmac(hash, key).update(data).digest()
  if (alg.startsWith('ES')) return signBytes(hash, data, { key, dsaEncoding: 'ieee-p1363' })
  // PKCS1 v1.5, or PSS.
  const padding = alg.startsWith('PS') ? { padding: 6, saltLength: -1 } : {}
  return signBytes(hash, data, { key, ...padding })
}

/** Seconds. */
export const NOW = 1_800_000_000

export const CLAIMS = {
  iss: ISSUER,
  aud: AUDIENCE,
  sub: 'ada',
  iat: NOW - 60,
  exp: NOW + 300,
  scope: 'read write',
}

export interface Provider {
  readonly url: string
  /** Fetches of its keys. */
  asked: number
  /** Of any other address. */
  others: number
  answer: (response: ServerResponse) => void
  publish(...keys: readonly object[]): void
  close(): void
}

export async function startProvider(): Promise<Provider> {
  const server = createServer((request, response) => {
    if (request.url !== '/jwks.json') {
      provider.others += 1
      response.end(JSON.stringify({ keys: [] }))
      return
    }
    provider.asked += 1
    provider.answer(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const provider: Provider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`,
    asked: 0,
    others: 0,
    answer: () => {},
    publish: (...keys) => (provider.answer = (response) => response.end(JSON.stringify({ keys }))),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
  return provider
}

/** A service that takes its tokens; `clock.now` is its time in milliseconds. */
export function serviceOf(options: Partial<JWTAuthenticationOptions<object, object>>) {
  return serviceWith((now) => [
    new JWTAuthentication({ issuer: ISSUER, audience: AUDIENCE, now, ...options }),
  ])
}

export function serviceWith(schemes: (now: () => number) => readonly Authenticator<object>[]) {
  const clock = { now: NOW * 1000 }
  const records: Record<string, unknown>[] = []
  const note = (record: object) => void records.push(record as Record<string, unknown>)
  const api = defineApi({
    urls: { me: '/me/', open: '/open/', reports: '/reports/' },
    authentication: schemes(() => clock.now),
    permissions: [new IsAuthenticated()],
    logger: { error: note, info: (record) => note({ ...record, level: 'info' }) },
  })
  const me = api.endpoint('me').get(({ user, auth }) => ({ user, auth }))
  const open = api.endpoint('open', { permissions: [] }).get(() => 'open')
  const scopes = [new TokenHasScope({ scopes: ['read', 'reports'] })]
  const reports = api.endpoint('reports', { permissions: scopes }).get(() => 'reports')
  const app = api.serve([me, open, reports], { configuration: configurationOf() })
  const ask = async (token: string | null, path = '/me/', headers: Record<string, string> = {}) =>
    client(app).get(path, {
      headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
    })
  return { ask, clock, records, app }
}
