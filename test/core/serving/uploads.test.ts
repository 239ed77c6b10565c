import { mkdtempSync, readdirSync } from 'node:fs'
import { type ClientRequest, request as ask } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  AnonRateThrottle,
  FileParser,
  type FileTaker,
  IsAuthenticated,
  MultiPartParser,
  defineApi,
  reply,
  toDirectory,
} from '../../../src/index.ts'
import { type RunningServer, serve } from '../../../src/node.ts'
import { quiet } from '../../behaviour/fixtures.ts'
import { aliveBytes } from '../../setup/alive.ts'
import { lines, open } from './sockets.ts'

const spool = mkdtempSync(join(tmpdir(), 'uploads-'))
const log: object[] = []
const counted = { bytes: 0, most: 0, alive: 0, failed: '' }
let taking = Promise.resolve()

const count: FileTaker = async ({ stream }) => {
  counted.bytes = 0
  for await (const chunk of stream) {
    counted.bytes += chunk.length
    counted.most = Math.max(counted.most, chunk.length)
    if (counted.alive === 0 && counted.bytes > 48 * 2 ** 20) counted.alive = aliveBytes()
  }
}
const noting: FileTaker = async ({ stream }, request) => {
  counted.failed = ''
  request.onEnd((status) => void (counted.failed += ` ${status}`))
  try {
    for await (const chunk of stream) counted.bytes += chunk.length
  } catch (error) {
    counted.failed = (error as Error).constructor.name
    throw error
  }
}

const api = defineApi({
  urls: {
    counted: '/counted/',
    stored: '/stored/',
    noted: '/noted/',
    raw: '/raw/',
    forbidden: '/forbidden/',
    limited: '/limited/',
  },
  maxBodySize: 2 ** 31,
  logger: { error: (record) => void log.push(record) },
})
const none = () => reply(null, { status: 204 })
const reading = async ({ body }: { body(): Promise<unknown> }) => {
  await body()
  return none()
}
const parser = (files: FileTaker) => ({ parsers: [new MultiPartParser({ files })] })
const app = api.serve(
  [
    api.endpoint('counted', parser(count)).post(reading),
    api.endpoint('stored', parser(toDirectory(spool))).post(async ({ body }) => {
      await body()
      await taking
      return readdirSync(spool).length
    }),
    api.endpoint('noted', parser(noting)).post(reading),
    api.endpoint('raw', { parsers: [new FileParser()] }).put(async ({ body }) => {
      for await (const chunk of (await body()) as ReadableStream<Uint8Array>)
        counted.bytes += chunk.length
      return none()
    }),
    api
      .endpoint('forbidden', { ...parser(count), permissions: [new IsAuthenticated()] })
      .post(reading),
    api
      .endpoint('limited', {
        ...parser(count),
        throttles: [new AnonRateThrottle({ rate: '1/day' })],
      })
      .post(reading),
  ],
  quiet,
)

let server: RunningServer
beforeAll(async () => {
  server = await serve(app, { port: 0 })
})
afterAll(() => server.close())

const HEAD = '--b\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\n'
const END = '\r\n--b--\r\n'
const MIB = Buffer.alloc(2 ** 20, 'x')

/** A form with one file of so many MiB, sent as fast as it is taken. */
async function upload(path: string, size: number): Promise<number> {
  const { request, status } = begin(path, { 'transfer-encoding': 'chunked' })
  request.write(HEAD)
  await sendMebibytes(request, size)
  request.end(END)
  return status
}

/** As fast as they are taken, and for as long as somebody takes them. */
async function sendMebibytes(request: ClientRequest, size: number): Promise<void> {
  for (let sent = 0; sent < size && !request.destroyed; sent++)
    if (!request.write(MIB))
      await new Promise((resolve) => void request.once('drain', resolve).once('close', resolve))
}

function begin(
  path: string,
  headers: Record<string, string>,
  method = 'POST',
): { request: ClientRequest; status: Promise<number> } {
  const type = 'multipart/form-data; boundary=b'
  const request = ask(`${server.url}${path}`, {
    method,
    headers: { host: 'localhost', 'content-type': type, ...headers },
  })
  const status = new Promise<number>((resolve) => {
    request.once('response', (response) => {
      response.resume()
      resolve(response.statusCode!)
    })
    request.once('error', () => resolve(0))
  })
  return { request, status }
}

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 5) {
    if (waited > 3000) throw new Error('It never came.')
    await wait(5)
  }
}

async function nothingIsLeft(): Promise<void> {
  await expect.poll(() => readdirSync(spool), { interval: 5 }).toEqual([])
}

describe('a large file', () => {
  test('is never in memory as a whole', async () => {
    expect(await upload('/counted/', 2)).toBe(204)
    const before = aliveBytes()
    expect(await upload('/counted/', 64)).toBe(204)
    expect(counted.bytes).toBe(64 * 2 ** 20)
    expect(counted.most).toBeLessThanOrEqual(2 ** 17)
    // Client and server are one thread here: what either of them holds of the first 48 MiB would show.
    expect(counted.alive).toBeGreaterThan(0)
    expect(counted.alive - before).toBeLessThan(4 * 2 ** 20)
  })

  test('goes into a directory, and is gone with the answer', async () => {
    expect(await upload('/stored/', 64)).toBe(200)
    expect(readdirSync(spool)).toEqual([])
  })

  test('is a body by itself', async () => {
    counted.bytes = 0
    const { request, status } = begin(
      '/raw/',
      { 'content-type': 'application/octet-stream' },
      'PUT',
    )
    await sendMebibytes(request, 64)
    request.end()
    expect(await status).toBe(204)
    expect(counted.bytes).toBe(64 * 2 ** 20)
  })
})

describe('nothing is left', () => {
  test('of a client that goes away in the middle of a file', async () => {
    const { request } = begin('/stored/', { 'transfer-encoding': 'chunked' })
    request.write(HEAD)
    request.write(MIB)
    await until(() => readdirSync(spool).length === 1)
    request.destroy()
    await nothingIsLeft()
  })

  test('of a client that goes away while its request is handled', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    taking = promise
    const { request } = begin('/stored/', { 'transfer-encoding': 'chunked' })
    request.write(HEAD)
    request.end(END)
    await until(() => readdirSync(spool).length === 1)
    request.destroy()
    await wait(20)
    resolve()
    taking = Promise.resolve()
    await nothingIsLeft()
  })

  test('of a client that is too slow', async () => {
    await using impatient = await serve(app, {
      port: 0,
      requestTimeout: 2000,
      headersTimeout: 2000,
    })
    const wire = await open(impatient.url)
    const length = 2 ** 20
    wire.write(
      lines(
        'POST /stored/ HTTP/1.1',
        'Host: localhost',
        'Content-Type: multipart/form-data; boundary=b',
        `Content-Length: ${length}`,
      ),
    )
    wire.write(`${HEAD}hello`)
    await until(() => readdirSync(spool).length === 1)
    expect(await wire.closed()).toMatch(/^HTTP\/1\.1 408 /)
    await nothingIsLeft()
  })

  test('and a function of the application learns it', async () => {
    const { request } = begin('/noted/', { 'transfer-encoding': 'chunked' })
    counted.bytes = 0
    request.write(HEAD)
    request.write(MIB)
    await until(() => counted.bytes > 2 ** 19)
    request.destroy()
    await expect.poll(() => counted.failed).toBe('ParseError 400')
  })

  test('of a web request that breaks off', async () => {
    const abort = new AbortController()
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Buffer.from(HEAD))
        controller.enqueue(MIB)
      },
      async pull(controller) {
        await until(() => readdirSync(spool).length === 1)
        controller.error(new Error('the connection is gone'))
      },
    })
    const answer = await app.fetch(
      new Request('http://localhost/stored/', {
        method: 'POST',
        body,
        duplex: 'half',
        signal: abort.signal,
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
      } as RequestInit),
    )
    expect(answer.status).toBe(400)
    expect(readdirSync(spool)).toEqual([])
  })
})

describe('before a byte of the body is sent', () => {
  const unsent = async (path: string, length: number, type = 'multipart/form-data; boundary=b') => {
    const wire = await open(server.url)
    wire.write(
      lines(
        `POST ${path} HTTP/1.1`,
        'Host: localhost',
        `Content-Type: ${type}`,
        `Content-Length: ${length}`,
      ),
    )
    const answer = await wire.until(/^HTTP\/1\.1 (?!100)\d+ /m)
    wire.socket.destroy()
    return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)![1])
  }

  test('permissions refuse', async () => expect(await unsent('/forbidden/', 1000)).toBe(403))
  test('throttles refuse', async () => {
    expect(await upload('/limited/', 0)).toBe(204)
    expect(await unsent('/limited/', 1000)).toBe(429)
  })
  test('a length refuses', async () => expect(await unsent('/counted/', 2 ** 31 + 1)).toBe(413))
  test('a type refuses', async () =>
    expect(await unsent('/counted/', 1000, 'application/json')).toBe(415))
})

describe('after a refusal', () => {
  const head = (header: string) =>
    lines('POST /forbidden/ HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', header)

  test.each([
    ['a stated length', 'Content-Length: 40000000000', MIB],
    [
      'chunks',
      'Transfer-Encoding: chunked',
      Buffer.concat([Buffer.from('100000\r\n'), MIB, Buffer.from('\r\n')]),
    ],
  ])('a body without end is not taken: %s', async (_, header, piece) => {
    const port = Number(new URL(server.url).port)
    // It goes on, whatever the server says.
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {})
    onTestFinished(() => void socket.destroy())
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    socket.write(head(header))
    for (let sent = 0; !socket.destroyed && sent < 2048; sent += 1)
      await new Promise((go) => void socket.write(piece, go))
    expect([socket.destroyed, text.split('\r\n')[0]]).toEqual([true, 'HTTP/1.1 403 Forbidden'])
    expect(text.includes('Connection: close')).toBe(header.startsWith('Content-Length'))
  })

  test('the rest of another is, and the connection goes on', async () => {
    const wire = await open(server.url)
    wire.write(head(`Content-Length: ${4 * MIB.length}`))
    await wire.until(/^HTTP\/1\.1 403 .*\{/s)
    for (let at = 0; at < 4; at += 1) wire.socket.write(MIB)
    wire.write(lines('GET /nowhere/ HTTP/1.1', 'Host: localhost'))
    expect(await wire.until(/HTTP\/1\.1 404 /)).toContain('keep-alive')
    wire.socket.destroy()
  })
})

test('nothing of this was a failure of ours', () => expect(log).toEqual([]))
