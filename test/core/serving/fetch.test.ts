import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { configurationOf, defineApi } from '../../../src/index.ts'
import type { Authenticator } from '../../../src/types.ts'
import { doorsApp, toStream } from './app.ts'
import { trustingApp } from './trust.ts'

const app = doorsApp()
const ask = (path: string, init: RequestInit & { duplex?: 'half' } = {}): Promise<Response> =>
  app.fetch(new Request(`http://localhost${path}`, init))
const json = { 'content-type': 'application/json' }
async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

describe('credentials', () => {
  const whole: Authenticator = {
    authenticate: ({ header }) => ({ user: 'somebody', auth: header('authorization') }),
  }
  const api = defineApi({ urls: { open: '/open/' }, authentication: [whole] })
  const open = api.serve([api.endpoint('open').get(({ auth }) => auth)], {
    configuration: configurationOf({}),
  })
  const send = async (...values: string[]): Promise<Response> => {
    const headers = new Headers()
    for (const value of values) headers.append('authorization', value)
    return open.fetch(new Request('http://localhost/open/', { headers }))
  }

  test.each([
    [['Token a', 'Token b']],
    [['Basic YTpi', 'Token b']],
    [['Digest username="a", realm="b"', 'Token b']],
    [['', 'Token a', 'Token b']],
  ])('%j is 400: a server in front may have believed the other one', async (values) => {
    expect((await send(...values)).status).toBe(400)
  })

  test.each([
    'Token a',
    'Digest username="a, b c", realm = "d", uri=/',
    'AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host;x, Signature=c',
  ])('%s is one of them, with its commas', async (value) => {
    const response = await send(value)
    expect([response.status, await response.json()]).toEqual([200, value])
  })
})

describe('requests', () => {
  test('a body that has been read is missed, and the log says what to do', async () => {
    const request = new Request('http://localhost/echo/', {
      method: 'POST',
      headers: json,
      body: '1',
    })
    await request.json()
    app.log.length = 0
    expect((await app.fetch(request)).status).toBe(500)
    expect(inspect(app.log)).toMatch(/was read before Colophon got it\. Pass requests on before/)
  })

  test('a stream of which the length is 0 is no body, whatever its type', async () => {
    const empty = new ReadableStream<Uint8Array>({ start: (controller) => controller.close() })
    const headers = { 'content-type': 'a/b', 'content-length': '0' }
    const answer = await ask('/echo/', { method: 'POST', headers, body: empty, duplex: 'half' })
    expect([answer.status, await answer.json()]).toEqual([200, { got: {} }])
  })

  test('the host and the scheme are those of the address', async () => {
    const response = await app.fetch(new Request('https://other:8443/where/'))
    expect(await response.json()).toEqual({
      link: 'https://other:8443/where/',
      peer: null,
      path: '/where/',
    })
  })

  test('a Host header that a runtime passes on outranks it', async () => {
    const response = await ask('/where/', { headers: { host: 'other' } })
    expect(await response.json()).toMatchObject({ link: 'http://other/where/' })
  })

  test('a fragment is no part of a request', async () => {
    expect((await ask('/hello/#there')).status).toBe(200)
  })

  test('a body that comes as a stream', async () => {
    const response = await ask('/echo/', {
      method: 'POST',
      headers: json,
      body: toStream(pieces('{"a":', '1}')),
      duplex: 'half',
    })
    expect(await response.json()).toEqual({ got: { a: 1 } })
  })

  test.each([
    ['by its length', { ...json, 'content-length': '1001' }],
    ['by its bytes', json],
  ])('a body too large is 413, %s', async (_, headers) => {
    const response = await ask('/echo/', {
      method: 'POST',
      headers,
      body: JSON.stringify('x'.repeat(2000)),
    })
    expect([response.status, await response.json()]).toEqual([413, { detail: expect.any(String) }])
  })

  test('and the rest of it is not read', async () => {
    let read = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        read += 1
        controller.enqueue(Buffer.alloc(600, 'x'))
      },
    })
    const response = await ask('/echo/', {
      method: 'POST',
      headers: json,
      body: endless,
      duplex: 'half',
    })
    expect(response.status).toBe(413)
    expect(read).toBeLessThan(6)
  })

  test("a body that breaks off is the client's mistake: 400", async () => {
    const broken = new ReadableStream<Uint8Array>({
      pull() {
        throw new Error('connection reset')
      },
    })
    const response = await ask('/echo/', {
      method: 'POST',
      headers: json,
      body: broken,
      duplex: 'half',
    })
    expect(response.status).toBe(400)
  })

  test('100 at once', async () => {
    const texts = await Promise.all(
      Array.from({ length: 100 }, async (_, index) =>
        (await ask('/echo/', { method: 'POST', headers: json, body: String(index) })).text(),
      ),
    )
    expect(texts).toEqual(texts.map((_, index) => `{"got":${index}}`))
  })
})

describe('answers', () => {
  test('HEAD says the length and has no body', async () => {
    const response = await ask('/hello/', { method: 'HEAD' })
    expect([response.status, response.headers.get('content-length'), response.body]).toEqual([
      200,
      '18',
      null,
    ])
  })

  test('204 has neither', async () => {
    const response = await ask('/hello/', { method: 'DELETE' })
    expect([response.status, response.headers.get('content-length'), response.body]).toEqual([
      204,
      null,
      null,
    ])
  })

  test('a status and headers of the handler', async () => {
    const response = await ask('/created/', { method: 'POST' })
    expect([response.status, response.headers.get('location')]).toEqual([201, '/1/'])
  })

  test('a stream is sent as it comes', async () => {
    const response = await ask('/stream/')
    expect([response.headers.get('content-length'), await response.text()]).toEqual([
      null,
      'one two',
    ])
  })

  test('a stream that breaks off does not look finished', async () => {
    await expect((await ask('/broken/')).text()).rejects.toThrow('broke off')
  })

  test('bytes', async () => {
    expect([...new Uint8Array(await (await ask('/bytes/')).arrayBuffer())]).toEqual([1, 2, 255])
  })

  test('it never throws: an error is an answer', async () => {
    expect((await ask('/%zz/')).status).toBe(400)
    expect((await app.fetch(new Request('http://evil.example/hello/'))).status).toBe(400)
  })
})

describe('what the runtime around vouches for', () => {
  const facts = async (
    keys: Readonly<Record<string, unknown>>,
    headers: Record<string, string>,
    ...others: readonly unknown[]
  ): Promise<unknown> => {
    const request = new Request('http://localhost/facts/', { headers })
    return (await trustingApp(keys).fetch(request, ...others)).json()
  }
  const source = { header: 'X-Remote-User', proxies: ['0.0.0.0/0', '::/0', 'unix'] }
  const nobody = { address: null, user: null, link: 'http://localhost/facts/' }
  const unseen = { seen: [null, null, null] }

  test('its environ', async () => {
    const environ = { REMOTE_ADDR: '203.0.113.7', REMOTE_USER: 'ada' }
    expect(await facts({ REMOTE_USER_SOURCE: 'environ' }, {}, { environ })).toMatchObject({
      address: '203.0.113.7',
      user: 'ada',
    })
  })

  test('I8, I9 no header is believed: there is no peer', async () => {
    const keys = { TRUSTED_PROXIES: ['0.0.0.0/0', 'unix'], REMOTE_USER_SOURCE: source }
    const told = {
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'api.example.com',
      'x-remote-user': 'ada',
    }
    expect(await facts(keys, told)).toEqual({ ...nobody, ...unseen })
  })

  test.each([[[undefined]], [[null]], [[7]], [[{}]], [[{ port: 80 }, { waitUntil: () => {} }]]])(
    'other things that a runtime hands in say nothing: %j',
    async (others) => {
      expect(await facts({}, {}, ...others)).toEqual({ ...nobody, ...unseen })
    },
  )
})
