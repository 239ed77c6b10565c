import { execFileSync } from 'node:child_process'
import { X509Certificate, hash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import {
  type Server as HttpServer,
  createServer as createPlain,
  request as askPlain,
} from 'node:http'
import { type RequestOptions, createServer, request as askSecure } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TLSSocket } from 'node:tls'
import { calculateJwkThumbprint } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pathOf } from '../../../scripts/servers/programs.ts'
import { type CertificateOptions, JWTAuthentication } from '../../../src/jwt.ts'
import { IsAuthenticated, configurationOf, defineApi } from '../../../src/index.ts'
import { toListener } from '../../../src/node.ts'
import { AUDIENCE, CLAIMS, ISSUER, NOW, ec, jwkOf, signed } from './provider.ts'

const issuing = ec('e1')
const own = ec('')
const folder = mkdtempSync(join(tmpdir(), 'certificates-'))

interface Certificate {
  readonly key: Buffer
  readonly cert: Buffer
}

async function certificateOf(name: string): Promise<Certificate> {
  const openssl = await pathOf({ name: 'openssl', packages: ['openssl'] })
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)]
  const made = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2'.split(' ')
  execFileSync(openssl, [...made, '-subj', `/CN=${name}`, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  })
  return { key: readFileSync(key), cert: readFileSync(cert) }
}

const [service, ada, eve] = [
  await certificateOf('localhost'),
  await certificateOf('ada'),
  await certificateOf('eve'),
]
const { raw } = new X509Certificate(ada.cert)
const tokenWith = (claims: object): string =>
  signed({ alg: 'ES256', kid: 'e1' }, { ...CLAIMS, ...claims }, issuing.privateKey, 'ES256')
const token = tokenWith({ cnf: { 'x5t#S256': hash('sha256', raw, 'base64url') } })
const header = `:${raw.toString('base64')}:`

type Asked = RequestOptions & { readonly session?: Buffer }

interface Served {
  readonly certificate?: boolean | CertificateOptions
  readonly dpop?: boolean
  readonly keys?: object
}

function listenerOf({ keys = {}, ...options }: Served) {
  const now = () => NOW * 1000
  const known = { issuer: ISSUER, audience: AUDIENCE, jwks: { keys: [jwkOf(issuing)] }, now }
  const api = defineApi({
    urls: { me: '/me/' },
    authentication: [new JWTAuthentication({ ...known, ...options })],
    permissions: [new IsAuthenticated()],
    logger: { error: () => {} },
  })
  const me = api.endpoint('me').get(({ user }) => user.username)
  const ALLOWED_HOSTS = ['localhost', '127.0.0.1', 'api.example.com']
  return toListener(api.serve([me], { configuration: configurationOf({ ALLOWED_HOSTS, ...keys }) }))
}

const servers: HttpServer[] = []
async function started(server: HttpServer): Promise<number> {
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}
afterAll(() => {
  for (const server of servers) server.close().closeAllConnections()
})

describe('A token that is bound to a certificate, over TLS,', () => {
  let port: number
  beforeAll(async () => {
    const secure = { ...service, requestCert: true, rejectUnauthorized: false }
    port = await started(createServer(secure, listenerOf({ certificate: true })))
  })

  let session: Buffer | undefined
  async function ask(by: Partial<Certificate>, options: Asked = {}, sent = token) {
    const headers = { authorization: `Bearer ${sent}`, ...(options.headers as object) }
    const asked = { port, path: '/me/', ca: service.cert, servername: 'localhost', agent: false }
    const request = askSecure({ ...asked, ...by, ...options, headers } as RequestOptions).end()
    request.on('socket', (socket) => socket.on('session', (given: Buffer) => (session = given)))
    const [response] = await once(request, 'response')
    const body = await text(response)
    const isResumed = (response.socket as TLSSocket).isSessionReused()
    return { status: response.statusCode as number, body, isResumed }
  }

  test('is taken where the client has its key', async () => {
    expect(await ask(ada)).toMatchObject({ status: 200, body: '"ada"' })
  })

  test('is taken on a session of TLS that goes on', async () => {
    await ask(ada)
    expect(session).toBeDefined()
    expect(await ask(ada, { session: session! })).toMatchObject({ status: 200, isResumed: true })
  })

  test.each<readonly [string, Partial<Certificate>, Asked, string]>([
    ['by the certificate of another', eve, {}, token],
    ['without a certificate', {}, {}, token],
    ['by a header of the client', {}, { headers: { 'Client-Cert': header } }, token],
    ['by a header beside another certificate', eve, { headers: { 'Client-Cert': header } }, token],
    ['bound to nothing', ada, {}, tokenWith({})],
    ['bound to a key', ada, {}, tokenWith({ cnf: { jkt: hash('sha256', 'x', 'base64url') } })],
  ])('is refused %s', async (_, by, options, sent) => {
    expect((await ask(by, options, sent)).status).toBe(401)
    expect((await ask(by, options, sent)).status).toBe(401)
  })
})

describe('Behind a proxy', () => {
  async function ask(served: Served, lines: readonly string[], sent = `Bearer ${token}`) {
    const port = await started(createPlain(listenerOf(served)))
    const headers = ['Host', 'localhost', 'Authorization', sent, ...lines]
    const [response] = await once(askPlain({ port, path: '/me/', headers }).end(), 'response')
    response.resume()
    return response.statusCode as number
  }
  const named = { certificate: { fromProxy: true }, keys: { TRUSTED_PROXIES: ['127.0.0.1'] } }
  const pem = encodeURIComponent(ada.cert.toString())
  const strange = `:${new X509Certificate(eve.cert).raw.toString('base64')}:`

  test.each([
    ['a named one says the certificate', 200, named, ['Client-Cert', header]],
    ['a named one says it in PEM', 200, named, ['Client-Cert', pem]],
    ['a named one says another', 401, named, ['Client-Cert', strange]],
    ['a named one says two', 401, named, ['Client-Cert', header, 'Client-Cert', header]],
    ['a named one says none', 401, named, []],
    ['a named one says nonsense', 401, named, ['Client-Cert', '%zz']],
    ['a named one says an empty one', 401, named, ['Client-Cert', '::']],
    [
      'a named one is not to say certificates',
      401,
      { ...named, certificate: true },
      ['Client-Cert', header],
    ],
    ['none is named', 401, { certificate: { fromProxy: true } }, ['Client-Cert', header]],
    [
      'another one is named',
      401,
      { ...named, keys: { TRUSTED_PROXIES: ['192.0.2.1'] } },
      ['Client-Cert', header],
    ],
  ])('%s: %i', async (_, status, served, lines) => {
    expect(await ask(served, lines)).toBe(status)
  })

  test('proofs name the address that clients know', async () => {
    const jkt = await calculateJwkThumbprint(own.publicKey.export({ format: 'jwk' }))
    const bound = tokenWith({ cnf: { jkt } })
    let made = 0
    const lines = (htu: string) => {
      const head = { typ: 'dpop+jwt', alg: 'ES256', jwk: own.publicKey.export({ format: 'jwk' }) }
      const ath = hash('sha256', bound, 'base64url')
      const claims = { jti: String((made += 1)), htm: 'GET', htu, iat: NOW, ath }
      const proof = signed(head, claims, own.privateKey, 'ES256')
      const forwarded = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'api.example.com' }
      return ['DPoP', proof, ...Object.entries(forwarded).flat()]
    }
    const outside = 'https://api.example.com/me/'
    const keys = { TRUSTED_PROXIES: ['127.0.0.1'] }
    const statuses = []
    for (const served of [{ keys }, { keys: { PUBLIC_URL: 'https://api.example.com' } }, {}])
      statuses.push(await ask({ ...served, dpop: true }, lines(outside), `DPoP ${bound}`))
    expect(statuses).toEqual([200, 200, 401])
    expect(await ask({ keys, dpop: true }, lines('http://localhost/me/'), `DPoP ${bound}`)).toBe(
      401,
    )
  })
})
