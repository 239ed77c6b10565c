import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request as send } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Nginx, startNginx } from '../../scripts/servers/nginx.ts'
import {
  type App,
  IsAuthenticated,
  RemoteUserAuthentication,
  TokenAuthentication,
  type User,
  configurationOf,
  defineApi,
} from '../../src/index.ts'
import { type RunningServer, serve } from '../../src/node.ts'
import { type Accounts, defineAccounts } from '../../src/accounts.ts'
import { openSqlite } from '../../src/sqlite.ts'

const EXAMPLE = readFileSync('deploy/nginx.conf', 'utf8')

/** Ways in which nginx and the service reach each other, and whom the service then believes. */
const WAYS = [
  { name: 'a unix socket', proxy: 'unix', host: (folder: string) => `unix:${folder}/api.sock` },
  // A proxy with an address of its own: whoever else asks from this machine is not it.
  { name: 'the network', proxy: '127.0.0.2', host: () => '127.0.0.1' },
] as const

let folder: string
let accounts: Accounts
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'colophon-deploy-'))
  const database = openSqlite({ path: join(folder, 'accounts.sqlite') })
  await database.migrate()
  accounts = defineAccounts({ database, secretKey: 'a secret' })
  await accounts.users.create({ username: 'admin', isStaff: true })
  await accounts.users.create({ username: 'gone', isActive: false })
})
afterAll(async () => {
  await accounts.database.close()
  rmSync(folder, { recursive: true })
})

describe.each(WAYS)('deploy/nginx.conf over $name', ({ proxy, host }) => {
  let app: App
  let nginx: Nginx
  let behind: RunningServer
  let beside: RunningServer
  beforeAll(async () => {
    app = service(proxy)
    behind = await serve(app, { host: host(folder), port: 0 })
    // The same service on a port that anybody can reach.
    beside = await serve(app, { port: 0 })
    nginx = await startNginx({
      config: ({ port, folder: own }) => example(port, join(own, 'passwords'), behind.url, proxy),
      files: { passwords: PASSWORDS },
    })
  })
  afterAll(async () => {
    await nginx.stop()
    await Promise.all([behind.close(), beside.close()])
  })

  test('a password that nginx knows names the user', async () => {
    expect(await ask(nginx.url, '/me/', { user: 'admin:pw' })).toEqual({
      status: 200,
      user: 'admin',
      staff: true,
      address: '127.0.0.1',
      password: null,
      link: `${nginx.url}/me/`,
    })
  })

  test('a user whom the service does not know gets an account', async () => {
    expect(await ask(nginx.url, '/me/', { user: 'joe:pw' })).toMatchObject({
      status: 200,
      user: 'joe',
      staff: false,
    })
    expect((await accounts.users.byUsername('joe'))?.isActive).toBe(true)
  })

  test('a name that is not ASCII', async () => {
    expect(await ask(nginx.url, '/me/', { user: 'zoë:pw' })).toMatchObject({ user: 'zoë' })
  })

  test('a wrong password does not come through', async () => {
    expect(await ask(nginx.url, '/me/', { user: 'joe:wrong' })).toMatchObject({ status: 401 })
    expect(await ask(nginx.url, '/me/', {})).toMatchObject({ status: 401 })
  })

  test('RU5 a user who is switched off is nobody', async () => {
    expect(await ask(nginx.url, '/me/', { user: 'gone:pw' })).toMatchObject({ status: 403 })
  })

  describe.each(SPELLINGS)('a client that names itself: %s', (_, headers) => {
    test('through nginx: whom nginx knows', async () => {
      const seen = await ask(nginx.url, '/me/', { user: 'joe:pw', headers })
      expect(seen).toMatchObject({ status: 200, user: 'joe' })
    })

    test('through nginx, where it asks for no password: nobody', async () => {
      expect(await ask(nginx.url, '/api/', { headers })).toMatchObject({ user: null })
    })

    test('past nginx: nobody', async () => {
      expect(await ask(beside.url, '/api/', { headers })).toMatchObject({ user: null })
      expect(await ask(beside.url, '/me/', { headers })).toMatchObject({ status: 403 })
    })
  })

  test('a token goes through nginx to the service, which knows whose it is', async () => {
    const { key } = await accounts.tokens.obtain((await accounts.users.byUsername('admin'))!)
    const by = (token: string) => ({ headers: { Authorization: `Token ${token}` } })
    expect(await ask(nginx.url, '/api/', by(key))).toMatchObject({ status: 200, user: 'admin' })
    expect(await ask(nginx.url, '/api/', by(`${key}0`))).toMatchObject({ status: 403 })
    // Where nginx wants a password, a token is none.
    expect(await ask(nginx.url, '/me/', by(key))).toMatchObject({ status: 401 })
  })

  test('what comes by plain HTTP is sent to HTTPS', async () => {
    const socketPath = join(nginx.folder, 'plain.sock')
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const headers = { Host: 'evil.test' }
    send({ socketPath, path: '/me/?a=1', headers }, ({ statusCode, headers: { location } }) =>
      resolve([statusCode, location]),
    )
      .on('error', reject)
      .end()
    expect(await promise).toEqual([308, 'https://api.example.com/me/?a=1'])
  })

  test('a name beside a password that nobody has checked names nobody', async () => {
    const seen = await ask(nginx.url, '/api/', { user: 'admin:made up' })
    expect(seen).toMatchObject({ status: 200, user: null })
  })

  test('I8 what a client forwards of itself says nothing', async () => {
    const headers = {
      'X-Forwarded-For': '203.0.113.7',
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Host': 'www.example.com',
      'X-Forwarded-Port': '8443',
      Forwarded: 'for=203.0.113.7;proto=https;host=www.example.com',
    }
    const own = { address: '127.0.0.1', link: `${nginx.url}/api/` }
    expect(await ask(nginx.url, '/api/', { headers })).toMatchObject(own)
    const direct = { address: '127.0.0.1', link: `${beside.url}/api/` }
    expect(await ask(beside.url, '/api/', { headers })).toMatchObject(direct)
  })

  test('I10 nor does a host that the service does not have', async () => {
    const headers = { Host: 'evil.test' }
    expect(await ask(nginx.url, '/api/', { headers })).toMatchObject({ status: 400 })
  })
})

const SPELLINGS: readonly [title: string, headers: Record<string, string | string[]>][] = [
  ['with dashes', { 'X-Remote-User': 'admin' }],
  ['with underscores', { X_Remote_User: 'admin' }],
  ['with both', { 'X-Remote_User': 'admin' }],
  ['in lower case', { 'x-remote-user': 'admin' }],
  ['in upper case', { 'X-REMOTE-USER': 'admin' }],
  ['twice', { 'X-Remote-User': ['admin', 'admin'] }],
  ['as the variable', { REMOTE_USER: 'admin', 'Remote-User': 'admin' }],
]

const sha = (password: string): string =>
  `{SHA}${createHash('sha1').update(password).digest('base64')}`
const PASSWORDS = ['admin', 'joe', 'zoë', 'gone'].map((name) => `${name}:${sha('pw')}\n`).join('')

/** The example with what differs between machines. */
function example(port: number, passwords: string, upstream: string, proxy: string): string {
  const changes: Readonly<Record<string, string>> = {
    'listen 80;': `listen unix:${dirname(passwords)}/plain.sock;`,
    // Certificates differ too: what is behind them is the same without.
    'listen 443 ssl;': `listen 127.0.0.1:${port};`,
    'ssl_certificate     /etc/nginx/api.example.com.pem;': '',
    'ssl_certificate_key /etc/nginx/api.example.com.key;': '',
    'server unix:/run/colophon/api.sock;': `server ${upstream.replace('http://', '')};`,
    '/etc/nginx/colophon.htpasswd': passwords,
    ...(proxy === 'unix'
      ? {}
      : { 'proxy_http_version 1.1;': `proxy_http_version 1.1; proxy_bind ${proxy};` }),
  }
  return Object.entries(changes).reduce((text, [from, to]) => {
    expect(text).toContain(from)
    return text.replaceAll(from, to)
  }, EXAMPLE)
}

function service(proxy: string): App {
  const authentication = [new RemoteUserAuthentication(accounts), new TokenAuthentication(accounts)]
  const api = defineApi({
    urls: { me: '/me/', api: '/api/' },
    authentication,
    logger: { error: () => {} },
  })
  const tell = (name: 'me' | 'api') => (request: Seen) => ({
    user: request.user.isAuthenticated ? request.user.username : null,
    staff: request.user.isStaff,
    address: request.environ['REMOTE_ADDR'] ?? null,
    password: request.header('authorization'),
    link: request.reverse(name),
  })
  return api.serve(
    [
      api.endpoint('me', { permissions: [new IsAuthenticated()] }).get(tell('me')),
      api.endpoint('api').get(tell('api')),
    ],
    {
      configuration: configurationOf({
        TRUSTED_PROXIES: [proxy],
        REMOTE_USER_SOURCE: { header: 'X-Remote-User' },
      }),
    },
  )
}

/** What an endpoint tells of a request. */
interface Seen {
  readonly user: Pick<User, 'username' | 'isStaff'> & { readonly isAuthenticated: boolean }
  readonly environ: Readonly<Record<string, string | undefined>>
  readonly header: (name: string) => string | null
  readonly reverse: (name: 'me' | 'api') => string
}

interface Question {
  /** As `curl -u` takes it. */
  readonly user?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
}

async function ask(url: string, path: string, question: Question): Promise<object> {
  const { user, headers = {} } = question
  const basic = user === undefined ? {} : { Authorization: `Basic ${btoa8(user)}` }
  const { promise, resolve, reject } = Promise.withResolvers<object>()
  send(`${url}${path}`, { headers: { ...basic, ...headers } }, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('error', reject)
    response.on('end', () => {
      const { statusCode: status } = response
      const json = response.headers['content-type'] === 'application/json'
      const data = json ? (JSON.parse(Buffer.concat(chunks).toString()) as object) : {}
      resolve({ status, ...data })
    })
  })
    .on('error', reject)
    .end()
  return promise
}

const btoa8 = (text: string): string => Buffer.from(text).toString('base64')
