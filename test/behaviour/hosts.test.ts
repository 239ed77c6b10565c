// What the hosts of docs/recipes/beside.md leave as it is. `npm run hosts` runs every table of behaviour through them.
import { readFileSync } from 'node:fs'
import { request as ask } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { configurationOf, defineApi, defineUrls, include, reply } from '../../src/index.ts'
import {
  type Answer,
  HOSTS,
  type Mounted,
  type Row,
  hostDoor,
  nodeDoor,
  throughDoors,
  toSent,
} from './doors.ts'
import { PAGE, examples, host } from './hosts.ts'

const urls = defineUrls({
  api: include('/api', {
    hello: '/hello/',
    echo: '/echo/',
    gone: '/gone/',
    lines: '/lines/',
    client: '/client/',
    login: '/login/',
    broken: '/broken/',
    wait: '/wait/',
  }),
})

function service() {
  const begun = Promise.withResolvers<void>()
  const left = Promise.withResolvers<unknown>()
  const api = defineApi({ urls, logger: { error: () => undefined } })
  const app = api.serve(
    [
      api.endpoint('hello').get(({ reverse }) => ({ url: reverse('api:hello') })),
      api.endpoint('echo').post((request) => request.body()),
      api.endpoint('gone').delete(() => reply(null, { status: 204 })),
      api
        .endpoint('lines')
        .get(() => reply(new Blob(['one\n', 'two\n']).stream(), { contentType: 'text/plain' })),
      api.endpoint('client').get(({ environ }) => environ['REMOTE_ADDR']),
      api
        .endpoint('login')
        .post(() => reply('in', { headers: { Vary: 'Cookie', 'Set-Cookie': 'a=1' } })),
      api.endpoint('broken').get(() => {
        throw new Error('a bug')
      }),
      api.endpoint('wait').get(({ signal }) => {
        begun.resolve()
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(left.resolve(signal.reason)))
        })
      }),
    ],
    { configuration: configurationOf({ TRUSTED_PROXIES: ['127.0.0.1'] }) },
  )
  return { app, begun: begun.promise, left: left.promise }
}

const json = { headers: { 'content-type': 'application/json' } }
const rows: Row[] = [
  [
    'links have the prefix',
    'GET /api/hello/',
    { status: 200, data: { url: 'http://localhost/api/hello/' } },
  ],
  [
    'a body comes whole',
    'POST /api/echo/',
    { status: 200, data: { a: 'ä' } },
    { json: { a: 'ä' } },
  ],
  ['a body that is no JSON is 400', 'POST /api/echo/', 400, { ...json, body: '{' }],
  [
    'HEAD has no body',
    'HEAD /api/hello/',
    { status: 200, text: '', headers: { 'content-length': /\d/ } },
  ],
  [
    'OPTIONS is ours',
    'OPTIONS /api/hello/',
    { status: 200, headers: { allow: 'GET, HEAD, OPTIONS' } },
  ],
  [
    'another verb is 405',
    'PUT /api/hello/',
    { status: 405, headers: { 'content-type': 'application/json' } },
  ],
  [
    '204 has no body',
    'DELETE /api/gone/',
    { status: 204, text: '', headers: { 'content-length': null } },
  ],
  [
    'an unknown path is 404 in JSON',
    'GET /api/other/',
    { status: 404, headers: { 'content-type': 'application/json' } },
  ],
  [
    'percent signs that encode nothing are 400',
    'GET /api/%zz/',
    { status: 400, data: { detail: expect.any(String) } },
  ],
  [
    'without the slash it is another path',
    'GET /api/hello',
    { status: 404, headers: { 'content-type': 'application/json' } },
  ],
  ['a stream comes whole', 'GET /api/lines/', { status: 200, text: 'one\ntwo\n' }],
  [
    'a bug is 500 in JSON',
    'GET /api/broken/',
    { status: 500, headers: { 'content-type': 'application/json' } },
  ],
  ['a foreign host is 400', 'GET /api/hello/', 400, { headers: { host: 'evil.example' } }],
]

/** What the host does by itself: for paths that are not ours. */
const FOREIGN: Readonly<Record<Mounted, Row>> = {
  express: ['a path of the host is answered by it', 'GET /', { status: 200, text: 'a page' }],
  fastify: ['a path of the host is answered by it', 'GET /', { status: 200, text: 'a page' }],
  hono: ['a path of the host is answered by it', 'GET /', { status: 200, text: 'a page' }],
  nest: ['a path of the host is answered by it', 'GET /', { status: 404, text: /Cannot GET/ }],
  'nest-fastify': [
    'a path of the host is answered by it',
    'GET /',
    { status: 404, text: /Cannot GET/ },
  ],
}

describe.each(HOSTS)('%s, below a prefix', (name) => {
  const { app, begun, left } = service()
  const mounting = { prefix: '/api/' }
  throughDoors(app, [...rows, FOREIGN[name]], 'SQLite', [hostDoor(name, app, mounting)])

  test('knows the client by the proxies that are trusted', async () => {
    const more = { headers: { 'x-forwarded-for': '203.0.113.7' } }
    const answer = await hostDoor(name, app, mounting).send(toSent('GET /api/client/', more))
    // A web request has no peer: the host says who it is.
    expect(answer.text).toBe(name === 'hono' ? '"127.0.0.1"' : '"203.0.113.7"')
  })

  test('has the headers that our own server has', async () => {
    const own = nodeDoor(app)
    const there = hostDoor(name, app, mounting)
    for (const question of [
      'GET /api/hello/',
      'GET /api/other/',
      'DELETE /api/gone/',
      'HEAD /api/hello/',
    ]) {
      const [ours, theirs] = [await own.send(toSent(question)), await there.send(toSent(question))]
      const changing = ['date', 'keep-alive', 'x-request-id', 'connection']
      const shown = ({ headers }: Answer) =>
        Object.fromEntries(Object.entries(headers).filter(([each]) => !changing.includes(each)))
      expect(shown(theirs)).toEqual(shown(ours))
    }
  })

  test('knows the address of the client, and ends its signal when it leaves', async () => {
    const there = await host(name, app, mounting)
    onTestFinished(() => there.close())
    expect(await (await fetch(`${there.url}/api/client/`)).json()).toBe('127.0.0.1')
    const waiting = ask(`${there.url}/api/wait/`).on('error', () => undefined)
    waiting.end()
    await begun
    waiting.destroy()
    expect(await left).toBeDefined()
  })
})

/** How hosts of each kind know their users: before they pass a request on. */
const SESSIONS = `import { member } from './members.ts'
const users = { 's=1': { isAuthenticated: true, name: 'joe' } }
`
const IDENTIFYING: Readonly<Record<Mounted, readonly [before: string, lines: string]>> = {
  express: [
    'web.use((request',
    'web.use((request, response, next) => { request.user = users[request.headers.cookie]; next() })',
  ],
  nest: [
    'web.disable(',
    'web.use((request, response, next) => { request.user = users[request.headers.cookie]; next() })',
  ],
  fastify: [
    "web.addHook('onRequest'",
    "web.decorateRequest('user').addHook('onRequest', async (request) => { request.user = users[request.headers.cookie] })",
  ],
  'nest-fastify': [
    'web.addHook(',
    "web.decorateRequest('user').addHook('onRequest', async (request) => { request.user = users[request.headers.cookie] })",
  ],
  hono: [
    'web.all(',
    "web.use(async (context, next) => { context.set('user', users[context.req.header('cookie')]); await next() })",
  ],
}

/** What the table of the page says to write, and in place of what. */
function replacement(name: Mounted): readonly [instead: string, line: string] {
  const label = name === 'nest-fastify' ? 'NestJS on Fastify' : name
  const row = new RegExp(`^\\| ${label}\\w* +\\| \`([^\`]+)\` +\\| \`([^\`]+)\``, 'im')
  const [, instead = '', line = ''] = row.exec(readFileSync(PAGE, 'utf8')) ?? []
  return [instead, line]
}

test.each(HOSTS)('%s hands in the user that it has identified', async (name) => {
  const [before, lines] = IDENTIFYING[name]
  const edit = (text: string) =>
    SESSIONS + text.replace(before, `${lines}\n${before}`).replace(...replacement(name))
  const files = {
    'app.ts': `export { app } from './members.ts'\nexport const [prefix, port] = ['/api/', 0]`,
  }
  const there = await host(name, null, { files, edit })
  onTestFinished(() => there.close())
  const asked = async (cookie: string) =>
    (await fetch(`${there.url}/api/me/`, { headers: { cookie } })).json()
  expect(await asked('s=1')).toEqual({ name: 'joe' })
  expect(await asked('s=2')).toEqual({ detail: expect.any(String) })
})

/** Headers that the host has set before: `Vary`, and a cookie. */
const SETTING: Readonly<Record<Mounted, readonly [before: string, lines: string]>> = {
  express: [
    'web.use((request',
    "web.use((request, response, next) => { response.vary('Origin').cookie('h', '1'); next() })",
  ],
  nest: [
    'web.disable(',
    "web.use((request, response, next) => { response.vary('Origin').cookie('h', '1'); next() })",
  ],
  fastify: [
    "web.addHook('onRequest'",
    "web.addHook('onRequest', async (request, reply) => { reply.headers({ vary: 'Origin', 'set-cookie': 'h=1' }) })",
  ],
  'nest-fastify': [
    'web.addHook(',
    "web.addHook('onRequest', async (request, reply) => { reply.headers({ vary: 'Origin', 'set-cookie': 'h=1' }) })",
  ],
  hono: [
    'web.all(',
    "web.use(async (context, next) => { context.header('Vary', 'Origin'); context.header('Set-Cookie', 'h=1'); await next() })",
  ],
}

test.each(HOSTS)('%s may set Vary and cookies before', async (name) => {
  const [before, lines] = SETTING[name]
  const edit = (text: string) => text.replace(before, `${lines}\n${before}`)
  const door = hostDoor(name, service().app, { prefix: '/api/', edit })
  const { headers, cookies } = await door.send(toSent('POST /api/login/'))
  // Hono keeps them back, as the page says.
  const [vary, own] = name === 'hono' ? ['', []] : ['Origin, ', ['h=1']]
  expect([headers['vary'], cookies.map((line) => line.split(';')[0])]).toEqual([
    `${vary}Accept, Cookie`,
    [...own, 'a=1'],
  ])
})

test.each(HOSTS)('the example of %s has at most fifteen lines', (name) => {
  const lines = examples()[`${name}.ts`]!.match(/^./gm)!
  expect(lines.length).toBeLessThanOrEqual(15)
})
