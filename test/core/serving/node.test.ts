import { once } from 'node:events'
import { Agent, type RequestListener, createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { configurationOf, defineApi, reply } from '../../../src/index.ts'
import { type RunningServer, serve, toListener } from '../../../src/node.ts'
import { type Answer, type Sent, sendTo } from '../../behaviour/doors.ts'
import { until } from '../../setup/until.ts'
import { doorsApp } from './app.ts'
import { lines, open, raw } from './sockets.ts'

const app = doorsApp()
let server: RunningServer
const port = (): number => Number(new URL(server.url).port)
const json = { 'content-type': 'application/json' }
const big = JSON.stringify('x'.repeat(5000))

beforeAll(async () => {
  server = await serve(app, { port: 0 })
})
afterAll(async () => server.close())

describe('bodies', () => {
  test.each([
    ['with its length', {}],
    ['in chunks of no stated length', { 'transfer-encoding': 'chunked' }],
  ])('a body too large is 413, %s, and the connection lives on', async (_, headers) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const refused = await sendTo(
      port(),
      { method: 'POST', path: '/echo/', headers: { ...json, ...headers }, body: big },
      agent,
    )
    expect([refused.status, JSON.parse(refused.text)]).toEqual([
      413,
      { detail: expect.any(String) },
    ])
    const next = await sendTo(
      port(),
      { method: 'POST', path: '/echo/', headers: json, body: '1' },
      agent,
    )
    expect([next.status, next.text]).toEqual([200, '{"got":1}'])
    agent.destroy()
  })

  test('a body that says it is too large is refused before it comes', async () => {
    const wire = await open(server.url)
    wire.write(
      lines(
        'POST /echo/ HTTP/1.1',
        'Host: localhost',
        'Content-Type: application/json',
        'Content-Length: 100000',
      ),
    )
    expect(await wire.until(/\r\n\r\n\{/)).toMatch(/^HTTP\/1\.1 413 /)
    wire.socket.destroy()
  })

  test('a body that nobody reads does not spoil the next request of the connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const first = await sendTo(
      port(),
      { method: 'POST', path: '/unread/', headers: json, body: big },
      agent,
    )
    const second = await sendTo(port(), { method: 'GET', path: '/hello/' }, agent)
    expect([first.status, second.status]).toEqual([200, 200])
    agent.destroy()
  })

  test('chunks of a body are put together, also inside a character', async () => {
    const wire = await open(server.url)
    wire.write(
      lines(
        'POST /echo/ HTTP/1.1',
        'Host: localhost',
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
        'Connection: close',
      ),
    )
    const bytes = Buffer.from('"ü"')
    for (const part of [bytes.subarray(0, 2), bytes.subarray(2)]) {
      wire.socket.write(`${part.length}\r\n`)
      wire.socket.write(part)
      wire.socket.write('\r\n')
    }
    wire.write('0\r\n\r\n')
    expect(await wire.closed()).toMatch(/\{"got":"ü"\}$/)
  })

  test('100-continue is answered', async () => {
    const wire = await open(server.url)
    wire.write(
      lines(
        'POST /echo/ HTTP/1.1',
        'Host: localhost',
        'Content-Type: application/json',
        'Content-Length: 1',
        'Expect: 100-continue',
        'Connection: close',
      ),
    )
    await wire.until(/^HTTP\/1\.1 100 Continue/)
    wire.write('7')
    expect(await wire.closed()).toMatch(/\{"got":7\}$/)
  })

  test('a client that goes away in the middle of its body harms nobody', async () => {
    const wire = await open(server.url)
    wire.write(
      lines(
        'POST /echo/ HTTP/1.1',
        'Host: localhost',
        'Content-Type: application/json',
        'Content-Length: 100',
      ) + '{"a"',
    )
    await wait(20)
    wire.socket.destroy()
    await wait(20)
    expect((await sendTo(port(), { method: 'GET', path: '/hello/' })).status).toBe(200)
    expect(app.log).toEqual([])
  })

  test('nor does one that goes away before the answer', async () => {
    const wire = await open(server.url)
    wire.write(lines('GET /slow/?ms=30 HTTP/1.1', 'Host: localhost'))
    await wait(10)
    wire.socket.destroy()
    await wait(40)
    expect((await sendTo(port(), { method: 'GET', path: '/hello/' })).status).toBe(200)
  })
})

describe('answers', () => {
  test('HEAD says the length and sends nothing', async () => {
    const text = await raw(
      server.url,
      lines('HEAD /hello/ HTTP/1.1', 'Host: localhost', 'Connection: close'),
    )
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    expect(text).toMatch(/\r\nContent-Length: 18\r\n/i)
    expect(text).toMatch(/\r\n\r\n$/)
  })

  test('the length is in bytes', async () => {
    const { headers, text } = await sendTo(port(), { method: 'GET', path: '/hello/' })
    expect([headers['content-length'], text]).toEqual(['18', '{"hello":"wörld"}'])
  })

  test('204 says no length', async () => {
    const { status, headers } = await sendTo(port(), { method: 'DELETE', path: '/hello/' })
    expect([status, headers['content-length'], headers['transfer-encoding']]).toEqual([
      204,
      undefined,
      undefined,
    ])
  })

  test('a stream is sent as it comes', async () => {
    const { status, headers, text } = await sendTo(port(), { method: 'GET', path: '/stream/' })
    expect([status, headers['transfer-encoding'], text]).toEqual([200, 'chunked', 'one two'])
  })

  test('HEAD of a stream', async () => {
    const { status, text } = await sendTo(port(), { method: 'HEAD', path: '/stream/' })
    expect([status, text]).toEqual([200, ''])
  })

  test('a stream that breaks off does not look finished, and the server lives on', async () => {
    await expect(sendTo(port(), { method: 'GET', path: '/broken/' })).rejects.toThrow(
      /aborted|hang up/,
    )
    expect((await sendTo(port(), { method: 'GET', path: '/hello/' })).status).toBe(200)
  })

  test('a client that leaves a stream ends it', async () => {
    const wire = await open(server.url)
    wire.write(lines('GET /endless/ HTTP/1.1', 'Host: localhost'))
    await wire.until(/more/)
    wire.socket.destroy()
    await expect.poll(() => app.ended).toEqual(['endless'])
    expect((await sendTo(port(), { method: 'GET', path: '/hello/' })).status).toBe(200)
  })

  test('bytes', async () => {
    const { headers } = await sendTo(port(), { method: 'GET', path: '/bytes/' })
    expect(headers['content-length']).toBe('3')
  })
})

describe('connections', () => {
  test('one is used for many requests', async () => {
    const wire = await open(server.url)
    const request = lines('GET /hello/ HTTP/1.1', 'Host: localhost')
    wire.write(request)
    await wire.until(/wörld/)
    wire.write(request)
    expect(await wire.until(/wörld[^]*wörld/)).toMatch(/^(?:HTTP\/1\.1 200 [^]*wörld[^]*){2}$/)
    wire.socket.destroy()
  })

  test('pipelined requests are answered in their order', async () => {
    const asks = ['/slow/?ms=20', '/hello/', '/nope/'].map((path) =>
      lines(`GET ${path} HTTP/1.1`, 'Host: localhost'),
    )
    const wire = await open(server.url)
    wire.write(asks.join(''))
    expect(await wire.until(/ 404 /)).toMatch(/done[^]*wörld[^]* 404 /)
    wire.socket.destroy()
  })

  test('pipelined answers have bytes of their own alone, for who observes them', async () => {
    const seen: number[] = []
    const api = defineApi({
      urls: { slow: '/slow/', quick: '/quick/', none: '/none/' },
      observe: ({ bytes }) => void seen.push(bytes),
    })
    const observed = api.serve(
      [
        api.endpoint('slow').get(() => wait(20, 'slow')),
        api.endpoint('quick').get(() => 'quick'),
        api.endpoint('none').get(() => reply(null, { status: 204 })),
      ],
      { configuration: configurationOf({ ALLOWED_HOSTS: ['*'] }) },
    )
    // In a server of others, which has more than one request of a connection answered at a time.
    const other = createServer(toListener(observed))
    await once(other.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void other.close())
    const ways = ['GET /slow/', 'GET /quick/', 'HEAD /quick/', 'GET /none/', 'GET /nowhere/']
    const asks = ways.map((way) => lines(`${way} HTTP/1.1`, 'Host: localhost'))
    const wire = await open(`http://127.0.0.1:${(other.address() as AddressInfo).port}`)
    wire.write(asks.join(''))
    const sizes = () =>
      wire
        .text()
        .split(/(?=HTTP\/1\.1 )/)
        .map((text) => Buffer.byteLength(text))
    await until(() => {
      expect(seen).toHaveLength(ways.length)
      expect(seen).toEqual(sizes())
    })
    wire.socket.destroy()
  })

  test('100 requests at once, each with its own answer', async () => {
    const agent = new Agent({ keepAlive: true })
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        sendTo(
          port(),
          { method: 'POST', path: '/echo/', headers: json, body: String(index) },
          agent,
        ),
      ),
    )
    expect(answers.map(({ text }) => text)).toEqual(answers.map((_, index) => `{"got":${index}}`))
    agent.destroy()
  })

  test('a request of HTTP/1.0 without a host', async () => {
    expect(await raw(server.url, lines('GET /hello/ HTTP/1.0'))).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('where a request goes', () => {
  const where = async (...head: string[]): Promise<string> =>
    raw(server.url, lines(...head, 'Connection: close'))

  test.each([
    [
      'the peer and the host',
      ['GET /where/ HTTP/1.1', 'Host: localhost:1'],
      '{"link":"http://localhost:1/where/","peer":"127.0.0.1","path":"/where/"}',
    ],
    [
      'an address in absolute form outranks Host',
      ['GET http://other/where/?a=b HTTP/1.1', 'Host: localhost'],
      '"link":"http://other/where/"',
    ],
    [
      'one without a path',
      ['GET http://other HTTP/1.1', 'Host: localhost'],
      '"There is nothing at this address."',
    ],
  ])('%s', async (_, head, body) => {
    expect(await where(...head)).toContain(body)
  })

  test.each([
    [
      'an absolute form of a host that is not allowed',
      ['GET http://evil/where/ HTTP/1.1', 'Host: localhost'],
    ],
    [
      'an absolute form with a user',
      ['GET http://me@localhost/where/ HTTP/1.1', 'Host: localhost'],
    ],
    ['an empty host', ['GET /where/ HTTP/1.1', 'Host:']],
    ['two hosts', ['GET /where/ HTTP/1.1', 'Host: localhost', 'Host: evil']],
    ['the same host twice', ['GET /where/ HTTP/1.1', 'Host: localhost', 'Host: localhost']],
    ['no host at all', ['GET /where/ HTTP/1.1']],
  ])('%s is 400', async (_, head) => {
    expect(await where(...head)).toMatch(/^HTTP\/1\.1 400 /)
  })
})

describe('the listener alone', () => {
  test('serves in a server that exists already', async () => {
    const mounted = createServer(toListener(app))
    await new Promise<void>((resolve) => mounted.listen(0, '127.0.0.1', resolve))
    const answer = await sendTo((mounted.address() as AddressInfo).port, {
      method: 'GET',
      path: '/hello/',
    })
    expect([answer.status, answer.text]).toEqual([200, '{"hello":"wörld"}'])
    await new Promise((resolve) => mounted.close(resolve))
  })

  test('refuses two hosts', async () => {
    const mounted = createServer(toListener(app))
    await new Promise<void>((resolve) => mounted.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void mounted.close())
    const socket = connect((mounted.address() as AddressInfo).port, '127.0.0.1')
    socket.end('GET /hello/ HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\nConnection: close\r\n\r\n')
    const [head] = await once(socket, 'data')
    expect(String(head)).toMatch(/^HTTP\/1\.1 400 /)
  })

  /** The answer, where a server of others has done something with both before. */
  async function answerAfter(before: RequestListener, sent: Sent): Promise<Answer> {
    const api = toListener(app)
    const mounted = createServer((request, response) => {
      before(request, response)
      request.once('end', () => api(request, response)).resume()
    })
    await new Promise<void>((resolve) => mounted.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void mounted.close())
    return sendTo((mounted.address() as AddressInfo).port, sent)
  }

  test.each([
    ['with its length', {}],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ])('a body %s that others have read is missed, and the log says what to do', async (_, more) => {
    const sent = { method: 'POST', path: '/echo/', headers: { ...json, ...more }, body: '1' }
    app.log.length = 0
    expect((await answerAfter(() => {}, sent)).status).toBe(500)
    expect(inspect(app.log)).toMatch(/was read before Colophon got it\. Pass requests on before/)
    expect((await answerAfter(() => {}, { ...sent, path: '/unread/' })).status).toBe(200)
  })

  test.each([
    ['Origin', 'Origin, Accept'],
    ['accept, Origin', 'Accept, Origin'],
    ['*', '*'],
  ])('Vary: %s of others stays, as their cookies do', async (vary, both) => {
    const { headers, cookies } = await answerAfter(
      (_, response) =>
        void response.setHeader('vary', vary).setHeader('set-cookie', ['a=1', 'b=2']),
      { method: 'GET', path: '/varying/' },
    )
    expect([headers['vary'], cookies]).toEqual([both, ['a=1', 'b=2', 'c=3']])
  })
})
