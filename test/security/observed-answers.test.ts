// Whoever observes answers sees those that clients received, whatever they had sent, and those that never arrived.
import { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { hostileRequest, misframedRequest } from '../../scripts/attack/hostile/request.ts'
import { Dice } from '../../scripts/attack/hostile/dice.ts'
import { Wire, requestText } from '../../scripts/attack/tools/wire.ts'
import type { Authenticator, PlainRequest } from '../../src/types.ts'
import {
  AuthenticationFailed,
  type SentAnswer,
  configurationOf,
  defineApi,
  reply,
} from '../../src/index.ts'
import { serve } from '../../src/node.ts'
import { client } from '../../src/testing.ts'

const seed = Number(process.env['HOSTILE_SEED'] ?? Math.floor(Math.random() * 2 ** 32))
const CONNECTIONS = 60
const BATCH = 25
/** More bytes than the buffers on the way hold. */
const LARGE = 30_000_000

const seen: SentAnswer[] = []
/** Handlers that have begun to wait. */
let reading = 0
const urls = {
  items: '/items/',
  item: '/items/:id<int>/',
  secret: '/secret/',
  crash: '/crash/',
  pieces: '/pieces/',
  broken: '/broken/',
  waits: '/waits/',
  large: '/large/',
} as const
const piece = new TextEncoder().encode('piece')
const stranger: Authenticator = {
  authenticate(request) {
    if (request.header('authorization') === null) return null
    throw new AuthenticationFailed()
  },
  authenticateHeader: () => 'Basic',
}
const api = defineApi({
  urls,
  authentication: [stranger],
  cors: { origins: ['https://app.example.com'] },
  logger: { error: () => {} },
  observe: (answer) => void seen.push(answer),
})
const app = api.serve(
  [
    api
      .endpoint('items')
      .get(() => [1, 2, 3])
      .post(async (request) => {
        reading++
        return typeof (await request.body())
      }),
    api
      .endpoint('item')
      .get(({ params }) => params.id)
      .put(async (request) => {
        await request.body()
        return reply(null, { status: 204 })
      }),
    api.endpoint('secret', { permissions: [{ hasPermission: () => false }] }).get(() => 1),
    api.endpoint('crash').get(() => {
      throw new Error('crashed')
    }),
    api
      .endpoint('pieces')
      .get(() => reply(streamOf([piece, piece]), { contentType: 'text/plain' })),
    api.endpoint('broken').get(() => reply(streamOf(breaking()), { contentType: 'text/plain' })),
    api.endpoint('waits').get(({ signal }) => {
      reading++
      return new Promise((gone) => signal.addEventListener('abort', () => gone('late')))
    }),
    api.endpoint('large').get(() => reply(new Uint8Array(LARGE), { contentType: 'text/plain' })),
  ],
  { configuration: configurationOf() },
)

function streamOf(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): ReadableStream {
  return Readable.toWeb(Readable.from(pieces, { objectMode: false })) as ReadableStream
}

async function* breaking(): AsyncGenerator<Uint8Array> {
  yield piece
  throw new Error('broken')
}

beforeEach(() => {
  reading = 0
  seen.length = 0
})

function byStatus(answers: readonly SentAnswer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** All that one connection received; `half`: its client says that nothing follows, which Node takes for its end. */
async function received(url: string, text: string, half = false): Promise<Wire> {
  const wire = (await Wire.open(url)).count()
  wire.write(text)
  if (half) wire.socket.end()
  await wire.closed
  return wire
}

/** Ends the connection once all before it is answered. */
const LAST = requestText('OPTIONS *', { Connection: 'close' })

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'

test(`those of hostile requests, status by status and byte by byte (HOSTILE_SEED=${seed})`, async () => {
  const dice = new Dice(seed)
  const world = {
    paths: Object.values(urls).filter((path) => !/waits|large|broken/.test(path)),
    tokens: ['a'],
  }
  const server = await serve(app, { port: 0 })
  const got: Record<string, number> = {}
  let bytes = 0
  for (let i = 0; i < CONNECTIONS; i++) {
    const batch = Array.from({ length: BATCH }, () => hostileRequest(dice, world))
    const isCut = dice.once(2)
    batch.push(isCut ? misframedRequest(dice, world) : LAST)
    const { answers, heard } = await received(server.url, batch.join(''), isCut)
    bytes += heard - (answers['100'] ?? 0) * CONTINUE.length
    for (const [status, count] of Object.entries(answers))
      if (status !== '100') got[status] = (got[status] ?? 0) + count
  }
  await server.close()
  const arrived = seen.filter(({ aborted }) => !aborted)
  expect(byStatus(arrived)).toEqual(got)
  expect(arrived.reduce((sum, answer) => sum + answer.bytes, 0)).toBe(bytes)
  for (const status of ['200', '400', '401', '404', '405', '500'])
    expect(got).toHaveProperty(status)
})

describe('what Node would answer by itself', () => {
  test.each([
    ['no host', 'GET /items/ HTTP/1.1\r\n\r\n', 400, 'GET'],
    ['an expectation that nobody meets', requestText('GET /items/', { Expect: 'x' }), 417, 'GET'],
    ['no HTTP', 'nonsense\r\n\r\n', 400, null],
    [
      'headers that are too large',
      requestText('GET /items/', { X: 'x'.repeat(20_000) }),
      431,
      null,
    ],
  ])('%s', async (_title, text, status, method) => {
    const server = await serve(app, { port: 0 })
    const { answers, heard } = await received(server.url, text + LAST)
    await server.close()
    expect(answers).toHaveProperty(String(status), 1)
    expect(seen[0]).toMatchObject({ status, method, endpoint: null, aborted: false, user: null })
    expect(seen[0]!.error).toBeInstanceOf(Error)
    expect(seen.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(heard)
  })

  test('headers that never end: 408', async () => {
    const server = await serve(app, { port: 0, headersTimeout: 200 })
    const { answers } = await received(server.url, 'GET /items/ HTTP/1.1\r\nHost: ')
    await server.close()
    expect(answers).toEqual({ 408: 1 })
    expect(seen).toMatchObject([{ status: 408, method: null, aborted: false }])
  })
})

describe('connections that break', () => {
  /** What is seen of a connection that is reset. */
  async function broken(
    text: string,
    before: (wire: Wire) => unknown = () => undefined,
  ): Promise<readonly SentAnswer[]> {
    const server = await serve(app, { port: 0 })
    const wire = await Wire.open(server.url)
    wire.write(text)
    await wire.flushed()
    await before(wire)
    wire.socket.resetAndDestroy()
    await expect.poll(() => seen.length).toBe(1)
    await server.close()
    return seen
  }

  const json = { 'Content-Type': 'application/json' }
  const half = `${requestText('POST /items/', { ...json, 'Content-Length': '100' })}[`

  test('before the body is there', async () => {
    expect(await broken(half, async () => await expect.poll(() => reading).toBe(1))).toMatchObject([
      { method: 'POST', endpoint: 'items', status: 400, aborted: true, bytes: 0 },
    ])
  })

  test('in one direction before the body is there: the server answers, and the handler in vain', async () => {
    const server = await serve(app, { port: 0 })
    const { answers } = await received(server.url, half, true)
    await server.close()
    expect(answers).toEqual({ 400: 1 })
    expect(seen.filter(({ aborted }) => !aborted)).toMatchObject([{ method: null, status: 400 }])
    expect(seen.filter(({ aborted }) => aborted)).toMatchObject([{ method: 'POST', status: 400 }])
  })

  test('before the answer is made', async () => {
    expect(
      await broken(
        requestText('GET /waits/'),
        async () => await expect.poll(() => reading).toBe(1),
      ),
    ).toMatchObject([{ endpoint: 'waits', status: 200, aborted: true, bytes: 0, error: undefined }])
  })

  test('while the answer is read', async () => {
    const firstBytes = ({ socket }: Wire) => new Promise((resolve) => socket.once('data', resolve))
    const [answer] = await broken(requestText('GET /large/'), firstBytes)
    expect(answer).toMatchObject({ endpoint: 'large', status: 200, aborted: true })
    expect(answer!.bytes).toBeLessThan(LARGE)
    expect(seen).toHaveLength(1)
  })

  test('because the stream of the answer does', async () => {
    const server = await serve(app, { port: 0 })
    await received(server.url, requestText('GET /broken/'))
    await server.close()
    expect(seen).toMatchObject([
      { endpoint: 'broken', status: 200, aborted: true, error: { message: 'broken' } },
    ])
  })
})

describe('the fetch door', () => {
  test.each([
    ['/items/', 200],
    ['/nowhere/', 404],
    ['/secret/', 401],
    ['/crash/', 500],
    ['/pieces/', 200],
  ])('%s', async (path, status) => {
    const text = await (await app.fetch(new Request(`http://localhost${path}`))).text()
    expect(seen).toMatchObject([{ status, bytes: Buffer.byteLength(text), aborted: false }])
    expect(seen[0]!.error === undefined).toBe(status === 200)
  })

  test('a preflight', async () => {
    const headers = { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'GET' }
    await app.fetch(new Request('http://localhost/items/', { method: 'OPTIONS', headers }))
    expect(seen).toMatchObject([{ method: 'OPTIONS', endpoint: 'items', status: 204, bytes: 0 }])
  })

  test('a stream that breaks, and one that is not read to its end', async () => {
    const one = await app.fetch(new Request('http://localhost/broken/'))
    await expect(one.text()).rejects.toThrow('broken')
    const other = await app.fetch(new Request('http://localhost/pieces/'))
    await other.body!.cancel()
    expect(seen).toMatchObject([
      { endpoint: 'broken', aborted: true, bytes: 5, error: { message: 'broken' } },
      { endpoint: 'pieces', aborted: true, error: undefined },
    ])
  })
})

describe('an observer', () => {
  const seenAt: string[] = []
  const records: Readonly<Record<string, unknown>>[] = []
  const two = defineApi({
    urls: { plain: '/plain/', quiet: '/quiet/', own: '/own/', page: '/page/' },
    authentication: [],
    logger: { error: (record) => void records.push(record) },
    observe: ({ endpoint, method }, request) => {
      seenAt.push(`api ${endpoint} ${method} ${request?.header('x-from')}`)
      throw new Error('observer')
    },
  })
  const each = two.serve(
    [
      two.endpoint('plain').get(() => 1),
      two.endpoint('quiet', { observe: null }).get(() => 2),
      two
        .endpoint('own', {
          observe: ({ endpoint }) => Promise.reject(new Error(`${endpoint} later`)),
        })
        .get(() => 3),
      two.endpoint('page').get(() => 4),
    ],
    { configuration: configurationOf() },
  )

  test('is that of the innermost layer, and that of the api where there is no endpoint', async () => {
    const ask = client(each)
    const headers = { 'x-from': 'test' }
    for (const path of ['/plain/', '/quiet/', '/own/', '/nowhere/'])
      await ask.get(path, { headers })
    expect(seenAt).toEqual(['api plain GET test', 'api null GET test'])
  })

  test('harms no answer where it fails: that is logged, once a second at most', async () => {
    expect((await client(each).get('/plain/')).data).toBe(1)
    expect((await client(each).get('/own/')).data).toBe(3)
    expect(records.length).toBeGreaterThan(0)
    for (const record of records) expect(record).toMatchObject({ event: 'observe.failed' })
  })

  test('of an answer delays none of those that are written in the same turn', async () => {
    const order: string[] = []
    const asked: (() => void)[] = []
    const quick = defineApi({
      urls: { waits: '/waits/' },
      authentication: [],
      observe: ({ status, aborted }) => void order.push(`seen ${status} ${aborted}`),
    })
    const waits = quick.endpoint('waits').get(() => new Promise((go) => asked.push(() => go(1))))
    const configuration = configurationOf()
    await using server = await serve(quick.serve([waits], { configuration }), { port: 0 })
    using ends = vi.spyOn(ServerResponse.prototype, 'end')
    const answers = [1, 2, 3].map(() => fetch(`${server.url}/waits/`))
    await expect.poll(() => asked.length).toBe(3)
    ends.mockImplementation(function (this: ServerResponse, ...given: unknown[]) {
      order.push('written')
      return (end as (...all: unknown[]) => ServerResponse).apply(this, given)
    })
    for (const go of asked) go()
    for (const answer of await Promise.all(answers)) expect(await answer.json()).toBe(1)
    await expect.poll(() => order.length).toBe(6)
    expect(order).toEqual([...Array(3).fill('written'), ...Array(3).fill('seen 200 false')])
  })

  test('sees no question of the service to itself', async () => {
    seenAt.length = 0
    await each.rehearse({ ...question, target: '/plain/' })
    await each.rehearse({ ...question, target: '/nowhere/' })
    expect(seenAt).toEqual([])
  })
})

const { end } = ServerResponse.prototype

const question: PlainRequest = {
  method: 'GET',
  target: '/',
  scheme: 'http',
  environ: {},
  body: null,
  header: () => null,
}
