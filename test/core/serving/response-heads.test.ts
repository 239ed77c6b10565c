import { ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { PlainReply } from '../../../src/core/ports/http-adapter.ts'
import { type RunningServer, serve, toListener } from '../../../src/node.ts'
import { lines, open } from './sockets.ts'
import { CHARACTER } from '../../setup/characters.ts'

/** What the next answer is. */
let next: () => PlainReply
const kernel = { handle: () => next(), report: () => undefined }

// Behind a server of others, Node writes every head.
const others = createServer({ keepAliveTimeout: 65_000 }, toListener(kernel))
let ours: RunningServer

beforeAll(async () => {
  ours = await serve(kernel, { port: 0 })
  await new Promise<void>((resolve) => others.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  others.close()
  await ours.close()
})

const REQUEST = lines('GET / HTTP/1.1', 'Host: localhost')
const LAST = lines('GET / HTTP/1.1', 'Host: localhost', 'Connection: close')

/** The bytes of all answers, without the time. */
async function bytesFrom(url: string, requests: string): Promise<string> {
  const wire = await open(url)
  wire.socket.setEncoding('latin1')
  wire.write(requests)
  const text = await wire.closed()
  return text.replace(/^Date: .{29}\r$/gm, 'Date: now\r')
}

/** Of the text, and of Node: by default two answers on one connection, of which the second is the last. */
async function bothBytes(
  reply: () => PlainReply,
  request = REQUEST + LAST,
): Promise<readonly string[]> {
  next = reply
  const { port } = others.address() as AddressInfo
  return [await bytesFrom(ours.url, request), await bytesFrom(`http://127.0.0.1:${port}`, request)]
}

const JSON_TYPE = ['Content-Type', 'application/json']
const answers: Readonly<Record<string, () => PlainReply>> = {
  'a usual answer': () => ({ status: 200, headers: [...JSON_TYPE], body: '{"a":1}' }),
  'no headers': () => ({ status: 200, headers: [], body: 'x' }),
  'an empty body': () => ({ status: 200, headers: [...JSON_TYPE], body: '' }),
  'no body': () => ({ status: 200, headers: [...JSON_TYPE], body: null }),
  created: () => ({ status: 201, headers: ['Location', '/1/'], body: '{}' }),
  '204': () => ({ status: 204, headers: ['Allow', 'GET'], body: null }),
  '304': () => ({ status: 304, headers: ['ETag', '"1"'], body: null }),
  'an error': () => ({ status: 405, headers: ['Allow', 'GET'], body: '{}' }),
  'a status without a reason': () => ({ status: 299, headers: [], body: 'x' }),
  'characters beyond ASCII': () => ({ status: 200, headers: [...JSON_TYPE], body: '"wörld"' }),
  'characters beyond Latin-1': () => ({ status: 200, headers: [...JSON_TYPE], body: '"ω"' }),
  bytes: () => ({ status: 200, headers: [], body: Buffer.from([1, 2, 255]) }),
  'a large body': () => ({ status: 200, headers: [], body: 'x'.repeat(100_000) }),
  'a large body beyond ASCII': () => ({ status: 200, headers: [], body: 'ö'.repeat(100_000) }),
  'a name twice': () => ({ status: 200, headers: ['Link', '<a>', 'Link', '<b>'], body: 'x' }),
  'a date of its own': () => ({ status: 200, headers: ['Date', 'long ago'], body: 'x' }),
  'the end of the connection': () => ({ status: 200, headers: ['Connection', 'close'], body: 'x' }),
  'a value beyond ASCII': () => ({ status: 200, headers: ['X-Name', 'wörld'], body: '"ö"' }),
  'the same, and a body of ASCII': () => ({ status: 200, headers: ['X-Name', 'ö'], body: 'x' }),
  'a name of a file': () => ({
    status: 200,
    headers: ['Content-Disposition', 'attachment; filename="a"'],
    body: 'x',
  }),
  'a stream': () => ({
    status: 200,
    headers: [...JSON_TYPE],
    body: new Blob(['[]']).stream(),
  }),
}

test.each(Object.entries(answers))('%s has the bytes that Node writes', async (_, reply) => {
  const [written, expected] = await bothBytes(reply)
  expect(written).toBe(expected)
  expect(written).toMatch(/^HTTP\/1\.1 /)
})

test.each([
  ['HEAD', lines('HEAD / HTTP/1.1', 'Host: localhost') + LAST],
  ['HTTP/1.0', lines('GET / HTTP/1.0', 'Host: localhost')],
  [
    'HTTP/1.0 that stays',
    lines('GET / HTTP/1.0', 'Host: localhost', 'Connection: keep-alive') + LAST,
  ],
  ['the last request of a connection', LAST],
])('so has the answer to %s', async (_, request) => {
  const [written, expected] = await bothBytes(answers['a usual answer']!, request)
  expect(written).toBe(expected)
})

test('any names and values are sent as Node sends them, or refused as Node refuses them', async () => {
  const name = fc.oneof(
    fc.constantFrom('X-A', 'Vary', 'Keep-Alive', 'Trailer', 'Expect', 'X A', 'X:A', ''),
    fc.string({ minLength: 1, maxLength: 8 }),
  )
  const value = fc.oneof(
    fc.constantFrom('a', 'a\r\nSet-Cookie: b', '\n', '\0', '\t', ' ', 'ö', 'ω', '\x7f'),
    fc.string({ unit: CHARACTER, maxLength: 12 }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 4 }), async (pairs) => {
      const [written, expected] = await bothBytes(() => ({
        status: 200,
        headers: pairs.flat(),
        body: '{}',
      }))
      expect(written).toBe(expected)
    }),
    { numRuns: 300 },
  )
})

test('a usual head is written without the work of Node, more than once', async () => {
  const byNode = vi.spyOn(ServerResponse.prototype, 'writeHead')
  next = answers['a usual answer']!
  const wire = await open(ours.url)
  for (let count = 1; count <= 3; count++) {
    wire.write(REQUEST)
    await wire.until(new RegExp(`(?:HTTP/1.1 200 OK[^]*){${count}}`))
  }
  expect(byNode).not.toHaveBeenCalled()
  byNode.mockRestore()
  wire.socket.destroy()
})

test('its date goes on with time', async () => {
  next = answers['a usual answer']!
  const date = async (): Promise<number> => {
    const answer = await fetch(ours.url)
    await answer.text()
    return Date.parse(answer.headers.get('Date')!)
  }
  const begun = Date.now()
  const first = await date()
  await expect.poll(date).toBeGreaterThan(first)
  // In whole seconds.
  expect(await date()).toBeGreaterThan(begun - 1000)
  expect(await date()).toBeLessThanOrEqual(Date.now())
})
