import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ApiError, ConnectionError, type DeprecationNotice, routesOf } from '../../../src/client.ts'
import { include } from '../../../src/index.ts'
import { failureOf, json, problem, service } from './service.ts'
import { until } from '../../setup/until.ts'

const ONE = { params: { id: 1 } }
const broken = new TypeError('fetch failed')
const cut = () =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"id":'))
        controller.error(broken)
      },
    }),
    { headers: { 'content-type': 'application/json' } },
  )
const torn = () => new Response('{"id":', { headers: { 'content-type': 'application/json' } })
const failing = (status: number, headers: Record<string, string> = {}) =>
  json({ detail: 'Later.' }, { status, headers })

describe('what may be asked again', () => {
  test.each([
    ['no answer', broken],
    ['a body that breaks off', cut],
    ['a body that is cut', torn],
    ['429', failing(429)],
    ['502', failing(502)],
    ['503', failing(503)],
    ['504', failing(504)],
  ])('after %s, GET is', async (_, failure) => {
    const { client, asked, waits } = service([failure, failure, json({ id: 1 })])
    expect(await client.get('note-detail', ONE)).toEqual({ id: 1 })
    expect(asked).toHaveLength(3)
    // Half of 250, and half of 500: `random` is 0.5.
    expect(waits).toEqual([125, 250])
  })

  test.each([400, 401, 403, 404, 409, 410, 422, 500, 501])(
    'after %i, it is not',
    async (status) => {
      const { client, asked } = service([failing(status)])
      await expect(client.get('note-detail', ONE)).rejects.toMatchObject({ status })
      expect(asked).toHaveLength(1)
    },
  )

  test.each(['post', 'put', 'delete'] as const)('%s is never, unasked', async (verb) => {
    for (const failure of [broken, failing(503), failing(429), torn]) {
      const { client, asked } = service([failure, json({ id: 1 })])
      const call =
        verb === 'post'
          ? client.post('note-list', { body: { title: 'a' } })
          : client.ask(verb, 'note-detail', { ...ONE, body: {} })
      await expect(call).rejects.toMatchObject({ operation: expect.any(String) })
      expect(asked).toHaveLength(1)
    }
  })

  test('PUT and DELETE are where the call says so, POST is not', async () => {
    const answers = [broken, json({ id: 1 })]
    const put = service(answers)
    await put.client.put('note-detail', { ...ONE, body: {}, idempotent: true })
    expect(put.asked).toHaveLength(2)
    const post = service(answers)
    const body = { title: 'a' }
    await expect(post.client.post('note-list', { body, idempotent: true })).rejects.toThrow(
      'no whole answer came',
    )
    expect(post.asked).toHaveLength(1)
  })

  test('the number of attempts has an end', async () => {
    const { client, asked, waits } = service([broken])
    const failure = await failureOf(client.get('note-detail', ONE))
    expect(failure).toBeInstanceOf(ConnectionError)
    expect(failure).toMatchObject({ operation: 'GET note-detail', cause: broken })
    expect(asked).toHaveLength(5)
    expect(waits).toEqual([125, 250, 500, 1000])
  })

  test('none at all with retry: false', async () => {
    const { client, asked } = service([failing(503)], { retry: false })
    await expect(client.get('note-detail', ONE)).rejects.toBeInstanceOf(ApiError)
    expect(asked).toHaveLength(1)
  })

  test('waits grow to the longest', async () => {
    const retry = { retries: 5, firstWait: 100, longestWait: 300 }
    const { client, waits } = service([broken], { retry })
    await expect(client.get('note-detail', ONE)).rejects.toThrow('no whole answer came')
    expect(waits).toEqual([50, 100, 150, 150, 150])
    const usual = service([broken], { retry: { retries: 7 } })
    await expect(usual.client.get('note-detail', ONE)).rejects.toThrow('no whole answer came')
    expect(usual.waits.slice(-2)).toEqual([4000, 5000])
  })
})

describe('waits that the service asks for', () => {
  const DATE = 'Fri, 01 Jan 2027 00:00:07 GMT'
  test.each([
    ['seconds', { 'retry-after': '7' }, 7000],
    [
      'a date, by its own clock',
      { 'retry-after': DATE, date: 'Fri, 01 Jan 2027 00:00:02 GMT' },
      5000,
    ],
    ['a date, by ours', { 'retry-after': DATE }, 7000],
    ['a date that is over', { 'retry-after': 'Fri, 01 Jan 2021 00:00:07 GMT' }, 0],
    ['nonsense', { 'retry-after': 'soon' }, 0],
  ])('Retry-After with %s', async (_, headers, ms) => {
    const { client, waits } = service([failing(429, headers), json({ id: 1 })])
    await client.get('note-detail', ONE)
    expect(waits).toEqual([ms + 125])
  })

  test('RateLimit: the longest wait of the limits that are used up', async () => {
    const ratelimit = '"a";r=0;t=3, "b";r=0;t=9, "c";r=7;t=50, "d";r=05'
    const { client, waits } = service([failing(429, { ratelimit }), json({ id: 1 })])
    await client.get('note-detail', ONE)
    expect(waits[0]).toBe(9125)
  })

  test.each([
    { ratelimit: '"a";r=0;t=4', age: '3' },
    { ratelimit: '"a";r=0' },
    { ratelimit: '"a";r=1;t=4' },
    { 'retry-after': 'soon' },
    {},
  ])('%j asks for no wait', async (headers) => {
    const { client, waits } = service([failing(429, headers)], { retry: { retries: 1 } })
    await expect(client.get('note-detail', ONE)).rejects.toMatchObject({ retryAfter: null })
    expect(waits).toEqual([125])
  })

  test('a limit that is used up holds the next request of the operation, not of others', async () => {
    const { client, waits } = service([json({ id: 1 }, { headers: { ratelimit: '"a";r=0;t=4' } })])
    await client.get('note-detail', ONE)
    await client.get('note-list')
    expect(waits).toEqual([])
    await client.get('note-detail', ONE)
    expect(waits).toEqual([4000])
    for (let i = 0; i < 2; i++) await client.post('note-list', { body: { title: 'a' } })
    expect(waits).toHaveLength(1)
  })

  test.each([
    [99_999, 120_000, [1]],
    [100_000, 120_000, []],
    [0, 100_001, [100_000]],
    [0, 100_000, []],
  ])('it holds to its end: after %i ms with %i ms left', async (gone, deadline, expected) => {
    const waits: number[] = []
    let now = 0
    const clock = { now: () => now, sleep: async (ms: number) => void waits.push(ms) }
    const headers = { ratelimit: '"a";r=0;t=100' }
    const { client } = service([json({ id: 1 }, { headers })], { clock, deadline })
    await client.get('note-list')
    now = gone
    await client.get('note-list')
    expect(waits).toEqual(expected)
  })

  test('what comes from a cache says nothing about limits', async () => {
    const headers = { ratelimit: '"a";r=0;t=4', age: '3' }
    const { client, waits } = service([json({ id: 1 }, { headers })])
    await client.get('note-detail', ONE)
    await client.get('note-detail', ONE)
    expect(waits).toEqual([])
  })

  test('a wait beyond the deadline is not begun', async () => {
    const { client, asked, waits } = service([failing(429, { 'retry-after': '300' })])
    const failure = await failureOf(client.get('note-detail', ONE))
    expect(failure).toMatchObject({ status: 429, retryAfter: 300 })
    expect([asked.length, waits]).toEqual([1, []])
    const retry = { firstWait: 100_000, longestWait: 100_000, retries: 1 }
    for (const [deadline, expected] of [
      [50_000, []],
      [50_001, [50_000]],
    ] as const) {
      const short = service([failing(503)], { deadline, retry })
      await expect(short.client.get('note-detail', ONE)).rejects.toMatchObject({ status: 503 })
      expect(short.waits).toEqual(expected)
    }
  })
})

describe('time', () => {
  const never: () => Promise<Response> = () => new Promise(() => undefined)
  const hanging = (signals: AbortSignal[]) => ({
    fetch: (_: URL, { signal }: RequestInit) => {
      signals.push(signal!)
      return new Promise<Response>((_resolve, reject) =>
        signal!.addEventListener('abort', () => reject(signal!.reason as Error)),
      )
    },
  })

  test('an attempt that takes too long is one that failed', async () => {
    const signals: AbortSignal[] = []
    const { client } = service([never], { ...hanging(signals), timeout: 5, retry: { retries: 2 } })
    const failure = await failureOf(client.get('note-detail', ONE))
    const cause = { name: 'TimeoutError', message: 'The time is over.' }
    expect(failure).toMatchObject({ name: 'ConnectionError', cause })
    expect(signals).toHaveLength(3)
  })

  test('the deadline ends all of it', async () => {
    const signals: AbortSignal[] = []
    const { client } = service([never], hanging(signals))
    await expect(client.get('note-detail', { ...ONE, deadline: 5 })).rejects.toMatchObject({
      cause: { name: 'TimeoutError' },
    })
    expect(signals).toHaveLength(1)
  })

  test.each([
    ['30 s of an attempt', 30_000, { retry: false as const }],
    ['2 minutes of all of them', 120_000, { timeout: Infinity }],
  ])('is limited unless told otherwise, to %s', async (_, limit, options) => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const signals: AbortSignal[] = []
    const { client } = service([never], { ...hanging(signals), ...options })
    const call = failureOf(client.get('note-detail', ONE))
    await vi.advanceTimersByTimeAsync(limit - 1)
    expect(signals[0]!.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(signals[0]!.aborted).toBe(true)
    expect(await call).toMatchObject({ cause: { name: 'TimeoutError' } })
  })

  test('a signal ends it with its own reason', async () => {
    const signals: AbortSignal[] = []
    const stop = new AbortController()
    const { client } = service([never], hanging(signals))
    const call = client.get('note-detail', { ...ONE, signal: stop.signal })
    const reason = new Error('left')
    setTimeout(() => stop.abort(reason), 5)
    await expect(call).rejects.toBe(reason)
    expect(signals).toHaveLength(1)
  })
})

describe('what is sent', () => {
  test('the addresses, the query, and what is understood', async () => {
    const { client, asked } = service([json({ id: 1 })])
    await client.get('note-detail', ONE)
    const query = { a: [1, 2], b: 'x y', c: undefined, d: null, e: true, f: new Date(0) }
    await client.get('note-list', { query, headers: { 'X-Trace': '1' } })
    expect(asked.map(({ url }) => url)).toEqual([
      'https://api.example/notes/1/',
      'https://api.example/notes/?a=1%2C2&b=x+y&e=true&f=1970-01-01T00%3A00%3A00.000Z',
    ])
    expect(asked[1]!.headers.get('x-trace')).toBe('1')
    expect(asked[0]!.headers.get('accept')).toBe('application/json, application/problem+json')
  })

  test('JSON, and a form where there are files', async () => {
    const { client, asked } = service([json({ id: 1 }, { status: 201 })])
    await client.post('note-list', { body: { title: 'a' } })
    await client.post('note-list', { body: { title: 'a', file: new Blob(['b']) } })
    expect(asked[0]).toMatchObject({ method: 'POST', body: '{"title":"a"}', redirect: 'error' })
    expect(asked[0]!.headers.get('content-type')).toBe('application/json')
    expect(asked[1]!.body).toBeInstanceOf(FormData)
    expect([...(asked[1]!.body as FormData).keys()]).toEqual(['title', 'file'])
    expect(asked[1]!.headers.get('content-type')).toBeNull()
    await client.put('note-detail', { ...ONE, body: { tags: [], files: ['a', new Blob(['b'])] } })
    expect([...(asked[2]!.body as FormData).keys()]).toEqual(['files', 'files'])
    await client.put('note-detail', { ...ONE, body: { tags: [] } })
    expect(asked[3]!.body).toBe('{"tags":[]}')
  })

  test('what the platform sends by itself stays as it is', async () => {
    const bodies = [
      'a,b',
      new Blob(['b']),
      new FormData(),
      new URLSearchParams('a=b'),
      new ArrayBuffer(1),
      new Uint8Array(1),
      null,
      undefined,
    ]
    const { client, asked } = service([json({ id: 1 })])
    for (const body of bodies) await client.put('note-detail', { ...ONE, body: body as object })
    expect(asked.every(({ body }, at) => body === (bodies[at] ?? undefined))).toBe(true)
    expect(asked.map(({ headers }) => headers.get('content-type'))).toEqual(bodies.map(() => null))
  })

  test('a form has a part for each value', async () => {
    const { client, asked } = service([json({ id: 1 })])
    const files = [new Blob(['b']), 'c', undefined]
    const body = { files, no: undefined, none: null, text: 'a', number: 1, object: { a: [1n] } }
    await client.put('note-detail', { ...ONE, body })
    const [[name, file] = [], ...texts] = [...(asked[0]!.body as FormData)]
    expect([name, await (file as Blob).text()]).toEqual(['files', 'b'])
    expect(texts).toEqual([
      ['files', 'c'],
      ['none', ''],
      ['text', 'a'],
      ['number', '1'],
      ['object', '{"a":[1]}'],
    ])
  })

  test.each(['', '.', '..'])('no path has the segment "%s"', async (id) => {
    const { client, asked } = service([json({ id: 1 })])
    await expect(client.delete('note-detail', { params: { id } })).rejects.toThrow(
      'No path of "note-detail" takes exactly these parameters (id), or one is empty: /notes/:id<int>/.',
    )
    expect(asked).toEqual([])
  })

  test('of several paths without a value, the error says all', async () => {
    const { client } = service([json([])], { routes: { 'note-list': ['/:a/x/', '/:b/y/'] } })
    await expect(client.get('note-list')).rejects.toThrow('(), or one is empty: /:a/x/, /:b/y/.')
  })

  test.each([
    [['/notes/', '/notes/:id<int>/'], { id: 7 }, '/notes/7/'],
    [['/notes/', '/notes/{id}/'], { id: 7 }, '/notes/7/'],
    [['/notes/', '/notes/:year<int>/'], { id: 7 }, null],
    ['/notes/:id<int>/', { id: 7, year: 2027 }, null],
    [['/notes/:id<int>/', '/:version/notes/:id<int>/'], { id: 7 }, '/v2/notes/7/'],
    // A parameter is a whole segment, as the server reads it.
    ['/notes:search/12:30/:id/', { id: 7 }, '/notes:search/12:30/7/'],
  ] as const)(
    '%j with %j is %j: given parameters have a place, or none is asked',
    async (path, params, to) => {
      const { client, asked } = service([json(null)], { routes: { 'note-detail': path } })
      const failure = await client.delete('note-detail', { params }).catch(String)
      expect(asked.map(({ url }) => new URL(url).pathname)).toEqual(to === null ? [] : [to])
      expect(failure).toEqual(to === null ? expect.stringContaining('takes exactly') : null)
    },
  )

  test('a name without an address is refused', async () => {
    const { client, asked } = service([json([])], { routes: {} })
    await expect(client.get('note-list')).rejects.toThrow('"routes" has no address "note-list".')
    expect(asked).toEqual([])
  })

  test('a slash at the end of a prefix and one at the beginning of a path are one', () => {
    const urls = { v1: include('/v1/', { a: '/a/', b: ['/b', '/c/'] }), d: '/d/' } as const
    expect(routesOf(urls)).toEqual({ 'v1:a': ['/v1/a/'], 'v1:b': ['/v1/b', '/v1/c/'], d: ['/d/'] })
  })

  test('a parameter stays in its segment', async () => {
    const { client, asked } = service([json({ id: 1 })])
    await client.get('note-detail', { params: { id: '../a?b#c' } })
    expect(asked[0]!.url).toBe('https://api.example/notes/..%2Fa%3Fb%23c/')
  })
})

test('an end of a version is told once for each operation', async () => {
  const notices: DeprecationNotice[] = []
  const headers = {
    deprecation: '@1801353600',
    sunset: 'Wed, 30 Jun 2027 00:00:00 GMT',
    link: '<https://api.example/v3/notes/>; rel="successor-version"',
  }
  const { client } = service([json({ id: 1 }, { headers })], {
    onDeprecation: (notice) => notices.push(notice),
  })
  await client.get('note-detail', ONE)
  await client.get('note-detail', ONE)
  await client.get('note-list')
  expect(notices).toEqual([
    {
      operation: 'GET note-detail',
      deprecatedAt: new Date('2027-01-31'),
      sunsetAt: new Date('2027-06-30'),
      link: headers.link,
    },
    expect.objectContaining({ operation: 'GET note-list' }),
  ])
})

test('a client that does not ask for it takes the answer as it is', async () => {
  const { client } = service([json({ id: 1 }, { headers: { deprecation: '@1801353600' } })])
  expect(await client.get('note-detail', ONE)).toEqual({ id: 1 })
})

test('so it is where the answer is an error', async () => {
  const notices: DeprecationNotice[] = []
  const gone = problem(410, { detail: 'Gone.', code: 'gone' }, { sunset: 'never' })
  const { client } = service([gone], { onDeprecation: (notice) => notices.push(notice) })
  await expect(client.get('note-detail', ONE)).rejects.toMatchObject({ status: 410, code: 'gone' })
  expect(notices).toMatchObject([{ deprecatedAt: null, sunsetAt: null }])
})

test('a read says which write it has to show, also where places begin anew, and answers overtake each other', async () => {
  const at = (place: string) =>
    new Response('{}', {
      status: 200,
      headers: { 'content-type': 'application/json', 'read-after': place },
    })
  const answer: (() => void)[] = []
  const later = (place: string) => () =>
    new Promise<Response>((resolve) => answer.push(() => resolve(at(place))))
  const { client, asked } = service([
    json({}),
    at('FFFFFFFF/FFFFFFFF'),
    at('F/2'),
    json({}),
    ...['F/3', 'F/1A', '10/0', 'F/4'].map(later),
    json({}),
    at('0/1'),
    json({}),
  ])
  const write = () => client.post('note-list', { body: { title: 'a' } })
  const read = () => client.get('note-detail', { params: { id: 1 } })
  await read()
  for (const each of [write, write]) await each()
  await read()
  const overlapping = [write(), write(), write(), write()]
  await until(() => expect(answer.length).toBe(4))
  for (const index of [1, 0, 2, 3]) {
    answer[index]!()
    await overlapping[index]
  }
  await read()
  await write()
  await read()
  const said = asked.map(({ headers }) => headers.get('read-after'))
  expect(said.filter((place) => place !== null)).toEqual(['F/2', '10/0', '0/1'])
})
