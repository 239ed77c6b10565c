import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingMessage, type RequestOptions, request as ask } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { loginPages, loginUrls, pagePolicy } from '../../src/browsable.ts'
import {
  type App,
  BasicAuthentication,
  SessionAuthentication,
  configurationOf,
  defineApi,
  defineUrls,
} from '../../src/index.ts'
import { serve } from '../../src/node.ts'
import { defineAccounts } from '../../src/accounts.ts'
import { openSqlite } from '../../src/sqlite.ts'

const folder = mkdtempSync(join(tmpdir(), 'colophon-hosts-'))
const database = openSqlite({ path: join(folder, 'hosts.sqlite') })
await database.migrate()
const accounts = defineAccounts({ database, secretKey: 'a secret', logger: { error: () => {} } })
afterAll(() => {
  database.close()
  rmSync(folder, { recursive: true })
})

/** Whatever a service tells of a request that failed. */
const failures: unknown[] = []

/** Every kind of place that makes something of the host: links, pages, the login. */
function service(keys: Readonly<Record<string, unknown>>): App {
  const api = defineApi({
    urls: defineUrls({ ...loginUrls, home: '/', open: '/open/', links: '/links/' }),
    authentication: [new SessionAuthentication(accounts), new BasicAuthentication(accounts)],
    logger: {
      error: (record) => void (record['event'] === 'request.failed' && failures.push(record)),
    },
  })
  const pages = api.group(pagePolicy({ accounts }))
  const links = (request: Linking): string => {
    request.resolve(request.url.href)
    return request.reverse('links')
  }
  return api.serve(
    [
      ...loginPages(api, { accounts }),
      pages.endpoint('home').get(() => 'home'),
      pages.endpoint('open', { permissions: [] }).get(({ url }) => `<p>${url.pathname}</p>`),
      api.endpoint('links').get(links).post(links),
    ],
    { configuration: configurationOf(keys) },
  )
}

interface Linking {
  readonly url: URL
  readonly reverse: (name: 'links') => string
  readonly resolve: (url: string) => unknown
}

const PLACES = [
  ['GET', '/'],
  ['GET', '/open/?a=%00'],
  ['GET', '/login/?next=http://a/b'],
  ['POST', '/login/'],
  ['POST', '/logout/'],
  ['GET', '/links/'],
  ['POST', '/links/'],
  ['GET', '/nowhere/'],
] as const
type Place = (typeof PLACES)[number]

/** Services that believe a host more or less. */
const SERVICES: readonly (readonly [title: string, keys: Readonly<Record<string, unknown>>])[] = [
  ['the default hosts', {}],
  ['all hosts', { ALLOWED_HOSTS: ['*'] }],
  ['all that a proxy tells', { ALLOWED_HOSTS: ['*'], TRUSTED_PROXIES: ['127.0.0.1'] }],
  ['all hosts, and a public address', { ALLOWED_HOSTS: ['*'], PUBLIC_URL: 'https://example.com' }],
]

/** Names that pass for some in a pattern, and are none to a URL; and honest ones. */
const NAMES = [
  ...'localhost LOCALHOST. a.localhost 127.0.0.1 [::1] example.com'.split(' '),
  ...'xn-- xn--a xn--.localhost xn--zz-zz--.localhost 1.2.3.999 999999999999 0x 0xg'.split(' '),
  ...'0x7f.1 1..2 .. . - _ a..localhost .localhost [::] [:::] [1:2] [::1.2.3] [::1%25lo]'.split(
    ' ',
  ),
  ...'[] [ ] a@b a/b a\\b %41 a,b "a" a?b a#b *'.split(' '),
  '',
  'a b',
  'a'.repeat(64),
  `${'a.'.repeat(127)}localhost`,
]
const PORTS = ['', ...': :0 :00 :080 :80 :443 :65535 :65536 :99999'.split(' ')]
const ODD_PORTS = [':8 0', ...':100000 :-1 :+80 :80:80 :1e3 :0x50 :http .:80'.split(' ')]

const host = fc
  .oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...PORTS, ...ODD_PORTS)),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(
        fc.constant('localhost'),
        fc.nat(99_999).map((port) => `:${port}`),
      ),
    },
    { weight: 1, arbitrary: fc.tuple(fc.stringMatching(/^[\x21-\x7e]{0,30}$/), fc.constant('')) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.stringMatching(/^[a-z0-9.:[\]-]{0,20}$/), fc.constant('')),
    },
  )
  .map(([name, port]) => name + port)

interface Seen {
  readonly status: number
  readonly text: string
}

/** Nothing that a client sends as a host is our mistake, and where it is admitted links lead somewhere. */
function judge({ status, text }: Seen, [method, path]: Place): void {
  expect({ status, failures: failures.splice(0) }).toEqual({ status, failures: [] })
  expect(status).toBeLessThan(500)
  if (status === 200 && path === '/links/') {
    const link: unknown = JSON.parse(text)
    expect([method, link, URL.canParse(String(link))]).toEqual([method, link, true])
    expect(new URL(String(link)).pathname).toBe('/links/')
  }
}

describe.each(SERVICES)('I10 no Host is a 500: %s', (_, keys) => {
  const app = service(keys)

  test('through the fetch door, by both schemes', async () => {
    const scheme = fc.constantFrom('http', 'https')
    await fc.assert(
      fc.asyncProperty(host, scheme, fc.constantFrom(...PLACES), async (name, by, place) => {
        const [method, path] = place
        const headers = { host: name, referer: 'https://localhost/' }
        const request = new Request(`${by}://localhost${path}`, { method, headers })
        const response = await app.fetch(request)
        judge({ status: response.status, text: await response.text() }, place)
      }),
      { numRuns: 400, seed: 12 },
    )
  })

  test('through the node door, also as forwarded', async () => {
    const server = await serve(app, { port: 0 })
    const { port } = new URL(server.url)
    const forwarded = fc.record(
      {
        'x-forwarded-host': host,
        'x-forwarded-port': fc.constantFrom('1', '99999', '0', '080', '-1', 'x', '65536', '443'),
        'x-forwarded-proto': fc.constantFrom('http', 'https', 'gopher'),
        forwarded: host.map((name) => `for=_a;host="${name.replaceAll(/["\\]/g, '')}"`),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(host, forwarded, fc.constantFrom(...PLACES), async (name, more, place) => {
        const [method, path] = place
        const headers = { ...more, host: name, referer: 'https://localhost/' }
        judge(await send({ port, method, path, headers, setHost: false }), place)
      }),
      { numRuns: 400, seed: 12 },
    )
    await server.close()
  })
})

describe('I10 ports are those that there are', () => {
  const app = service({})
  const statusOf = async (name: string): Promise<number> =>
    (await app.fetch(new Request('http://localhost/links/', { headers: { host: name } }))).status
  for (const [name, status] of [
    ['localhost:1', 200],
    ['localhost:80', 200],
    ['localhost:65535', 200],
    ['[::1]:8000', 200],
    ['localhost:', 400],
    ['localhost:0', 400],
    ['localhost:080', 400],
    ['localhost:65536', 400],
    ['localhost:99999', 400],
    ['[::1]:99999', 400],
    ['a..localhost', 200],
  ] as const) {
    test(`${name}: ${status}`, async () => expect(await statusOf(name)).toBe(status))
  }

  test('a page answers a port that is none with 400 too', async () => {
    const headers = { host: 'localhost:99999' }
    expect((await app.fetch(new Request('http://localhost/', { headers }))).status).toBe(400)
  })

  test('I8 a trusted proxy that forwards one is answered with 400', async () => {
    const trusting = service({ TRUSTED_PROXIES: ['127.0.0.1'] })
    const server = await serve(trusting, { port: 0 })
    const { port } = new URL(server.url)
    const by = async (headers: Record<string, string>): Promise<number> =>
      (await send({ port, method: 'GET', path: '/links/', headers })).status
    expect(await by({ 'x-forwarded-port': '99999' })).toBe(200)
    expect(await by({ 'x-forwarded-host': 'localhost', 'x-forwarded-port': '99999' })).toBe(400)
    expect(await by({ 'x-forwarded-host': 'localhost:99999' })).toBe(400)
    expect(await by({ forwarded: 'for=192.0.2.1;host="localhost:99999"' })).toBe(400)
    expect(await by({ forwarded: 'for=192.0.2.1;host="localhost:8000"' })).toBe(200)
    await server.close()
  })
})

function send(options: RequestOptions): Promise<Seen> {
  const { promise, resolve, reject } = Promise.withResolvers<Seen>()
  const collect = async (response: IncomingMessage): Promise<Seen> => {
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    return { status: response.statusCode!, text: Buffer.concat(chunks).toString() }
  }
  ask({ ...options, host: '127.0.0.1', agent: false }, (response) => resolve(collect(response)))
    .on('error', reject)
    .end()
  return promise
}
