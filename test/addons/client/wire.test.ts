// What comes and goes besides small JSON: files, streams, large numbers; redirects; tokens that are over; limits of time.
import { getEventListeners } from 'node:events'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type ApiError, type Contract, createClient } from '../../../src/client.ts'
import { sleep, timeLimit } from '../../../src/addons/client/waits.ts'
import { failureOf, json, problem, service } from './service.ts'

const ONE = { params: { id: 1 } }
const redirected = (location: string, status = 302) =>
  new Response('', { status, headers: { location } })

describe('a redirect', () => {
  const headers = { 'x-api-key': 'KEY' }

  test.each([301, 302, 303, 307, 308])(
    'of GET to another origin is refused: %i',
    async (status) => {
      const evil = json({ results: [{ id: 666 }], next: null })
      for (const place of [
        'https://evil.example/',
        '//evil.example/',
        'http://api.example/notes/',
      ]) {
        const { client, asked } = service([redirected(place, status), evil], { headers })
        const failure = await failureOf(client.get('note-list'))
        expect(failure).toMatchObject({ name: 'ApiError', status, operation: 'GET note-list' })
        expect(String(failure)).toContain('what the client sends is for https://api.example alone')
        const target = new URL(place, 'https://api.example/notes/').href
        expect((failure as ApiError).headers.get('location')).toBe(target)
        expect(asked).toHaveLength(1)
      }
    },
  )

  test('within the origin is followed with all headers', async () => {
    const answers = [redirected('/a/?b=1'), redirected('../c', 307), json({ id: 1 })]
    const { client, asked } = service(answers, { headers, auth: { token: 'T' } })
    expect(await client.get('note-detail', ONE)).toEqual({ id: 1 })
    const [, , last] = asked
    expect(asked.map(({ url }) => new URL(url).pathname)).toEqual(['/notes/1/', '/a/', '/c'])
    expect(last!.headers.get('x-api-key')).toBe('KEY')
    expect(last!.headers.get('authorization')).toBe('Token T')
    expect(asked.map(({ redirect }) => redirect)).toEqual(['manual', 'manual', 'manual'])
  })

  test('after five others is refused, and so is a ring', async () => {
    let open = 0
    const withBody = () => {
      open++
      const body = new ReadableStream({ cancel: () => void open-- })
      return new Response(body, { status: 302, headers: { location: '/notes/' } })
    }
    const { client, asked } = service([withBody])
    await expect(client.get('note-list')).rejects.toThrow('More than 5 redirects')
    expect(asked).toHaveLength(6)
    // A body that is not read would keep its connection.
    expect(open).toBe(0)
  })

  test('that a browser hides is refused, and says where it may not lead', async () => {
    const hidden = { type: { value: 'opaqueredirect' }, status: { value: 0 } }
    const { client, asked } = service([() => Object.defineProperties(new Response(), hidden)])
    const failure = await failureOf(client.get('note-list'))
    expect(failure).toMatchObject({ name: 'ApiError', status: 302 })
    expect(String(failure)).toContain('to a place that the browser hides')
    expect(asked).toHaveLength(1)
  })

  test('that a browser does not follow within its origin is refused, once; a call that is ended ends', async () => {
    vi.stubGlobal('location', { origin: 'https://api.example' })
    onTestFinished(() => void vi.unstubAllGlobals())
    const hidden = { type: { value: 'opaqueredirect' }, status: { value: 0 } }
    const leads = () => Object.defineProperties(new Response(), hidden)
    const crossOrigin = () => {
      throw new TypeError('Failed to fetch')
    }
    const { client, asked } = service([leads, crossOrigin])
    const failure = await failureOf(client.get('note-list'))
    expect(failure).toMatchObject({ name: 'ApiError', status: 302 })
    expect(String(failure)).toContain('what the client sends is for https://api.example alone')
    expect(asked.map(({ redirect }) => redirect)).toEqual(['manual', 'follow'])
    const controller = new AbortController()
    const ended = () => {
      controller.abort(new Error('The page has gone.'))
      throw controller.signal.reason
    }
    const other = service([leads, ended]).client
    const { signal } = controller
    await expect(other.get('note-list', { signal })).rejects.toThrow('The page has gone.')
  })

  test('that takes too long within the origin of a page is an attempt that failed', async () => {
    vi.stubGlobal('location', { origin: 'https://api.example' })
    onTestFinished(() => void vi.unstubAllGlobals())
    const hidden = { type: { value: 'opaqueredirect' }, status: { value: 0 } }
    const fetch = async (_: URL, { redirect, signal }: RequestInit): Promise<Response> =>
      redirect === 'manual'
        ? Object.defineProperties(new Response(), hidden)
        : new Promise((_resolve, reject) =>
            signal!.addEventListener('abort', () => reject(signal!.reason as Error)),
          )
    const { client } = service([], { fetch, timeout: 5, retry: false })
    expect(await failureOf(client.get('note-list'))).toMatchObject({ name: 'ConnectionError' })
  })

  test('that shows where it leads is followed, whatever its type is', async () => {
    const shown = () =>
      Object.defineProperties(redirected('/a/'), { type: { value: 'opaqueredirect' } })
    const { client } = service([shown, json({ id: 1 })])
    expect(await client.get('note-detail', ONE)).toEqual({ id: 1 })
  })

  test('of what changes something is never followed', async () => {
    const { client, asked } = service([redirected('/notes/', 303)])
    const failure = await failureOf(client.post('note-list', { body: { title: 'a' } }))
    expect(failure).toMatchObject({ status: 303 })
    expect([asked.length, asked[0]!.redirect]).toEqual([1, 'error'])
  })
})

describe('bytes', () => {
  const bytes = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe, 0])
  const picture = () => new Response(bytes, { headers: { 'content-type': 'image/png' } })

  test('come as they are', async () => {
    const { client } = service([picture])
    const blob: unknown = await client.get('note-detail', ONE)
    expect(blob).toBeInstanceOf(Blob)
    expect((blob as Blob).type).toBe('image/png')
    expect(new Uint8Array(await (blob as Blob).arrayBuffer())).toEqual(bytes)
  })

  test.each([
    ['text/csv', 'a,b'],
    ['image/svg+xml', '<svg/>'],
    ['application/yaml', 'a: b'],
  ])('are a text where they are %s', async (type, text) => {
    const { client } = service([new Response(text, { headers: { 'content-type': type } })])
    expect(await client.get('note-detail', ONE)).toBe(text)
  })

  test('can be had as a response, after the attempts that it takes', async () => {
    const { client, asked } = service([json({}, { status: 503 }), picture])
    const response = await client.response('get', 'note-detail', ONE)
    expect(asked).toHaveLength(2)
    expect(response.bodyUsed).toBe(false)
    const parts: number[] = []
    for await (const part of response.body!) parts.push(...part)
    expect(new Uint8Array(parts)).toEqual(bytes)
  })

  test('an error is one there, too', async () => {
    const { client } = service([problem(404, { code: 'not_found', detail: 'Not found.' })])
    const call = client.response('get', 'note-detail', ONE)
    await expect(call).rejects.toMatchObject({ name: 'ApiError', code: 'not_found' })
  })

  test('limits of time end where the body begins, the signal ends it', async () => {
    let sent: AbortSignal | null | undefined
    const stop = new AbortController()
    const { client } = service([], {
      fetch: async (_, { signal }) => {
        sent = signal
        return picture()
      },
    })
    const limits = { timeout: 5, deadline: 5, signal: stop.signal }
    await client.response('get', 'note-detail', { ...ONE, ...limits })
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(sent!.aborted).toBe(false)
    stop.abort()
    expect(sent!.aborted).toBe(true)
  })

  test('a stream is sent once, as one', async () => {
    const inits: (RequestInit & { duplex?: string })[] = []
    const { client } = service([], {
      fetch: async (_, init) => {
        inits.push(init)
        return json({}, { status: 503 })
      },
    })
    const body = new Response('abc').body!
    const call = client.put('note-detail', { ...ONE, body, idempotent: true })
    await expect(call).rejects.toMatchObject({ status: 503 })
    expect(inits).toHaveLength(1)
    expect(inits[0]).toMatchObject({ duplex: 'half', body })
    // What Node wants of a request with a stream.
    expect(await new Request('http://localhost', inits[0]).text()).toBe('abc')
  })
})

describe('whole numbers', () => {
  const got = async (text: string): Promise<unknown> => {
    const { client } = service([
      new Response(text, { headers: { 'content-type': 'application/json' } }),
    ])
    return client.get('note-detail', ONE)
  }

  test.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['-9223372036854775808', -9223372036854775808n],
    ['[{"id":18446744073709551615}]', [{ id: 18446744073709551615n }]],
    ['"9007199254740993"', '9007199254740993'],
    ['0.12345678901234567890', 0.12345678901234568],
    ['1e300', 1e300],
    ['12345678901234567890.5', 12345678901234567000],
    ['{"id":1,"text":"\\u00e4 9007199254740993"}', { id: 1, text: 'ä 9007199254740993' }],
  ])('%s keeps its digits', async (text, value) => {
    expect(await got(text)).toEqual(value)
  })

  test('are rounded where the platform does not show how they are written', async () => {
    const { parse: whole } = JSON
    const parse = (text: string, reviver?: (name: string, value: unknown) => unknown): unknown =>
      whole(text, reviver && ((name, value: unknown) => reviver(name, value)))
    vi.stubGlobal('JSON', Object.assign(Object.create(JSON), { parse }))
    onTestFinished(() => void vi.unstubAllGlobals())
    expect(await got('[9007199254740993, 1]')).toEqual([9007199254740992, 1])
  })

  test('a bigint is sent as a number, in a query and a path too', async () => {
    const { client, asked } = service([json({ id: 1 })])
    const id = 9007199254740993n
    await client.put('note-detail', { params: { id: String(id) }, body: { id, ids: [id] } })
    expect(asked[0]!.body).toBe('{"id":9007199254740993,"ids":[9007199254740993]}')
    await client.put('note-detail', { ...ONE, body: { id, file: new Blob(['b']) } })
    expect((asked[1]!.body as FormData).get('id')).toBe('9007199254740993')
  })

  test('rows are known by them after an interruption', async () => {
    const text = '{"results":[{"id":9007199254740992},{"id":9007199254740993}],"next":null}'
    const page = () => new Response(text, { headers: { 'content-type': 'application/json' } })
    const { client } = service([page])
    const query = { after: 9007199254740993n }
    const walk = client.rows('note-list', { query })
    const seen: unknown[] = []
    for await (const { id } of walk) if (seen.push(id) === 1) break
    const rest = client.rows('note-list', { query }).resume(walk.checkpoint())
    for await (const { id } of rest) seen.push(id)
    expect(seen).toEqual([9007199254740992n, 9007199254740993n])
  })

  test('so are rows whose key is named', async () => {
    const { client } = service([
      new Response('{"results":[{"id":9007199254740992},{"id":9007199254740993}],"next":null}', {
        headers: { 'content-type': 'application/json' },
      }),
    ])
    const key = ({ id }: { readonly id: number | bigint }) => id
    const walk = client.rows('note-list', { key })
    const seen: unknown[] = []
    for await (const { id } of walk) if (seen.push(id) === 1) break
    const rest = client.rows('note-list', { key }).resume(walk.checkpoint())
    for await (const { id } of rest) seen.push(id)
    expect(seen).toEqual([9007199254740992n, 9007199254740993n])
  })
})

describe('a token that is over', () => {
  const refused = () => problem(401, { code: 'authentication_failed', detail: 'Invalid token.' })

  test('is asked for once more, and the request is sent again, whatever it does', async () => {
    const { client, asked } = service([refused, json({ id: 1 }), refused], {
      auth: { token: (old) => (old === null ? 'A' : `${old}B`) },
    })
    await client.post('note-list', { body: { title: 'a' } })
    expect(asked.map(({ headers }) => headers.get('authorization'))).toEqual([
      'Token A',
      'Token AB',
    ])
    await expect(client.get('note-list')).rejects.toMatchObject({ status: 401 })
    expect(asked).toHaveLength(4)
  })

  test.each([
    ['the function gives the same', () => 'A'],
    ['it is a text', 'A'],
  ])('is an error where %s', async (_, token) => {
    const { client, asked } = service([refused, json({ id: 1 })], { auth: { token } })
    await expect(client.get('note-list')).rejects.toMatchObject({ status: 401 })
    expect(asked).toHaveLength(1)
  })

  test('is not asked for again after another error, nor with a stream', async () => {
    const auth = { token: (old: string | null) => `${old}A` }
    const denied = service([problem(403, { code: 'permission_denied' })], { auth })
    await expect(denied.client.get('note-list')).rejects.toMatchObject({ status: 403 })
    const streamed = service([refused], { auth })
    const body = new Response('abc').body!
    const call = streamed.client.put('note-detail', { ...ONE, body })
    await expect(call).rejects.toMatchObject({ status: 401 })
    expect([denied.asked.length, streamed.asked.length]).toEqual([1, 1])
  })

  test('no attempt is lost by it', async () => {
    const answers = [refused, json({}, { status: 503 }), json({ id: 1 })]
    const olds: unknown[] = []
    const token = (old: string | null) => {
      olds.push(old)
      return String(olds.length)
    }
    const { client } = service(answers, { auth: { token }, retry: { retries: 1 } })
    expect(await client.get('note-detail', ONE)).toEqual({ id: 1 })
    expect(olds).toEqual([null, '1', null])
  })
})

describe('limits of time', () => {
  // Timers of more than 24 days are over at once: the service would be asked again without a pause.
  test('a wait that no timer can have is the longest that one can', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const stop = new AbortController()
    const wait = sleep(2 ** 31, stop.signal)
    let isOver = false
    void wait.then(
      () => (isOver = true),
      () => undefined,
    )
    await vi.advanceTimersByTimeAsync(60_000)
    expect(isOver).toBe(false)
    stop.abort()
    await expect(wait).rejects.toThrow('aborted')
  })

  test('a wait that is over, or that a signal has ended, leaves nothing behind', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const stop = new AbortController()
    const wait = sleep(10, stop.signal)
    await vi.advanceTimersByTimeAsync(10)
    await wait
    expect(getEventListeners(stop.signal, 'abort')).toEqual([])
    const ended = sleep(10, stop.signal)
    stop.abort(new Error('left'))
    await expect(ended).rejects.toThrow('left')
    await expect(sleep(10, stop.signal)).rejects.toThrow('left')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('a limit is of one millisecond at least, and its count can be ended', () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    timeLimit('timeout', 1, undefined).stop()
    expect(() => timeLimit('timeout', 0.5, undefined)).toThrow(RangeError)
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each([0, -1, NaN, 2 ** 31, 2 ** 33, '5' as unknown as number, -Infinity])(
    '%s is none',
    async (ms) => {
      for (const name of ['timeout', 'deadline']) {
        const { client, asked } = service([json({ id: 1 })])
        const failure = await failureOf(client.get('note-detail', { ...ONE, [name]: ms }))
        expect(failure).toBeInstanceOf(RangeError)
        expect(String(failure)).toContain(`"${name}" is a number of milliseconds from 1 to`)
        expect(asked).toEqual([])
      }
    },
  )

  test('the longest is that of a timer', async () => {
    const { client } = service([json({ id: 1 })])
    const call = client.get('note-detail', { ...ONE, timeout: 2 ** 31 - 1 })
    expect(await call).toEqual({ id: 1 })
  })

  test('Infinity is no limit', async () => {
    const limits = { timeout: Infinity, deadline: Infinity }
    const { client, waits } = service([json({}, { status: 503 }), json({ id: 1 })], limits)
    expect(await client.get('note-detail', ONE)).toEqual({ id: 1 })
    expect(waits).toHaveLength(1)
  })

  test('the deadline counts the time that is gone', async () => {
    const failing = json({}, { status: 503, headers: { 'retry-after': '40' } })
    const { client, asked, waits } = service([failing])
    await expect(client.get('note-detail', { ...ONE, deadline: 100_000 })).rejects.toMatchObject({
      status: 503,
    })
    // Two waits of 40 s and a bit; a third one would end behind the deadline.
    expect(waits).toEqual([40_125, 40_250])
    expect(asked).toHaveLength(3)
  })
})

test('no content is null, whatever it says that it is', async () => {
  const { client } = service([new Response(null, { status: 204 })])
  expect(await client.delete('note-detail', ONE)).toBeNull()
  const empty = service([new Response('', { headers: { 'content-type': 'application/json' } })])
  expect(await empty.client.get('note-detail', ONE)).toBeNull()
})

test('a version travels in the path or in the query', async () => {
  const inPath = service([json([])], { routes: { 'note-list': '/:v/notes/' }, versionParam: 'v' })
  await inPath.client.get('note-list')
  const inQuery = service([json([])], { versionIn: 'query' })
  await inQuery.client.get('note-list', { query: { q: 'a' } })
  expect([...inPath.asked, ...inQuery.asked].map(({ url }) => url)).toEqual([
    'https://api.example/v2/notes/',
    'https://api.example/notes/?version=v2&q=a',
  ])
})

test.each([
  ['accept', 'v2', '?', 'application/json; version=v2, application/problem+json; version=v2', null],
  ['header', 'v2', '?', 'application/json, application/problem+json', 'v2'],
  ['query', 'v2', '?version=v2', 'application/json, application/problem+json', null],
  ...(['accept', 'header', 'query', 'path'] as const).map(
    (versionIn) =>
      [versionIn, null, '?', 'application/json, application/problem+json', null] as const,
  ),
] as const)('in %s, the version %j', async (versionIn, version, search, accept, header) => {
  const asks = service([json([])], { versionIn, version: version as 'v2' })
  await asks.client.get('note-list')
  const [{ url, headers }] = asks.asked as [(typeof asks.asked)[0]]
  expect(new URL(url).search || '?').toBe(search)
  expect([headers.get('accept'), headers.get('version')]).toEqual([accept, header])
})

test('no version is no part of a path, and addresses are asked for once', async () => {
  let times = 0
  const routes = () => (times++, { 'note-list': '/:version/notes/' })
  const { client } = service([json([])], { routes, version: null as unknown as 'v2' })
  for (let i = 0; i < 2; i++)
    await expect(client.get('note-list')).rejects.toThrow('or one is empty: /:version/notes/.')
  expect(times).toBe(1)
})

test('a version travels in a header of its own', async () => {
  interface Flags extends Contract {
    readonly version: 'v2'
    readonly operations: { readonly flags: { readonly get: { readonly data: unknown } } }
  }
  const sent: (string | null)[] = []
  const client = createClient<Flags>({
    baseUrl: 'https://api.example',
    routes: { flags: '/flags/' },
    version: 'v2',
    versionIn: 'header',
    versionParam: 'X-Api-Version',
    fetch: async (_, { headers }) => {
      sent.push(new Headers(headers).get('x-api-version'))
      return json([])
    },
  })
  await client.get('flags')
  await client.get('flags', { headers: { 'X-Trace': '1' } })
  expect(sent).toEqual(['v2', 'v2'])
})
