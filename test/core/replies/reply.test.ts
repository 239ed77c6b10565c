import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { HTMLRenderer } from '../../../src/addons/pages/html.ts'
import { JSONRenderer, defineApi, reply } from '../../../src/index.ts'
import { serve } from '../../../src/node.ts'
import { type Row, throughDoors } from '../../behaviour/doors.ts'
import { quiet } from '../../behaviour/fixtures.ts'

const METRICS = 'requests_total{of="GET 200"} 4\n'
const BYTES = new TextEncoder().encode(METRICS)
const TYPE = 'text/plain; version=0.0.4'
let cancelled = 0
const log: { error: unknown }[] = []

/** Two pieces, and then as `end` says. */
function stream(end: 'close' | 'error' | 'wait'): ReadableStream<Uint8Array> {
  const pieces = [BYTES, BYTES]
  return new ReadableStream({
    pull(controller) {
      const piece = pieces.shift()
      if (piece !== undefined) controller.enqueue(piece)
      else if (end === 'close') controller.close()
      else if (end === 'error') controller.error(new Error('The source broke.'))
    },
    cancel: () => void (cancelled += 1),
  })
}

function lockedStream(): ReadableStream {
  const body = stream('wait')
  body.getReader()
  return body
}

const typed = { contentType: TYPE }
const ANSWERS: Readonly<Record<string, () => unknown>> = {
  text: () => reply(METRICS, typed),
  'empty-text': () => reply('', typed),
  json: () => reply('text', { contentType: 'application/vnd.a+json; b=c' }),
  'text-of-json': () => reply('plain'),
  bytes: () => reply(BYTES, typed),
  buffer: () => reply(Buffer.from(METRICS), typed),
  'array-buffer': () => reply(BYTES.slice().buffer, typed),
  blob: () => reply(new Blob([METRICS], { type: 'text/csv' })),
  'blob-of-another-type': () => reply(new Blob([METRICS], { type: 'text/csv' }), typed),
  stream: () => reply(stream('close'), typed),
  broken: () => reply(stream('error'), typed),
  slow: () => reply(stream('wait'), typed),
  data: () => reply({ a: 1 }, { contentType: 'application/vnd.a+json' }),
  'a-column': () => reply(JSON.parse('{"then":1}')),
  'untyped-stream': () => reply(stream('wait')),
  'untyped-bytes': () => BYTES,
  'untyped-blob': () => reply(new Blob([METRICS])),
  promise: () => reply(Promise.resolve(1)),
  'promise-with-a-type': () => reply(Promise.resolve(1), typed),
  'stream-of-node': () => reply(Readable.from([BYTES]), typed),
  response: () => new Response('hello'),
  locked: () => reply(lockedStream(), typed),
  map: () => new Map([['a', 1]]),
  set: () => new Set([1]),
  iterator: () => [1].values(),
}

/** What is nothing in JSON, and what the log says of it. */
const LOST: Readonly<Record<string, readonly [make: () => unknown, why: string]>> = {
  'a promise': [async () => 1, 'A promise is no data'],
  'a promise that fails': [async () => Promise.reject(new Error('later')), 'A promise is no data'],
  'an async function': [() => async () => 1, 'An async function is no data'],
  bytes: [() => BYTES, 'Bytes and streams have no form in JSON.'],
  'a buffer': [() => Buffer.from('a'), 'Bytes and streams'],
  'no bytes': [() => new Uint8Array(), 'Bytes and streams'],
  'an array buffer': [() => new ArrayBuffer(1), 'Bytes and streams'],
  'a view': [() => new DataView(new ArrayBuffer(1)), 'Bytes and streams'],
  'a blob': [() => new Blob(['a']), 'Bytes and streams'],
  'a stream': [() => stream('wait'), 'Bytes and streams'],
  'a stream of node': [() => Readable.from([BYTES]), 'This is no web stream.'],
  'a response': [() => new Response('a'), 'A Response is no data'],
  'a map': [() => new Map([['a', 1]]), 'JSON has no form for a Map, a Set or an iterator'],
  'a set': [() => new Set([1]), 'JSON has no form for a Map'],
  'an iterator': [() => [1].values(), 'JSON has no form for a Map'],
  parameters: [() => new URLSearchParams('a=1'), 'JSON has no form for a Map'],
}
const PLACES: Readonly<
  Record<string, readonly [path: string, around: (lost: unknown) => unknown]>
> = {
  '/a/b/': ['a.b', (lost) => ({ before: { b: 1 }, a: { b: lost }, after: 1 })],
  '/1/': ['1', (lost) => [[1], lost]],
  '/rows/0/at/': ['rows.0.at', (lost) => ({ rows: [{ id: 1n, at: lost }] })],
  '/own/': ['own.x', (lost) => ({ own: { toJSON: () => ({ x: lost }) } })],
}

const names = Object.keys(ANSWERS)
const api = defineApi({
  urls: Object.fromEntries(names.map((name) => [name, `/${name}/`])),
  logger: { error: (record) => void log.push(record as never) },
  renderers: [new JSONRenderer(), new HTMLRenderer()],
})
const app = api.serve(
  names.map((name) => api.endpoint(name).get(() => ANSWERS[name]!())),
  quiet,
)
beforeEach(() => {
  log.length = 0
  cancelled = 0
})

const whole = (type: string, text = METRICS) =>
  ({ status: 200, text, headers: { 'content-type': type } }) as const
const failed = { status: 500, data: { detail: 'Something went wrong on our side.' } } as const
const page = { headers: { accept: 'text/html' } }

describe('what a handler replies with', () => {
  throughDoors(app, [
    ['a text with a type is sent as it is', 'GET /text/', whole(TYPE)],
    ['so is none', 'GET /empty-text/', whole(TYPE, '')],
    ['but JSON is JSON', 'GET /json/', whole('application/vnd.a+json; b=c', '"text"')],
    ['a text without a type is JSON', 'GET /text-of-json/', whole('application/json', '"plain"')],
    ['to people too', 'GET /text/', whole(TYPE), page],
    ...['bytes', 'buffer', 'array-buffer', 'blob-of-another-type'].map((name): Row => [
      `${name} with a type`,
      `GET /${name}/`,
      whole(TYPE),
    ]),
    ['a blob brings its own', 'GET /blob/', whole('text/csv')],
    ['a stream, to its end', 'GET /stream/', whole(TYPE, METRICS.repeat(2))],
    ['data with a type is rendered', 'GET /data/', whole('application/vnd.a+json', '{"a":1}')],
    ['a member called "then" is data', 'GET /a-column/', { status: 200, text: '{"then":1}' }],
    [
      'HEAD knows the length of bytes',
      'HEAD /bytes/',
      { status: 200, text: '', headers: { 'content-length': `${METRICS.length}` } },
    ],
    [
      'HEAD knows the length of a blob',
      'HEAD /blob/',
      { status: 200, text: '', headers: { 'content-length': `${METRICS.length}` } },
    ],
    ['HEAD of a stream', 'HEAD /slow/', { ...whole(TYPE, '') }],
    ...[
      'untyped-stream',
      'untyped-bytes',
      'untyped-blob',
      'promise',
      'promise-with-a-type',
      'stream-of-node',
      'response',
      'locked',
      'map',
      'set',
      'iterator',
    ].map((name): Row => [`never {} or {"0":97}: ${name}`, `GET /${name}/`, failed]),
    ['nor on a page', 'GET /untyped-bytes/', 500, page],
  ])

  test.each([
    [
      'untyped-stream',
      'Bytes and streams have no form in JSON. Say what they are: reply(bytes, { contentType }).',
    ],
    ['untyped-bytes', 'Bytes and streams have no form in JSON.'],
    ['promise', 'A promise is no data: await it.'],
    ['stream-of-node', 'This is no web stream.'],
    ['response', 'A Response is no data'],
    ['locked', 'This stream is being read already.'],
    ['map', 'JSON has no form for a Map, a Set or an iterator: make a list or an object of it'],
  ])('the log says why: %s', async (name, why) => {
    await app.fetch(new Request(`http://localhost/${name}/`))
    expect(log.map(({ error }) => String(error))).toEqual([expect.stringContaining(why)])
  })

  describe.each(Object.entries(LOST))('%s within an answer', (name, [make, why]) => {
    test.each(Object.entries(PLACES))('at %s is never {}', async (_place, [path, around]) => {
      const own = defineApi({
        urls: { lost: '/lost/' },
        logger: { error: (record) => void log.push(record as never) },
      })
      const lost = own.serve([own.endpoint('lost').get(() => around(make()))], quiet)
      const answer = await lost.fetch(new Request('http://localhost/lost/'))
      expect([answer.status, await answer.json()]).toMatchObject([failed.status, failed.data])
      expect(log.map(({ error }) => String(error))).toEqual([expect.stringContaining(why)])
      expect(String(log[0]!.error)).toContain(`Look at "${path}".`)
      expect(cancelled).toBe(name === 'a stream' ? 1 : 0)
    })
  })

  test('what has a form in JSON is shown, whatever it is', async () => {
    class Own extends Array {}
    class Cat {
      readonly name = 'Tom'
      meow = (): number => 1;
      *[Symbol.iterator]() {
        yield 1
      }
    }
    const shown = [
      new Own(),
      new Cat(),
      new URL('http://a/'),
      Object.assign(JSON.parse('{"then":1}'), { f: () => 1 }),
      new Error('a'),
    ]
    const own = defineApi({ urls: { shown: '/shown/' } })
    const others = own.serve([own.endpoint('shown').get(() => ({ shown }))], quiet)
    const answer = await others.fetch(new Request('http://localhost/shown/'))
    expect(await answer.text()).toBe('{"shown":[[],{"name":"Tom"},"http://a/",{"then":1},{}]}')
  })

  test('a stream that is not sent is cancelled', async () => {
    await app.fetch(new Request('http://localhost/untyped-stream/'))
    expect(cancelled).toBe(1)
    await app.fetch(new Request('http://localhost/slow/', { method: 'HEAD' }))
    expect(cancelled).toBe(2)
  })

  test('nor is one left open where its headers cannot be made', async () => {
    const failing = new JSONRenderer()
    const hasWords = (): never => {
      throw new Error('No words.')
    }
    const own = defineApi({
      urls: { slow: '/slow/' },
      logger: { error: () => undefined },
      renderers: [Object.assign(failing, { hasWords })],
    })
    const endpoint = own.endpoint('slow').get(() => ANSWERS['slow']!())
    const answer = await own.serve([endpoint], quiet).fetch(new Request('http://localhost/slow/'))
    expect([answer.status, cancelled]).toEqual([500, 1])
  })

  test('a stream that breaks breaks the answer off', async () => {
    const server = await serve(app, { port: 0 })
    const answer = await fetch(`${server.url}/broken/`)
    await expect(answer.text()).rejects.toThrow('terminated')
    await server.close()
    expect(log.map(({ error }) => String(error))).toEqual([
      expect.stringMatching(/^Error: The source broke\./),
    ])
  })

  test('a client that goes cancels it', async () => {
    const server = await serve(app, { port: 0 })
    const control = new AbortController()
    await fetch(`${server.url}/slow/`, { signal: control.signal })
    control.abort()
    await expect.poll(() => cancelled).toBe(1)
    await wait(0)
    await server.close()
  })
})
