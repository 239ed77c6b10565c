import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type NodeServerOptions, type RunningServer, serve } from '../../../src/node.ts'
import { doorsApp } from './app.ts'
import { lines, open, raw } from './sockets.ts'

const running: RunningServer[] = []
const start = async (options: NodeServerOptions = {}): Promise<RunningServer> => {
  const server = await serve(doorsApp(), { port: 0, ...options })
  running.push(server)
  return server
}
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()))
})
const isJson = (text: string, status: number): void => {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(head).toMatch(/\r\ncontent-type: application\/json/i)
  expect(head).toMatch(/\r\nconnection: close/i)
  expect(head).toMatch(/\r\nx-request-id: \S+/i)
  expect(JSON.parse(body)).toEqual({ detail: expect.any(String) as string })
}

describe('what never becomes a request is answered in JSON, and the connection ends', () => {
  test.each([
    ['no HTTP at all', 'what is this\r\n\r\n', 400],
    ['a method that nobody knows', lines('FOO /hello/ HTTP/1.1', 'Host: localhost'), 400],
    ['a header without a colon', lines('GET /hello/ HTTP/1.1', 'Host: localhost', 'oops'), 400],
    [
      'a length that is no number',
      lines('POST /echo/ HTTP/1.1', 'Host: localhost', 'Content-Length: x'),
      400,
    ],
    [
      'two lengths',
      lines('POST /echo/ HTTP/1.1', 'Host: localhost', 'Content-Length: 1', 'Content-Length: 2'),
      400,
    ],
    [
      'a length and chunks',
      lines(
        'POST /echo/ HTTP/1.1',
        'Host: localhost',
        'Content-Length: 1',
        'Transfer-Encoding: chunked',
      ),
      400,
    ],
    [
      'headers that are too large',
      lines('GET /hello/ HTTP/1.1', 'Host: localhost', `X-Long: ${'x'.repeat(20_000)}`),
      431,
    ],
    [
      'an address that is too long',
      lines(`GET /${'x'.repeat(20_000)} HTTP/1.1`, 'Host: localhost'),
      431,
    ],
  ])('%s', async (_, text, status) => {
    const { url } = await start()
    isJson(await raw(url, text), status)
  })

  test('the size of headers can be set', async () => {
    const { url } = await start({ maxHeaderSize: 1000 })
    isJson(
      await raw(
        url,
        lines('GET /hello/ HTTP/1.1', 'Host: localhost', `X-Long: ${'x'.repeat(1500)}`),
      ),
      431,
    )
  })

  test('a body that is cut off by nonsense', async () => {
    const { url } = await start()
    const head = lines(
      'POST /echo/ HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    )
    expect(await raw(url, `${head}zz\r\n`)).toMatch(/^HTTP\/1\.1 400 /)
    expect(
      await raw(url, lines('GET /hello/ HTTP/1.1', 'Host: localhost', 'Connection: close')),
    ).toContain('wörld')
  })
})

describe('slow clients', () => {
  test('headers that never end: 408', async () => {
    const { url } = await start({
      headersTimeout: 60,
      requestTimeout: 60,
    })
    const wire = await open(url)
    wire.write('GET /hello/ HTTP/1.1\r\nHost: localhost\r\n')
    isJson(await wire.closed(), 408)
  })

  test('a body that never ends: the connection does', async () => {
    const { url } = await start({
      headersTimeout: 60,
      requestTimeout: 60,
    })
    const wire = await open(url)
    wire.write(
      lines(
        'POST /echo/ HTTP/1.1',
        'Host: localhost',
        'Content-Type: application/json',
        'Content-Length: 10',
      ) + '{',
    )
    await wire.closed()
    expect(
      await raw(url, lines('GET /hello/ HTTP/1.1', 'Host: localhost', 'Connection: close')),
    ).toContain('wörld')
  })

  test('a connection that idles is closed', async () => {
    const { url } = await start({ keepAliveTimeout: 30 })
    const wire = await open(url)
    wire.write(lines('GET /hello/ HTTP/1.1', 'Host: localhost'))
    expect(await wire.closed()).toContain('wörld')
  })
})

describe('closing', () => {
  test('finishes what is in flight and has connected, says so, and takes nothing new', async () => {
    const server = await start()
    const wire = await open(server.url)
    wire.write(lines('GET /slow/?ms=60 HTTP/1.1', 'Host: localhost'))
    await wait(20)
    // Connected by the kernel, and taken by nothing yet.
    const hello = lines('GET /hello/ HTTP/1.1', 'Host: localhost')
    const last = Promise.all(Array.from({ length: 20 }, () => raw(server.url, hello)))
    await new Promise(process.nextTick)
    const closed = server.close()
    expect(server.closing).toBe(true)
    for (const text of await last) expect(text).toMatch(/\r\nconnection: close[^]*wörld/i)
    // Its port may be another test's by now.
    expect(await raw(server.url, hello).catch(String)).not.toContain('wörld')
    const answer = await wire.closed()
    expect(answer).toMatch(/"done"$/)
    expect(answer).toMatch(/\r\nconnection: close/i)
    await closed
  })

  test('does not wait for idle connections', async () => {
    // Longer than this test may take.
    const server = await start({ gracePeriod: 60_000 })
    const wire = await open(server.url)
    wire.write(lines('GET /hello/ HTTP/1.1', 'Host: localhost'))
    await wire.until(/wörld/)
    await server.close()
    expect(await wire.closed()).toMatch(/wörld[^]{0,4}$/)
  })

  test('waits longer for a first request than for another one', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const server = await start({ gracePeriod: 60_000 })
    const slow = await open(server.url)
    const silent = await open(server.url)
    const served = await open(server.url)
    served.write(lines('GET /hello/ HTTP/1.1', 'Host: localhost'))
    await served.until(/wörld/)
    const closed = server.close()
    // The grace period, and one for each connection.
    while (vi.getTimerCount() < 4) await wait(1)
    await vi.advanceTimersByTimeAsync(1000)
    await served.closed()
    slow.write(lines('GET /hello/ HTTP/1.1', 'Host: localhost'))
    expect(await slow.closed()).toMatch(/connection: close[^]*wörld/i)
    await vi.advanceTimersByTimeAsync(5000)
    expect(await silent.closed()).toBe('')
    await closed
  })

  test('does not wait forever', async () => {
    const server = await start({ gracePeriod: 40 })
    const wire = await open(server.url)
    wire.write(lines('GET /slow/?ms=3000 HTTP/1.1', 'Host: localhost'))
    await wait(20)
    await server.close()
    expect(await wire.closed()).toBe('')
  })

  test('twice is once', async () => {
    const server = await start()
    const wire = await open(server.url)
    wire.write(lines('GET /slow/?ms=60 HTTP/1.1', 'Host: localhost'))
    await wait(20)
    const ends = ['first', 'second'].map(async (which) => {
      await server.close()
      return [which, wire.text().endsWith('"done"')]
    })
    // Neither is over before the request under way is.
    expect(await Promise.all(ends)).toEqual([
      ['first', true],
      ['second', true],
    ])
    await expect(server.close()).resolves.toBeUndefined()
  })
})
